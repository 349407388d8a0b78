//! The operations on agents and apps.

mod agent;
mod app;
mod command;
mod session;
mod token;

use std::sync::Arc;

use bothy_domain::action::Action;
use bothy_platform::http::{RouteTable, Routes, delete, get, patch, post, put};
use schemars::JsonSchema;
use serde::Deserialize;

pub use session::AgentSessionView;

use crate::Agents;

/// Which page of a list.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageQuery {
    /// How many items the page has at most.
    #[serde(default)]
    pub(crate) limit: Option<u32>,
    /// Where the page begins: `next_cursor` of the page before.
    #[serde(default)]
    pub(crate) cursor: Option<String>,
}

pub(crate) fn table(agents: &Arc<Agents>) -> RouteTable {
    let mut routes = Routes::new(Arc::clone(agents));
    routes
        .add(post("createAgent", "/agents", "Make an agent").creates().recheck(Action::AgentRead), agent::create_agent);
    routes.add(get("listAgents", "/agents", "List agents"), agent::list_agents);
    routes.add(get("getAgent", "/agents/{agent_id}", "Read an agent"), agent::get_agent);
    routes.add(patch("updateAgent", "/agents/{agent_id}", "Change an agent"), agent::update_agent);
    routes.add(post("disableAgent", "/agents/{agent_id}/disable", "Shut an agent out"), agent::disable_agent);
    routes.add(post("enableAgent", "/agents/{agent_id}/enable", "Let an agent in again"), agent::enable_agent);
    routes.add(
        post("createAgentToken", "/agents/{agent_id}/tokens", "Make a token of an agent").creates(),
        token::create_agent_token,
    );
    routes.add(
        get("listAgentTokens", "/agents/{agent_id}/tokens", "List the tokens of an agent"),
        token::list_agent_tokens,
    );
    routes.add(
        delete("revokeAgentToken", "/agents/{agent_id}/tokens/{api_token_id}", "Revoke a token of an agent"),
        token::revoke_agent_token,
    );
    routes.add(post("createApp", "/apps", "Make an app").creates().recheck(Action::AppRead), app::create_app);
    routes.add(get("listApps", "/apps", "List apps"), app::list_apps);
    routes.add(get("getApp", "/apps/{app_id}", "Read an app"), app::get_app);
    routes.add(post("disableApp", "/apps/{app_id}/disable", "Shut an app out"), app::disable_app);
    routes.add(post("enableApp", "/apps/{app_id}/enable", "Let an app in again"), app::enable_app);
    routes.add(
        post("createAppToken", "/apps/{app_id}/tokens", "Make a token of an app").creates(),
        token::create_app_token,
    );
    routes.add(get("listAppTokens", "/apps/{app_id}/tokens", "List the tokens of an app"), token::list_app_tokens);
    routes.add(
        delete("revokeAppToken", "/apps/{app_id}/tokens/{api_token_id}", "Revoke a token of an app"),
        token::revoke_app_token,
    );
    routes.add(
        put("setAgentCommands", "/agents/{agent_id}/commands", "Say which commands the agent offers").describe(
            "Replaces what the agent offered before. Names and choices carry no sentences, because they become part of \
             the words of the person who runs the command.",
        ),
        command::set_agent_commands,
    );
    routes.add(
        get("listAgentCommands", "/agents/{agent_id}/commands", "List the commands of an agent"),
        command::list_agent_commands,
    );
    routes.add(
        post(
            "resetAgentSession",
            "/threads/{thread_id}/agents/{agent_id}/session/reset",
            "Let an agent begin anew in a thread",
        )
        .describe("A run that is active keeps its session."),
        session::reset_agent_session,
    );
    routes.add(
        post(
            "bindAgentSession",
            "/threads/{thread_id}/agents/{agent_id}/session/bind",
            "Attach a session that the agent's runtime has already",
        )
        .describe("A run that is active keeps its session."),
        session::bind_agent_session,
    );
    routes.into_table()
}
