//! What an agent already knows when a run reaches it (chapter 07 section 3, ruling D-M2-13-5).
//!
//! The mode announced with an invocation and the context that is read later come from the same
//! function, so that they cannot disagree.

use crate::ids::{PrincipalId, RunId, ThreadId};
use crate::message::words;
use crate::time::Timestamp;

words! {
    /// How a run relates to the agent's memory of the thread.
    pub enum SessionMode {
        /// Nothing is remembered yet.
        New = "new",
        /// The session goes on where an earlier run left it.
        Resume = "resume",
        /// The session was attached to a memory that exists in the runtime already.
        Bind = "bind",
        /// The agent does not operate the thread and keeps no session in it.
        Guest = "guest",
    }
}

/// The session row of a run (`runs.agent_session_id`). Never the current session of the thread: a
/// reset or bind while the run is active changes nothing for it (RC-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionFacts {
    /// The agent that the session belongs to. A session of another agent counts as none.
    pub agent: PrincipalId,
    /// Whether the agent reported it in a run.
    pub started: bool,
}

/// A run that names the same session row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlierRun {
    /// The run.
    pub run: RunId,
    /// Its agent.
    pub agent: PrincipalId,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// Whether it was ever started; one that ended in the queue told the agent nothing.
    pub started: bool,
    /// Where its triggering message lies. `None` when it has none or the row is gone.
    pub trigger: Option<TriggerPlace>,
}

/// Where a triggering message lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TriggerPlace {
    /// The thread it belongs to: the run's own, or that of the parent message of an auto thread.
    pub thread: ThreadId,
    /// Its place in that thread.
    pub thread_seq: i64,
}

/// What the plan of a run's context depends on.
#[derive(Debug, Clone, Copy)]
pub struct PlanFacts<'a> {
    /// The run.
    pub run: RunId,
    /// Its agent.
    pub agent: PrincipalId,
    /// Its thread.
    pub thread: ThreadId,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// Whether the agent operates the thread, as [`crate::trigger::Place::standing`] says.
    pub operates: bool,
    /// The session row of the run.
    pub session: Option<SessionFacts>,
    /// Runs that name the same session row, in any order. It is enough to hand in the latest
    /// started one queued before this run, and the latest of those that has a triggering message.
    pub same_session: &'a [EarlierRun],
}

/// What a run's context is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextPlan {
    /// The mode that is announced with the invocation.
    pub mode: SessionMode,
    /// Messages of the thread up to this `thread_seq` are known to the session.
    pub floor: i64,
    /// Whether the agent's own messages are left out.
    pub exclude_own: bool,
    /// Whether the channel around the thread's parent message is wanted, and that message itself
    /// (RC-6, RC-19).
    pub channel_context: bool,
}

impl ContextPlan {
    /// The plan of a session that knows nothing.
    const fn without_memory(mode: SessionMode) -> Self {
        Self { mode, floor: 0, exclude_own: false, channel_context: true }
    }
}

/// Plans the context of a run (RC-4).
pub fn plan(facts: &PlanFacts<'_>) -> ContextPlan {
    if !facts.operates {
        return ContextPlan::without_memory(SessionMode::Guest);
    }
    let started = facts.session.is_some_and(|row| row.agent == facts.agent && row.started);
    if !started {
        return ContextPlan::without_memory(SessionMode::New);
    }
    if earlier_started(facts).next().is_none() {
        return ContextPlan::without_memory(SessionMode::Bind);
    }
    ContextPlan { mode: SessionMode::Resume, floor: floor(facts), exclude_own: true, channel_context: false }
}

/// The started runs of the agent in the session that were queued before this run: they make a
/// session "used".
fn earlier_started<'a>(facts: &PlanFacts<'a>) -> impl Iterator<Item = &'a EarlierRun> {
    let (agent, this) = (facts.agent, (facts.queued_at, facts.run));
    facts
        .same_session
        .iter()
        .filter(move |other| other.agent == agent && other.started)
        // Ids grow with time, so they order runs that were queued in the same microsecond.
        .filter(move |other| (other.queued_at, other.run) < this)
}

/// The place of the latest earlier trigger, or zero when it lies outside the thread: a place in
/// the main thread says nothing about this one.
fn floor(facts: &PlanFacts<'_>) -> i64 {
    earlier_started(facts)
        .filter_map(|run| run.trigger.map(|trigger| ((run.queued_at, run.run), trigger)))
        .max_by_key(|(order, _)| *order)
        .filter(|(_, trigger)| trigger.thread == facts.thread)
        .map_or(0, |(_, trigger)| trigger.thread_seq)
}

#[cfg(test)]
mod tests;
