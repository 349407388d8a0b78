use std::sync::Arc;

use bothy_chat::ThreadView;
use bothy_domain::action::{Action, actions};
use bothy_domain::ids::MessageId;
use bothy_domain::problem::Problem;
use bothy_platform::http::{Allowed, Body, Created, Json, Routes, post};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Messaging;
use crate::open_thread::ThreadDraft;

/// A thread to be opened.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateThread {
    /// In a text channel: the message of the main thread that it is opened from.
    parent_message_id: Option<MessageId>,
    /// A title; a post of a forum needs one.
    title: Option<String>,
}

pub(super) fn add(routes: &mut Routes<Messaging>) {
    routes.add(
        post("createThread", "/channels/{channel_id}/threads", "Open a thread")
            .creates()
            .recheck(Action::ThreadRead)
            .describe("In a text channel from a message of the main thread, in a forum as a post with a title."),
        create_thread,
    );
    routes.add(
        post("closeThread", "/threads/{thread_id}/close", "Close a thread")
            .describe("It takes no more messages until somebody opens it again. A system line says so."),
        close_thread,
    );
    routes.add(post("reopenThread", "/threads/{thread_id}/reopen", "Open a closed thread again"), reopen_thread);
}

async fn create_thread(
    allowed: Allowed<actions::ThreadCreate>,
    messaging: Arc<Messaging>,
    Body(input): Body<CreateThread>,
) -> Result<Created<ThreadView>, Problem> {
    let draft = ThreadDraft { parent_message: input.parent_message_id, title: input.title };
    messaging.create_thread(allowed, draft).await.map(|thread| Created::new(thread.into()))
}

async fn close_thread(
    allowed: Allowed<actions::ThreadClose>,
    messaging: Arc<Messaging>,
    (): (),
) -> Result<Json<ThreadView>, Problem> {
    messaging.close_thread(allowed).await.map(|thread| Json::new(thread.into()))
}

async fn reopen_thread(
    allowed: Allowed<actions::ThreadReopen>,
    messaging: Arc<Messaging>,
    (): (),
) -> Result<Json<ThreadView>, Problem> {
    messaging.reopen_thread(allowed).await.map(|thread| Json::new(thread.into()))
}
