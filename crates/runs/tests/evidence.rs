//! What the agent of a run saw (RC-18).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use bothy_domain::ids::RunId;
use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use serde_json::{Value, json};
use support::World;

statements! {
    DELETE = "UPDATE messages SET content_md = '', deleted_at = 1 WHERE id = $1";
    MOVE = "UPDATE threads SET channel_id = $2 WHERE id = $1";
    EVIDENCE = "SELECT elements FROM run_evidence ORDER BY ordinal";
}

impl World {
    async fn read(&self, run: RunId) -> Value {
        self.get("lotse", &format!("/runs/{run}/context")).await.expect(200).body
    }

    async fn evidence(&self, who: &str, run: RunId) -> Vec<Value> {
        let body = self.get(who, &format!("/runs/{run}/evidence")).await.expect(200).body;
        body["items"].as_array().unwrap().clone()
    }
}

/// Ids and trust, as a context and its evidence both have them.
fn marks(elements: &Value) -> Vec<(Value, Value)> {
    let elements = elements.as_array().unwrap();
    elements.iter().map(|one| (one["message_id"].clone(), one["trust"].clone())).collect()
}

both_databases! {
    async fn evidence_says_what_was_answered_then(db: TestDb) {
        let world = World::with(&db, |settings| settings.context_message_max_bytes = 8).await;
        let thread = world.places.thread;
        let asked = world.ask("sam", thread, "a long message of Sam").await;
        world.post_empty("sam", &format!("/runs/{asked}/cancel")).await.expect(200);
        world.say("writer", thread, "secret").await;
        let run = world.ask("alex", thread, "hello").await;
        assert!(world.evidence("writer", run).await.is_empty());
        let first = world.read(run).await;
        let first_at = world.clock_now();
        world.clock.advance(std::time::Duration::from_secs(1));
        // The same answer adds nothing.
        world.read(run).await;
        world.revoke("sam", "sam").await;
        let second = world.read(run).await;
        let evidence = world.evidence("alex", run).await;
        assert_eq!(evidence.len(), 2);
        // Newest first; what was answered then stays as it was.
        assert_eq!(marks(&evidence[0]["thread_context"]), marks(&second["thread_context"]));
        assert_eq!(marks(&evidence[1]["thread_context"]), marks(&first["thread_context"]));
        assert_eq!((&evidence[1]["thread_context"][0]["trust"], &evidence[0]["thread_context"][0]["trust"]), (&json!("authorized"), &json!("unverified")));
        assert_eq!(evidence[1]["at"], json!(first_at));
        assert_eq!(evidence[1]["thread_context"][0]["cut_from_bytes"], json!(21));
        assert_eq!(evidence[1]["trigger_message"]["message_id"], first["trigger_message"]["message_id"]);
        assert!(!evidence[1].to_string().contains("secret") && evidence[1]["thread_context"][0].get("content_md").is_none());
        let reader = world.database.reader().await.unwrap();
        for row in reader.all(&EVIDENCE, params![]).await.unwrap() {
            assert!(!row.get::<String>("elements").unwrap().contains("secret"));
        }
    }

    async fn it_stays_after_the_run_and_pages(db: TestDb) {
        let world = World::with(&db, |settings| settings.evidence_max = 3).await;
        let thread = world.places.thread;
        let run = world.ask("alex", thread, "hello").await;
        let mut said = Vec::new();
        for number in 0..5 {
            said.push(world.say("writer", thread, &format!("m{number}")).await.id);
            world.execute(&DELETE, params![said[number]]).await;
        }
        // What comes after the request is not in its context; what is deleted before it leaves it.
        assert_eq!(world.read(run).await["thread_context"], json!([]));
        world.post_empty("alex", &format!("/runs/{run}/cancel")).await.expect(200);
        assert_eq!(world.evidence("alex", run).await.len(), 1);

        let before: Vec<_> = {
            let mut ids = Vec::new();
            for number in 0..5 {
                ids.push(world.say("writer", thread, &format!("n{number}")).await.id);
            }
            ids
        };
        let run = world.ask("alex", thread, "again").await;
        for id in before {
            world.read(run).await;
            world.execute(&DELETE, params![id]).await;
        }
        world.post_empty("alex", &format!("/runs/{run}/cancel")).await.expect(200);
        world.get("lotse", &format!("/runs/{run}/context")).await.expect(404);
        // Bounded by count: the newest three of five; the request of the run before is among the messages.
        let evidence = world.evidence("alex", run).await;
        let lengths: Vec<_> = evidence.iter().map(|one| one["thread_context"].as_array().unwrap().len()).collect();
        assert_eq!(lengths, [2, 3, 4]);
        let mut walked = Vec::new();
        let mut path = format!("/runs/{run}/evidence?limit=1");
        loop {
            let page = world.get("alex", &path).await.expect(200).body;
            walked.extend(page["items"].as_array().unwrap().clone());
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            path = format!("/runs/{run}/evidence?limit=1&cursor={cursor}");
        }
        assert_eq!(walked, evidence);
    }

    async fn it_is_for_people_who_may_read_the_run(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        world.read(run).await;
        let path = format!("/runs/{run}/evidence");
        for who in ["alex", "sam", "writer"] {
            world.get(who, &path).await.expect(200);
        }
        for who in ["lotse", "texter", "feed"] {
            assert_eq!(world.get(who, &path).await.expect(403).text("reason"), "subject_kind_not_allowed");
        }
        let hidden = world.busy_threads(1).await;
        let unknown: RunId = world.ids.next();
        let unknown = world.get("sam", &format!("/runs/{unknown}/evidence")).await.expect(404);
        let hidden = world.get("sam", &format!("/runs/{hidden}/evidence")).await.expect(404);
        assert_eq!(hidden.comparable(), unknown.comparable());
    }

    /// C14: after a move the readers of the target are not told what stood in the source.
    async fn c14_a_moved_thread_leaves_the_channel_behind(db: TestDb) {
        let mut world = World::new(&db).await;
        let (support, eskalation) = (world.places.support, world.places.eskalation);
        let main = world.places.main;
        let around = world.say("writer", main, "around").await.id;
        let parent = world.say("writer", main, "parent").await.id;
        let thread = world.thread(world.places.allgemein, Some(parent)).await;
        let run = world.ask("alex", thread, "hello").await;
        world.read(run).await;
        world.grant("only-target", "sam", support, Some(eskalation), "read").await;
        world.revoke("sam", "sam").await;
        world.execute(&MOVE, params![thread, eskalation]).await;
        let whole = world.evidence("alex", run).await.pop().unwrap();
        assert_eq!(whole["channel_context"][0]["message_id"], json!(around));
        assert_eq!(whole["parent_message"]["message_id"], json!(parent));
        let part = world.evidence("sam", run).await.pop().unwrap();
        assert!(part.get("channel_context").is_none() && part.get("parent_message").is_none());
        assert!(!part.to_string().contains(&around.to_string()));
        // Read again, the context has nothing of the source, and the evidence says so.
        world.read(run).await;
        let newest = world.evidence("alex", run).await.remove(0);
        assert!(newest.get("channel_context").is_none());
    }

    async fn readers_at_once_leave_one_entry(db: TestDb) {
        let world = std::sync::Arc::new(World::new(&db).await);
        let run = world.ask("alex", world.places.thread, "hello").await;
        let reads = (0..8).map(|_| {
            let world = world.clone();
            tokio::spawn(async move { drop(world.read(run).await) })
        });
        for read in reads.collect::<Vec<_>>() {
            read.await.unwrap();
        }
        assert_eq!(world.evidence("alex", run).await.len(), 1);
    }
}

impl World {
    fn clock_now(&self) -> bothy_domain::time::Timestamp {
        use bothy_platform::clock::Clock;
        self.clock.now()
    }
}
