use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, RunId, ThreadId, TokenId};
use serde::{Deserialize, Serialize};

use crate::wire::Checkpoint;

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// The id.
    pub agent_id: PrincipalId,
    /// The handle.
    pub handle: String,
    /// The name that is shown.
    pub display_name: String,
}

/// An agent to be made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NewAgent<'a> {
    /// The handle.
    pub handle: &'a str,
    /// The name that is shown.
    pub display_name: &'a str,
    /// What it is for.
    pub description: &'a str,
}

/// A token to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewToken<'a> {
    /// What it is for.
    pub name: &'a str,
}

/// A token; its secret is shown this once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssuedToken {
    /// The id.
    pub token_id: TokenId,
    /// The secret.
    pub token: String,
}

/// What happened for an agent since a cursor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentEvents {
    /// The events, in order.
    pub items: Vec<AgentEvent>,
    /// Where to go on.
    pub cursor: i64,
    /// The newest checkpoint of the server's audit log, once there is one ([`crate::Witness`]).
    #[serde(default)]
    pub audit_checkpoint: Option<Checkpoint>,
}

/// One event for an agent: ids, and with an invocation the token of its run.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentEvent {
    /// Its place in the log; acknowledging it acknowledges everything before.
    pub position: i64,
    /// `agent.invocation`, `run.cancel_requested`, `message.created` and so on.
    pub kind: String,
    /// The run.
    #[serde(default)]
    pub run_id: Option<RunId>,
    /// The thread.
    #[serde(default)]
    pub thread_id: Option<ThreadId>,
    /// The channel.
    #[serde(default)]
    pub channel_id: Option<ChannelId>,
    /// The message.
    #[serde(default)]
    pub message_id: Option<MessageId>,
    /// The session, with an invocation.
    #[serde(default)]
    pub session: Option<InvocationSession>,
    /// The token of the run, with an invocation.
    #[serde(default)]
    pub invocation_token: Option<String>,
    /// What started the run.
    #[serde(default)]
    pub trigger_kind: Option<String>,
    /// Until when the run has to start.
    #[serde(default)]
    pub deadline: Option<String>,
    /// Whether the invocation was delivered before.
    #[serde(default)]
    pub redelivered: bool,
    /// How far the agent may follow the message, with a follow-up or an answer.
    #[serde(default)]
    pub trust: Option<String>,
    /// Why the run should stop, with a request to cancel.
    #[serde(default)]
    pub cancel_reason: Option<String>,
}

/// The continuity of the agent's memory in the thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvocationSession {
    /// `new`, `resume`, `bind` or `guest`.
    pub mode: String,
    /// The runtime's own reference, as it was reported.
    #[serde(default)]
    pub reference: Option<String>,
}

/// What the server knows of the agent's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pulse {
    /// The active runs of the agent; a run that is missing here has ended.
    pub runs: Vec<PulseRun>,
}

/// An active run of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PulseRun {
    /// The run.
    pub run_id: RunId,
    /// `queued`, `running` or `waiting_input`.
    pub state: String,
    /// Why it should end, if somebody asked for that.
    #[serde(default)]
    pub cancel_reason: Option<String>,
}

impl std::fmt::Debug for AgentEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentEvent")
            .field("position", &self.position)
            .field("kind", &self.kind)
            .field("run_id", &self.run_id)
            .finish_non_exhaustive()
    }
}
