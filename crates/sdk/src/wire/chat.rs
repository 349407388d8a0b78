use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, SpaceId, ThreadId};
use serde::{Deserialize, Serialize};

/// A space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    /// The id.
    pub space_id: SpaceId,
    /// The name.
    pub name: String,
}

/// A space to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewSpace<'a> {
    /// The name.
    pub name: &'a str,
}

/// What a channel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChannelKind {
    /// One main thread, and threads that open from its messages.
    Text,
    /// Posts.
    Forum,
    /// A direct message.
    Dm,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    /// The id.
    pub channel_id: ChannelId,
    /// The space; absent for direct messages.
    #[serde(default)]
    pub space_id: Option<SpaceId>,
    /// What it is.
    pub kind: ChannelKind,
    /// The name; absent for direct messages.
    #[serde(default)]
    pub name: Option<String>,
    /// The main thread; absent in forums.
    #[serde(default)]
    pub main_thread_id: Option<ThreadId>,
}

/// A channel to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewChannel<'a> {
    /// `text` or `forum`.
    pub kind: ChannelKind,
    /// The name.
    pub name: &'a str,
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// The id.
    pub thread_id: ThreadId,
    /// The channel.
    pub channel_id: ChannelId,
    /// `main`, `thread` or `post`.
    pub kind: String,
    /// The message that it was opened from.
    #[serde(default)]
    pub parent_message_id: Option<MessageId>,
    /// The title.
    #[serde(default)]
    pub title: Option<String>,
}

/// A thread to be opened: from a message of a text channel, or with a title in a forum.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NewThread<'a> {
    /// The message that it opens from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_message_id: Option<MessageId>,
    /// The title of a post.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<&'a str>,
}

/// Whom agents answer in the main thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RespondTo {
    /// Who mentions them.
    Mention,
    /// Every message.
    EveryMessage,
    /// Nobody.
    Off,
}

/// The switches of a channel for agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentConfig {
    /// Whom agents answer in the main thread.
    pub respond_to: RespondTo,
    /// Whether the operator answers in threads without being mentioned.
    pub respond_in_threads: bool,
    /// Whether other agents answer when they are mentioned.
    pub allow_mentioned_agents: bool,
    /// Whether a request in the main thread opens a thread.
    pub auto_thread: bool,
    /// How many earlier messages an agent gets.
    pub history_backfill_limit: i64,
}

/// What is to change about the switches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AgentConfigChange {
    /// Whom agents answer in the main thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub respond_to: Option<RespondTo>,
    /// Whether the operator answers in threads without being mentioned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub respond_in_threads: Option<bool>,
    /// Whether other agents answer when they are mentioned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_mentioned_agents: Option<bool>,
    /// Whether a request in the main thread opens a thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_thread: Option<bool>,
    /// How many earlier messages an agent gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_backfill_limit: Option<i64>,
}

/// The agent in charge of a place; none when absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Operator {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent_id: Option<PrincipalId>,
}
