//! The life of a run: its states and why it ended (chapter 06 section 2), the one table of
//! transitions, and what happens to messages that reach an agent while its run is active
//! (chapter 06 section 3, AF-19).

mod follow_up;
mod transition;

pub use follow_up::{FollowUp, FollowUpChange, FollowUpRefused, FollowUpState, NextRun, Waiting, next_run};
pub use transition::{Applied, RunCommand, TransitionRefused, apply};

use crate::message::words;

words! {
    /// Where a run stands.
    pub enum RunState {
        /// Waits for the agent to take it.
        Queued = "queued",
        /// The agent works on it.
        Running = "running",
        /// The agent asked the triggering person something.
        WaitingInput = "waiting_input",
        /// Ended with an answer.
        Completed = "completed",
        /// Ended without one.
        Failed = "failed",
        /// Ended because somebody or a rule stopped it.
        Cancelled = "cancelled",
    }
}

impl RunState {
    /// Whether the run still occupies its thread and agent: at most one run is active there, and
    /// only an active run has a context (RC-1) and binds its agent (AF-5).
    pub const fn is_active(self) -> bool {
        !self.is_terminal()
    }

    /// Whether the run has ended. An ended run never changes again.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Whether `renewInvocationToken` applies: only while the run waits for its agent or for the
    /// person, since a running one has started with a token already.
    pub const fn may_renew_token(self) -> bool {
        matches!(self, Self::Queued | Self::WaitingInput)
    }
}

words! {
    /// What started a run.
    pub enum TriggerKind {
        /// A message (chapter 06 section 1).
        Message = "message",
        /// A command with its arguments.
        Command = "command",
        /// A pressed component of a message.
        Interaction = "interaction",
    }
}

words! {
    /// Why a run ended, as it is stored and shown.
    pub enum EndReason {
        /// The agent finished its work.
        Completed = "completed",
        /// The agent reported a failure; the error class says which.
        Failed = "failed",
        /// A person or the agent cancelled it.
        Cancelled = "cancelled",
        /// The triggering person may not instruct the agent any more.
        AccessRevoked = "access_revoked",
        /// The triggering message was deleted.
        TriggerDeleted = "trigger_deleted",
        /// No consumer took the run within `agent.queue_timeout`.
        AgentUnavailable = "agent_unavailable",
        /// No heartbeat within `agent.lease_timeout`.
        AgentLost = "agent_lost",
        /// The agent did not end a run within `agent.cancel_grace` of the request to cancel it.
        CancelGraceExpired = "cancel_grace_expired",
    }
}

words! {
    /// Why the end of a run is asked for. Stored with the request, so that a run that ends later
    /// still says what stopped it.
    pub enum CancelReason {
        /// A person called `cancelRun`.
        Requested = "requested",
        /// The triggering person lost trigger or was disabled.
        AccessRevoked = "access_revoked",
        /// The triggering message was deleted.
        TriggerDeleted = "trigger_deleted",
    }
}

impl CancelReason {
    /// The end reason of a queued run that is cancelled at once for this reason.
    pub const fn end_reason(self) -> EndReason {
        match self {
            Self::Requested => EndReason::Cancelled,
            Self::AccessRevoked => EndReason::AccessRevoked,
            Self::TriggerDeleted => EndReason::TriggerDeleted,
        }
    }
}

/// Whether the agent may read the context of its run: only while it is active (RC-1), and no
/// longer once its cancellation was requested because access was revoked (RC-21).
pub fn has_context(state: RunState, cancel_requested: Option<CancelReason>) -> bool {
    state.is_active() && cancel_requested != Some(CancelReason::AccessRevoked)
}

/// How an agent ends its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The work is done.
    Completed,
    /// The work failed.
    Failed {
        /// Which kind of failure.
        error_class: ErrorClass,
    },
    /// The agent stopped, usually because it was asked to.
    Cancelled,
}

impl Outcome {
    /// The state that this outcome leads to. Two outcomes are the same when this is the same: the
    /// error class is a detail, and a repeated report cannot change it.
    pub const fn state(&self) -> RunState {
        match self {
            Self::Completed => RunState::Completed,
            Self::Failed { .. } => RunState::Failed,
            Self::Cancelled => RunState::Cancelled,
        }
    }

    /// The end reason that is stored for it.
    pub const fn end_reason(&self) -> EndReason {
        match self {
            Self::Completed => EndReason::Completed,
            Self::Failed { .. } => EndReason::Failed,
            Self::Cancelled => EndReason::Cancelled,
        }
    }
}

/// The kind of a failure, in an agent's own words but narrow enough to be shown, logged and
/// counted: it can carry no sentence and so no content.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ErrorClass(String);

/// A text that is no error class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an error class is 1 to 64 characters a-z, 0-9 and _, and starts with a letter")]
pub struct InvalidErrorClass;

impl ErrorClass {
    /// The longest error class in bytes. It is part of the format, like the characters.
    pub const MAX_LEN: usize = 64;

    /// Checks a text from an agent.
    ///
    /// # Errors
    /// [`InvalidErrorClass`] when it is empty, too long, or has other characters.
    pub fn new(text: &str) -> Result<Self, InvalidErrorClass> {
        let starts_well = text.starts_with(|c: char| c.is_ascii_lowercase());
        let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if starts_well && text.len() <= Self::MAX_LEN && text.chars().all(known) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidErrorClass)
        }
    }

    /// The checked text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests;
