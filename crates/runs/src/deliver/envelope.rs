use std::collections::HashMap;
use std::collections::hash_map::Entry;

use bothy_chat::ThreadFacts;
use bothy_domain::action::{Action, ResourceKind};
use bothy_domain::context::Trust;
use bothy_domain::event::{Event, EventKind, NewEvent};
use bothy_domain::ids::{AgentSessionId, RunId};
use bothy_domain::policy::{Mode, Resource};
use bothy_domain::problem::Problem;
use bothy_domain::run::{CancelReason, FollowUpState, RunState, TriggerKind};
use bothy_domain::session::SessionMode;
use bothy_domain::time::Timestamp;
use bothy_platform::authorize::Judge;
use bothy_platform::failure::{OrProblem, transact};
use bothy_storage::{Reader, work};

use super::told::Told;
use crate::rights::{RightsNow, Source};
use crate::store::row::RunRow;
use crate::{Runs, store};

/// An event as it is handed to an agent: ids, and with an invocation what the agent needs to begin.
/// No content.
#[derive(Debug, Clone)]
pub(crate) struct Envelope {
    pub(crate) position: i64,
    pub(crate) at: Timestamp,
    pub(crate) event: NewEvent,
    /// With `agent.invocation`.
    pub(crate) invocation: Option<Invocation>,
    /// With `agent.followup` and `run.input_received`: how far the message may be followed.
    pub(crate) trust: Option<Trust>,
    /// With `run.cancel_requested`.
    pub(crate) cancel_reason: Option<CancelReason>,
}

/// What comes with an invocation.
#[derive(Clone)]
pub(crate) struct Invocation {
    pub(crate) token: String,
    pub(crate) session: Session,
    pub(crate) trigger_kind: TriggerKind,
    pub(crate) deadline: Timestamp,
    pub(crate) redelivered: bool,
}

/// The session of an invocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) mode: SessionMode,
    pub(crate) id: Option<AgentSessionId>,
    pub(crate) reference: Option<String>,
}

impl std::fmt::Debug for Invocation {
    /// Without the token, which must reach no log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Invocation")
            .field("session", &self.session)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

/// What is to become of an event.
enum Verdict {
    /// It is handed over as it is.
    Plain,
    /// It is handed over, and says how far the message may be followed.
    Trusted,
    /// It is handed over with the reason.
    Cancelled { reason: Option<CancelReason>, readable: bool },
    /// It is handed over with a token.
    Invocation { run: Box<RunRow>, session: Session },
    /// The person may not invoke the agent any more.
    Revoked(RunId),
    /// It says nothing any more, or was never meant for agents.
    Nothing,
}

impl Runs {
    /// The envelopes of those events that may be delivered now.
    pub(super) async fn envelopes(&self, judge: &Judge, events: &[Event]) -> Result<Vec<Envelope>, Problem> {
        let (told, verdicts) = {
            let reader = self.database.reader().await.or_problem()?;
            let told = self.told(&reader, events).await?;
            let verdicts = self.verdicts(&reader, judge, &told).await?;
            (told, verdicts)
        };
        let mut envelopes = Vec::with_capacity(told.len());
        let mut handed_over = Vec::new();
        for (event, verdict) in told.iter().map(|told| &told.event).zip(verdicts) {
            let plain = Envelope {
                position: event.position,
                at: event.at,
                event: event.event,
                invocation: None,
                trust: None,
                cancel_reason: None,
            };
            envelopes.extend(match verdict {
                Verdict::Plain => Some(plain),
                // A follow-up is always from the triggering person (AF-19).
                Verdict::Trusted => Some(Envelope { trust: Some(Trust::Trigger), ..plain }),
                Verdict::Cancelled { reason, readable } => {
                    let event = if readable { event.event } else { without_place(event.event) };
                    Some(Envelope { cancel_reason: reason, event, ..plain })
                }
                Verdict::Invocation { run, session } => {
                    handed_over.push(run.id);
                    Some(Envelope { invocation: Some(self.invocation(&run, session).await?), ..plain })
                }
                Verdict::Revoked(run) => {
                    self.refuse_delivery(run).await?;
                    None
                }
                Verdict::Nothing => None,
            });
        }
        self.mark_delivered(handed_over).await?;
        Ok(envelopes)
    }

    async fn verdicts(&self, reader: &Reader, judge: &Judge, told: &[Told]) -> Result<Vec<Verdict>, Problem> {
        let rights = self.rights(Source::Reader(reader));
        let mut runs: HashMap<RunId, Option<(RunRow, ThreadFacts)>> = HashMap::new();
        let mut verdicts = Vec::with_capacity(told.len());
        for Told { event, ground, .. } in told {
            let verdict = match event.event.run {
                Some(run) if is_for_run(event.event.kind) => {
                    let known = match runs.entry(run) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(new) => new.insert(self.run_with_thread(reader, run).await?),
                    };
                    match known {
                        Some((run, thread)) => self.verdict(reader, judge, &rights, &event.event, run, thread).await?,
                        None => Verdict::Nothing,
                    }
                }
                // It was selected by the channel that it was written for; what counts is where its thread
                // stands now.
                _ if is_for_readers(event.event.kind) && ground.allows(judge, Mode::Delivery) => Verdict::Plain,
                _ => Verdict::Nothing,
            };
            verdicts.push(verdict);
        }
        Ok(verdicts)
    }

    async fn verdict(
        &self,
        reader: &Reader,
        judge: &Judge,
        rights: &RightsNow<'_>,
        event: &NewEvent,
        run: &RunRow,
        thread: &ThreadFacts,
    ) -> Result<Verdict, Problem> {
        let resource =
            Resource { agent: Some(run.agent), ..Resource::new(ResourceKind::Run, run.id.cast(), thread.path()) };
        let readable = judge.decide(Action::RunRead, Some(&resource), Mode::Delivery).is_allow();
        match event.kind {
            // Told also when the agent lost its sight of the thread: it knows the run already.
            EventKind::RunCancelRequested => Ok(Verdict::Cancelled { reason: run.cancel_reason, readable }),
            EventKind::AgentInvocation if readable && run.state == RunState::Queued => {
                let direct = self.place_of(reader, thread).await?.is_direct();
                if rights.invoke(run.triggered_by, run.agent, thread, direct).await?.is_err() {
                    return Ok(Verdict::Revoked(run.id));
                }
                let planned = self.plan(reader, run, thread).await?;
                let session = Session {
                    mode: planned.plan.mode,
                    id: planned.session.as_ref().map(|row| row.id),
                    reference: planned.session.and_then(|row| row.reference),
                };
                Ok(Verdict::Invocation { run: Box::new(run.clone()), session })
            }
            // Only while the run still waits with that question.
            EventKind::RunQuestionExpired if readable && run.state == RunState::WaitingInput && run.input.is_none() => {
                Ok(Verdict::Plain)
            }
            EventKind::AgentFollowup | EventKind::RunInputReceived if readable && run.state.is_active() => {
                let follow_up = match event.message {
                    Some(message) => store::follow_up::one(reader, run.id, message).await?,
                    None => None,
                };
                let open = follow_up.is_some_and(|one| one.state != FollowUpState::Moved);
                Ok(if open { Verdict::Trusted } else { Verdict::Nothing })
            }
            _ => Ok(Verdict::Nothing),
        }
    }

    async fn run_with_thread(&self, reader: &Reader, run: RunId) -> Result<Option<(RunRow, ThreadFacts)>, Problem> {
        let Some(run) = store::run::by_id(reader, run).await? else {
            return Ok(None);
        };
        let thread = self.chat.thread(reader, run.thread).await?;
        Ok(thread.map(|thread| (run, thread)))
    }

    async fn invocation(&self, run: &RunRow, session: Session) -> Result<Invocation, Problem> {
        Ok(Invocation {
            token: self.tokens.issue(run).await?,
            session,
            trigger_kind: run.trigger_kind,
            deadline: run.queued_at.plus(self.settings.queue_timeout),
            redelivered: run.delivered_at.is_some(),
        })
    }

    /// Ends a run that must not be delivered, in a unit of work of its own. The right is judged once
    /// more there: it may have come back.
    async fn refuse_delivery(&self, run: RunId) -> Result<(), Problem> {
        transact(&self.database, |unit| {
            work(async move {
                let Some(run) = store::run::lock_active(unit, run).await? else {
                    return Ok(());
                };
                let thread = self.thread_of(unit, &run).await?;
                let direct = self.place_of(unit, &thread).await?.is_direct();
                let rights = self.rights(Source::Unit(unit));
                if rights.invoke(run.triggered_by, run.agent, &thread, direct).await?.is_err() {
                    // Locked, so it is still in the state that is judged here.
                    let _ = self.request_cancel(unit, &run, CancelReason::AccessRevoked).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Remembers the first delivery, so that the next one says that it is a repetition (C72).
    async fn mark_delivered(&self, runs: Vec<RunId>) -> Result<(), Problem> {
        if runs.is_empty() {
            return Ok(());
        }
        let runs = runs.as_slice();
        transact(&self.database, |unit| {
            work(async move { Ok(store::run::mark_delivered(unit, runs, self.now()).await?) })
        })
        .await
    }
}

/// The kinds that concern one run of the agent.
pub(super) const fn is_for_run(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::AgentInvocation
            | EventKind::AgentFollowup
            | EventKind::RunCancelRequested
            | EventKind::RunInputReceived
            | EventKind::RunQuestionExpired
    )
}

/// The kinds that go to every agent that may read the channel.
const fn is_for_readers(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::MessageCreated
            | EventKind::MessageUpdated
            | EventKind::MessageDeleted
            | EventKind::MessageReactionsUpdated
            | EventKind::ThreadCreated
            | EventKind::ThreadUpdated
            | EventKind::ThreadMoved
            | EventKind::ChannelCreated
            | EventKind::ChannelUpdated
    )
}

/// The event for an agent that may not see the place any more.
const fn without_place(mut event: NewEvent) -> NewEvent {
    event.space = None;
    event.channel = None;
    event.thread = None;
    event.message = None;
    event
}
