use bothy_domain::ids::{MessageId, PrincipalId};
use bothy_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A message to be taken over from another system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportMessage {
    /// What names it in its system.
    pub key: String,
    /// The key of the message whose thread it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_key: Option<String>,
    /// The person here who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_id: Option<PrincipalId>,
    /// The name of whoever wrote it, when that is nobody here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_name: Option<String>,
    /// The text, in Markdown.
    pub content_md: String,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it was last edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<Timestamp>,
    /// When it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// Its earlier wordings, oldest first.
    pub revisions: Vec<ImportRevision>,
}

/// An earlier wording of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportRevision {
    /// The text.
    pub content_md: String,
    /// When the next wording took its place.
    pub replaced_at: Timestamp,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ImportedMessage {
    /// What.
    pub outcome: ImportOutcome,
    /// The message here.
    #[serde(default)]
    pub message_id: Option<MessageId>,
    /// Why it was refused.
    #[serde(default)]
    pub reason: Option<String>,
}

/// What can become of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportOutcome {
    /// It was written now.
    Taken,
    /// It was taken over before.
    Known,
    /// It cannot be taken.
    Refused,
}
