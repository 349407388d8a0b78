//! The rules of runs, put together as the server does, against a second account of them: random
//! sequences of steps by people, adapters that come and go, revocations and time (issue 5). The same
//! account is held against the server on both databases in `crates/runs/tests/model.rs`.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test that cannot go on must fail")]

mod reference;

use bothy_domain::ids::{MessageId, PrincipalId};
use bothy_domain::run::{
    Applied, CancelReason, ErrorClass, FollowUp, FollowUpChange, FollowUpState, Outcome, RunCommand, RunState, Waiting,
    apply, next_run,
};
use reference::{Answer, Dice, GRACE, Kept, LEASE, Model, QUEUE, State, Step, assert_settled, next_step};
use uuid::Uuid;

const SEQUENCES: u64 = 100_000;
const STEPS: usize = 60;

/// A thread as the server keeps it, driven by the rules of the domain alone.
#[derive(Default)]
struct Thread {
    runs: Vec<Run>,
    waiting: Vec<Waiting>,
    given_up: Vec<usize>,
    revoked: [bool; 2],
    messages: usize,
}

struct Run {
    person: usize,
    trigger: usize,
    state: RunState,
    follow_ups: Vec<FollowUp>,
    input: Option<usize>,
    cancelled: bool,
    queued_at: u64,
    lease_until: u64,
    input_at: u64,
    cancel_at: u64,
}

/// What is compared of a run: its person, its trigger, where it stands, and its follow-ups.
type Shown = (usize, usize, State, Vec<(usize, Kept)>);

fn message(index: usize) -> MessageId {
    MessageId::from_uuid(Uuid::from_u128(u128::try_from(index).unwrap() + 1))
}

fn index(message: MessageId) -> usize {
    usize::try_from(message.uuid().as_u128() - 1).unwrap()
}

fn person(index: usize) -> PrincipalId {
    PrincipalId::from_uuid(Uuid::from_u128(u128::try_from(index).unwrap()))
}

fn seq(index: usize) -> i64 {
    i64::try_from(index).unwrap() + 1
}

impl Thread {
    fn active(&self) -> Option<usize> {
        self.runs.iter().position(|run| run.state.is_active())
    }

    fn step(&mut self, step: Step, now: u64) -> Answer {
        match step {
            Step::Say(who) => self.say(who, now),
            Step::Start(run) => self.command(run, &RunCommand::Start, now),
            Step::Finish(run, state) => self.command(run, &RunCommand::Finish(outcome(state)), now),
            Step::Ask(run) => {
                let answer = self.command(run, &RunCommand::AwaitInput, now);
                if answer == Answer::Done {
                    self.runs[run].input = None;
                }
                answer
            }
            Step::Resume(run) => self.resume(run, now),
            Step::Absorb(run, message) => self.absorb(run, message, now),
            Step::Cancel(run) if self.revoked[self.runs[run].person] => Answer::Hidden,
            Step::Cancel(run) => self.command(run, &RunCommand::RequestCancel(CancelReason::Requested), now),
            Step::Heartbeat(run) => {
                if self.runs[run].state == RunState::Running {
                    self.runs[run].lease_until = now + LEASE;
                }
                Answer::Done
            }
            Step::Reply(run) if self.runs[run].state.is_active() => Answer::Done,
            Step::Reply(_) => Answer::Ended,
            Step::Pass(_) => {
                self.expire(now);
                Answer::Done
            }
            Step::Revoke(who) => {
                self.revoked[who] = true;
                if let Some(active) = self.active().filter(|active| self.runs[*active].person == who) {
                    self.command(active, &RunCommand::RequestCancel(CancelReason::AccessRevoked), now);
                }
                Answer::Done
            }
            Step::Restore(who) => {
                self.revoked[who] = false;
                Answer::Done
            }
        }
    }

    fn command(&mut self, run: usize, command: &RunCommand, now: u64) -> Answer {
        match apply(self.runs[run].state, command) {
            Ok(Applied::Moved(state)) => {
                let run = &mut self.runs[run];
                run.state = state;
                if state == RunState::Running {
                    run.lease_until = now + LEASE;
                }
            }
            Ok(Applied::Ended { state, .. }) => self.end(run, state, now),
            Ok(Applied::CancelRequested(_)) => {
                let run = &mut self.runs[run];
                if !run.cancelled {
                    (run.cancelled, run.cancel_at) = (true, now);
                }
            }
            Ok(Applied::Unchanged) => {}
            Err(_) => return Answer::Conflict,
        }
        Answer::Done
    }

    fn say(&mut self, who: usize, now: u64) -> Answer {
        if self.revoked[who] {
            return Answer::Hidden;
        }
        let said = self.messages;
        self.messages += 1;
        match self.active() {
            None => self.queue(who, said, Vec::new(), now),
            Some(active) if self.runs[active].person == who => {
                let run = &mut self.runs[active];
                run.follow_ups.push(FollowUp {
                    message: message(said),
                    thread_seq: seq(said),
                    state: FollowUpState::Pending,
                });
                if run.state == RunState::WaitingInput && run.input.is_none() && !run.cancelled {
                    (run.input, run.input_at) = (Some(said), now);
                }
            }
            Some(_) => {
                self.waiting.push(Waiting { message: message(said), thread_seq: seq(said), author: person(who) });
            }
        }
        Answer::Done
    }

    fn queue(&mut self, who: usize, trigger: usize, follow_ups: Vec<FollowUp>, now: u64) {
        self.runs.push(Run {
            person: who,
            trigger,
            state: RunState::Queued,
            follow_ups,
            input: None,
            cancelled: false,
            queued_at: now,
            lease_until: 0,
            input_at: 0,
            cancel_at: 0,
        });
    }

    fn resume(&mut self, run: usize, now: u64) -> Answer {
        let input = self.runs[run].input;
        let command = RunCommand::Resume { input_arrived: input.is_some() };
        if apply(self.runs[run].state, &command).is_err() {
            return Answer::Conflict;
        }
        if self.revoked[self.runs[run].person] {
            return Answer::Revoked;
        }
        for follow_up in &mut self.runs[run].follow_ups {
            if Some(index(follow_up.message)) == input {
                follow_up.state = follow_up.state.apply(FollowUpChange::Absorb).unwrap();
            }
        }
        self.runs[run].input = None;
        self.command(run, &command, now)
    }

    fn absorb(&mut self, run: usize, said: usize, now: u64) -> Answer {
        let run = &mut self.runs[run];
        if run.state.is_terminal() || run.state == RunState::Queued {
            return Answer::Conflict;
        }
        let Some(follow_up) = run.follow_ups.iter_mut().find(|one| one.message == message(said)) else {
            return Answer::Invalid;
        };
        follow_up.state = follow_up.state.apply(FollowUpChange::Absorb).unwrap();
        if run.state == RunState::Running {
            run.lease_until = now + LEASE;
        }
        Answer::Done
    }

    fn expire(&mut self, now: u64) {
        let Some(active) = self.active() else { return };
        let run = &self.runs[active];
        let command = match run.state {
            RunState::Queued if run.queued_at + QUEUE <= now => RunCommand::ExpireQueue,
            RunState::Running if run.lease_until <= now => RunCommand::LoseLease,
            RunState::WaitingInput if run.input.is_some() && run.input_at + QUEUE <= now => RunCommand::LoseLease,
            _ if run.cancelled && run.cancel_at + GRACE <= now => RunCommand::ExpireCancelGrace,
            _ => return,
        };
        assert_eq!(self.command(active, &command, now), Answer::Done);
    }

    fn end(&mut self, run: usize, state: RunState, now: u64) {
        let ended = &mut self.runs[run];
        ended.state = state;
        let mut open: Vec<FollowUp> = ended.follow_ups.iter().copied().filter(|one| one.state.is_open()).collect();
        for follow_up in &mut ended.follow_ups {
            if let Ok(moved) = follow_up.state.apply(FollowUpChange::Move) {
                follow_up.state = moved;
            }
        }
        let of = person(ended.person);
        while let Some(next) = next_run(of, &open, &self.waiting) {
            let who = usize::try_from(next.triggered_by.uuid().as_u128()).unwrap();
            if !self.revoked[who] {
                let follow_ups = next.follow_ups.iter().map(|message| FollowUp {
                    message: *message,
                    thread_seq: seq(index(*message)),
                    state: FollowUpState::Pending,
                });
                self.queue(who, index(next.trigger), follow_ups.collect(), now);
                self.waiting = next.waiting;
                return;
            }
            self.given_up.push(index(next.trigger));
            open.retain(|one| one.message != next.trigger);
            self.waiting.retain(|one| one.message != next.trigger);
        }
        self.waiting.clear();
    }

    fn as_model(&self) -> Vec<Shown> {
        self.runs
            .iter()
            .map(|run| {
                let mut kept: Vec<_> = run.follow_ups.iter().map(|one| (index(one.message), kept(one.state))).collect();
                kept.sort_by_key(|(message, _)| *message);
                (run.person, run.trigger, state(run.state), kept)
            })
            .collect()
    }
}

fn outcome(state: State) -> Outcome {
    match state {
        State::Completed => Outcome::Completed,
        State::Failed => Outcome::Failed { error_class: ErrorClass::new("broken").unwrap() },
        _ => Outcome::Cancelled,
    }
}

const fn state(state: RunState) -> State {
    match state {
        RunState::Queued => State::Queued,
        RunState::Running => State::Running,
        RunState::WaitingInput => State::Waiting,
        RunState::Completed => State::Completed,
        RunState::Failed => State::Failed,
        RunState::Cancelled => State::Cancelled,
    }
}

const fn kept(state: FollowUpState) -> Kept {
    match state {
        FollowUpState::Pending | FollowUpState::Delivered => Kept::Open,
        FollowUpState::Absorbed => Kept::Absorbed,
        FollowUpState::Moved => Kept::Moved,
    }
}

fn runs_of(model: &Model) -> Vec<Shown> {
    let follow_ups = |run: &reference::Run| run.follow_ups.iter().map(|(message, kept)| (*message, *kept)).collect();
    model.runs.iter().map(|run| (run.person, run.trigger, run.state, follow_ups(run))).collect()
}

#[test]
fn the_rules_and_the_second_account_agree_on_every_sequence() {
    let (mut ended, mut most) = ([0_usize; 3], 0);
    for seed in 1..=SEQUENCES {
        let mut dice = Dice::new(seed);
        let (mut model, mut thread) = (Model::default(), Thread::default());
        let (mut now, mut trail) = (0, Vec::new());
        let steps = 1 + dice.roll(STEPS);
        for _ in 0..steps {
            let step = next_step(&mut dice, &model);
            trail.push(step);
            if let Step::Pass(time) = step {
                now += time;
            }
            let before: Vec<State> = model.runs.iter().map(|run| run.state).collect();
            assert_eq!(thread.step(step, now), model.step(step, now), "seed {seed}: {trail:?}");
            assert_eq!(thread.as_model(), runs_of(&model), "seed {seed}: {trail:?}");
            assert_eq!(thread.given_up, model.given_up, "seed {seed}: {trail:?}");
            assert!(model.runs.iter().filter(|run| !run.state.is_over()).count() <= 1, "seed {seed}: {trail:?}");
            for (before, run) in before.iter().zip(&model.runs) {
                assert!(!before.is_over() || *before == run.state, "an end is an end; seed {seed}: {trail:?}");
            }
        }
        while let Some(active) = model.active() {
            let step = Step::Finish(active, State::Failed);
            assert_eq!(thread.step(step, now), model.step(step, now), "seed {seed}: {trail:?}");
        }
        assert_eq!(thread.as_model(), runs_of(&model), "seed {seed}: {trail:?}");
        assert_settled(&model);
        most = most.max(model.runs.len());
        for run in &model.runs {
            ended[[State::Completed, State::Failed, State::Cancelled].iter().position(|s| *s == run.state).unwrap()] +=
                1;
        }
    }
    // The sequences went everywhere, so that they say something.
    assert!(ended.iter().all(|count| *count > 1_000), "{ended:?}");
    assert!(most > 8, "{most}");
}
