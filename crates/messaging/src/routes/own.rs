//! What belongs to the caller: how far they have read, who mentioned them, what only they are told.

use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::problem::Problem;
use bothy_platform::http::{Allowed, Body, Json, NoContent, Query, Routes, delete, get, put};
use bothy_platform::paging::{Page, Paging};
use schemars::JsonSchema;
use serde::Deserialize;

use super::List;
use crate::{MessageView, Messaging, NoticeView, ReadMark, ThreadUnread};

/// How far the caller has read in a thread.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetReadState {
    /// The place of the last message that was read; zero for none. One behind the end of the thread
    /// counts as the end.
    last_read_seq: i64,
    /// Set the mark also when that makes it go back, so that what was read is unread again. Without
    /// it a mark that is behind the one that is known changes nothing.
    #[serde(default)]
    mark_unread: bool,
}

pub(super) fn add(routes: &mut Routes<Messaging>) {
    routes.add(
        put("setReadState", "/threads/{thread_id}/read-state", "Say how far one has read in a thread"),
        set_read_state,
    );
    routes.add(
        get("listMyReadStates", "/me/read-states", "List the threads that one follows, and what is unread there")
            .describe(
                "The main threads of the channels that you may read, and the threads that you wrote in, were mentioned in or marked. Archived channels are left out.",
            ),
        list_my_read_states,
    );
    routes.add(
        get("listMyMentions", "/me/mentions", "List the messages that mention one")
            .describe("Newest first, from channels that you may read now. Long content is cut."),
        list_my_mentions,
    );
    routes.add(
        get("listMyNotices", "/me/notices", "List what only oneself is told")
            .describe("Newest first, such as that an agent that was mentioned does not answer, and why."),
        list_my_notices,
    );
    routes.add(
        delete("dismissNotice", "/me/notices/{notice_id}", "Put a notice away")
            .describe("Doing it again changes nothing."),
        dismiss_notice,
    );
}

async fn set_read_state(
    allowed: Allowed<actions::ReadStateSet>,
    messaging: Arc<Messaging>,
    Body(input): Body<SetReadState>,
) -> Result<Json<ThreadUnread>, Problem> {
    let mark = ReadMark { last_read_seq: input.last_read_seq, back: input.mark_unread };
    messaging.set_read_state(allowed, mark).await.map(Json::new)
}

async fn list_my_read_states(
    allowed: Allowed<actions::ThreadRead>,
    messaging: Arc<Messaging>,
    Query(query): Query<List>,
) -> Result<Json<Page<ThreadUnread>>, Problem> {
    let paging = Paging::parse(query.limit, query.cursor.as_deref(), &*messaging.config)?;
    messaging.list_my_read_states(allowed, &paging).await.map(Json::new)
}

async fn list_my_mentions(
    allowed: Allowed<actions::MessageRead>,
    messaging: Arc<Messaging>,
    Query(query): Query<List>,
) -> Result<Json<Page<MessageView>>, Problem> {
    let paging = Paging::parse(query.limit, query.cursor.as_deref(), &*messaging.config)?;
    let max_bytes = messaging.config.message.list_content_max_bytes.to_usize();
    let page = messaging.list_my_mentions(allowed, &paging).await?;
    Ok(Json::new(page.map(|message| message.listed(max_bytes))))
}

async fn list_my_notices(
    allowed: Allowed<actions::SelfRead>,
    messaging: Arc<Messaging>,
    Query(query): Query<List>,
) -> Result<Json<Page<NoticeView>>, Problem> {
    let paging = Paging::parse(query.limit, query.cursor.as_deref(), &*messaging.config)?;
    messaging.list_my_notices(allowed, &paging).await.map(Json::new)
}

async fn dismiss_notice(
    allowed: Allowed<actions::SelfRead>,
    messaging: Arc<Messaging>,
    (): (),
) -> Result<NoContent, Problem> {
    messaging.dismiss_notice(allowed).await.map(|()| NoContent)
}
