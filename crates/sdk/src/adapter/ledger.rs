//! Which events are under way, and how far they can be acknowledged.

use std::collections::BTreeMap;

/// The events that were taken and are not acknowledged.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    open: BTreeMap<i64, bool>,
    acknowledged: i64,
}

impl Ledger {
    /// Takes an event; false when it was taken before.
    pub(super) fn begin(&mut self, position: i64) -> bool {
        if position <= self.acknowledged || self.open.contains_key(&position) {
            return false;
        }
        self.open.insert(position, false);
        true
    }

    /// Marks an event as done; answers the position up to which all are, when that moved.
    pub(super) fn finish(&mut self, position: i64) -> Option<i64> {
        if let Some(done) = self.open.get_mut(&position) {
            *done = true;
        }
        let before = self.acknowledged;
        while let Some(first) = self.open.first_entry() {
            if !*first.get() {
                break;
            }
            self.acknowledged = *first.key();
            first.remove();
        }
        (self.acknowledged > before).then_some(self.acknowledged)
    }

    /// Lets an event be taken again.
    pub(super) fn give_back(&mut self, position: i64) {
        self.open.remove(&position);
    }
}

#[cfg(test)]
mod tests;
