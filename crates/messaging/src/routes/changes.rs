use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::http::{Allowed, Body, Json, NoContent, Query, Routes, delete, get, patch};
use bothy_platform::paging::{Page, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::List;
use crate::store::changes::Revision;
use crate::{MessageView, Messaging};

const MESSAGE: &str = "/messages/{message_id}";

/// Another wording of a message.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UpdateMessage {
    /// What it says from now on, in CommonMark with mentions.
    content_md: String,
}

/// An earlier wording of a message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessageRevision")]
struct RevisionView {
    /// Its number: 1 is what the message said first.
    revision: i64,
    /// What the message said.
    content_md: String,
    /// When the next wording took its place.
    replaced_at: Timestamp,
}

impl From<Revision> for RevisionView {
    fn from(revision: Revision) -> Self {
        let Revision { revision, content_md, replaced_at } = revision;
        Self { revision, content_md, replaced_at }
    }
}

pub(super) fn add(routes: &mut Routes<Messaging>) {
    routes.add(
        patch("updateMessage", MESSAGE, "Edit a message of one's own").describe(
            "The wording before is kept (`listMessageRevisions`). Mentions are found anew, but an edit triggers no agent.",
        ),
        update_message,
    );
    routes.add(
        delete("deleteMessage", MESSAGE, "Delete a message").describe(
            "Its place in the thread stays, empty, with `deleted_at`. A run that waits for its agent because of it is cancelled, another one is asked to stop. Doing it again changes nothing.",
        ),
        delete_message,
    );
    routes.add(
        get("listMessageRevisions", "/messages/{message_id}/revisions", "List the earlier wordings of a message")
            .describe("Oldest first. A deleted message has none."),
        list_message_revisions,
    );
}

async fn update_message(
    allowed: Allowed<actions::MessageUpdate>,
    messaging: Arc<Messaging>,
    Body(input): Body<UpdateMessage>,
) -> Result<Json<MessageView>, Problem> {
    messaging.update_message(allowed, &input.content_md).await.map(|message| Json::new(message.into()))
}

async fn delete_message(
    allowed: Allowed<actions::MessageDelete>,
    messaging: Arc<Messaging>,
    (): (),
) -> Result<NoContent, Problem> {
    messaging.delete_message(allowed).await.map(|()| NoContent)
}

async fn list_message_revisions(
    allowed: Allowed<actions::MessageRevisionsRead>,
    messaging: Arc<Messaging>,
    Query(query): Query<List>,
) -> Result<Json<Page<RevisionView>>, Problem> {
    let paging = Paging::parse(query.limit, query.cursor.as_deref(), &*messaging.config)?;
    let page = messaging.list_message_revisions(allowed, &paging).await?;
    Ok(Json::new(page.map(RevisionView::from)))
}
