use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::problem::Problem;
use bothy_domain::request::CommandDefinition;
use bothy_platform::http::{Allowed, Body, Json, Query};
use bothy_platform::paging::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PageQuery;
use crate::Agents;

/// All commands that an agent offers, in its order.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AgentCommands")]
pub(super) struct AgentCommandsView {
    /// The commands; at most `agent.max_commands`.
    commands: Vec<CommandDefinition>,
}

pub(super) async fn set_agent_commands(
    allowed: Allowed<actions::AgentCommandsDeclare>,
    agents: Arc<Agents>,
    Body(input): Body<AgentCommandsView>,
) -> Result<Json<AgentCommandsView>, Problem> {
    let commands = agents.set_agent_commands(allowed, input.commands).await?;
    Ok(Json::new(AgentCommandsView { commands }))
}

pub(super) async fn list_agent_commands(
    allowed: Allowed<actions::AgentRead>,
    agents: Arc<Agents>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<CommandDefinition>>, Problem> {
    Ok(Json::new(agents.list_agent_commands(allowed, query.limit, query.cursor.as_deref()).await?))
}
