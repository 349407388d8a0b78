//! Events (chapter 05 section 4): that something changed, and where. Ids only; no content, no token.

use crate::ids::{AnyId, ChannelId, MessageId, PrincipalId, RunId, SpaceId, ThreadId};
use crate::time::Timestamp;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// The kinds of event; the names are those on the wire and in the log.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum EventKind { $($(#[$doc])* $name,)* }

        impl EventKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name on the wire and in the log.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The kind with this name, if there is one.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.as_str() == text)
            }
        }
    };
}

kinds! {
    /// A run waits for the agent.
    AgentInvocation = "agent.invocation";
    /// A message reached a run that is active.
    AgentFollowup = "agent.followup";
    /// A run should stop.
    RunCancelRequested = "run.cancel_requested";
    /// A run that waited got its input.
    RunInputReceived = "run.input_received";
    /// The time of the question that a run waits with is over.
    RunQuestionExpired = "run.question_expired";
    /// An agent answered somebody who pressed a component.
    InteractionResponded = "interaction.responded";
    /// The state, status line, progress or draft of a run changed.
    RunUpdated = "run.updated";
    /// The author of a message is told something that only the author sees.
    NoticeCreated = "notice.created";
    /// A message was written.
    MessageCreated = "message.created";
    /// A message was edited.
    MessageUpdated = "message.updated";
    /// A message was deleted.
    MessageDeleted = "message.deleted";
    /// Somebody reacted to a message or took a reaction away.
    MessageReactionsUpdated = "message.reactions_updated";
    /// The caller read on in a thread, perhaps with another client.
    ReadStateUpdated = "read_state.updated";
    /// Somebody writes in a thread at this moment.
    TypingStarted = "typing.started";
    /// Somebody came or went.
    PresenceUpdated = "presence.updated";
    /// A thread was opened.
    ThreadCreated = "thread.created";
    /// A thread changed.
    ThreadUpdated = "thread.updated";
    /// A thread left a channel for another one.
    ThreadMoved = "thread.moved";
    /// A channel was made.
    ChannelCreated = "channel.created";
    /// A channel changed.
    ChannelUpdated = "channel.updated";
    /// A space was made.
    SpaceCreated = "space.created";
    /// A space changed.
    SpaceUpdated = "space.updated";
    /// The caller's own rights or status changed.
    RightsChanged = "rights.changed";
    /// A principal appeared or changed.
    PrincipalUpdated = "principal.updated";
}

/// Whom an event concerns; whether it is delivered is judged at delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audience {
    /// Everybody who is signed in.
    Instance,
    /// Whoever may read the channel.
    Channel(ChannelId),
    /// One principal.
    Principal(PrincipalId),
}

/// An event to be written in the unit of work of what it tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewEvent {
    /// What happened.
    pub kind: EventKind,
    /// Whom it concerns.
    pub audience: Audience,
    /// The space, if any.
    pub space: Option<SpaceId>,
    /// The channel, if any.
    pub channel: Option<ChannelId>,
    /// The thread, if any.
    pub thread: Option<ThreadId>,
    /// The message, if any.
    pub message: Option<MessageId>,
    /// The run, if any.
    pub run: Option<RunId>,
    /// What else it is about (a principal, a grant), if anything.
    pub subject: Option<AnyId>,
}

impl NewEvent {
    /// An event that names nothing yet.
    pub const fn new(kind: EventKind, audience: Audience) -> Self {
        Self { kind, audience, space: None, channel: None, thread: None, message: None, run: None, subject: None }
    }
}

/// An event of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Its place in the log, in commit order. Cursors are positions.
    pub position: i64,
    /// When it was written.
    pub at: Timestamp,
    /// What it says.
    pub event: NewEvent,
}
