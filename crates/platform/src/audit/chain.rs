use crate::audit::record::Record;

/// A place in the chain: what comes after it must follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chain {
    /// The position of the entry that was followed last; 0 before the first one.
    pub(super) position: i64,
    /// Its hash; zeros before the first one.
    pub(super) hash: [u8; 32],
    /// The hash of the entry before that.
    pub(super) before: [u8; 32],
}

/// Why an entry does not follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Break {
    /// It does not have the next position.
    Gap,
    /// Its hash is not that of what it says.
    Content,
    /// It names another entry before it.
    Link,
}

impl Chain {
    /// Before the first entry.
    pub(super) const START: Self = Self { position: 0, hash: [0; 32], before: [0; 32] };

    /// The place of an entry that is known to be good.
    pub(super) const fn at(position: i64, hash: [u8; 32]) -> Self {
        Self { position, hash, before: [0; 32] }
    }

    /// Goes on to the next entry, if this is it.
    pub(super) fn follow(&mut self, record: &Record) -> Result<(), Break> {
        let next = self.position.saturating_add(1);
        if record.position != Some(next) {
            return Err(Break::Gap);
        }
        let hash = record.digest(next, &record.previous_hash);
        if *record.hash != hash {
            return Err(Break::Content);
        }
        if *record.previous_hash != self.hash {
            return Err(Break::Link);
        }
        self.extend(hash);
        Ok(())
    }

    /// Seals an entry as the next one. Returns its hash.
    pub(super) fn seal(&mut self, record: &Record) -> [u8; 32] {
        let hash = record.digest(self.position.saturating_add(1), &self.hash);
        self.extend(hash);
        hash
    }

    const fn extend(&mut self, hash: [u8; 32]) {
        *self = Self { position: self.position.saturating_add(1), hash, before: self.hash };
    }
}
