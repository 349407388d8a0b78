//! Cases of contexts end to end, on two nodes where there are two: whom an agent may follow is decided
//! when it reads, and nothing of it is kept.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use std::time::Duration;

use bothy::world::World;
use bothy_testkit::{TestDb, both_databases};
use reqwest::Method;
use serde_json::{Value, json};
use support::{Http, Socket, TestServer};

/// The world of chapter 00 on all nodes, and a run of Alex in a thread where the writer spoke before.
struct Stage {
    servers: Vec<TestServer>,
    world: World,
    robin: Http,
    thread: String,
    run: String,
    bound: Http,
}

impl Stage {
    async fn set(db: &TestDb) -> Self {
        let first = TestServer::start(db).await;
        let world = first.world().await;
        let mut servers = vec![first];
        if db.is_postgres() {
            let second = servers[0].another(db).await;
            servers.push(second);
        }
        let http = servers[0].http();
        let [robin, alex, writer, lotse] =
            [&world.robin.token, &world.alex.token, &world.writer.token, &world.lotse.token]
                .map(|token| http.token(token));
        let parent = say(&writer, &world.allgemein.main.to_string(), "Delete it.").await.text("/message_id");
        let path = format!("/channels/{}/threads", world.allgemein.id);
        let thread = robin.post(&path, json!({ "parent_message_id": parent })).await.expect(201).text("/thread_id");
        for number in 1..=3 {
            say(&writer, &thread, &format!("Delete it, {number}.")).await;
        }
        let run = say(&alex, &thread, "@lotse what now?").await.text("/run_ids/0");
        let token = lotse.post_empty(&format!("/runs/{run}/token")).await.expect(200).text("/invocation_token");
        lotse.post(&format!("/runs/{run}/start"), json!({ "invocation_token": token })).await.expect(200);
        Self { bound: lotse.invocation(&token), servers, world, robin, thread, run }
    }

    /// The run's context as each node gives it.
    async fn contexts(&self) -> Vec<Value> {
        let mut contexts = Vec::new();
        for server in &self.servers {
            let bound = self.bound.at(&server.url());
            contexts.push(bound.get(&format!("/runs/{}/context", self.run)).await.expect(200).json());
        }
        contexts
    }

    /// Every element of the writer bears this mark, on every node.
    async fn marked(&self, trust: &str, after: &str) {
        for context in self.contexts().await {
            let own = self.of_the_writer(&context);
            assert_eq!(own.len(), 4, "{context}");
            assert!(own.iter().all(|element| element["trust"] == trust), "{after}: {own:?}");
            assert_eq!(context["trigger_message"]["trust"], "trigger", "{after}: {context}");
        }
    }

    fn of_the_writer<'a>(&self, context: &'a Value) -> Vec<&'a Value> {
        let windows = ["thread_context", "channel_context"].map(|window| context[window].as_array());
        let elements = windows.into_iter().flatten().flatten().chain(context.get("parent_message"));
        elements.filter(|element| element["author"]["id"] == json!(self.world.writer.id)).collect()
    }

    /// Gives `trigger` on Allgemein to a person or a group.
    async fn give(&self, mut to: Value) -> String {
        to["level"] = json!("trigger");
        let path = format!("/access/channel/{}/grants", self.world.allgemein.id);
        self.robin.post(&path, to).await.expect(201).text("/grant_id")
    }

    async fn stop(self) {
        for server in self.servers {
            server.stop().await;
        }
    }
}

async fn say(who: &Http, thread: &str, text: &str) -> support::Answer {
    who.post(&format!("/threads/{thread}/messages"), json!({ "content_md": text })).await.expect(201)
}

both_databases! {
    // C01: an agent that is called in the middle of a thread reads all of it, and each message bears the
    // mark of its own author.
    async fn c01_a_mention_in_mid_thread_vouches_for_nobody(db: TestDb) {
        let stage = Stage::set(&db).await;
        stage.marked("unverified", "the writer may not instruct").await;
        for context in stage.contexts().await {
            let texts: Vec<&str> = stage.of_the_writer(&context).iter().map(|one| one["content_md"].as_str().unwrap()).collect();
            for text in ["Delete it.", "Delete it, 1.", "Delete it, 2.", "Delete it, 3."] {
                assert_eq!(texts.iter().filter(|found| **found == text).count(), 1, "{texts:?}");
            }
        }
        stage.stop().await;
    }

    // C17: the mark follows the rights of the moment, whichever way they go and come back.
    async fn c17_trust_follows_rights_between_two_reads(db: TestDb) {
        let stage = Stage::set(&db).await;
        let writer = json!({ "principal_id": stage.world.writer.id });
        stage.marked("unverified", "nothing given").await;

        let grant = stage.give(writer.clone()).await;
        stage.marked("authorized", "a grant").await;
        stage.robin.delete(&format!("/grants/{grant}")).await.expect(204);
        stage.marked("unverified", "the grant revoked").await;

        let mut lent = writer.clone();
        lent["expires_at"] = json!("2026-01-01T00:01:00Z");
        stage.give(lent).await;
        stage.marked("authorized", "a grant for a minute").await;
        stage.servers[0].pass(Duration::from_secs(61));
        stage.marked("unverified", "the minute over").await;

        let group = stage.robin.post("/groups", json!({ "name": "Readers" })).await.expect(201).text("/group_id");
        let member = format!("/groups/{group}/members/{}", stage.world.writer.id);
        stage.give(json!({ "group_id": group })).await;
        stage.marked("unverified", "a grant to a group without the writer").await;
        for round in 0..2 {
            stage.robin.send(Method::PUT, &member, None).await.expect(204);
            stage.marked("authorized", "joined").await;
            if round == 0 {
                stage.robin.delete(&member).await.expect(204);
                stage.marked("unverified", "left").await;
            }
        }

        let person = format!("/people/{}", stage.world.writer.id);
        stage.robin.post_empty(&format!("{person}/disable")).await.expect(200);
        stage.marked("unverified", "disabled").await;
        stage.robin.post_empty(&format!("{person}/enable")).await.expect(200);
        stage.marked("authorized", "enabled").await;
        stage.stop().await;
    }

    // C72: equal texts stay two messages, and what comes again bears the same ids and positions.
    async fn c72_equal_texts_are_two_and_repetitions_are_none(db: TestDb) {
        let stage = Stage::set(&db).await;
        let alex = stage.servers[0].http().token(&stage.world.alex.token);
        let said = [say(&alex, &stage.thread, "yes").await, say(&alex, &stage.thread, "yes").await];
        let said = said.map(|answer| answer.text("/message_id"));
        let lotse = stage.servers[0].http().token(&stage.world.lotse.token);
        let follow_ups = async || {
            stage.servers[0].settle().await;
            let polled = lotse.get("/agent/events").await.expect(200).json();
            let items = polled["items"].as_array().unwrap().clone();
            items.into_iter().filter(|event| event["kind"] == "agent.followup").collect::<Vec<_>>()
        };
        let (first, again) = (follow_ups().await, follow_ups().await);
        let ids = |events: &[Value]| events.iter().map(|event| event["message_id"].clone()).collect::<Vec<_>>();
        assert_eq!(ids(&first), said.map(Value::from), "{first:?}");
        assert_eq!(ids(&again), ids(&first));
        let positions = |events: &[Value]| events.iter().map(|event| event["position"].clone()).collect::<Vec<_>>();
        assert_eq!(positions(&again), positions(&first));
        stage.stop().await;
    }

    // AF-23, AF-22: the duties of the node tell the person what was stopped and count what was not bound.
    async fn af23_a_node_tells_what_it_stopped(db: TestDb) {
        let stage = Stage::set(&db).await;
        let last = stage.servers.last().unwrap();
        let alex = last.http().token(&stage.world.alex.token);
        last.settle().await;
        let mut socket = Socket::open(&last.url(), &stage.world.alex.token).await;
        let path = format!("/access/channel/{}/grants", stage.world.kampagne.id);
        let read = json!({ "principal_id": stage.world.lotse.id, "level": "read" });
        stage.robin.post(&path, read).await.expect(201);
        let hidden = format!("/channels/{}", stage.world.kampagne.id);
        stage.bound.get(&hidden).await.expect_problem(404, "not_found");
        let told = socket.event("notice.created").await;
        // The clock stands still at the stop, so nobody may be left who has to say good-bye.
        drop(socket);
        let notices = alex.get("/me/notices").await.expect(200).json();
        assert_eq!(notices["items"].as_array().unwrap().len(), 1, "{notices}");
        let one = &notices["items"][0];
        assert_eq!((&one["code"], &one["notice_id"]), (&json!("stopped_reading"), &told["subject_id"]), "{notices}");
        assert!(!notices.to_string().contains(&stage.world.kampagne.id.to_string()), "{notices}");

        let lotse = last.http().token(&stage.world.lotse.token);
        lotse.get(&hidden).await.expect(200);
        let run = format!("/runs/{}", stage.run);
        for _ in 0..60 {
            if alex.get(&run).await.expect(200).json()["unbound_calls"] == 1 {
                break;
            }
            last.pass(Duration::from_secs(1));
        }
        let shown = alex.get(&run).await.expect(200).json();
        assert_eq!(shown["unbound_calls"], 1, "{shown}");
        stage.stop().await;
    }
}
