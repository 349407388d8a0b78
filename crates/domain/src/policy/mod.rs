//! Levels, capabilities, rights on a path, and the decision (chapter 03, chapter 08).

mod by_id;
mod course;
mod decide;
mod resource;
mod rights;
mod scope;
mod snapshot;

pub use decide::{Decision, Denial, Judgement, Mode, Outcome, Reason, decide, decide_scope};
pub use resource::{Path, Place, Resource};
pub use rights::{Capabilities, Capability, Level, Rights};
pub use scope::{Scope, scope};
pub use snapshot::{GrantFact, GrantTarget, Snapshot, SnapshotFacts};

#[cfg(test)]
mod tests;
