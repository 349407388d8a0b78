use std::sync::Arc;

use bothy_chat::ThreadView;
use bothy_domain::action::{Action, actions};
use bothy_domain::ids::{ChannelId, MessageId, RunId};
use bothy_domain::problem::Problem;
use bothy_platform::http::{Allowed, Body, Created, Json, Routes, post};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::messages::AuthorNotice;
use crate::Messaging;
use crate::move_thread::MoveDraft;
use crate::open_thread::{OpenedThread, ThreadDraft};

/// A thread to be opened.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateThread {
    /// In a text channel: the message of the main thread that it is opened from.
    parent_message_id: Option<MessageId>,
    /// A title; a post of a forum needs one.
    title: Option<String>,
    /// What its first message says, in CommonMark. Without it the thread begins empty.
    content_md: Option<String>,
}

/// The thread that was opened, and what came of its first message. The latter is told to its author
/// alone and only in the answer to the request that wrote it.
#[derive(Debug, Serialize, JsonSchema)]
struct CreatedThread {
    /// The thread.
    #[serde(flatten)]
    thread: ThreadView,
    /// The first message, when the request had content.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<MessageId>,
    /// The runs that it started.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    run_ids: Vec<RunId>,
    /// What you should know, such as that you may not instruct an agent that you mentioned.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    notices: Vec<AuthorNotice>,
}

impl From<OpenedThread> for CreatedThread {
    fn from(opened: OpenedThread) -> Self {
        Self {
            thread: opened.thread.into(),
            message_id: opened.message,
            run_ids: opened.effects.runs,
            notices: opened.effects.notices.into_iter().map(AuthorNotice::from).collect(),
        }
    }
}

/// Where a thread is to go.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MoveThread {
    /// The channel: a text channel, in which it is a thread, or a forum, in which it is a post.
    channel_id: ChannelId,
    /// A title; a thread without one needs it in a forum.
    title: Option<String>,
}

pub(super) fn add(routes: &mut Routes<Messaging>) {
    routes.add(
        post("createThread", "/channels/{channel_id}/threads", "Open a thread")
            .creates()
            .recheck(Action::ThreadRead)
            .describe(
                "In a text channel from a message of the main thread, in a forum as a post with a title; with its first \
                 message, if you like.",
            ),
        create_thread,
    );
    routes.add(
        post("closeThread", "/threads/{thread_id}/close", "Close a thread")
            .describe("It takes no more messages until somebody opens it again. A system line says so."),
        close_thread,
    );
    routes.add(
        post("moveThread", "/threads/{thread_id}/move", "Move a thread to another channel").describe(
            "Takes the right to moderate on both. Readers of the channel that it leaves lose it; a system line says that \
             it was moved, and not from where.",
        ),
        move_thread,
    );
    routes.add(post("reopenThread", "/threads/{thread_id}/reopen", "Open a closed thread again"), reopen_thread);
}

async fn create_thread(
    allowed: Allowed<actions::ThreadCreate>,
    messaging: Arc<Messaging>,
    Body(input): Body<CreateThread>,
) -> Result<Created<CreatedThread>, Problem> {
    let CreateThread { parent_message_id, title, content_md } = input;
    let draft = ThreadDraft { parent_message: parent_message_id, title, content_md };
    let opened = messaging.create_thread(allowed, draft).await?;
    let version = opened.thread.version;
    Ok(Created(Json::new(opened.into()).with_version(version)))
}

async fn move_thread(
    allowed: Allowed<actions::ThreadMove>,
    messaging: Arc<Messaging>,
    Body(input): Body<MoveThread>,
) -> Result<Json<ThreadView>, Problem> {
    let draft = MoveDraft { channel: input.channel_id, title: input.title };
    messaging.move_thread(allowed, draft).await.map(ThreadView::answer)
}

async fn close_thread(
    allowed: Allowed<actions::ThreadClose>,
    messaging: Arc<Messaging>,
    (): (),
) -> Result<Json<ThreadView>, Problem> {
    messaging.close_thread(allowed).await.map(ThreadView::answer)
}

async fn reopen_thread(
    allowed: Allowed<actions::ThreadReopen>,
    messaging: Arc<Messaging>,
    (): (),
) -> Result<Json<ThreadView>, Problem> {
    messaging.reopen_thread(allowed).await.map(ThreadView::answer)
}
