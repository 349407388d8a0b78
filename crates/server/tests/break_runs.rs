//! Attempts to break runs, messages and delivery: races with revocation and the end, rights that
//! run out by the clock, agents that fall silent, cursors out of range, ids that should tell nothing.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use bothy::world::World;
use bothy_testkit::both_databases;
use futures::future::join_all;
use serde_json::{Value, json};
use support::{Answer, Http, TestServer};

const UNKNOWN: &str = "0193f1f0-1111-7000-8000-0123456789ab";

/// The world of chapter 00 and who acts in it.
struct Stage {
    server: TestServer,
    world: World,
    robin: Http,
    alex: Http,
    sam: Http,
    writer: Http,
    lotse: Http,
}

impl Stage {
    async fn set(db: &bothy_testkit::TestDb) -> Self {
        let server = TestServer::start(db).await;
        let world = server.world().await;
        // A connection for each request: time that is passed by hand closes idle ones.
        let http = server.http().header("connection", b"close");
        let as_person = |token: &str| http.token(token);
        Self {
            robin: as_person(&world.robin.token),
            alex: as_person(&world.alex.token),
            sam: as_person(&world.sam.token),
            writer: as_person(&world.writer.token),
            lotse: as_person(&world.lotse.token),
            server,
            world,
        }
    }

    fn main(&self) -> String {
        self.world.allgemein.main.to_string()
    }

    /// A thread of Allgemein, opened from a message that calls nobody.
    async fn thread(&self) -> String {
        let parent = say(&self.robin, &self.main(), "A topic.").await.expect(201).text("/message_id");
        let path = format!("/channels/{}/threads", self.world.allgemein.id);
        self.robin.post(&path, json!({ "parent_message_id": parent })).await.expect(201).text("/thread_id")
    }

    /// Gives the writer `trigger` on Allgemein for ten minutes; `write` they have for good.
    async fn lend(&self) {
        let grant = json!({
            "principal_id": self.world.writer.id, "level": "trigger", "expires_at": "2026-01-01T00:10:00Z",
        });
        self.robin.post(&format!("/access/channel/{}/grants", self.world.allgemein.id), grant).await.expect(201);
    }

    /// The events of Lotse from the beginning, when this kind has come for this run.
    async fn event(&self, kind: &str, run: &str) -> Value {
        for _ in 0..2000 {
            let events = self.events().await;
            let found = events.into_iter().find(|event| event["kind"] == kind && event["run_id"] == run);
            if let Some(event) = found {
                return event;
            }
            tokio::task::yield_now().await;
        }
        panic!("no {kind} of {run}");
    }

    async fn events(&self) -> Vec<Value> {
        let mut events = Vec::new();
        let mut path = "/agent/events".to_owned();
        loop {
            let polled = self.lotse.get(&path).await.expect(200).json();
            let items = polled["items"].as_array().unwrap();
            if items.is_empty() {
                return events;
            }
            events.extend(items.iter().cloned());
            path = format!("/agent/events?cursor={}", polled["cursor"]);
        }
    }

    /// Somebody asks Lotse in a thread; Lotse starts. Returns the run and its token.
    async fn started(&self, who: &Http, thread: &str) -> (String, String) {
        let run = say(who, thread, "@lotse please").await.expect(201).text("/run_ids/0");
        let token = self.event("agent.invocation", &run).await["invocation_token"].as_str().unwrap().to_owned();
        self.start(&run, &token).await.expect(200);
        (run, token)
    }

    async fn start(&self, run: &str, token: &str) -> Answer {
        self.lotse.post(&format!("/runs/{run}/start"), json!({ "invocation_token": token })).await
    }

    async fn run(&self, run: &str) -> Value {
        self.robin.get(&format!("/runs/{run}")).await.expect(200).json()
    }

    /// Lets time pass second by second until the run shows this, or with an empty text anything.
    async fn pass_until(&self, run: &str, member: &str, value: &str) -> Value {
        for _ in 0..4000 {
            let found = self.run(run).await;
            if found[member] == value || (value.is_empty() && found.get(member).is_some()) {
                return found;
            }
            self.server.pass(Duration::from_secs(1));
            tokio::task::yield_now().await;
        }
        panic!("{member} of the run never became {value}: {}", self.run(run).await);
    }

    async fn messages(&self, thread: &str) -> Vec<Value> {
        let path = format!("/threads/{thread}/messages?limit=200");
        self.robin.get(&path).await.expect(200).json()["items"].as_array().unwrap().clone()
    }

    async fn runs(&self, thread: &str) -> Vec<Value> {
        let path = format!("/threads/{thread}/runs?limit=200");
        self.robin.get(&path).await.expect(200).json()["items"].as_array().unwrap().clone()
    }
}

async fn say(who: &Http, thread: &str, text: &str) -> Answer {
    who.post(&format!("/threads/{thread}/messages"), json!({ "content_md": text })).await
}

fn is_active(run: &Value) -> bool {
    ["queued", "running", "waiting_input"].iter().any(|state| run["state"] == *state)
}

both_databases! {
    // C91, AZ-10.
    async fn c91_nothing_is_said_or_started_after_the_archive(db: TestDb) {
        let stage = Stage::set(&db).await;
        let thread = stage.thread().await;
        let posts = join_all((0..40).map(|number| {
            let text = if number % 4 == 0 { "@lotse hello" } else { "hello" };
            say(if number % 2 == 0 { &stage.alex } else { &stage.writer }, &thread, text)
        }));
        let archive = format!("/channels/{}/archive", stage.world.allgemein.id);
        let archived = async {
            stage.robin.post_empty(&archive).await.expect(200);
            stage.messages(&thread).await.len()
        };
        let (posts, at_archive) = futures::join!(posts, archived);
        for answer in &posts {
            assert!([201, 403].contains(&answer.status.as_u16()), "{answer:?}");
        }
        assert_eq!(stage.messages(&thread).await.len(), at_archive, "nothing is ordered after the archive");
        assert!(stage.runs(&thread).await.iter().all(|run| !is_active(run)), "no run stays in an archived channel");
        let late = say(&stage.alex, &thread, "late").await.expect_problem(403, "forbidden");
        assert_eq!(late.json()["reason"], "archived");
        stage.server.stop().await;
    }

    // AZ-10: the unit of work of the post judges again.
    async fn az10_no_post_is_ordered_after_the_removal_of_its_author(db: TestDb) {
        let stage = Stage::set(&db).await;
        let thread = stage.thread().await;
        let posts = join_all((0..40).map(|_| say(&stage.writer, &thread, "still here")));
        let removed = async {
            stage.robin.delete(&format!("/grants/{}", stage.world.grants.writer_allgemein)).await.expect(204);
            stage.messages(&thread).await.len()
        };
        let (posts, at_removal) = futures::join!(posts, removed);
        for answer in &posts {
            assert!([201, 404].contains(&answer.status.as_u16()), "{answer:?}");
        }
        assert_eq!(stage.messages(&thread).await.len(), at_removal);
        stage.server.stop().await;
    }

    // C67: what an agent says in its run is never ordered after the end of the run.
    async fn c67_no_answer_is_ordered_after_the_end_of_its_run(db: TestDb) {
        let stage = Stage::set(&db).await;
        let thread = stage.thread().await;
        let (run, token) = stage.started(&stage.alex, &thread).await;
        let inside = stage.lotse.invocation(&token);
        let answers = join_all((0..40).map(|_| say(&inside, &thread, "an answer")));
        let ended = async {
            stage.lotse.post(&format!("/runs/{run}/finish"), json!({ "outcome": "completed" })).await.expect(200);
            stage.messages(&thread).await.len()
        };
        let (answers, at_end) = futures::join!(answers, ended);
        for answer in &answers {
            assert!([201, 403].contains(&answer.status.as_u16()), "{answer:?}");
        }
        assert_eq!(stage.messages(&thread).await.len(), at_end);
        let late = say(&inside, &thread, "late").await.expect_problem(403, "invocation_token_invalid");
        assert_eq!(late.json()["reason"], "run_inactive");
        stage.server.stop().await;
    }

    // C69, AF-19: many at once in one thread.
    async fn c69_twenty_mentions_at_once_make_one_run_and_no_gap(db: TestDb) {
        let stage = Stage::set(&db).await;
        let thread = stage.thread().await;
        let posts = join_all((0..20).map(|number| {
            say(if number % 2 == 0 { &stage.alex } else { &stage.sam }, &thread, "@lotse @lotse hello")
        }))
        .await;
        let started: Vec<Value> =
            posts.into_iter().filter_map(|answer| answer.expect(201).json().get("run_ids").cloned()).collect();
        assert_eq!(started.len(), 1, "{started:?}");
        let seqs: Vec<i64> =
            stage.messages(&thread).await.iter().map(|message| message["thread_seq"].as_i64().unwrap()).collect();
        assert_eq!(seqs, (1..=20).collect::<Vec<i64>>());

        // Every message gets its turn: each run ends without having absorbed anything.
        let mut triggers = BTreeSet::new();
        loop {
            let runs = stage.runs(&thread).await;
            let active: Vec<&Value> = runs.iter().filter(|run| is_active(run)).collect();
            assert!(active.len() <= 1, "{active:?}");
            let Some(run) = active.first() else { break };
            assert!(triggers.insert(run["triggering_message_id"].as_str().unwrap().to_owned()), "answered twice");
            let path = format!("/runs/{}/finish", run["run_id"].as_str().unwrap());
            stage.lotse.post(&path, json!({ "outcome": "cancelled" })).await.expect(200);
        }
        assert_eq!(triggers.len(), 20);
        stage.server.stop().await;
    }

    // C31: nobody writes anything when a grant expires.
    async fn c31_a_right_that_has_run_out_starts_nothing(db: TestDb) {
        let stage = Stage::set(&db).await;
        let thread = stage.thread().await;
        stage.lend().await;
        let run = say(&stage.writer, &thread, "@lotse please").await.expect(201).text("/run_ids/0");
        let token = stage.event("agent.invocation", &run).await["invocation_token"].as_str().unwrap().to_owned();
        stage.server.pass(Duration::from_secs(601));
        let refused = stage.start(&run, &token).await;
        assert!([403, 409].contains(&refused.status.as_u16()), "{refused:?}");
        let run = stage.run(&run).await;
        assert_eq!((&run["state"], &run["end_reason"]), (&json!("cancelled"), &json!("access_revoked")));
        stage.server.stop().await;
    }

    // C31, RC-21: neither does a run go on that was carried by it.
    async fn c31_a_run_whose_right_has_run_out_is_to_end(db: TestDb) {
        let stage = Stage::set(&db).await;
        let thread = stage.thread().await;
        stage.lend().await;
        let (run, token) = stage.started(&stage.writer, &thread).await;
        let context = format!("/runs/{run}/context");
        stage.lotse.get(&context).await.expect(200);
        for _ in 0..6 {
            stage.lotse.post("/agent/heartbeat", json!({})).await.expect(200);
            stage.server.pass(Duration::from_secs(100));
        }
        stage.pass_until(&run, "cancel_reason", "access_revoked").await;
        assert_eq!(stage.event("run.cancel_requested", &run).await["cancel_reason"], "access_revoked");
        let inside = stage.lotse.invocation(&token);
        let gone = stage.lotse.get(&context).await.expect(404);
        gone.assert_like(&stage.lotse.get(&format!("/runs/{UNKNOWN}/context")).await);
        // With the header too; when the grace is over already, the token says that the run has ended.
        let gone = inside.get(&context).await;
        assert!(gone.status.as_u16() == 404 || gone.json()["reason"] == "run_inactive", "{gone:?}");
        stage.pass_until(&run, "ended_at", "").await;
        stage.server.stop().await;
    }

    // A person who may not instruct the agent any more does not steer it by answering.
    async fn an_answer_of_somebody_who_lost_trigger_is_no_input(db: TestDb) {
        let stage = Stage::set(&db).await;
        let thread = stage.thread().await;
        stage.lend().await;
        let (run, _) = stage.started(&stage.writer, &thread).await;
        let question = json!({ "question_md": "Shall I?" });
        stage.lotse.post(&format!("/runs/{run}/await-input"), question).await.expect(200);
        stage.server.pass(Duration::from_secs(601));
        let said = say(&stage.writer, &thread, "yes").await.expect(201).json();
        assert!(said.get("run_ids").is_none());
        let found = stage.run(&run).await;
        assert!(found.get("input_message_id").is_none(), "{found}");
        assert_eq!(found["cancel_reason"], "access_revoked");
        stage.server.stop().await;
    }

    // C66: an agent that dies after its question was answered blocks nobody for ever.
    async fn c66_a_run_that_is_not_resumed_after_the_answer_ends(db: TestDb) {
        let stage = Stage::set(&db).await;
        let thread = stage.thread().await;
        let (run, _) = stage.started(&stage.alex, &thread).await;
        let question = json!({ "question_md": "Which one?" });
        stage.lotse.post(&format!("/runs/{run}/await-input"), question).await.expect(200);
        for _ in 0..3 {
            stage.server.pass(Duration::from_secs(3600));
            tokio::task::yield_now().await;
            assert_eq!(stage.run(&run).await["state"], "waiting_input", "a person may take long");
        }
        let answer = say(&stage.alex, &thread, "the first").await.expect(201).text("/message_id");
        let ended = stage.pass_until(&run, "state", "failed").await;
        assert_eq!(ended["end_reason"], "agent_lost");
        let next = stage.runs(&thread).await;
        assert_eq!(next[0]["triggering_message_id"], answer, "the answer is not lost: {next:?}");
        stage.server.stop().await;
    }

    // C84, C79: what was queued while there was access is not handed over afterwards.
    async fn c84_events_of_a_channel_that_was_lost_are_not_delivered(db: TestDb) {
        let stage = Stage::set(&db).await;
        let grant = json!({ "principal_id": stage.world.lotse.id, "level": "read" });
        let path = format!("/access/channel/{}/grants", stage.world.werkzeuge.id);
        let grant = stage.robin.post(&path, grant).await.expect(201).text("/grant_id");
        let main = stage.world.werkzeuge.main.to_string();
        for _ in 0..5 {
            say(&stage.robin, &main, "private").await.expect(201);
        }
        // One poll waits already when the right is taken.
        let waiting = stage.lotse.get("/agent/events?cursor=1&wait=20");
        let path = format!("/grants/{grant}");
        let (_, gone) = futures::join!(waiting, stage.robin.delete(&path));
        gone.expect(204);
        let last = say(&stage.robin, &main, "more private").await.expect(201).text("/message_id");
        say(&stage.robin, &stage.main(), "for everybody").await.expect(201);
        let seen = Value::from(stage.events().await).to_string();
        assert!(!seen.contains(&last) && !seen.contains(&stage.world.werkzeuge.id.to_string()) && !seen.contains(&main));
        stage.server.stop().await;
    }

    // Cursors and bounds out of range are refused or empty, never an error of the server.
    async fn cursors_out_of_range_move_nothing(db: TestDb) {
        let stage = Stage::set(&db).await;
        let thread = stage.thread().await;
        let run = say(&stage.alex, &thread, "@lotse please").await.expect(201).text("/run_ids/0");
        stage.event("agent.invocation", &run).await;
        for cursor in [json!(i64::MAX), json!(-1), json!(i64::MIN), json!(1_000_000)] {
            stage.lotse.post("/agent/events/ack", json!({ "cursor": cursor })).await.expect_problem(422, "validation_failed");
        }
        for cursor in [i64::MAX, 1_000_000] {
            stage.lotse.get(&format!("/agent/events?cursor={cursor}")).await.expect_problem(422, "validation_failed");
        }
        for path in ["/agent/events?cursor=x", "/agent/events?wait=-1", "/agent/events?wait=1e9", "/agent/events?limit=1"] {
            stage.lotse.get(path).await.expect_problem(422, "validation_failed");
        }
        let low = stage.lotse.get(&format!("/agent/events?cursor={}&wait=4294967295", i64::MIN)).await.expect(200).json();
        assert!(low["items"].as_array().unwrap().iter().any(|event| event["run_id"] == run));
        stage.event("agent.invocation", &run).await;
        for query in [
            format!("after_seq={}&before_seq={}", i64::MIN, i64::MAX),
            format!("after_seq={}", i64::MAX),
            format!("before_seq={}&order=desc", i64::MIN),
            "before_seq=0&order=desc".to_owned(),
        ] {
            stage.alex.get(&format!("/threads/{thread}/messages?{query}")).await.expect(200);
        }
        for query in ["limit=0", "limit=4294967295", "cursor=x", "order=up", "after_seq=x", "cursor="] {
            let answer = stage.alex.get(&format!("/threads/{thread}/messages?{query}")).await;
            assert!([200, 422].contains(&answer.status.as_u16()), "{query}: {answer:?}");
        }
        stage.server.stop().await;
    }

    // C26, C101: an id in a body tells nothing.
    async fn a_reply_or_parent_in_a_hidden_place_is_like_one_that_is_nowhere(db: TestDb) {
        let stage = Stage::set(&db).await;
        let thread = stage.thread().await;
        let hidden = say(&stage.robin, &stage.world.werkzeuge.main.to_string(), "hidden").await.expect(201).text("/message_id");
        let messages = format!("/threads/{thread}/messages");
        let threads = format!("/channels/{}/threads", stage.world.allgemein.id);
        let reply = |id: &str| json!({ "content_md": "x", "reply_to_message_id": id });
        let parent = |id: &str| json!({ "parent_message_id": id });
        let refused = stage.alex.post(&messages, reply(&hidden)).await.expect_problem(422, "validation_failed");
        refused.assert_like(&stage.alex.post(&messages, reply(UNKNOWN)).await);
        let refused = stage.alex.post(&threads, parent(&hidden)).await.expect_problem(422, "validation_failed");
        refused.assert_like(&stage.alex.post(&threads, parent(UNKNOWN)).await);
        stage.server.stop().await;
    }

    // Chapter 04 section 4: repeated with its key, a request that creates creates nothing again.
    async fn c104_a_repeated_message_is_one_message(db: TestDb) {
        let stage = Stage::set(&db).await;
        let thread = stage.thread().await;
        let keyed = stage.alex.header("idempotency-key", b"once");
        let posts = join_all((0..8).map(|_| say(&keyed, &thread, "@lotse once"))).await;
        let ids: BTreeSet<String> = posts.into_iter().map(|answer| answer.expect(201).text("/message_id")).collect();
        assert_eq!(ids.len(), 1);
        assert_eq!(stage.messages(&thread).await.len(), 1);
        stage.robin.delete(&format!("/grants/{}", stage.world.grants.alex_support)).await.expect(204);
        say(&keyed, &thread, "@lotse once").await.expect_problem(404, "not_found");
        stage.server.stop().await;
    }

    // Chapter 09 section 1: clients are witnesses.
    async fn a_poll_carries_the_newest_checkpoint(db: TestDb) {
        let stage = Stage::set(&db).await;
        let mut carried = Value::Null;
        for _ in 0..4000 {
            carried = stage.lotse.get("/agent/events").await.expect(200).json()["audit_checkpoint"].clone();
            if !carried.is_null() {
                break;
            }
            stage.server.pass(Duration::from_secs(5));
            tokio::task::yield_now().await;
        }
        let newest = stage.robin.get("/audit/checkpoint").await.expect(200).json();
        assert!(carried["position"].as_i64().unwrap() <= newest["position"].as_i64().unwrap());
        for member in ["position", "hash", "count", "at", "kid", "public_key", "signature"] {
            assert!(!carried[member].is_null(), "{carried}");
        }
        stage.server.stop().await;
    }
}
