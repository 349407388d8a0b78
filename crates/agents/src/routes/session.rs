use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::ids::{AgentSessionId, PrincipalId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_platform::http::{Allowed, Body, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Agents, SessionRow};

/// A session of an agent in a thread.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentSession")]
pub struct AgentSessionView {
    /// The session.
    agent_session_id: AgentSessionId,
    /// Its thread.
    thread_id: ThreadId,
    /// Its agent.
    agent_id: PrincipalId,
    /// Whether the next run of the agent in the thread gets it.
    is_current: bool,
    /// Whether the agent has reported it, or a person attached a reference to it.
    started: bool,
    /// The runtime's own name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
}

impl From<SessionRow> for AgentSessionView {
    fn from(row: SessionRow) -> Self {
        Self {
            agent_session_id: row.id,
            thread_id: row.thread,
            agent_id: row.agent,
            is_current: row.is_current,
            started: row.started,
            reference: row.reference,
        }
    }
}

/// A session that exists in the runtime of the agent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BindAgentSession {
    /// The runtime's own name for it: visible characters without spaces.
    reference: String,
}

pub(super) async fn reset_agent_session(
    allowed: Allowed<actions::AgentSessionReset>,
    agents: Arc<Agents>,
    _: (),
) -> Result<Json<AgentSessionView>, Problem> {
    Ok(Json::new(agents.reset_agent_session(allowed).await?.into()))
}

pub(super) async fn bind_agent_session(
    allowed: Allowed<actions::AgentSessionBind>,
    agents: Arc<Agents>,
    Body(input): Body<BindAgentSession>,
) -> Result<Json<AgentSessionView>, Problem> {
    Ok(Json::new(agents.bind_agent_session(allowed, &input.reference).await?.into()))
}
