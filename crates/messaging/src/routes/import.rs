use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::ids::{MessageId, PrincipalId};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::http::{Allowed, Body, Created, Routes, post};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Messaging;
use crate::import::{Fate, Foreign, MAX_MESSAGES};

/// Messages to be taken over.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ImportMessages {
    /// The messages, at most 200, each behind the one that it answers.
    messages: Vec<ImportMessage>,
}

/// A message as another system had it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ImportMessage {
    /// What names it in the system that it comes from, with the name of that system. In a channel no
    /// key is taken twice.
    key: String,
    /// The key of the message whose thread it stands in; without it, it stands in the main thread.
    parent_key: Option<String>,
    /// The person here who wrote it. Exactly one of this and `author_name` is there.
    author_id: Option<PrincipalId>,
    /// The name of whoever wrote it, when that is nobody here. It is shown as a name and never becomes
    /// an account.
    author_name: Option<String>,
    /// What it says, in CommonMark; empty when it was deleted. Mentions in it stay text.
    content_md: String,
    /// When it was written; not in the future.
    created_at: Timestamp,
    /// When it was last edited.
    edited_at: Option<Timestamp>,
    /// When it was deleted: what is taken over is then that there was a message.
    deleted_at: Option<Timestamp>,
    /// Its earlier wordings, oldest first.
    #[serde(default)]
    revisions: Vec<ImportRevision>,
}

/// An earlier wording of a message.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ImportRevision {
    /// What it said.
    content_md: String,
    /// When the next wording took its place.
    replaced_at: Timestamp,
}

/// What became of the messages.
#[derive(Debug, Serialize, JsonSchema)]
struct ImportResult {
    /// One for each message, in the order of the request.
    items: Vec<ImportedMessage>,
}

/// What became of a message.
#[derive(Debug, Serialize, JsonSchema)]
struct ImportedMessage {
    /// What.
    outcome: ImportOutcome,
    /// The message here.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<MessageId>,
    /// Why it was refused: `key_invalid`, `key_repeated` (twice in one request), `content_invalid`,
    /// `revisions_invalid`, `time_in_the_future`, `author_unknown`, `parent_unknown` (it was not taken
    /// over into this channel, or is itself a reply), `thread_closed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

/// What can become of a message.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ImportOutcome {
    /// It was written now.
    Taken,
    /// It was taken over before.
    Known,
    /// It cannot be taken.
    Refused,
}

impl From<Fate> for ImportedMessage {
    fn from(fate: Fate) -> Self {
        let (outcome, message_id, reason) = match fate {
            Fate::Taken(id) => (ImportOutcome::Taken, Some(id), None),
            Fate::Known(id) => (ImportOutcome::Known, Some(id), None),
            Fate::Refused(why) => (ImportOutcome::Refused, None, Some(why.as_str())),
        };
        Self { outcome, message_id, reason }
    }
}

impl From<ImportMessage> for Foreign {
    fn from(message: ImportMessage) -> Self {
        Self {
            key: message.key,
            parent_key: message.parent_key,
            author: message.author_id,
            author_name: message.author_name,
            content_md: message.content_md,
            created_at: message.created_at,
            edited_at: message.edited_at,
            deleted_at: message.deleted_at,
            revisions: message.revisions.into_iter().map(|one| (one.content_md, one.replaced_at)).collect(),
        }
    }
}

pub(super) fn add(routes: &mut Routes<Messaging>) {
    routes.add(
        post("importMessages", "/channels/{channel_id}/import", "Take over messages from another system")
            .creates()
            .describe(
                "They keep time and author and carry the origin `import` for ever. Nothing acts on them and nobody is \
                 notified. The same key in the same channel is taken once, so that an import can be repeated.",
            ),
        import_messages,
    );
}

async fn import_messages(
    allowed: Allowed<actions::MessageImport>,
    messaging: Arc<Messaging>,
    Body(input): Body<ImportMessages>,
) -> Result<Created<ImportResult>, Problem> {
    if input.messages.is_empty() || input.messages.len() > MAX_MESSAGES {
        return Err(Problem::invalid("/messages", format!("must have 1 to {MAX_MESSAGES} items")));
    }
    let messages: Vec<Foreign> = input.messages.into_iter().map(Foreign::from).collect();
    let fates = messaging.import_messages(allowed, &messages).await?;
    Ok(Created::new(ImportResult { items: fates.into_iter().map(ImportedMessage::from).collect() }))
}
