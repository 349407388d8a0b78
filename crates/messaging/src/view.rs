//! The wire form of a message.

use bothy_domain::context::cut_content;
use bothy_domain::ids::{ChannelId, MessageId, ThreadId};
use bothy_domain::message::{MessageKind, Origin};
use bothy_domain::request::Component;
use bothy_domain::time::Timestamp;
use bothy_identity::PrincipalView;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{PlacedComponent, ReactionCount, StoredMessage};

/// A message.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Message")]
pub struct MessageView {
    /// Its id.
    message_id: MessageId,
    /// Its thread.
    thread_id: ThreadId,
    /// The channel that its thread is in.
    channel_id: ChannelId,
    /// Its place in the thread: 1 and up, without gaps.
    thread_seq: i64,
    /// Who wrote it.
    author: PrincipalView,
    /// Who really produced it, by the credential that was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Origin>,
    /// What it is.
    kind: MessageKind,
    /// What it says; empty for system lines and deleted messages.
    content_md: String,
    /// There and true when a list cut the content; `getMessage` returns it all.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    content_truncated: bool,
    /// The message of the same thread that it answers. It may have been deleted since; what is left of
    /// it can still be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to_message_id: Option<MessageId>,
    /// What a system line says.
    #[serde(skip_serializing_if = "Option::is_none")]
    system_code: Option<String>,
    /// The name of whoever wrote an imported message elsewhere, when nobody here was named as its
    /// author; `author` is then who imported it. A name of somebody's choice: data, never an account.
    #[serde(skip_serializing_if = "Option::is_none")]
    imported_author: Option<String>,
    /// When it was written.
    created_at: Timestamp,
    /// When it was last edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_at: Option<Timestamp>,
    /// When it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Timestamp>,
    /// How it was reacted to, the emoji that was used first comes first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    reactions: Vec<ReactionCount>,
    /// What can be pressed under it (`pressComponent`).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    components: Vec<ComponentView>,
}

/// Something that can be pressed under a message.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "PlacedMessageComponent")]
struct ComponentView {
    /// What it is.
    #[serde(flatten)]
    component: Component,
    /// There and true when it was pressed and cannot be pressed again.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    used: bool,
}

impl From<PlacedComponent> for ComponentView {
    fn from(placed: PlacedComponent) -> Self {
        Self { component: placed.component, used: placed.used }
    }
}

impl From<StoredMessage> for MessageView {
    fn from(message: StoredMessage) -> Self {
        Self {
            message_id: message.id,
            thread_id: message.thread_id,
            channel_id: message.channel_id,
            thread_seq: message.thread_seq,
            author: message.author.into(),
            origin: message.origin,
            kind: message.kind,
            content_md: message.content_md,
            content_truncated: false,
            reply_to_message_id: message.reply_to_message_id,
            system_code: message.system_code,
            imported_author: message.imported_author,
            created_at: message.created_at,
            edited_at: message.edited_at,
            deleted_at: message.deleted_at,
            reactions: Vec::new(),
            components: message.components.into_iter().map(ComponentView::from).collect(),
        }
    }
}

impl MessageView {
    /// The form of a message with the reactions to it.
    pub fn new(message: StoredMessage, reactions: Vec<ReactionCount>) -> Self {
        Self { reactions, ..message.into() }
    }

    /// The form in a list: long content is cut between two characters, and the view says so.
    #[must_use]
    pub fn cut(mut self, max_bytes: usize) -> Self {
        let (kept, truncated) = cut_content(&self.content_md, max_bytes);
        let kept = kept.len();
        self.content_md.truncate(kept);
        self.content_truncated = truncated;
        self
    }
}
