use std::sync::Arc;

use bothy_domain::action::{Action, actions};
use bothy_domain::ids::{MessageId, PrincipalId, RunId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::request::Component;
use bothy_platform::http::{Allowed, Body, Created, Json, Query, Routes, get, post};
use bothy_platform::paging::{Page, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::create::Draft;
use crate::list::MessageList;
use crate::{Effects, MessageView, Messaging, Notice, ShownMessage};

const THREAD_MESSAGES: &str = "/threads/{thread_id}/messages";

/// A message to be posted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateMessage {
    /// What it says, in CommonMark with mentions such as `@alex`.
    content_md: String,
    /// The message of the same thread that it answers.
    reply_to_message_id: Option<MessageId>,
    /// An id of your choice: the same request with the same id, repeated at any later time, writes
    /// nothing new and is answered with the message that it wrote.
    client_message_id: Option<String>,
    /// What people can press under the message; for agents only, at most `agent.max_components`.
    #[serde(default)]
    components: Vec<Component>,
}

/// The order of a list of messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Order {
    /// Oldest first.
    #[default]
    Asc,
    /// Newest first.
    Desc,
}

/// Which messages of a thread.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListMessages {
    /// How many at most.
    limit: Option<u32>,
    /// The `next_cursor` of the page before, in the same order.
    cursor: Option<String>,
    /// Oldest first (`asc`, the default) or newest first (`desc`).
    #[serde(default)]
    order: Order,
    /// Only messages behind this place in the thread.
    after_seq: Option<i64>,
    /// Only messages before this place in the thread.
    before_seq: Option<i64>,
}

/// The message that was posted, and what came of it. The latter is told to its author alone and
/// only in the answer to the request that wrote it.
#[derive(Debug, Serialize, JsonSchema)]
struct CreatedMessage {
    /// The message.
    #[serde(flatten)]
    message: MessageView,
    /// The thread that was opened from the message for the runs that it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    opened_thread_id: Option<ThreadId>,
    /// The runs that it started.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    run_ids: Vec<RunId>,
    /// What you should know, such as that you may not instruct an agent that you mentioned.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    notices: Vec<AuthorNotice>,
}

/// Something that only the author of a message is told.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Notice")]
pub(super) struct AuthorNotice {
    /// The agent that it is about.
    agent_id: PrincipalId,
    /// What it says.
    code: &'static str,
}

impl From<Notice> for AuthorNotice {
    fn from(notice: Notice) -> Self {
        Self { agent_id: notice.agent, code: notice.code }
    }
}

impl CreatedMessage {
    fn new(message: ShownMessage, effects: Effects) -> Self {
        Self {
            message: message.into(),
            opened_thread_id: effects.thread_opened,
            run_ids: effects.runs,
            notices: effects.notices.into_iter().map(AuthorNotice::from).collect(),
        }
    }
}

pub(super) fn add(routes: &mut Routes<Messaging>) {
    routes.add(
        post("createMessage", THREAD_MESSAGES, "Post a message").creates().recheck(Action::MessageRead),
        create_message,
    );
    routes.add(
        get("listThreadMessages", THREAD_MESSAGES, "List the messages of a thread")
            .describe("By their place in the thread. Long content is cut; `content_truncated` says so."),
        list_thread_messages,
    );
    routes.add(get("getMessage", "/messages/{message_id}", "Read a message"), get_message);
}

async fn create_message(
    allowed: Allowed<actions::MessageCreate>,
    messaging: Arc<Messaging>,
    Body(input): Body<CreateMessage>,
) -> Result<Created<CreatedMessage>, Problem> {
    let draft = Draft {
        content_md: input.content_md,
        reply_to: input.reply_to_message_id,
        client_message_id: input.client_message_id,
        components: input.components,
    };
    let (message, effects) = messaging.create_message(allowed, draft).await?;
    Ok(Created::new(CreatedMessage::new(message, effects)))
}

async fn list_thread_messages(
    allowed: Allowed<actions::ThreadRead>,
    messaging: Arc<Messaging>,
    Query(query): Query<ListMessages>,
) -> Result<Json<Page<MessageView>>, Problem> {
    let list = MessageList {
        newest_first: query.order == Order::Desc,
        after_seq: query.after_seq,
        before_seq: query.before_seq,
        paging: Paging::parse(query.limit, query.cursor.as_deref(), &*messaging.config)?,
    };
    let max_bytes = messaging.config.message.list_content_max_bytes.to_usize();
    let page = messaging.list_thread_messages(allowed, &list).await?;
    Ok(Json::new(page.map(|message| message.listed(max_bytes))))
}

async fn get_message(
    allowed: Allowed<actions::MessageRead>,
    messaging: Arc<Messaging>,
    (): (),
) -> Result<Json<MessageView>, Problem> {
    messaging.get_message(allowed).await.map(|message| Json::new(message.into()))
}
