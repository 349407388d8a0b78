use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_platform::http::{Allowed, Body, Created, Json, Query};
use bothy_platform::paging::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PageQuery;
use crate::Agents;
use crate::agent::{AgentChange, AgentFacts, DmPolicy, NewAgent};

/// An agent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Agent")]
pub(super) struct AgentView {
    /// The agent.
    agent_id: PrincipalId,
    /// The handle, without `@`.
    handle: String,
    /// The name that is shown.
    display_name: String,
    /// `active`, `disabled` or `deleted`.
    status: &'static str,
    /// What it is for.
    description: String,
    /// Whom it answers in direct messages.
    dm_policy: DmPolicy,
    /// Whether it may act only inside a run, with the `Invocation-Token` of the run.
    requires_binding: bool,
    /// Who made it.
    created_by: PrincipalId,
}

impl From<AgentFacts> for AgentView {
    fn from(facts: AgentFacts) -> Self {
        Self {
            agent_id: facts.id,
            handle: facts.handle,
            display_name: facts.display_name,
            status: facts.status.as_str(),
            description: facts.description,
            dm_policy: facts.dm_policy,
            requires_binding: facts.requires_binding,
            created_by: facts.created_by,
        }
    }
}

/// An agent to be made.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateAgent {
    /// The handle: letters, digits, `.`, `_` and `-`.
    handle: String,
    /// The name that is shown.
    display_name: String,
    /// What it is for.
    #[serde(default)]
    description: String,
    /// Whom it answers in direct messages; `triggerers` when absent.
    #[serde(default = "triggerers")]
    dm_policy: DmPolicy,
    /// Whether it may act only inside a run. Right for every agent that has no business of its own.
    #[serde(default)]
    requires_binding: bool,
}

const fn triggerers() -> DmPolicy {
    DmPolicy::Triggerers
}

/// What is to change about an agent; what is absent stays.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UpdateAgent {
    /// The name that is shown.
    #[serde(default)]
    display_name: Option<String>,
    /// What it is for.
    #[serde(default)]
    description: Option<String>,
    /// Whom it answers in direct messages.
    #[serde(default)]
    dm_policy: Option<DmPolicy>,
    /// Whether it may act only inside a run.
    #[serde(default)]
    requires_binding: Option<bool>,
}

pub(super) async fn create_agent(
    allowed: Allowed<actions::AgentCreate>,
    agents: Arc<Agents>,
    Body(input): Body<CreateAgent>,
) -> Result<Created<AgentView>, Problem> {
    let CreateAgent { handle, display_name, description, dm_policy, requires_binding } = input;
    let input = NewAgent { handle, display_name, description, dm_policy, requires_binding };
    let facts = agents.create_agent(allowed, input).await?;
    let version = facts.version;
    Ok(Created(Json::new(facts.into()).with_version(version)))
}

pub(super) async fn list_agents(
    allowed: Allowed<actions::AgentRead>,
    agents: Arc<Agents>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<AgentView>>, Problem> {
    let page = agents.list_agents(allowed, query.limit, query.cursor.as_deref()).await?;
    Ok(Json::new(page.map(AgentView::from)))
}

pub(super) async fn get_agent(
    allowed: Allowed<actions::AgentRead>,
    agents: Arc<Agents>,
    _: (),
) -> Result<Json<AgentView>, Problem> {
    agents.get_agent(allowed).await.map(versioned)
}

pub(super) async fn update_agent(
    allowed: Allowed<actions::AgentUpdate>,
    agents: Arc<Agents>,
    Body(input): Body<UpdateAgent>,
) -> Result<Json<AgentView>, Problem> {
    let UpdateAgent { display_name, description, dm_policy, requires_binding } = input;
    let change = AgentChange { display_name, description, dm_policy, requires_binding };
    agents.update_agent(allowed, change).await.map(versioned)
}

pub(super) async fn disable_agent(
    allowed: Allowed<actions::AgentDisable>,
    agents: Arc<Agents>,
    _: (),
) -> Result<Json<AgentView>, Problem> {
    agents.disable_agent(allowed).await.map(versioned)
}

pub(super) async fn enable_agent(
    allowed: Allowed<actions::AgentDisable>,
    agents: Arc<Agents>,
    _: (),
) -> Result<Json<AgentView>, Problem> {
    agents.enable_agent(allowed).await.map(versioned)
}

fn versioned(facts: AgentFacts) -> Json<AgentView> {
    let version = facts.version;
    Json::new(facts.into()).with_version(version)
}
