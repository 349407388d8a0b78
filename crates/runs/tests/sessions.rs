//! Sessions of agents: reset and bind by people, while a run is active and between runs (chapter 06
//! section 4, RC-4, C77).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use bothy_domain::ids::{RunId, ThreadId};
use bothy_testkit::both_databases;
use serde_json::{Value, json};
use support::World;

impl World {
    fn session_path(&self, thread: ThreadId, what: &str) -> String {
        format!("/threads/{thread}/agents/{}/session/{what}", self.id("lotse"))
    }

    /// A run of Alex that is started, answered, reported and ended.
    async fn worked(&self, thread: ThreadId, text: &str) -> RunId {
        let run = self.ask("alex", thread, text).await;
        self.start("lotse", run).await;
        self.say("lotse", thread, "answer").await;
        self.post("lotse", &format!("/runs/{run}/session"), json!({ "reference": "first" })).await.expect(200);
        self.finish("lotse", run).await;
        run
    }

    async fn announced(&self, run: RunId) -> Value {
        let invocations = self.events("lotse", "agent.invocation").await;
        invocations.into_iter().find(|event| event["run_id"] == run.to_string()).unwrap()["session"].clone()
    }

    /// The texts of the thread's part of a context, and its floor.
    async fn seen(&self, run: RunId) -> (Vec<String>, i64) {
        let context = self.get("lotse", &format!("/runs/{run}/context")).await.expect(200).body;
        let elements = context["thread_context"].as_array().unwrap();
        let texts = elements.iter().map(|one| one["content_md"].as_str().unwrap().to_owned()).collect();
        (texts, context["context_floor_seq"].as_i64().unwrap())
    }
}

both_databases! {
    async fn a_reset_begins_anew_with_the_next_run(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        world.worked(thread, "first").await;
        let active = world.ask("alex", thread, "second").await;
        assert_eq!(world.announced(active).await["mode"], "resume");
        let before = world.seen(active).await;

        let fresh = world.post_empty("sam", &world.session_path(thread, "reset")).await.expect(200).body;
        assert_eq!((&fresh["started"], &fresh["is_current"]), (&json!(false), &json!(true)));
        // Asking again changes nothing.
        let again = world.post_empty("sam", &world.session_path(thread, "reset")).await.expect(200).body;
        assert_eq!(again["agent_session_id"], fresh["agent_session_id"]);
        // The run that is active keeps its session, its mode and its context.
        assert_eq!(world.announced(active).await["mode"], "resume");
        assert_eq!(world.seen(active).await, before);
        world.start("lotse", active).await;
        world.finish("lotse", active).await;

        let next = world.ask("alex", thread, "third").await;
        let session = world.announced(next).await;
        assert_eq!((&session["mode"], &session["agent_session_id"]), (&json!("new"), &fresh["agent_session_id"]));
        assert_eq!(world.seen(next).await, (vec!["first".into(), "answer".into(), "second".into()], 0));
    }

    async fn a_bound_session_is_handed_on_with_its_reference(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        world.worked(thread, "first").await;
        let bind = world.session_path(thread, "bind");
        let bound = world.post("alex", &bind, json!({ "reference": "kept-elsewhere" })).await.expect(200).body;
        assert_eq!((&bound["started"], &bound["reference"]), (&json!(true), &json!("kept-elsewhere")));
        let again = world.post("alex", &bind, json!({ "reference": "kept-elsewhere" })).await.expect(200).body;
        assert_eq!(again["agent_session_id"], bound["agent_session_id"]);
        world.post("alex", &bind, json!({ "reference": "two words" })).await.expect(422);

        let run = world.ask("alex", thread, "second").await;
        let session = world.announced(run).await;
        assert_eq!((&session["mode"], &session["reference"]), (&json!("bind"), &json!("kept-elsewhere")));
        // The agent's own words are there: the session was not in this thread before.
        assert_eq!(world.seen(run).await, (vec!["first".into(), "answer".into()], 0));
        world.start("lotse", run).await;
        world.finish("lotse", run).await;
        let next = world.ask("alex", thread, "third").await;
        assert_eq!(world.announced(next).await["mode"], "resume");
        assert_eq!(world.seen(next).await.1, 3);
    }

    async fn only_who_may_instruct_agents_may_touch_their_memory(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let reset = world.session_path(thread, "reset");
        world.post_empty("writer", &reset).await.expect(403);
        assert_eq!(world.post_empty("lotse", &reset).await.expect(403).text("reason"), "subject_kind_not_allowed");
        let hidden = world.session_path(world.places.hidden, "reset");
        let unknown = world.session_path(world.ids.next(), "reset");
        let hidden = world.post_empty("alex", &hidden).await.expect(404);
        assert_eq!(hidden.comparable(), world.post_empty("alex", &unknown).await.expect(404).comparable());
        let person = format!("/threads/{thread}/agents/{}/session/reset", world.id("sam"));
        world.post_empty("alex", &person).await.expect(404);
    }

    /// C77: threads have sessions, floors and queues of their own.
    async fn c77_threads_share_nothing(db: TestDb) {
        let world = World::new(&db).await;
        let (one, two) = (world.places.thread, world.thread(world.places.allgemein, None).await);
        world.worked(one, "in one").await;
        let run = world.ask("alex", two, "in two").await;
        let session = world.announced(run).await;
        assert_eq!((&session["mode"], session.get("reference")), (&json!("new"), None));
        assert_eq!(world.seen(run).await, (Vec::new(), 0));
        let other = world.ask("alex", one, "again").await;
        assert_ne!(world.announced(other).await["agent_session_id"], session["agent_session_id"]);
    }

    async fn many_resets_at_once_leave_one_current_session(db: TestDb) {
        let world = std::sync::Arc::new(World::new(&db).await);
        let thread = world.places.thread;
        world.worked(thread, "first").await;
        let resets = (0..8).map(|number| {
            let world = world.clone();
            tokio::spawn(async move {
                let (what, body) = if number % 2 == 0 { ("reset", None) } else { ("bind", Some(json!({ "reference": "r" }))) };
                let path = world.session_path(thread, what);
                let token = world.token("alex").to_owned();
                world.sender.send("POST", &path, Some(&token), &[], body).await.expect(200);
            })
        });
        for reset in resets.collect::<Vec<_>>() {
            reset.await.unwrap();
        }
        let run = world.ask("alex", thread, "second").await;
        assert!(["new", "bind"].contains(&world.announced(run).await["mode"].as_str().unwrap()));
    }
}
