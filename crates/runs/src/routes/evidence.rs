use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::http::{Allowed, Json, Query};
use bothy_platform::paging::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Runs;
use crate::evidence::{Mark, Seen};

/// Which page of a list.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PageQuery {
    /// How many items the page has at most.
    #[serde(default)]
    pub(super) limit: Option<u32>,
    /// Where the page begins: `next_cursor` of the page before.
    #[serde(default)]
    pub(super) cursor: Option<String>,
}

/// What the agent of a run saw at a moment: messages and how far it could follow each, without what
/// they say.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RunEvidence")]
pub(super) struct EvidenceView {
    /// When the agent saw this first. Until the next entry its context said the same.
    at: Timestamp,
    /// Messages of the thread up to this place were known to the session.
    context_floor_seq: i64,
    /// The request.
    trigger_message: Mark,
    /// Earlier messages of the thread, ascending.
    thread_context: Vec<Mark>,
    /// The message that the thread was opened from.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_message: Option<Mark>,
    /// There and true when that message was too large for the budget.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    parent_message_dropped: bool,
    /// Messages of the channel before that message, ascending. Left out, as that message is, when the
    /// thread has moved since and you may not read the channel that it was in.
    #[serde(skip_serializing_if = "Option::is_none")]
    channel_context: Option<Vec<Mark>>,
    /// Messages of the thread before this place, and above the floor, were missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated_before_seq: Option<i64>,
}

impl From<Seen> for EvidenceView {
    fn from(seen: Seen) -> Self {
        let evidence = seen.evidence;
        Self {
            at: seen.at,
            context_floor_seq: evidence.floor,
            trigger_message: evidence.trigger,
            thread_context: evidence.thread,
            parent_message: evidence.parent,
            parent_message_dropped: evidence.parent_dropped,
            channel_context: evidence.around,
            truncated_before_seq: evidence.truncated_before_seq,
        }
    }
}

pub(super) async fn get_run_evidence(
    allowed: Allowed<actions::RunEvidenceRead>,
    runs: Arc<Runs>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<EvidenceView>>, Problem> {
    let page = runs.get_run_evidence(allowed, query.limit, query.cursor.as_deref()).await?;
    Ok(Json::new(page.map(EvidenceView::from)))
}
