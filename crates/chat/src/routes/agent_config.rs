use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::ids::ChannelId;
use bothy_domain::problem::Problem;
use bothy_domain::trigger::RespondTo;
use bothy_platform::http::{Allowed, Body, Json, Routes, get, patch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AgentConfig, AgentConfigChange, Chat, Egress};

const PATH: &str = "/channels/{channel_id}/agent-config";

/// The switches of a channel for agents.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChannelAgentConfig")]
struct AgentConfigView {
    /// The channel.
    channel_id: ChannelId,
    /// Whom the operator answers in the main thread.
    respond_to: RespondTo,
    /// Whether the operator answers in threads without being mentioned.
    respond_in_threads: bool,
    /// Whether agents that do not operate the channel may be called into it by a mention.
    allow_mentioned_agents: bool,
    /// Whether an answer in the main thread gets a thread of its own.
    auto_thread: bool,
    /// How many earlier messages a run context may hold.
    history_backfill_limit: u32,
    /// What happens when an agent would carry content out of the channel.
    egress: Egress,
    /// A text for the agents that work in the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    /// Names of skills for the agents that work in the channel.
    skills: Vec<String>,
}

/// What the agents that work in a channel are told of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentConfig")]
struct PromptView {
    /// The channel.
    channel_id: ChannelId,
    /// A text of those who manage the channel for its agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    /// Names of skills for the agents of the channel.
    skills: Vec<String>,
}

/// What is to change; what is absent stays.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UpdateAgentConfig {
    /// Whom the operator answers in the main thread.
    respond_to: Option<RespondTo>,
    /// Whether the operator answers in threads without being mentioned.
    respond_in_threads: Option<bool>,
    /// Whether agents that do not operate the channel may be called into it by a mention.
    allow_mentioned_agents: Option<bool>,
    /// Whether an answer in the main thread gets a thread of its own.
    auto_thread: Option<bool>,
    /// How many earlier messages a run context may hold.
    history_backfill_limit: Option<u32>,
    /// What happens when an agent would carry content out of the channel.
    egress: Option<Egress>,
    /// A text for the agents that work in the channel; an empty one takes it away.
    prompt: Option<String>,
    /// Names of skills; an empty list takes them away.
    skills: Option<Vec<String>>,
}

fn answer(config: AgentConfig) -> Json<AgentConfigView> {
    let view = AgentConfigView {
        channel_id: config.channel,
        respond_to: config.switches.respond_to,
        respond_in_threads: config.switches.respond_in_threads,
        allow_mentioned_agents: config.switches.allow_mentioned_agents,
        auto_thread: config.switches.auto_thread,
        history_backfill_limit: config.history_backfill_limit,
        egress: config.egress,
        prompt: config.prompt,
        skills: config.skills,
    };
    Json::new(view).with_version(config.version)
}

pub(super) fn add(routes: &mut Routes<Chat>) {
    routes.add(get("getChannelAgentConfig", PATH, "Read the switches of a channel for agents"), get_config);
    routes.add(
        get("getAgentConfig", "/channels/{channel_id}/agent-prompt", "Read what a channel tells its agents"),
        get_agent_config,
    );
    routes.add(
        patch("updateChannelAgentConfig", PATH, "Change the switches of a channel for agents")
            .describe("Send `If-Match` with the `ETag` that `getChannelAgentConfig` answered."),
        update_config,
    );
}

async fn get_config(
    allowed: Allowed<actions::ChannelAgentConfigRead>,
    chat: Arc<Chat>,
    (): (),
) -> Result<Json<AgentConfigView>, Problem> {
    chat.get_channel_agent_config(allowed).await.map(answer)
}

async fn get_agent_config(
    allowed: Allowed<actions::AgentConfigRead>,
    chat: Arc<Chat>,
    (): (),
) -> Result<Json<PromptView>, Problem> {
    let AgentConfig { channel, prompt, skills, version, .. } = chat.get_agent_config(allowed).await?;
    Ok(Json::new(PromptView { channel_id: channel, prompt, skills }).with_version(version))
}

async fn update_config(
    allowed: Allowed<actions::ChannelUpdate>,
    chat: Arc<Chat>,
    Body(input): Body<UpdateAgentConfig>,
) -> Result<Json<AgentConfigView>, Problem> {
    let change = AgentConfigChange {
        respond_to: input.respond_to,
        respond_in_threads: input.respond_in_threads,
        allow_mentioned_agents: input.allow_mentioned_agents,
        auto_thread: input.auto_thread,
        history_backfill_limit: input.history_backfill_limit,
        egress: input.egress,
        prompt: input.prompt,
        skills: input.skills,
    };
    chat.update_channel_agent_config(allowed, change).await.map(answer)
}
