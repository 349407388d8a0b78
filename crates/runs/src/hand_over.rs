//! What happens to the messages that a run leaves behind (chapter 06 sections 2 and 3, AF-19): the
//! oldest that nobody answered starts the next run, in the unit of work of the end.

use bothy_chat::ThreadFacts;
use bothy_domain::ids::{MessageId, PrincipalId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::run::{FollowUp, FollowUpState, NextRun, TriggerKind, Waiting, next_run};
use bothy_domain::session::TriggerPlace;
use bothy_messaging::NewNotice;
use bothy_platform::failure::OrProblem;
use bothy_storage::UnitOfWork;

use crate::attach::Call;
use crate::rights::Source;
use crate::store::row::{NewRun, RunRow, Trigger};
use crate::{Runs, event, store};

/// What a run left behind, with the places of the messages.
struct Left {
    person: PrincipalId,
    follow_ups: Vec<FollowUp>,
    waiting: Vec<Waiting>,
}

impl Left {
    fn seq(&self, message: MessageId) -> Option<i64> {
        let own = self.follow_ups.iter().map(|one| (one.message, one.thread_seq));
        own.chain(self.waiting.iter().map(|one| (one.message, one.thread_seq)))
            .find(|(other, _)| *other == message)
            .map(|(_, seq)| seq)
    }

    fn forget(&mut self, message: MessageId) {
        self.follow_ups.retain(|one| one.message != message);
        self.waiting.retain(|one| one.message != message);
    }
}

impl Runs {
    /// Starts the run that follows one that has just ended in this unit of work. Whether its author
    /// still may invoke the agent is judged now; a message whose author may not is given up, and the
    /// author is told.
    pub(crate) async fn hand_over(
        &self,
        unit: &UnitOfWork,
        ended: &RunRow,
        thread: &ThreadFacts,
    ) -> Result<(), Problem> {
        let mut left = Left {
            person: ended.triggered_by,
            follow_ups: store::follow_up::of_run(unit, ended.id).await?,
            waiting: store::waiting::list(unit, ended.agent, ended.thread).await?,
        };
        left.follow_ups.retain(|one| one.state.is_open());
        if left.follow_ups.is_empty() && left.waiting.is_empty() {
            return Ok(());
        }
        for one in &left.follow_ups {
            store::follow_up::change(unit, ended.id, one.message, one.state, FollowUpState::Moved).await?;
        }
        if thread.closed {
            return self.leave(unit, ended, &left).await;
        }
        let rights = self.rights(Source::Unit(unit));
        let place = self.place_of(unit, thread).await?;
        let works = rights.works(ended.agent, thread).await?;
        while let Some(next) = next_run(left.person, &left.follow_ups, &left.waiting) {
            let invoked =
                works && rights.invoke(next.triggered_by, ended.agent, thread, place.is_direct()).await?.is_ok();
            if invoked && self.start_next(unit, ended, thread, place.is_operated_by(ended.agent), &left, &next).await? {
                return Ok(());
            }
            if !invoked {
                let notice = NewNotice {
                    person: next.triggered_by,
                    thread,
                    message: Some(next.trigger),
                    agent: Some(ended.agent),
                    run: None,
                    code: if works { "agent_not_allowed" } else { "agent_unavailable" },
                };
                self.messaging.notify(unit, &notice).await?;
            }
            store::waiting::delete(unit, ended.agent, &[next.trigger]).await?;
            left.forget(next.trigger);
        }
        Ok(())
    }

    /// In a closed thread nobody can answer. What is open waits there as what others wrote does: when
    /// the thread is open again, it follows the next run.
    async fn leave(&self, unit: &UnitOfWork, ended: &RunRow, left: &Left) -> Result<(), Problem> {
        for one in &left.follow_ups {
            let waiting = Waiting { message: one.message, thread_seq: one.thread_seq, author: left.person };
            store::waiting::insert(unit, ended.agent, ended.thread, waiting, self.now()).await?;
        }
        Ok(())
    }

    /// Whether the run was made. It is not when its message has started a run of this agent before.
    async fn start_next(
        &self,
        unit: &UnitOfWork,
        ended: &RunRow,
        thread: &ThreadFacts,
        operates: bool,
        left: &Left,
        next: &NextRun,
    ) -> Result<bool, Problem> {
        let Some(seq) = left.seq(next.trigger) else {
            return Ok(false);
        };
        let trigger = Trigger { message: next.trigger, place: TriggerPlace { thread: ended.thread, thread_seq: seq } };
        let kind = store::request::kinds(unit, &[next.trigger]).await?.remove(&next.trigger);
        let call = Call {
            agent: ended.agent,
            author: next.triggered_by,
            operates,
            kind: kind.unwrap_or(TriggerKind::Message),
            trigger,
        };
        let run = self.new_run(unit, ended.thread, call).await?;
        if !store::run::insert(unit, &run).await? {
            return Ok(false);
        }
        let mut events = vec![event::invocation(thread, &run), event::updated(thread, &run)];
        let now = self.now();
        for message in &next.follow_ups {
            let seq = left.seq(*message).unwrap_or_default();
            store::follow_up::insert(unit, run.id, *message, seq, now).await?;
            events.push(event::follow_up(thread, &run, *message));
        }
        let mut settled = next.follow_ups.clone();
        settled.push(next.trigger);
        store::waiting::delete(unit, ended.agent, &settled).await?;
        for waiting in &next.waiting {
            store::waiting::insert(unit, ended.agent, ended.thread, *waiting, now).await?;
        }
        self.events.append(unit, &events).await.or_problem()?;
        Ok(true)
    }

    /// A run that is not written yet. A run of the operator gets the current session of the thread,
    /// that of a guest none.
    pub(crate) async fn new_run(&self, unit: &UnitOfWork, thread: ThreadId, call: Call) -> Result<RunRow, Problem> {
        let Call { agent, author, operates, kind, trigger } = call;
        let session = if operates { Some(self.agents.current_session(unit, thread, agent).await?.id) } else { None };
        let new = NewRun { id: self.ids.next(), thread, agent, session, kind, trigger, triggered_by: author };
        Ok(RunRow::queued(new, self.now()))
    }
}
