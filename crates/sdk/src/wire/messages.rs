use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, RunId, ThreadId};
use serde::{Deserialize, Serialize};

use super::Principal;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The id.
    pub message_id: MessageId,
    /// The thread.
    pub thread_id: ThreadId,
    /// The channel.
    pub channel_id: ChannelId,
    /// Its place in its thread.
    pub thread_seq: i64,
    /// Who wrote it.
    pub author: Principal,
    /// `human`, `agent`, `app`, `import` or `system`; absent when this server does not know it.
    #[serde(default)]
    pub origin: Option<String>,
    /// The name of whoever wrote an imported message elsewhere; `author` is then who imported it.
    #[serde(default)]
    pub imported_author: Option<String>,
    /// `text`, `system` or `run_request`.
    pub kind: String,
    /// The text.
    pub content_md: String,
    /// Whether a list cut the text; reading the message gives it all.
    #[serde(default)]
    pub content_truncated: bool,
    /// What it answers.
    #[serde(default)]
    pub reply_to_message_id: Option<MessageId>,
    /// When it was written.
    pub created_at: String,
}

/// A message to be posted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NewMessage<'a> {
    /// The text, in Markdown.
    pub content_md: &'a str,
    /// What it answers, in the same thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to_message_id: Option<MessageId>,
    /// An id of the sender's own: posting with the same one again answers the message that exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_message_id: Option<&'a str>,
}

/// The answer to a posted message: the message, and what it caused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostedMessage {
    /// The message.
    #[serde(flatten)]
    pub message: Message,
    /// The thread that was opened from it.
    #[serde(default)]
    pub opened_thread_id: Option<ThreadId>,
    /// The runs that it started.
    #[serde(default)]
    pub run_ids: Vec<RunId>,
    /// What only its author is told.
    #[serde(default)]
    pub notices: Vec<Notice>,
}

/// Something that only the author of a message is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The agent that it is about.
    pub agent_id: PrincipalId,
    /// What it says.
    pub code: String,
}
