//! A small second account of how runs of one agent live in one thread, written from chapter 06 and
//! AF-19 without a look at the rules of the product. The rules and the server are held to it.

#![allow(missing_docs, unreachable_pub, reason = "the parts of a test")]
#![allow(clippy::indexing_slicing, reason = "a test that cannot go on must fail")]

use std::collections::BTreeMap;

/// How long a run waits for its agent, in milliseconds (`agent.queue_timeout`).
pub const QUEUE: u64 = 900_000;
/// How long a working agent may be silent (`agent.lease_timeout`).
pub const LEASE: u64 = 120_000;
/// How long an agent has to end what was cancelled (`agent.cancel_grace`).
pub const GRACE: u64 = 30_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Queued,
    Running,
    Waiting,
    Completed,
    Failed,
    Cancelled,
}

impl State {
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    Open,
    Absorbed,
    Moved,
}

/// Something that happens. Runs and messages are counted from zero in the order in which they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Say(usize),
    Start(usize),
    Finish(usize, State),
    Ask(usize),
    Resume(usize),
    Absorb(usize, usize),
    Cancel(usize),
    Heartbeat(usize),
    Reply(usize),
    /// The time goes on, and what is overdue is ended.
    Pass(u64),
    Revoke(usize),
    Restore(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Done,
    /// It does not apply to the run as it is.
    Conflict,
    /// The message is none of the run.
    Invalid,
    /// The run is over, so its token opens nothing.
    Ended,
    /// The person may not instruct the agent any more.
    Revoked,
    /// The person does not see the place any more.
    Hidden,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub person: usize,
    pub trigger: usize,
    pub state: State,
    /// Its follow-ups by message.
    pub follow_ups: BTreeMap<usize, Kept>,
    pub input: Option<usize>,
    pub cancelled: bool,
    queued_at: u64,
    lease_until: u64,
    input_at: u64,
    cancel_at: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    pub runs: Vec<Run>,
    /// Messages that wait for the run of somebody else to end, with their authors.
    pub waiting: BTreeMap<usize, usize>,
    /// Messages whose author lost the right before their turn came.
    pub given_up: Vec<usize>,
    pub revoked: [bool; 2],
    pub messages: usize,
}

impl Model {
    pub fn active(&self) -> Option<usize> {
        self.runs.iter().position(|run| !run.state.is_over())
    }

    pub fn step(&mut self, step: Step, now: u64) -> Answer {
        match step {
            Step::Say(who) => self.say(who, now),
            Step::Start(run) => self.start(run, now),
            Step::Finish(run, state) => self.finish(run, state, now),
            Step::Ask(run) => self.ask(run),
            Step::Resume(run) => self.resume(run, now),
            Step::Absorb(run, message) => self.absorb(run, message, now),
            Step::Cancel(run) => self.cancel(run, now),
            Step::Heartbeat(run) => {
                let run = &mut self.runs[run];
                if run.state == State::Running {
                    run.lease_until = now + LEASE;
                }
                Answer::Done
            }
            Step::Reply(run) => {
                if self.runs[run].state.is_over() {
                    Answer::Ended
                } else {
                    Answer::Done
                }
            }
            Step::Pass(_) => {
                self.pass(now);
                Answer::Done
            }
            Step::Revoke(who) => {
                self.revoked[who] = true;
                if let Some(active) = self.active().filter(|active| self.runs[*active].person == who) {
                    self.stop(active, now);
                }
                Answer::Done
            }
            Step::Restore(who) => {
                self.revoked[who] = false;
                Answer::Done
            }
        }
    }

    fn say(&mut self, who: usize, now: u64) -> Answer {
        if self.revoked[who] {
            return Answer::Hidden;
        }
        let message = self.messages;
        self.messages += 1;
        match self.active() {
            None => self.queue(who, message, now),
            Some(active) if self.runs[active].person == who => {
                let run = &mut self.runs[active];
                run.follow_ups.insert(message, Kept::Open);
                if run.state == State::Waiting && run.input.is_none() && !run.cancelled {
                    run.input = Some(message);
                    run.input_at = now;
                }
            }
            Some(_) => {
                self.waiting.insert(message, who);
            }
        }
        Answer::Done
    }

    fn queue(&mut self, person: usize, trigger: usize, now: u64) {
        self.runs.push(Run {
            person,
            trigger,
            state: State::Queued,
            follow_ups: BTreeMap::new(),
            input: None,
            cancelled: false,
            queued_at: now,
            lease_until: 0,
            input_at: 0,
            cancel_at: 0,
        });
    }

    fn start(&mut self, run: usize, now: u64) -> Answer {
        let run = &mut self.runs[run];
        if run.state != State::Queued {
            return Answer::Conflict;
        }
        run.state = State::Running;
        run.lease_until = now + LEASE;
        Answer::Done
    }

    fn finish(&mut self, run: usize, state: State, now: u64) -> Answer {
        let before = self.runs[run].state;
        if before.is_over() {
            return if before == state { Answer::Done } else { Answer::Conflict };
        }
        if before == State::Queued && state == State::Completed {
            return Answer::Conflict;
        }
        self.end(run, state, now);
        Answer::Done
    }

    fn ask(&mut self, run: usize) -> Answer {
        let run = &mut self.runs[run];
        if run.state != State::Running {
            return Answer::Conflict;
        }
        run.state = State::Waiting;
        run.input = None;
        Answer::Done
    }

    fn resume(&mut self, run: usize, now: u64) -> Answer {
        let revoked = self.revoked[self.runs[run].person];
        let run = &mut self.runs[run];
        let (State::Waiting, Some(input)) = (run.state, run.input) else {
            return Answer::Conflict;
        };
        if revoked {
            return Answer::Revoked;
        }
        run.follow_ups.insert(input, Kept::Absorbed);
        run.input = None;
        run.state = State::Running;
        run.lease_until = now + LEASE;
        Answer::Done
    }

    fn absorb(&mut self, run: usize, message: usize, now: u64) -> Answer {
        let run = &mut self.runs[run];
        if !matches!(run.state, State::Running | State::Waiting) {
            return Answer::Conflict;
        }
        let Some(kept) = run.follow_ups.get_mut(&message) else {
            return Answer::Invalid;
        };
        *kept = Kept::Absorbed;
        if run.state == State::Running {
            run.lease_until = now + LEASE;
        }
        Answer::Done
    }

    fn cancel(&mut self, run: usize, now: u64) -> Answer {
        if self.revoked[self.runs[run].person] {
            return Answer::Hidden;
        }
        if self.runs[run].state.is_over() {
            return Answer::Conflict;
        }
        self.stop(run, now);
        Answer::Done
    }

    /// A queued run ends at once; the agent of another one is asked.
    fn stop(&mut self, run: usize, now: u64) {
        if self.runs[run].state == State::Queued {
            self.end(run, State::Cancelled, now);
        } else if !self.runs[run].cancelled {
            self.runs[run].cancelled = true;
            self.runs[run].cancel_at = now;
        }
    }

    fn pass(&mut self, now: u64) {
        let Some(active) = self.active() else { return };
        let run = &self.runs[active];
        let lost = match run.state {
            State::Queued => run.queued_at + QUEUE <= now,
            State::Running => run.lease_until <= now,
            _ => run.input.is_some() && run.input_at + QUEUE <= now,
        };
        if lost {
            self.end(active, State::Failed, now);
        } else if run.cancelled && run.cancel_at + GRACE <= now {
            self.end(active, State::Cancelled, now);
        }
    }

    fn end(&mut self, run: usize, state: State, now: u64) {
        self.runs[run].state = state;
        let person = self.runs[run].person;
        for (message, kept) in &mut self.runs[run].follow_ups {
            if *kept == Kept::Open {
                *kept = Kept::Moved;
                self.waiting.insert(*message, person);
            }
        }
        // First come, first served; who may not any more is passed over.
        while let Some((message, who)) = self.waiting.pop_first() {
            if self.revoked[who] {
                self.given_up.push(message);
                continue;
            }
            self.queue(who, message, now);
            let own: Vec<usize> = self.waiting.iter().filter(|(_, author)| **author == who).map(|(m, _)| *m).collect();
            for message in own {
                self.waiting.remove(&message);
                if let Some(next) = self.runs.last_mut() {
                    next.follow_ups.insert(message, Kept::Open);
                }
            }
            return;
        }
    }
}

/// The same steps from the same seed; small and good enough to wander everywhere.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides.max(1)).unwrap_or(1)).unwrap_or(0)
    }
}

/// The next step: mostly about the newest run, sometimes about an old one whose adapter comes back.
pub fn next_step(dice: &mut Dice, model: &Model) -> Step {
    let who = dice.roll(2);
    if model.runs.is_empty() {
        return if model.revoked[who] { Step::Restore(who) } else { Step::Say(who) };
    }
    let newest = model.runs.len() - 1;
    let run = if dice.roll(5) == 0 { dice.roll(model.runs.len()) } else { newest };
    match dice.roll(34) {
        0..=6 => Step::Say(who),
        7..=11 => Step::Start(run),
        12..=14 => Step::Finish(run, [State::Completed, State::Failed, State::Cancelled][dice.roll(3)]),
        15..=17 => Step::Ask(run),
        18..=20 => Step::Resume(run),
        21..=23 => Step::Absorb(run, dice.roll(model.messages)),
        24 => Step::Cancel(run),
        25 => Step::Heartbeat(run),
        26..=27 => Step::Reply(run),
        28..=31 => Step::Pass([5_000, GRACE + 1_000, LEASE + 1_000, QUEUE + 1_000][dice.roll(4)]),
        32 => Step::Revoke(who),
        _ => Step::Restore(who),
    }
}

/// What must hold at the end, however it came to it.
pub fn assert_settled(model: &Model) {
    assert!(model.runs.iter().all(|run| run.state.is_over()), "every run ends");
    assert!(model.waiting.is_empty(), "nobody waits for ever");
    let mut answers = vec![0; model.messages];
    for run in &model.runs {
        answers[run.trigger] += 1;
        for (message, kept) in &run.follow_ups {
            answers[*message] += usize::from(*kept == Kept::Absorbed);
            assert_ne!(*kept, Kept::Open, "a follow-up of an ended run belongs somewhere");
        }
    }
    for message in &model.given_up {
        answers[*message] += 1;
    }
    assert!(answers.iter().all(|count| *count == 1), "every message in exactly one run: {answers:?}");
}
