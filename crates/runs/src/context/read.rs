use bothy_chat::ThreadFacts;
use bothy_domain::action::actions;
use bothy_domain::context::{Candidates, RunParties, authors_to_judge, classify, fit_budget, truncated_before_seq};
use bothy_domain::ids::{ChannelId, MessageId, RunId};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::run::has_context;
use bothy_domain::session::SessionMode;
use bothy_messaging::StoredMessage;
use bothy_platform::authorize::Judge;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_storage::Reader;

use super::{ContextMessage, Planned};
use crate::evidence::Evidence;
use crate::store::row::RunRow;
use crate::{Runs, store};

/// `run_context.v1`.
#[derive(Debug, Clone)]
pub(crate) struct RunContext {
    pub(crate) run: RunId,
    /// The channel that the thread is in now.
    pub(crate) channel_id: ChannelId,
    pub(crate) floor: i64,
    pub(crate) trigger: ContextMessage,
    pub(crate) parent: Option<ContextMessage>,
    /// Whether there is a parent message that did not fit into the budget (C09).
    pub(crate) parent_dropped: bool,
    pub(crate) thread: Vec<ContextMessage>,
    pub(crate) channel: Option<Vec<ContextMessage>>,
    pub(crate) truncated_before_seq: Option<i64>,
}

impl Runs {
    /// The context of a run for its agent (RC-1 to RC-17, RC-19 to RC-21). Everything is read at one
    /// moment, without a unit of work and without locks, and computed anew for each request; what the
    /// answer contains is kept before it is given (RC-18).
    ///
    /// # Errors
    /// `not_found`, exactly as for an unknown run, for a run that has ended, whose access was
    /// revoked, or whose triggering message is gone or cannot be read; any error of a source, which
    /// never becomes a context with weaker or missing trust (RC-2).
    pub(crate) async fn read_run_context(
        &self,
        allowed: Allowed<actions::RunContextRead>,
    ) -> Result<RunContext, Problem> {
        let judge = allowed.judge();
        let reader = self.database.consistent_reader().await.or_problem()?;
        let run = store::run::by_id(&reader, allowed.id()).await?.ok_or_else(unknown)?;
        if !has_context(run.state, run.cancel_reason) {
            return Err(unknown());
        }
        let thread = self.chat.thread(&reader, run.thread).await?.ok_or_else(unknown)?;
        let trigger = self.triggering_message(&reader, judge, &run).await?;
        let planned = self.plan(&reader, &run, &thread).await?;
        let context = self.assemble(&reader, judge, &run, &thread, planned, trigger).await?;
        // A unit of work must not wait for a connection that this request holds.
        drop(reader);
        self.record_evidence(run.id, &Evidence::of(&context)).await?;
        Ok(context)
    }

    async fn triggering_message(&self, reader: &Reader, judge: &Judge, run: &RunRow) -> Result<StoredMessage, Problem> {
        let trigger = run.trigger.ok_or_else(unknown)?;
        self.messaging.context_message(reader, judge, trigger.message).await?.ok_or_else(unknown)
    }

    async fn assemble(
        &self,
        reader: &Reader,
        judge: &Judge,
        run: &RunRow,
        thread: &ThreadFacts,
        planned: Planned,
        trigger: StoredMessage,
    ) -> Result<RunContext, Problem> {
        let selected =
            self.select(reader, judge, thread, planned.plan, run.agent, &trigger).await?.ok_or_else(unknown)?;
        let per_message = self.settings.context_message_max_bytes;
        let cut = |messages: Vec<StoredMessage>| -> Vec<ContextMessage> {
            messages.into_iter().map(|message| ContextMessage::cut(message, per_message)).collect()
        };
        let wants_channel = selected.channel.is_some();
        let candidates = Candidates {
            parent: selected.parent.map(|parent| ContextMessage::cut(parent, per_message)),
            channel: cut(selected.channel.map(|page| page.items).unwrap_or_default()),
            thread: cut(selected.thread.items),
        };
        let fitted = fit_budget(candidates, ContextMessage::size, self.settings.context_max_bytes);
        let oldest = fitted.thread.first().map(|element| element.thread_seq);
        let truncated =
            truncated_before_seq(selected.thread.has_older, fitted.dropped_thread, oldest, trigger.thread_seq);
        let mut context = RunContext {
            run: run.id,
            channel_id: thread.channel.id,
            floor: selected.floor,
            trigger: ContextMessage::complete(trigger),
            parent: fitted.parent,
            parent_dropped: fitted.dropped_parent,
            thread: fitted.thread,
            channel: wants_channel.then_some(fitted.channel),
            truncated_before_seq: truncated,
        };
        self.mark_trust(reader, run, thread, &mut context).await?;
        self.mark_delivered_before(reader, &planned, &mut context).await?;
        Ok(context)
    }

    /// Role and trust of every element, by the rights of now (RC-3, RC-9).
    async fn mark_trust(
        &self,
        reader: &Reader,
        run: &RunRow,
        thread: &ThreadFacts,
        context: &mut RunContext,
    ) -> Result<(), Problem> {
        let parties = RunParties { agent: run.agent, triggered_by: run.triggered_by };
        let authors = authors_to_judge(context.elements().map(|element| element.facts()), parties);
        let holders = if authors.is_empty() {
            Vec::new()
        } else {
            self.trigger_holders().with_trigger(reader, &thread.channel.resource(), &authors).await?
        };
        for element in context.elements() {
            (element.role, element.trust) = classify(element.facts(), parties, &holders);
        }
        Ok(())
    }

    /// What the session has from earlier follow-ups (RC-15).
    async fn mark_delivered_before(
        &self,
        reader: &Reader,
        planned: &Planned,
        context: &mut RunContext,
    ) -> Result<(), Problem> {
        let Some(session) = planned.session.as_ref().filter(|_| planned.plan.mode == SessionMode::Resume) else {
            return Ok(());
        };
        let ids: Vec<MessageId> = context.elements().map(|element| element.message).collect();
        let known = store::follow_up::reached_session(reader, session.id, &ids).await?;
        for element in context.elements() {
            element.already_delivered = known.binary_search(&element.message).is_ok();
        }
        Ok(())
    }
}

impl RunContext {
    fn elements(&mut self) -> impl Iterator<Item = &mut ContextMessage> {
        std::iter::once(&mut self.trigger)
            .chain(&mut self.parent)
            .chain(&mut self.thread)
            .chain(self.channel.iter_mut().flatten())
    }
}

/// The one answer for whatever is not there: an unknown run, one that ended, a lost message.
fn unknown() -> Problem {
    Problem::new(ProblemCode::NotFound)
}
