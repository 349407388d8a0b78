use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::ids::{ChannelId, PrincipalId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::http::{Allowed, Json, Query, Routes, get};
use bothy_platform::paging::{Page, Paging};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::search::{self, Filter, Hit, Search, Snippet};
use crate::{MessageView, Messaging};

/// What to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchMessages {
    /// The words, at least one. All of them must stand in a message, in any order; words between
    /// quotation marks follow each other; the last word may be the beginning of one from three
    /// characters on, unless a space follows it. Capitals and accents make no difference.
    q: String,
    /// Only messages by this principal.
    author_id: Option<PrincipalId>,
    /// Only messages in this channel.
    channel_id: Option<ChannelId>,
    /// Only messages in this thread.
    thread_id: Option<ThreadId>,
    /// Only messages from this time on.
    from: Option<Timestamp>,
    /// Only messages before this time.
    to: Option<Timestamp>,
    /// Only messages that have all of these, with commas between them: `link`, `code`, `mention`,
    /// `reaction`.
    has: Option<String>,
    /// How many at most.
    limit: Option<u32>,
    /// The `next_cursor` of the page before, of the same search.
    cursor: Option<String>,
}

/// A message that was found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SearchHit")]
struct HitView {
    /// The message, as lists show it.
    message: MessageView,
    /// A piece of it around the first hit.
    snippet: SnippetView,
}

/// A piece of a message. It is text as it was written, without any mark-up of ours.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SearchSnippet")]
struct SnippetView {
    /// The piece.
    text: String,
    /// Where the hits stand in it, in order and apart.
    hits: Vec<HitRange>,
    /// There and true when the message begins before it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    cut_start: bool,
    /// There and true when the message goes on behind it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    cut_end: bool,
}

/// A range of characters (Unicode code points) of a piece of text.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SearchHitRange")]
struct HitRange {
    /// The first character.
    start: usize,
    /// The character behind the last one.
    end: usize,
}

impl From<Snippet> for SnippetView {
    fn from(snippet: Snippet) -> Self {
        Self {
            text: snippet.text,
            hits: snippet.hits.into_iter().map(|(start, end)| HitRange { start, end }).collect(),
            cut_start: snippet.cut_start,
            cut_end: snippet.cut_end,
        }
    }
}

pub(super) fn add(routes: &mut Routes<Messaging>) {
    routes.add(
        get("searchMessages", "/search/messages", "Look for messages").describe(
            "Among those that you may read, newest first. Deleted messages and lines of the server are not found.",
        ),
        search_messages,
    );
}

async fn search_messages(
    allowed: Allowed<actions::MessageRead>,
    messaging: Arc<Messaging>,
    Query(query): Query<SearchMessages>,
) -> Result<Json<Page<HitView>>, Problem> {
    let paging = Paging::parse(query.limit, query.cursor.as_deref(), &*messaging.config)?;
    let mut search = Search {
        query: search::Query::parse(&query.q)?,
        filter: Filter {
            author: query.author_id,
            channel: query.channel_id,
            thread: query.thread_id,
            from: query.from,
            to: query.to,
            ..Filter::default()
        },
        has_link: false,
        has_code: false,
        paging,
    };
    for what in query.has.iter().flat_map(|has| has.split(',')) {
        match what {
            "link" => search.has_link = true,
            "code" => search.has_code = true,
            "mention" => search.filter.has_mention = true,
            "reaction" => search.filter.has_reaction = true,
            _ => return Err(Problem::invalid("/query/has", "must be of link, code, mention, reaction")),
        }
    }
    let max_bytes = messaging.config.message.list_content_max_bytes.to_usize();
    let page = messaging.search_messages(allowed, &search).await?;
    let view = |hit: Hit| HitView { message: hit.message.listed(max_bytes), snippet: hit.snippet.into() };
    Ok(Json::new(page.map(view)))
}
