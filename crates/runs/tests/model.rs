//! The server against a second account of how runs live (`crates/domain/tests/run_machine`): random
//! sequences of what people and adapters send, of revocations and of time, each over HTTP, compared after
//! every step with what the database holds. `BOTHY_MODEL_SEQUENCES` raises how many there are.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

#[path = "../../domain/tests/run_machine/reference.rs"]
mod reference;
mod support;

use std::collections::BTreeMap;
use std::time::Duration;

use bothy_domain::ids::{MessageId, PrincipalId, RunId, ThreadId};
use bothy_domain::time::Timestamp;
use bothy_platform::clock::Clock;
use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use reference::{Answer, Dice, Kept, Model, State, Step, assert_settled, next_step};
use serde_json::{Value, json};
use support::World;

statements! {
    RUNS = "SELECT id, state, triggering_message_id, triggered_by FROM runs WHERE thread_id = $1 ORDER BY id";
    FOLLOW_UPS =
        "SELECT f.run_id, f.message_id, f.state FROM run_followups f JOIN runs r ON r.id = f.run_id WHERE r.thread_id = $1";
    WAITING = "SELECT message_id FROM run_waiting WHERE thread_id = $1";
}

const STEPS: usize = 60;
const PEOPLE: [&str; 2] = ["alex", "sam"];
/// A token outlives its lifetime by the tolerance of clocks.
const TOKEN: Duration = Duration::from_secs(3_630);

/// One thread, and what is known of it by the numbers of the model.
struct Played<'a> {
    world: &'a mut World,
    thread: ThreadId,
    messages: Vec<MessageId>,
    runs: Vec<RunId>,
    tokens: BTreeMap<RunId, (String, Timestamp)>,
}

impl Played<'_> {
    async fn rows(&self) -> Vec<(RunId, State, MessageId, PrincipalId)> {
        let reader = self.world.database.reader().await.unwrap();
        let rows = reader.all(&RUNS, params![self.thread]).await.unwrap();
        rows.iter()
            .map(|row| {
                let state: String = row.get("state").unwrap();
                (
                    row.get("id").unwrap(),
                    state_of(&state),
                    row.get("triggering_message_id").unwrap(),
                    row.get("triggered_by").unwrap(),
                )
            })
            .collect()
    }

    /// The database and the account agree, whatever happened.
    async fn compare(&mut self, model: &Model, trail: &[Step]) {
        let rows = self.rows().await;
        self.runs = rows.iter().map(|row| row.0).collect();
        let index = |message: MessageId| self.messages.iter().position(|known| *known == message).unwrap();
        let found: Vec<_> = rows.iter().map(|row| (row.1, index(row.2), row.3)).collect();
        let expected: Vec<_> =
            model.runs.iter().map(|run| (run.state, run.trigger, self.world.id(PEOPLE[run.person]))).collect();
        assert_eq!(found, expected, "{trail:?}");
        let reader = self.world.database.reader().await.unwrap();
        let mut kept: Vec<BTreeMap<usize, Kept>> = vec![BTreeMap::new(); rows.len()];
        for row in reader.all(&FOLLOW_UPS, params![self.thread]).await.unwrap() {
            let run: RunId = row.get("run_id").unwrap();
            let run = self.runs.iter().position(|known| *known == run).unwrap();
            kept[run].insert(index(row.get("message_id").unwrap()), kept_of(&row.get::<String>("state").unwrap()));
        }
        let expected: Vec<_> = model.runs.iter().map(|run| run.follow_ups.clone()).collect();
        assert_eq!(kept, expected, "{trail:?}");
        let rows = reader.all(&WAITING, params![self.thread]).await.unwrap();
        let mut waiting: Vec<usize> = rows.iter().map(|row| index(row.get("message_id").unwrap())).collect();
        waiting.sort_unstable();
        assert_eq!(waiting, model.waiting.keys().copied().collect::<Vec<_>>(), "{trail:?}");
    }

    /// A token of the run: a fresh one while the server gives one, else the last. Whether it still counts
    /// for a start.
    async fn token(&mut self, run: RunId) -> (String, bool) {
        let now = self.world.clock.now();
        let renewed = self.world.post_empty("lotse", &format!("/runs/{run}/token")).await;
        if renewed.status.as_u16() == 200 {
            self.tokens.insert(run, (renewed.text("invocation_token").to_owned(), now));
        }
        let (token, since) = self.tokens[&run].clone();
        (token, now.since(since) <= TOKEN)
    }

    async fn commit(&mut self, run: usize, what: &str) -> Option<u16> {
        let run = self.runs[run];
        let (token, fresh) = self.token(run).await;
        let body = json!({ "invocation_token": token });
        let status = self.world.post("lotse", &format!("/runs/{run}/{what}"), body).await.status.as_u16();
        if fresh {
            return Some(status);
        }
        assert_eq!(status, 403, "an old token opens nothing");
        None
    }

    async fn of_run(&self, method: &str, run: usize, what: &str, body: Value) -> u16 {
        let path = format!("/runs/{}{what}", self.runs[run]);
        let token = Some(self.world.token("lotse"));
        self.world.sender.send(method, &path, token, &[], Some(body)).await.status.as_u16()
    }

    /// Sends a step; `None` when its answer depends on more than the account knows.
    async fn step(&mut self, step: Step) -> Option<u16> {
        Some(match step {
            Step::Say(who) => {
                let path = format!("/threads/{}/messages", self.thread);
                let said = self.world.post(PEOPLE[who], &path, json!({ "content_md": "more" })).await;
                if said.status.as_u16() == 201 {
                    self.messages.push(said.text("message_id").parse().unwrap());
                }
                said.status.as_u16()
            }
            Step::Start(run) => return self.commit(run, "start").await,
            Step::Resume(run) => return self.commit(run, "resume").await,
            Step::Finish(run, state) => {
                let body = match state {
                    State::Completed => json!({ "outcome": "completed" }),
                    State::Failed => json!({ "outcome": "failed", "error_class": "broken" }),
                    _ => json!({ "outcome": "cancelled" }),
                };
                self.of_run("POST", run, "/finish", body).await
            }
            Step::Ask(run) => self.of_run("POST", run, "/await-input", json!({ "question_md": "?" })).await,
            Step::Absorb(run, message) => {
                let body = json!({ "absorbed_message_ids": [self.messages[message]] });
                self.of_run("PATCH", run, "", body).await
            }
            Step::Cancel(run) => {
                let person = self.rows().await[run].3;
                let who = PEOPLE.into_iter().find(|who| self.world.id(who) == person).unwrap();
                self.world.post_empty(who, &format!("/runs/{}/cancel", self.runs[run])).await.status.as_u16()
            }
            Step::Heartbeat(run) => {
                let body = json!({ "run_ids": [self.runs[run]] });
                self.world.post("lotse", "/agent/heartbeat", body).await.status.as_u16()
            }
            Step::Reply(run) => {
                let (token, _) = self.token(self.runs[run]).await;
                let path = format!("/threads/{}/messages", self.thread);
                let body = json!({ "content_md": "@lotse answers" });
                self.world.bound("lotse", "POST", &path, &token, Some(body)).await.status.as_u16()
            }
            Step::Pass(_) => {
                self.world.runs.expire().await.unwrap();
                200
            }
            Step::Revoke(who) => {
                self.world.revoke(grant(who), PEOPLE[who]).await;
                200
            }
            Step::Restore(who) => {
                let (support, allgemein) = (self.world.places.support, self.world.places.allgemein);
                self.world.grant(grant(who), PEOPLE[who], support, Some(allgemein), "trigger").await;
                200
            }
        })
    }
}

const fn grant(who: usize) -> &'static str {
    if who == 0 { "G-1" } else { "sam" }
}

fn state_of(text: &str) -> State {
    match text {
        "queued" => State::Queued,
        "running" => State::Running,
        "waiting_input" => State::Waiting,
        "completed" => State::Completed,
        "failed" => State::Failed,
        "cancelled" => State::Cancelled,
        other => panic!("no state {other}"),
    }
}

fn kept_of(text: &str) -> Kept {
    match text {
        "pending" | "delivered" => Kept::Open,
        "absorbed" => Kept::Absorbed,
        "moved" => Kept::Moved,
        other => panic!("no state {other}"),
    }
}

fn matches(step: Step, answer: Answer, status: u16) -> bool {
    match answer {
        Answer::Done => matches!(status, 200 | 201),
        Answer::Conflict => status == 409,
        Answer::Invalid => status == 422,
        Answer::Ended | Answer::Revoked => status == 403,
        Answer::Hidden => status == 404 && matches!(step, Step::Say(_) | Step::Cancel(_)),
    }
}

async fn play(world: &mut World, seed: u64) {
    let mut dice = Dice::new(seed);
    let mut model = Model::default();
    let thread = world.thread(world.places.allgemein, None).await;
    let mut played = Played { world, thread, messages: Vec::new(), runs: Vec::new(), tokens: BTreeMap::new() };
    let mut trail = Vec::new();
    let steps = 1 + dice.roll(STEPS);
    for _ in 0..steps {
        let step = next_step(&mut dice, &model);
        // A right is taken and given back once.
        let idle = match step {
            Step::Revoke(who) => model.revoked[who],
            Step::Restore(who) => !model.revoked[who],
            _ => false,
        };
        if idle {
            continue;
        }
        trail.push(step);
        if let Step::Pass(time) = step {
            played.world.clock.advance(Duration::from_millis(time));
        }
        played.world.clock.advance(Duration::from_millis(1));
        let now = played.now();
        let answer = model.step(step, now);
        if let Some(status) = played.step(step).await {
            assert!(matches(step, answer, status), "seed {seed}: {answer:?} but {status}: {trail:?}");
        } else if answer == Answer::Done {
            panic!("seed {seed}: a fresh token was to be had: {trail:?}");
        }
        played.compare(&model, &trail).await;
        // Whoever is queued now got a token with the invocation.
        if let Some(active) = model.active().filter(|active| model.runs[*active].state == State::Queued) {
            let run = played.runs[active];
            played.token(run).await;
        }
    }
    while let Some(active) = model.active() {
        let step = Step::Finish(active, State::Failed);
        model.step(step, played.now());
        assert_eq!(played.step(step).await, Some(200), "seed {seed}: {trail:?}");
        played.compare(&model, &trail).await;
    }
    for who in 0..2 {
        if model.revoked[who] {
            played.step(Step::Restore(who)).await;
        }
    }
    assert_settled(&model);
}

impl Played<'_> {
    fn now(&self) -> u64 {
        u64::try_from(self.world.clock.now().micros() / 1_000).unwrap()
    }
}

#[allow(clippy::disallowed_methods, reason = "the switch that makes the test longer")]
fn sequences(default: u64) -> u64 {
    std::env::var("BOTHY_MODEL_SEQUENCES").ok().map_or(default, |text| text.parse().unwrap())
}

both_databases! {
    async fn the_server_and_the_second_account_agree_on_every_sequence(db: TestDb) {
        let mut world = World::new(&db).await;
        // The right of Alex lies on the same channel as that of Sam, so that both are taken alike.
        world.revoke("G-1", "alex").await;
        let (support, allgemein) = (world.places.support, world.places.allgemein);
        world.grant("G-1", "alex", support, Some(allgemein), "trigger").await;
        for seed in 1..=sequences(if db.is_postgres() { 60 } else { 150 }) {
            play(&mut world, seed).await;
        }
    }
}
