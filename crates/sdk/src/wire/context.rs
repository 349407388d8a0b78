use bothy_domain::ids::{ChannelId, MessageId, RunId};
use serde::{Deserialize, Serialize};

use super::Principal;

/// `run_context.v1`: what an agent knows of its run (chapter 07).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunContext {
    /// The run.
    pub run_id: RunId,
    /// Messages up to this one were delivered to the session before.
    pub context_floor_seq: i64,
    /// The request, complete.
    pub trigger_message: ContextMessage,
    /// Earlier messages of the thread.
    pub thread_context: Vec<ContextMessage>,
    /// The message that the thread was opened from, when that is not the request.
    #[serde(default)]
    pub parent_message: Option<ContextMessage>,
    /// Messages of the main thread before that message.
    #[serde(default)]
    pub channel_context: Option<Vec<ContextMessage>>,
    /// Older messages of the thread than this one were left out.
    #[serde(default)]
    pub truncated_before_seq: Option<i64>,
}

/// One message with what the server says of it. Only `trust` says whether it may instruct.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextMessage {
    /// The message.
    pub message_id: MessageId,
    /// Where it stands.
    pub channel_id: ChannelId,
    /// Its place in its thread.
    pub thread_seq: i64,
    /// When it was written.
    pub created_at: String,
    /// Who wrote it.
    pub author: Principal,
    /// `user`, `assistant` or `other`.
    pub role: String,
    /// `human`, `agent`, `app`, `import` or `system`.
    pub origin: String,
    /// The name of whoever wrote an imported message elsewhere; `author` is then who imported it.
    #[serde(default)]
    pub imported_author: Option<String>,
    /// `text`, `system` or `run_request`.
    pub kind: String,
    /// Its text.
    pub content_md: String,
    /// `trigger`, `authorized`, `self`, `unverified` or `system`.
    pub trust: String,
    /// What it answers.
    #[serde(default)]
    pub reply_to_message_id: Option<MessageId>,
    /// Whether the text was cut.
    #[serde(default)]
    pub truncated: bool,
    /// Whether the session has it already.
    #[serde(default)]
    pub already_delivered: bool,
}
