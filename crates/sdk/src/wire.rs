//! What goes over the wire, as far as programs need it. The full description is `openapi.json`.

mod agents;
mod audit;
mod chat;
mod context;
mod identity;
mod import;
mod messages;
mod runs;

use serde::{Deserialize, Serialize};

pub use agents::{Agent, AgentEvent, AgentEvents, InvocationSession, IssuedToken, NewAgent, NewToken, Pulse, PulseRun};
pub use audit::Checkpoint;
pub(crate) use chat::Operator;
pub use chat::{
    AgentConfig, AgentConfigChange, Channel, ChannelKind, NewChannel, NewSpace, NewThread, RespondTo, Space, Thread,
};
pub use context::{ContextMessage, RunContext};
pub use identity::{
    AcceptInvite, AuditEvent, Capability, Grant, GrantTarget, Invite, Level, Me, NewGrant, NewInvite, NewSession,
    Person, Session, SessionFacts, Setup, Subject,
};
pub use import::{ImportMessage, ImportOutcome, ImportRevision, ImportedMessage};
pub use messages::{Message, NewMessage, Notice, PostedMessage};
pub use runs::{FinishRun, Outcome, RunChange, RunView};

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Where the next page begins; absent on the last one.
    #[serde(default)]
    pub next_cursor: Option<String>,
}

/// A principal as it is shown to others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Principal {
    /// The id.
    pub id: bothy_domain::ids::PrincipalId,
    /// `person`, `agent` or `app`.
    pub kind: String,
    /// The handle, without `@`.
    pub handle: String,
    /// The name that is shown.
    pub display_name: String,
}
