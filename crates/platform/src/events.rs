//! The event log (chapter 05 section 4): that something changed, in commit order.
//!
//! A cursor is a position, and a consumer reads what stands after it. So a position may only become
//! visible when no lower one can follow. On SQLite one unit of work writes at a time, and positions
//! are taken by the unit that writes. On PostgreSQL a number that is drawn inside of a transaction
//! becomes visible whenever that transaction commits, perhaps after higher ones were read; so events
//! are written without a position, and a *sequencer* on each node gives positions to what has been
//! committed, one node at a time, under a lock. Readers see only events that have one.

mod log;
mod read;
mod retain;
mod sequencer;
pub(crate) mod store;

pub use log::EventLog;
pub use read::{AudienceFilter, Page};

#[cfg(test)]
mod tests;
