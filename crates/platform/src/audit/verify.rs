use std::fmt;

use bothy_storage::{Reader, StorageError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::audit::chain::Chain;
use crate::audit::checkpoint::Checkpoint;
use crate::audit::explain::explain;
use crate::audit::seal::PAGE;
use crate::audit::store::{chain, checkpoints};

/// What was done to a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The entry is not what was sealed.
    Changed,
    /// The entry that was sealed is gone.
    Removed,
    /// The entry was never sealed.
    Added,
    /// The entry stands elsewhere.
    Reordered,
    /// This entry and those after it are gone.
    Cut,
    /// The entries up to this one are not those that a checkpoint covers.
    Rewritten,
    /// The checkpoint of this position has no good signature.
    Checkpoint,
}

/// The first thing that is wrong with a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fault {
    /// What was done.
    pub kind: FaultKind,
    /// The position of the entry.
    pub position: i64,
}

/// Entries that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Span {
    /// The position of the first one.
    pub first: i64,
    /// The position of the last one.
    pub last: i64,
}

/// What the verification of a log found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// The position up to which everything is as it was sealed.
    pub verified: i64,
    /// The position up to which a signed checkpoint covers the log.
    pub anchored: i64,
    /// The tail that no checkpoint covers: who can write to the database could have changed it and
    /// computed it anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unanchored: Option<Span>,
    /// How many entries wait for their seal.
    pub unsealed: i64,
    /// The first thing that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

impl Report {
    /// Whether nothing is wrong.
    pub const fn is_intact(&self) -> bool {
        self.fault.is_none()
    }
}

impl FaultKind {
    /// The name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Added => "added",
            Self::Reordered => "reordered",
            Self::Cut => "cut",
            Self::Rewritten => "rewritten",
            Self::Checkpoint => "checkpoint",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.position;
        match self.kind {
            FaultKind::Changed => write!(f, "entry {position} was changed"),
            FaultKind::Removed => write!(f, "entry {position} was removed"),
            FaultKind::Added => write!(f, "entry {position} was added"),
            FaultKind::Reordered => write!(f, "entry {position} was moved"),
            FaultKind::Cut => write!(f, "entry {position} and those after it were cut off"),
            FaultKind::Rewritten => write!(f, "the entries up to {position} are not those that were signed"),
            FaultKind::Checkpoint => write!(f, "the checkpoint of entry {position} has no good signature"),
        }
    }
}

/// Recomputes the chain, holds it against every checkpoint in the database and against `kept`, one
/// that was kept elsewhere, and says what is wrong first.
///
/// Without `kept`, a tail that was cut off together with its checkpoints, and a log that was
/// rewritten as a whole together with its keys, cannot be told from a good one.
///
/// `reader` must be one of `Database::consistent_reader`, because the log grows meanwhile.
///
/// # Errors
/// [`StorageError`]; also when a row cannot be read as an entry at all.
pub async fn verify(reader: &Reader, kept: Option<&Checkpoint>) -> Result<Report, StorageError> {
    let head = chain::head(reader).await?;
    let (_, unsealed) = chain::counts(reader).await?;
    let mut walk = Walk { reader, kept, head, chain: Chain::START, anchored: 0 };
    let fault = walk.fault().await?;
    let (verified, anchored) = (walk.chain.position, walk.anchored);
    let unanchored = (fault.is_none() && anchored < verified).then_some(Span { first: anchored + 1, last: verified });
    Ok(Report { verified, anchored, unanchored, unsealed, fault })
}

struct Walk<'a> {
    reader: &'a Reader,
    kept: Option<&'a Checkpoint>,
    head: Chain,
    chain: Chain,
    anchored: i64,
}

impl Walk<'_> {
    async fn fault(&mut self) -> Result<Option<Fault>, StorageError> {
        if let Some(kept) = self.kept
            && !self.is_ours(kept).await?
        {
            return found(FaultKind::Checkpoint, kept.position);
        }
        if let Some(first) = chain::sealed(self.reader, i64::MIN, 1).await?.first()
            && let Some(position) = first.position.filter(|position| *position < 1)
        {
            return found(FaultKind::Added, position);
        }
        loop {
            let page = chain::sealed(self.reader, self.chain.position, PAGE).await?;
            let Some(last) = page.last().and_then(|last| last.position) else { break };
            let signed = checkpoints::between(self.reader, self.chain.position, last, PAGE).await?;
            let mut signed = signed.into_iter().peekable();
            for record in &page {
                if let Err(broken) = self.chain.follow(record) {
                    return explain(self.reader, &self.chain, record, broken, &self.head).await.map(Some);
                }
                let here = signed.next_if(|checkpoint| checkpoint.position == self.chain.position);
                if let Some(fault) = self.hold_against(here.as_ref()) {
                    return Ok(Some(fault));
                }
            }
            tokio::task::yield_now().await;
        }
        self.missing_end().await
    }

    /// A checkpoint from elsewhere is signed, and not with a key that the database knows under the
    /// same id as another one.
    async fn is_ours(&self, kept: &Checkpoint) -> Result<bool, StorageError> {
        let keys = checkpoints::keys(self.reader).await?;
        let known = keys.iter().find(|(kid, _)| *kid == kept.kid);
        Ok(kept.is_signed() && known.is_none_or(|(_, key)| *key == kept.public_key))
    }

    /// Holds the place that was reached against the checkpoints that cover it.
    fn hold_against(&mut self, stored: Option<&Checkpoint>) -> Option<Fault> {
        let Chain { position, hash, .. } = self.chain;
        let kept = self.kept.filter(|kept| kept.position == position);
        for checkpoint in stored.into_iter().chain(kept) {
            if !checkpoint.is_signed() {
                return Some(Fault { kind: FaultKind::Checkpoint, position });
            }
            if !checkpoint.covers(position, &hash) {
                return Some(Fault { kind: FaultKind::Rewritten, position });
            }
            self.anchored = position;
        }
        None
    }

    /// What should come after the last entry that is there.
    async fn missing_end(&self) -> Result<Option<Fault>, StorageError> {
        let last = self.chain.position;
        let next = last.saturating_add(1);
        if let Some(later) = checkpoints::between(self.reader, last, i64::MAX, 1).await?.first() {
            return if later.is_signed() {
                found(FaultKind::Cut, next)
            } else {
                found(FaultKind::Checkpoint, later.position)
            };
        }
        if self.kept.is_some_and(|kept| kept.position > last) || self.head.position > last {
            return found(FaultKind::Cut, next);
        }
        if self.head.position < last {
            return found(FaultKind::Added, self.head.position.saturating_add(1));
        }
        if self.head.hash == self.chain.hash { Ok(None) } else { found(FaultKind::Rewritten, last) }
    }
}

#[allow(clippy::unnecessary_wraps, reason = "the end of functions that also read")]
const fn found(kind: FaultKind, position: i64) -> Result<Option<Fault>, StorageError> {
    Ok(Some(Fault { kind, position }))
}
