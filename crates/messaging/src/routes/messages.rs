use std::sync::Arc;

use bothy_domain::action::{Action, actions};
use bothy_domain::context::cut_content;
use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, RunId, ThreadId};
use bothy_domain::message::{MessageKind, Origin};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_identity::PrincipalView;
use bothy_platform::http::{Allowed, Body, Created, Json, Query, Routes, get, post};
use bothy_platform::paging::{Page, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::create::Draft;
use crate::list::MessageList;
use crate::{Effects, Messaging, StoredMessage};

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

/// A message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Message")]
struct MessageView {
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
    /// The message of the same thread that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to_message_id: Option<MessageId>,
    /// What a system line says.
    #[serde(skip_serializing_if = "Option::is_none")]
    system_code: Option<String>,
    /// When it was written.
    created_at: Timestamp,
    /// When it was last edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_at: Option<Timestamp>,
    /// When it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Timestamp>,
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
    notices: Vec<NoticeView>,
}

/// Something that only the author of a message is told.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Notice")]
struct NoticeView {
    /// The agent that it is about.
    agent_id: PrincipalId,
    /// What it says.
    code: &'static str,
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
            created_at: message.created_at,
            edited_at: message.edited_at,
            deleted_at: message.deleted_at,
        }
    }
}

impl MessageView {
    /// The form in a list: long content is cut between two characters, and the view says so.
    fn cut(mut self, max_bytes: usize) -> Self {
        let (kept, truncated) = cut_content(&self.content_md, max_bytes);
        let kept = kept.len();
        self.content_md.truncate(kept);
        self.content_truncated = truncated;
        self
    }
}

impl CreatedMessage {
    fn new(message: StoredMessage, effects: Effects) -> Self {
        Self {
            message: message.into(),
            opened_thread_id: effects.thread_opened,
            run_ids: effects.runs,
            notices: effects
                .notices
                .into_iter()
                .map(|notice| NoticeView { agent_id: notice.agent, code: notice.code })
                .collect(),
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
    Ok(Json::new(page.map(|message| MessageView::from(message).cut(max_bytes))))
}

async fn get_message(
    allowed: Allowed<actions::MessageRead>,
    messaging: Arc<Messaging>,
    (): (),
) -> Result<Json<MessageView>, Problem> {
    messaging.get_message(allowed).await.map(|message| Json::new(message.into()))
}
