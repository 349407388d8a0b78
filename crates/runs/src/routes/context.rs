use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::context::{Role, Trust};
use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, RunId};
use bothy_domain::message::MessageKind;
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::http::{Allowed, Json};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Runs;
use crate::context::{ContextAuthor, ContextMessage, RunContext};

/// `run_context.v1`: what an agent may know of its run. Each message is labelled by the server; only
/// `trust` says whether the agent may follow it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RunContext")]
pub(super) struct RunContextView {
    /// The run.
    run_id: RunId,
    /// Messages of the thread up to this place are known to the session; zero when it knows none.
    context_floor_seq: i64,
    /// The request, complete and never cut. Of a command or a pressed component it is the line that the
    /// server recorded for the person (kind `run_request`): identifiers, and what the person typed.
    trigger_message: ContextMessageView,
    /// Earlier messages of the thread, ascending: the newest that the channel's
    /// `history_backfill_limit` and `agent.context_max_bytes` let in. In a session that goes on the
    /// agent's own messages are left out.
    thread_context: Vec<ContextMessageView>,
    /// The message that the thread was opened from, when it is not the request itself: what the thread
    /// is about. Left out as `channel_context` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_message: Option<ContextMessageView>,
    /// `true` when there is such a message and it did not fit into the budget.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    parent_message_dropped: bool,
    /// Messages of the channel before that message, ascending; there when the session does not know
    /// the thread yet and the thread is still in the channel of that message.
    #[serde(skip_serializing_if = "Option::is_none")]
    channel_context: Option<Vec<ContextMessageView>>,
    /// Messages of the thread before this place, and above the floor, are missing; `listThreadMessages`
    /// has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated_before_seq: Option<i64>,
}

/// One message of a context.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RunContextMessage")]
pub(super) struct ContextMessageView {
    /// The message.
    message_id: MessageId,
    /// The channel that it stands in.
    channel_id: ChannelId,
    /// Its place in its thread.
    thread_seq: i64,
    /// When it was written.
    created_at: Timestamp,
    /// When its author last edited it.
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_at: Option<Timestamp>,
    /// Who wrote it.
    author: ContextAuthorView,
    /// The part that its author plays for the agent. Says nothing about trust.
    role: Role,
    /// Who really produced it: `human`, `agent`, `app`, `import`, `system`, or `unknown`.
    origin: &'static str,
    /// The name of whoever wrote an imported message elsewhere; `author` is then who imported it. Data,
    /// never an account.
    #[serde(skip_serializing_if = "Option::is_none")]
    imported_author: Option<String>,
    /// What it is.
    kind: MessageKind,
    /// What it says.
    content_md: String,
    /// Files that belong to it. Always data.
    attachments: Vec<ContextAttachmentView>,
    /// How far the agent may follow it, by the rights of this moment. Only `trigger` is the request;
    /// `authorized` may add to it; everything else is data, whatever it says.
    trust: Trust,
    /// The message that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to_message_id: Option<MessageId>,
    /// `true` when `content_md` is only the beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// How many bytes `content_md` had before it was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    original_bytes: Option<usize>,
    /// `true` when the session got it before, as a follow-up.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    already_delivered: bool,
}

/// Who wrote a message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RunContextAuthor")]
pub(super) struct ContextAuthorView {
    /// The principal.
    id: PrincipalId,
    /// `person`, `agent` or `app`.
    kind: &'static str,
    /// The handle, without `@`.
    handle: String,
    /// The name that is shown. Names say nothing about trust.
    display_name: String,
}

/// A file that belongs to a message. Messages have none yet.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RunContextAttachment")]
pub(super) struct ContextAttachmentView {}

impl From<ContextAuthor> for ContextAuthorView {
    fn from(author: ContextAuthor) -> Self {
        let ContextAuthor { id, kind, handle, display_name } = author;
        Self { id, kind: kind.as_str(), handle, display_name }
    }
}

impl From<ContextMessage> for ContextMessageView {
    fn from(element: ContextMessage) -> Self {
        Self {
            message_id: element.message,
            channel_id: element.channel,
            thread_seq: element.thread_seq,
            created_at: element.created_at,
            edited_at: element.edited_at,
            author: element.author.into(),
            role: element.role,
            origin: element.origin.map_or("unknown", |origin| origin.as_str()),
            imported_author: element.imported_author,
            kind: element.kind,
            content_md: element.content,
            attachments: Vec::new(),
            trust: element.trust,
            reply_to_message_id: element.reply_to,
            truncated: element.original_bytes.is_some(),
            original_bytes: element.original_bytes,
            already_delivered: element.already_delivered,
        }
    }
}

impl From<RunContext> for RunContextView {
    fn from(context: RunContext) -> Self {
        let views = |elements: Vec<ContextMessage>| elements.into_iter().map(ContextMessageView::from).collect();
        Self {
            run_id: context.run,
            context_floor_seq: context.floor,
            trigger_message: context.trigger.into(),
            thread_context: views(context.thread),
            parent_message: context.parent.map(ContextMessageView::from),
            parent_message_dropped: context.parent_dropped,
            channel_context: context.channel.map(views),
            truncated_before_seq: context.truncated_before_seq,
        }
    }
}

pub(super) async fn get_run_context(
    allowed: Allowed<actions::RunContextRead>,
    runs: Arc<Runs>,
    _: (),
) -> Result<Json<RunContextView>, Problem> {
    // Boxed: what lies between the parts of a context is large, and the chain is polled often.
    Ok(Json::new(Box::pin(runs.read_run_context(allowed)).await?.into()))
}
