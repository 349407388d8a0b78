//! Messages that reach an agent while its run is active, and what becomes of them when it ends
//! (chapter 06 section 3, AF-19).

use crate::ids::{MessageId, PrincipalId};
use crate::message::words;

words! {
    /// Where a follow-up stands.
    pub enum FollowUpState {
        /// Written, and not acknowledged by the agent's consumer yet.
        Pending = "pending",
        /// The agent acknowledged its delivery.
        Delivered = "delivered",
        /// The agent took it into the work of this run.
        Absorbed = "absorbed",
        /// The run ended without it; it belongs to a later run now.
        Moved = "moved",
    }
}

impl FollowUpState {
    /// Whether the message reached the agent in this run, so that a resumed session knows it
    /// (RC-15). Being listed or queued is not enough.
    pub const fn reached_agent(self) -> bool {
        matches!(self, Self::Delivered | Self::Absorbed)
    }

    /// Whether the run still owes an answer to it.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::Delivered)
    }

    /// Applies a change. The same change twice gives the same state, since deliveries and reports
    /// repeat.
    ///
    /// # Errors
    /// [`FollowUpRefused`] when the follow-up has gone another way already.
    pub const fn apply(self, change: FollowUpChange) -> Result<Self, FollowUpRefused> {
        match (self, change) {
            (Self::Pending | Self::Delivered, FollowUpChange::Acknowledge) => Ok(Self::Delivered),
            // An adapter acknowledges an event after it has worked on it, so absorbing may come
            // first and a late acknowledgement must not undo it.
            (Self::Absorbed, FollowUpChange::Acknowledge) => Ok(Self::Absorbed),
            (Self::Pending | Self::Delivered | Self::Absorbed, FollowUpChange::Absorb) => Ok(Self::Absorbed),
            (Self::Pending | Self::Delivered | Self::Moved, FollowUpChange::Move) => Ok(Self::Moved),
            (Self::Absorbed, FollowUpChange::Move) => Err(FollowUpRefused::Absorbed),
            (Self::Moved, FollowUpChange::Acknowledge | FollowUpChange::Absorb) => Err(FollowUpRefused::Moved),
        }
    }
}

/// Something that happens to a follow-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FollowUpChange {
    /// The agent's consumer acknowledged the event.
    Acknowledge,
    /// The agent reported that its work covers the message (`patchRun`).
    Absorb,
    /// The run ended without it.
    Move,
}

/// Why a change does not apply to a follow-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FollowUpRefused {
    /// It was absorbed, so no other run may answer it again.
    #[error("the follow-up was absorbed by its run")]
    Absorbed,
    /// It belongs to a later run.
    #[error("the follow-up was moved to a later run")]
    Moved,
}

/// A follow-up of a run that ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowUp {
    /// The message.
    pub message: MessageId,
    /// Its place in the thread.
    pub thread_seq: i64,
    /// Where it stands.
    pub state: FollowUpState,
}

/// A message of another person that waits for the run to end (AF-19).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// The message.
    pub message: MessageId,
    /// Its place in the thread.
    pub thread_seq: i64,
    /// Its author, in whose name a run for it acts.
    pub author: PrincipalId,
}

/// The run that follows one that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextRun {
    /// Its triggering message.
    pub trigger: MessageId,
    /// Its triggering person: the author of that message.
    pub triggered_by: PrincipalId,
    /// Further messages of that person, oldest first; follow-ups of the new run.
    pub follow_ups: Vec<MessageId>,
    /// Messages of other people, oldest first; they wait for the new run to end.
    pub waiting: Vec<Waiting>,
}

/// Which run follows when a run of `triggered_by` ends. The oldest message that nobody has
/// answered becomes the trigger, so that nobody can keep others waiting by writing on; only
/// messages of its own author become follow-ups, since a run is bound to one person's rights
/// (AF-19). The caller judges again whether that author may still invoke the agent.
///
/// Returns `None` when nothing is left to answer.
pub fn next_run(triggered_by: PrincipalId, follow_ups: &[FollowUp], waiting: &[Waiting]) -> Option<NextRun> {
    let mut open: Vec<Waiting> = follow_ups
        .iter()
        .filter(|follow_up| follow_up.state.is_open())
        .map(|follow_up| Waiting { message: follow_up.message, thread_seq: follow_up.thread_seq, author: triggered_by })
        .chain(waiting.iter().copied())
        .collect();
    open.sort_by_key(|message| message.thread_seq);

    let mut open = open.into_iter();
    let trigger = open.next()?;
    let (own, others): (Vec<Waiting>, Vec<Waiting>) = open.partition(|message| message.author == trigger.author);
    Some(NextRun {
        trigger: trigger.message,
        triggered_by: trigger.author,
        follow_ups: own.into_iter().map(|message| message.message).collect(),
        waiting: others,
    })
}
