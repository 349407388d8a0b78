//! What the agent of a run saw (RC-18): for each answer that its context gave, which messages it
//! contained and how far each could be followed then. It holds no content, so deletion still deletes.

use bothy_domain::action::{Action, actions};
use bothy_domain::context::Trust;
use bothy_domain::ids::{ChannelId, MessageId, RunId};
use bothy_domain::policy::Mode;
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{Reader, UnitOfWork, work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::{ContextMessage, RunContext};
use crate::store::evidence::EvidenceRow;
use crate::{Runs, store};

/// How often an entry looks for a place when others are recorded at the same moment.
const TRIES: u32 = 16;

/// One answer of a context, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Evidence {
    /// The channel of the thread at that moment; the parent and the channel's part stand in it.
    pub(crate) channel: ChannelId,
    pub(crate) floor: i64,
    pub(crate) trigger: Mark,
    pub(crate) thread: Vec<Mark>,
    pub(crate) parent: Option<Mark>,
    pub(crate) parent_dropped: bool,
    pub(crate) around: Option<Vec<Mark>>,
    pub(crate) truncated_before_seq: Option<i64>,
}

/// One message of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunEvidenceMessage")]
pub(crate) struct Mark {
    /// The message.
    pub(crate) message_id: MessageId,
    /// How far the agent could follow it, by the rights of that moment.
    pub(crate) trust: Trust,
    /// How many bytes it had when only its beginning was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cut_from_bytes: Option<usize>,
    /// There and true when the session had it before, as a follow-up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) already_delivered: bool,
}

/// An entry with its time.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) at: Timestamp,
    pub(crate) evidence: Evidence,
}

impl Mark {
    fn of(element: &ContextMessage) -> Self {
        Self {
            message_id: element.message,
            trust: element.trust,
            cut_from_bytes: element.original_bytes,
            already_delivered: element.already_delivered,
        }
    }
}

impl Evidence {
    /// What is kept of an answer.
    pub(crate) fn of(context: &RunContext) -> Self {
        let marks = |elements: &[ContextMessage]| elements.iter().map(Mark::of).collect::<Vec<_>>();
        Self {
            channel: context.channel_id,
            floor: context.floor,
            trigger: Mark::of(&context.trigger),
            thread: marks(&context.thread),
            parent: context.parent.as_ref().map(Mark::of),
            parent_dropped: context.parent_dropped,
            around: context.channel.as_deref().map(marks),
            truncated_before_seq: context.truncated_before_seq,
        }
    }
}

impl Runs {
    /// Keeps what an answer contains before it is given. One like the answer before it adds nothing:
    /// the entry says since when the agent sees that.
    pub(crate) async fn record_evidence(&self, run: RunId, evidence: &Evidence) -> Result<(), Problem> {
        let elements = &serde_json::to_string(evidence).map_err(Problem::internal)?;
        {
            let reader = self.database.reader().await.or_problem()?;
            if is_known(store::evidence::newest(&reader, run).await?.as_ref(), elements) {
                return Ok(());
            }
        }
        transact(&self.database, |unit| work(async move { Ok(self.append_evidence(unit, run, elements).await?) })).await
    }

    async fn append_evidence(&self, unit: &UnitOfWork, run: RunId, elements: &str) -> Result<(), Problem> {
        for _ in 0..TRIES {
            let newest = store::evidence::newest(unit, run).await?;
            if is_known(newest.as_ref(), elements) {
                return Ok(());
            }
            let ordinal = newest.map_or(1, |row| row.ordinal + 1);
            if store::evidence::insert(unit, run, ordinal, self.now(), elements).await? {
                let most = i64::try_from(self.settings.evidence_max).unwrap_or(i64::MAX);
                return store::evidence::forget_up_to(unit, run, ordinal.saturating_sub(most)).await;
            }
        }
        Err(Problem::unavailable("the evidence of the run keeps changing"))
    }

    /// What the agent of a run saw, newest first. The messages of a channel that the thread has left
    /// are shown only to those who may read that channel as well.
    ///
    /// # Errors
    /// `validation_failed` for a cursor of another list.
    pub(crate) async fn get_run_evidence(
        &self,
        allowed: Allowed<actions::RunEvidenceRead>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<Seen>, Problem> {
        let paging = Paging::parse(limit, cursor, self.settings.pages)?;
        let before = paging.after_int()?.unwrap_or(i64::MAX);
        let reader = self.database.reader().await.or_problem()?;
        let rows = store::evidence::page(&reader, allowed.id(), before, paging.fetch()).await?;
        let Page { items, next_cursor } = page(rows, paging.limit, |row| Cursor::int(row.ordinal));
        let mut seen = Vec::with_capacity(items.len());
        for row in items {
            let mut evidence: Evidence = serde_json::from_str(&row.elements).map_err(Problem::internal)?;
            if !self.may_read_channel(&reader, &allowed, evidence.channel).await? {
                evidence.parent = None;
                evidence.around = None;
            }
            seen.push(Seen { at: row.at, evidence });
        }
        Ok(Page { items: seen, next_cursor })
    }

    async fn may_read_channel(
        &self,
        reader: &Reader,
        allowed: &Allowed<actions::RunEvidenceRead>,
        channel: ChannelId,
    ) -> Result<bool, Problem> {
        if allowed.resource().path.channel() == Some(channel) {
            return Ok(true);
        }
        let resource = self.chat.channel(reader, channel).await?.map(|facts| facts.resource());
        Ok(resource.is_some_and(|resource| {
            allowed.judge().decide(Action::ChannelRead, Some(&resource), Mode::Filter).is_allow()
        }))
    }
}

fn is_known(newest: Option<&EvidenceRow>, elements: &str) -> bool {
    newest.is_some_and(|row| row.elements == elements)
}
