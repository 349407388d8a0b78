//! How a message reaches an agent: a run of its own, a follow-up, or a place in the queue. Which of
//! them it is may change while it is being written; the database decides (unique index
//! `runs_one_active`), and who loses looks again.

use bothy_chat::ThreadFacts;
use bothy_domain::ids::{MessageId, PrincipalId, RunId};
use bothy_domain::problem::Problem;
use bothy_domain::run::{CancelReason, TriggerKind, Waiting};
use bothy_messaging::WrittenMessage;
use bothy_platform::failure::OrProblem;
use bothy_storage::UnitOfWork;

use crate::rights::Source;
use crate::store::row::{RunRow, Trigger};
use crate::{Runs, event, store};

/// How often a message looks again after a run began or ended under its hands. Each further time
/// takes another writer that is quicker by as much, so the bound is never met in earnest.
const TRIES: u32 = 16;

/// A message for an agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(crate) agent: PrincipalId,
    pub(crate) author: PrincipalId,
    /// Whether the agent is in charge of the thread.
    pub(crate) operates: bool,
    /// What the message is.
    pub(crate) kind: TriggerKind,
    /// The message and its place.
    pub(crate) trigger: Trigger,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reached {
    /// It started this run.
    Started(RunId),
    /// It reached or waits for an active run.
    Attached,
}

impl Runs {
    /// Brings a message to an agent in a thread. The run that it is attached to is locked first, so
    /// that whoever ends that run sees the message, and nothing is left lying.
    pub(crate) async fn attach(&self, unit: &UnitOfWork, thread: &ThreadFacts, call: Call) -> Result<Reached, Problem> {
        for _ in 0..TRIES {
            let active = store::run::active_in_thread(unit, thread.id).await?;
            match active.into_iter().find(|run| run.agent == call.agent) {
                Some(run) => {
                    if let Some(run) = store::run::lock_active(unit, run.id).await? {
                        self.attach_to(unit, thread, &run, call).await?;
                        return Ok(Reached::Attached);
                    }
                }
                None => {
                    let run = self.new_run(unit, thread.id, call).await?;
                    if store::run::insert(unit, &run).await? {
                        let told = [event::invocation(thread, &run), event::updated(thread, &run)];
                        self.events.append(unit, &told).await.or_problem()?;
                        return Ok(Reached::Started(run.id));
                    }
                }
            }
        }
        Err(Problem::unavailable("runs of the thread keep changing"))
    }

    /// The author's own run gets the message as a follow-up; behind the run of somebody else it
    /// waits, so that nobody can steer a run that is bound to another's rights (AF-19).
    async fn attach_to(
        &self,
        unit: &UnitOfWork,
        thread: &ThreadFacts,
        run: &RunRow,
        call: Call,
    ) -> Result<(), Problem> {
        let (message, seq) = (call.trigger.message, call.trigger.place.thread_seq);
        if run.triggered_by == call.author {
            return self.follow_up(unit, thread, run, message, seq).await;
        }
        let waiting = Waiting { message, thread_seq: seq, author: call.author };
        store::waiting::insert(unit, call.agent, thread.id, waiting, self.now()).await
    }

    async fn follow_up(
        &self,
        unit: &UnitOfWork,
        thread: &ThreadFacts,
        run: &RunRow,
        message: MessageId,
        seq: i64,
    ) -> Result<(), Problem> {
        if store::follow_up::insert(unit, run.id, message, seq, self.now()).await? {
            self.events.append(unit, &[event::follow_up(thread, run, message)]).await.or_problem()?;
        }
        Ok(())
    }

    /// Gives a message to the runs of its author that wait for input in its thread: to those whose
    /// agents it mentions, or to all when it mentions none of them. Who may not instruct the agent any
    /// more answers nothing: that run is to end.
    pub(crate) async fn answer(
        &self,
        unit: &UnitOfWork,
        written: &WrittenMessage,
        direct: bool,
        mentioned: &[PrincipalId],
        trigger: Trigger,
    ) -> Result<Vec<PrincipalId>, Problem> {
        let thread = &written.thread;
        let mut asking: Vec<RunRow> = store::run::active_in_thread(unit, thread.id).await?;
        asking.retain(|run| run.awaits_input_of(written.author));
        self.retain_open_questions(unit, &mut asking).await?;
        if asking.iter().any(|run| mentioned.contains(&run.agent)) {
            asking.retain(|run| mentioned.contains(&run.agent));
        }
        let mut answered = Vec::new();
        let rights = self.rights(Source::Unit(unit));
        for run in asking {
            if rights.invoke(written.author, run.agent, thread, direct).await?.is_err() {
                // Outrun by whoever ends it.
                let _ = self.request_cancel(unit, &run, CancelReason::AccessRevoked).await?;
                continue;
            }
            if self.give_answer(unit, thread, &run, trigger).await? {
                answered.push(run.agent);
            }
        }
        Ok(answered)
    }

    /// Whether the message is the answer that the run waited for, and was given to it. The answer is a
    /// follow-up too, so that it is not lost when the run ends before it goes on.
    pub(crate) async fn give_answer(
        &self,
        unit: &UnitOfWork,
        thread: &ThreadFacts,
        run: &RunRow,
        trigger: Trigger,
    ) -> Result<bool, Problem> {
        if !store::run::take_input(unit, run.id, trigger.message).await? {
            return Ok(false);
        }
        store::follow_up::insert(unit, run.id, trigger.message, trigger.place.thread_seq, self.now()).await?;
        let told = event::input_received(thread, run, trigger.message);
        self.events.append(unit, &[told]).await.or_problem()?;
        Ok(true)
    }

    /// Takes away the runs whose question is over: what comes later is no answer to it.
    async fn retain_open_questions(&self, unit: &UnitOfWork, asking: &mut Vec<RunRow>) -> Result<(), Problem> {
        let ids: Vec<RunId> = asking.iter().map(|run| run.id).collect();
        let questions = store::question::newest_of(unit, &ids).await?;
        let now = self.now();
        asking.retain(|run| !questions.iter().any(|question| question.run == run.id && question.is_over(now)));
        Ok(())
    }
}
