use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::http::{Allowed, Body, Json, Query, Routes, get, patch, put};
use bothy_platform::paging::{Page, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SetOperator;
use crate::threads::ThreadList;
use crate::{Chat, ThreadFacts, ThreadKind, ThreadState};

/// The order of a list of threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ThreadOrder")]
enum Order {
    /// Oldest first.
    #[default]
    Asc,
    /// Newest first.
    Desc,
}

/// Which threads of a channel.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListThreads {
    /// How many at most.
    limit: Option<u32>,
    /// The `next_cursor` of the page before, in the same order.
    cursor: Option<String>,
    /// Oldest first (`asc`, the default) or newest first (`desc`).
    #[serde(default)]
    order: Order,
    /// Only open or only closed ones.
    state: Option<ThreadState>,
}

/// What is to change about a thread; what is absent stays.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UpdateThread {
    /// Its title.
    title: Option<String>,
}

/// A thread.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Thread")]
pub struct ThreadView {
    /// Its id.
    thread_id: ThreadId,
    /// Its channel.
    channel_id: ChannelId,
    /// What it is.
    kind: ThreadKind,
    /// The message that it was opened from; absent once the thread was moved to another channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_message_id: Option<MessageId>,
    /// Its title; every post has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The agent that is fixed on the thread itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    operator_agent_id: Option<PrincipalId>,
    /// The agent in charge: the thread's, else the channel's, else the space's.
    #[serde(skip_serializing_if = "Option::is_none")]
    effective_operator_agent_id: Option<PrincipalId>,
    /// Who opened it.
    created_by: PrincipalId,
    /// When it was opened.
    created_at: Timestamp,
    /// Since when it takes no more messages; absent while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    closed_at: Option<Timestamp>,
}

impl From<ThreadFacts> for ThreadView {
    fn from(thread: ThreadFacts) -> Self {
        Self {
            effective_operator_agent_id: thread.effective_operator(),
            thread_id: thread.id,
            channel_id: thread.channel.id,
            kind: thread.kind,
            parent_message_id: thread.parent_here(),
            title: thread.title,
            operator_agent_id: thread.fixed_operator,
            created_by: thread.created_by,
            created_at: thread.created_at,
            closed_at: thread.closed_at,
        }
    }
}

impl ThreadView {
    /// The answer with a thread and the `ETag` of its version.
    pub fn answer(thread: ThreadFacts) -> Json<Self> {
        let version = thread.version;
        Json::new(thread.into()).with_version(version)
    }
}

pub(super) fn add(routes: &mut Routes<Chat>) {
    routes.add(
        get("listChannelThreads", "/channels/{channel_id}/threads", "List the threads of a channel"),
        list_channel_threads,
    );
    routes.add(get("getThread", "/threads/{thread_id}", "Read a thread"), get_thread);
    routes.add(
        patch("updateThread", "/threads/{thread_id}", "Change the title of a thread")
            .describe("Send `If-Match` with the `ETag` that `getThread` answered."),
        update_thread,
    );
    routes.add(
        put("setThreadOperator", "/threads/{thread_id}/operator", "Put an agent in charge of a thread"),
        set_thread_operator,
    );
}

async fn list_channel_threads(
    allowed: Allowed<actions::ChannelRead>,
    chat: Arc<Chat>,
    Query(query): Query<ListThreads>,
) -> Result<Json<Page<ThreadView>>, Problem> {
    let list = ThreadList {
        state: query.state,
        newest_first: query.order == Order::Desc,
        paging: Paging::parse(query.limit, query.cursor.as_deref(), &*chat.config)?,
    };
    let page = chat.list_channel_threads(allowed, &list).await?;
    Ok(Json::new(page.map(ThreadView::from)))
}

async fn get_thread(
    allowed: Allowed<actions::ThreadRead>,
    chat: Arc<Chat>,
    (): (),
) -> Result<Json<ThreadView>, Problem> {
    chat.get_thread(allowed).await.map(ThreadView::answer)
}

async fn update_thread(
    allowed: Allowed<actions::ThreadUpdate>,
    chat: Arc<Chat>,
    Body(input): Body<UpdateThread>,
) -> Result<Json<ThreadView>, Problem> {
    chat.update_thread(allowed, input.title.as_deref()).await.map(ThreadView::answer)
}

async fn set_thread_operator(
    allowed: Allowed<actions::ThreadOperatorSet>,
    chat: Arc<Chat>,
    Body(input): Body<SetOperator>,
) -> Result<Json<ThreadView>, Problem> {
    chat.set_thread_operator(allowed, input.agent_id).await.map(ThreadView::answer)
}
