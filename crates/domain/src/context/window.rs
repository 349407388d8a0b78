//! Which messages can stand in a context (RC-5, RC-6, RC-7, RC-19).
//!
//! The rules give bounds; the store of messages selects within them. In every window deleted
//! messages are never selected and count towards no limit (RC-7).

use crate::ids::{ChannelId, MessageId, ThreadId};

/// Where a message lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessagePlace {
    /// The message.
    pub message: MessageId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its place in the thread.
    pub thread_seq: i64,
}

/// The run's thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadPlace {
    /// The thread.
    pub thread: ThreadId,
    /// The channel it lies in now; a thread can be moved.
    pub channel: ChannelId,
    /// The message it was opened from, if any.
    pub parent: Option<MessageId>,
}

/// The message that a thread was opened from, as the agent sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParentMessage {
    /// Where it lies.
    pub place: MessagePlace,
    /// The channel of its thread.
    pub channel: ChannelId,
    /// Whether the agent may read it.
    pub readable: bool,
    /// Whether it was deleted.
    pub deleted: bool,
}

/// Where the triggering message lies, seen from the run's thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriggerPosition {
    /// In the thread.
    InThread {
        /// Its place in it.
        thread_seq: i64,
    },
    /// It is the message that the thread was opened from (auto thread).
    Parent,
}

/// A stretch of one thread: the newest `limit` selectable messages with
/// `after_seq` < `thread_seq` < `before_seq`, ascending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeqWindow {
    /// The thread.
    pub thread: ThreadId,
    /// Exclusive lower bound.
    pub after_seq: i64,
    /// Exclusive upper bound.
    pub before_seq: i64,
    /// `history_backfill_limit` of the thread's current channel. Each window has it for itself;
    /// zero selects nothing, and older messages still count as older.
    pub limit: u32,
}

/// Finds the triggering message. `None` when it lies neither in the thread nor is the message that
/// the thread was opened from: then the run has no context (RC-1 step 7).
pub fn locate_trigger(trigger: MessagePlace, thread: ThreadPlace) -> Option<TriggerPosition> {
    if trigger.thread == thread.thread {
        Some(TriggerPosition::InThread { thread_seq: trigger.thread_seq })
    } else if thread.parent == Some(trigger.message) {
        Some(TriggerPosition::Parent)
    } else {
        None
    }
}

/// The floor of the answer and the window of `thread_context` (RC-5). `None` when the thread has
/// nothing before the triggering message because it was opened from it; the floor is zero then.
pub fn thread_window(
    thread: ThreadPlace,
    position: TriggerPosition,
    floor: i64,
    limit: u32,
) -> (i64, Option<SeqWindow>) {
    match position {
        TriggerPosition::Parent => (0, None),
        TriggerPosition::InThread { thread_seq } => {
            let window = SeqWindow { thread: thread.thread, after_seq: floor, before_seq: thread_seq, limit };
            (floor, Some(window))
        }
    }
}

/// The window of `channel_context` (RC-6): the main thread before the parent message, which is not
/// part of it. `None` when the plan does not want it, there is no parent message, the agent may
/// not read it, or it lies in another channel than the thread does now: what was said in the
/// channel that a thread came from must not reach the readers of the one it went to.
///
/// `None` means that the answer has no `channel_context`; a window that selects nothing means that
/// it has an empty one.
pub fn channel_window(
    wanted: bool,
    thread: ThreadPlace,
    parent: Option<ParentMessage>,
    limit: u32,
) -> Option<SeqWindow> {
    let parent = parent.filter(|parent| wanted && is_around(thread, parent))?;
    Some(SeqWindow { thread: parent.place.thread, after_seq: 0, before_seq: parent.place.thread_seq, limit })
}

/// Whether the parent message is an element of its own (RC-19): under the conditions of the
/// channel context, unless it is the triggering message, which stands in the answer already, or
/// was deleted (RC-7).
pub fn includes_parent_message(
    wanted: bool,
    thread: ThreadPlace,
    position: TriggerPosition,
    parent: Option<ParentMessage>,
) -> bool {
    wanted
        && position != TriggerPosition::Parent
        && parent.is_some_and(|parent| is_around(thread, &parent) && !parent.deleted)
}

/// Whether a message is the thread's parent, readable, and in the thread's current channel.
fn is_around(thread: ThreadPlace, parent: &ParentMessage) -> bool {
    thread.parent == Some(parent.place.message) && parent.readable && parent.channel == thread.channel
}

#[cfg(test)]
mod tests;
