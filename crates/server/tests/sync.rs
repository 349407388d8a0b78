//! Catching up (chapter 05 section 5): a snapshot and the events after it are the state, nothing is lost
//! or told twice, and what was lost is told no more (C82, C84).

#![allow(unreachable_pub, reason = "the parts of a test")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

#[path = "gateway/stage.rs"]
#[allow(dead_code, reason = "shared with the tests of the gateway")]
mod stage;
#[path = "sync/state.rs"]
mod state;

use std::collections::BTreeMap;

use bothy_testkit::both_databases;
use serde_json::{Value, json};
use stage::{Stage, number};
use state::{State, change};
use support::{Http, Socket, TestServer};

const ROUNDS: usize = 40;

both_databases! {
    /// Random changes; a client that applies what it is told to its snapshot has what a fresh snapshot has.
    async fn a_snapshot_and_the_events_after_it_are_the_state(db: TestDb) {
        let stage = Stage::set(&db).await;
        for (who, seed) in [(&stage.alex, 1), (&stage.sam, 2), (&stage.lotse, 3)] {
            let snapshot = who.get("/snapshot").await.expect(200).json();
            let mut state = State::of(&snapshot);
            let mut socket = stage.resume(who, snapshot["cursor"].as_str().unwrap()).await;
            for round in 0..ROUNDS {
                change(&stage, seed * 1_000 + round).await;
                if round % 8 == 7 {
                    let last = stage.say(&stage.robin, "a mark").await;
                    for frame in socket.until(|frame| frame["message_id"] == json!(last)).await {
                        state.apply(&frame);
                    }
                    let fresh = State::of(&who.get("/snapshot").await.expect(200).json());
                    assert_eq!(state, fresh, "seed {seed}, round {round}");
                }
            }
        }
        stage.stop().await;
    }

    /// The agent of a run sees in a snapshot and in events what its person may see too; outside of the run
    /// it sees more, so this proves something (AF-12, AF-14).
    async fn inside_a_run_snapshot_and_events_are_cut(db: TestDb) {
        let stage = Stage::set(&db).await;
        stage.give(&stage.world.werkzeuge.id, json!({ "principal_id": stage.world.lotse.id, "level": "read" })).await;
        let start = stage.lotse.get("/events").await.expect(200).text("/cursor");
        stage.say_in(&stage.robin, &stage.world.werkzeuge.main.to_string(), "the Geheimplan").await;
        let asked = json!({ "content_md": "@lotse what is new?" });
        let asked = stage.alex.post(&format!("/threads/{}/messages", stage.main()), asked).await.expect(201);
        let run = asked.text("/run_ids/0");
        let token = stage.lotse.post_empty(&format!("/runs/{run}/token")).await.expect(200).text("/invocation_token");
        stage.lotse.post(&format!("/runs/{run}/start"), json!({ "invocation_token": token })).await.expect(200);
        let bound = stage.lotse.invocation(&token);
        let hidden = [stage.world.werkzeuge.id.to_string(), stage.world.engineering.to_string()];
        for path in ["/snapshot".to_owned(), format!("/events?cursor={start}")] {
            let outside = stage.lotse.get(&path).await.expect(200).json().to_string();
            assert!(hidden.iter().any(|hidden| outside.contains(hidden)), "{path}: {outside}");
            let inside = bound.get(&path).await.expect(200).json().to_string();
            assert!(hidden.iter().all(|hidden| !inside.contains(hidden)), "{path}: {inside}");
            assert!(inside.contains(&stage.world.allgemein.id.to_string()), "{path}: {inside}");
        }
        // The run ends while a request of it waits.
        let head = bound.get("/events").await.expect(200).text("/cursor");
        let path = format!("/events?wait=30&cursor={head}");
        let waiting = bound.get(&path);
        let ending = async {
            stage.lotse.post(&format!("/runs/{run}/finish"), json!({ "outcome": "completed" })).await.expect(200)
        };
        let (waited, _) = tokio::join!(waiting, ending);
        assert!(waited.status == 403 || waited.status == 200, "{waited:?}");
        bound.get("/events").await.expect_problem(403, "invocation_token_invalid");
        stage.stop().await;
    }

    /// C84: what was queued while somebody had access is not handed over after they lost it, by any way.
    async fn c84_what_was_queued_is_not_handed_over_after_the_loss(db: TestDb) {
        let stage = Stage::set(&db).await;
        let kampagne = &stage.world.kampagne;
        let mut grants = Vec::new();
        for who in [stage.world.alex.id, stage.world.lotse.id] {
            grants.push(stage.give(&kampagne.id, json!({ "principal_id": who, "level": "read" })).await);
        }
        // What happened until now is dealt with.
        let polled = stage.lotse.get("/agent/events").await.expect(200).json();
        stage.lotse.post("/agent/events/ack", json!({ "cursor": polled["cursor"] })).await.expect(200);
        let start = stage.alex.get("/events").await.expect(200).text("/cursor");
        for number in 0..5 {
            stage.say_in(&stage.robin, &kampagne.main.to_string(), &format!("Geheimplan {number}")).await;
        }
        // Not vacuous: with the right it would be told.
        let told = |text: &str| text.contains(&kampagne.id.to_string());
        assert!(told(&stage.alex.get(&format!("/events?cursor={start}")).await.expect(200).json().to_string()));
        for grant in &grants {
            stage.robin.delete(&format!("/grants/{grant}")).await.expect(204);
        }
        let listed = stage.alex.get(&format!("/events?cursor={start}")).await.expect(200).json();
        assert!(!told(&listed.to_string()), "{listed}");
        assert_ne!(listed["cursor"], json!(start), "the cursor moves on");
        let mut socket = stage.resume(&stage.alex, &start).await;
        let said = stage.say(&stage.robin, "the end").await;
        let frames = socket.until(|frame| frame["message_id"] == json!(said)).await;
        assert!(!told(&format!("{frames:?}")), "{frames:?}");
        let before = polled["cursor"].as_i64().unwrap();
        let polled = stage.lotse.get("/agent/events").await.expect(200).json();
        assert!(!told(&polled.to_string()) && polled["cursor"].as_i64().unwrap() > before + 5, "{polled}");
        stage.stop().await;
    }

    /// A poll and a list that wait already when the right is lost (C84).
    async fn c84_what_waits_already_is_told_nothing_either(db: TestDb) {
        let stage = Stage::set(&db).await;
        let kampagne = &stage.world.kampagne;
        for (who, path) in [(&stage.lotse, "/agent/events"), (&stage.alex, "/events")] {
            let id = if path == "/events" { stage.world.alex.id } else { stage.world.lotse.id };
            let grant = stage.give(&kampagne.id, json!({ "principal_id": id, "level": "read" })).await;
            let head = who.get(path).await.expect(200).json()["cursor"].clone();
            let head = head.as_str().map_or_else(|| head.to_string(), str::to_owned);
            let waiting = {
                let (who, path) = (who.clone(), format!("{path}?wait=30&cursor={head}"));
                tokio::spawn(async move { who.get(&path).await.expect(200).json() })
            };
            stage.robin.delete(&format!("/grants/{grant}")).await.expect(204);
            for number in 0..20 {
                stage.say_in(&stage.robin, &kampagne.main.to_string(), &format!("Geheimplan {number}")).await;
            }
            let said = stage.say(&stage.robin, "the end").await;
            let answered = waiting.await.unwrap();
            let mut text = answered.to_string();
            // It may have been woken by the loss of the right itself.
            while !text.contains(&said) {
                let cursor = serde_json::from_str::<Value>(&text).unwrap()["cursor"].clone();
                let cursor = cursor.as_str().map_or_else(|| cursor.to_string(), str::to_owned);
                text = who.get(&format!("{path}?cursor={cursor}")).await.expect(200).json().to_string();
                assert!(!text.contains(&kampagne.id.to_string()), "{text}");
            }
            assert!(!answered.to_string().contains(&kampagne.id.to_string()), "{answered}");
        }
        stage.stop().await;
    }

    /// Credentials that end while a request waits end it.
    async fn what_waits_ends_with_its_credential(db: TestDb) {
        let stage = Stage::set(&db).await;
        let head = stage.alex.get("/events").await.expect(200).text("/cursor");
        let waiting = {
            let (alex, path) = (stage.alex.clone(), format!("/events?wait=30&cursor={head}"));
            tokio::spawn(async move { alex.get(&path).await })
        };
        let session = stage.alex.get("/me").await.expect(200).text("/session/session_id");
        stage.alex.delete(&format!("/sessions/{session}")).await.expect(204);
        // Or it had not begun to wait yet; in no case does it get through.
        waiting.await.unwrap().expect_problem(401, "unauthenticated");
        stage.stop().await;
    }

    /// Sixteen writers on two nodes write in few threads at once: their numbers have no gap, and a client
    /// of each node gets each message once, those of a thread in their order (C82).
    async fn c82_many_writers_on_two_nodes(db: TestDb) {
        const WRITERS: usize = 16;
        const EACH: usize = 20;
        let stage = Stage::set_with(&db, |config| config.gateway.queue_max = number(4_096)).await;
        let other = match db.is_postgres() {
            true => Some(stage.server.another_with(&db, |config| config.gateway.queue_max = number(4_096)).await),
            false => None,
        };
        let second = other.as_ref().map_or_else(|| stage.server.url(), TestServer::url);
        let mut threads = vec![stage.main()];
        for number in 0..3 {
            threads.push(stage.open_thread(&format!("Thread {number}")).await);
        }
        stage.server.settle().await;
        let mut sockets =
            [Socket::open(&stage.server.url(), &stage.alex.bearer()).await, Socket::open(&second, &stage.alex.bearer()).await];
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let who = if writer % 2 == 0 { stage.robin.clone() } else { stage.robin.at(&second) };
                let threads = threads.clone();
                tokio::spawn(async move {
                    for number in 0..EACH {
                        let path = format!("/threads/{}/messages", threads[(writer + number) % threads.len()]);
                        who.post(&path, json!({ "content_md": format!("{writer} {number}") })).await.expect(201);
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.await.unwrap();
        }
        for socket in &mut sockets {
            let mut seen: BTreeMap<String, Vec<i64>> = BTreeMap::new();
            for _ in 0..WRITERS * EACH {
                let told = socket.event("message.created").await;
                let thread = told["thread_id"].as_str().unwrap().to_owned();
                seen.entry(thread).or_default().push(told["message"]["thread_seq"].as_i64().unwrap());
            }
            for (thread, numbers) in &seen {
                let first = numbers[0];
                let gapless: Vec<i64> = (first..).take(numbers.len()).collect();
                assert_eq!(*numbers, gapless, "{thread}");
                assert_eq!(*numbers.last().unwrap(), newest(&stage.robin, thread).await);
            }
        }
        // Nobody reads them any more, and a stop waits for their answer to the good-bye.
        drop(sockets);
        if let Some(other) = other {
            other.stop().await;
        }
        stage.stop().await;
    }
}

async fn newest(who: &Http, thread: &str) -> i64 {
    let page = who.get(&format!("/threads/{thread}/messages?order=desc&limit=1")).await.expect(200).json();
    page["items"][0]["thread_seq"].as_i64().unwrap()
}
