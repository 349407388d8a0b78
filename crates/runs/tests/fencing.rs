//! An adapter that stalled and comes back (C41, C66, C67): it can neither answer nor change a run that
//! ended, nor one that another adapter has now.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use std::time::Duration;

use bothy_domain::ids::RunId;
use bothy_testkit::both_databases;
use serde_json::{Value, json};
use support::World;

impl World {
    async fn thread_texts(&self) -> Vec<String> {
        let path = format!("/threads/{}/messages", self.places.thread);
        let body = self.get("writer", &path).await.expect(200).body;
        let items = body["items"].as_array().unwrap();
        items.iter().map(|one| one["content_md"].as_str().unwrap().to_owned()).collect()
    }

    /// Everything that the adapter of a run may try, with and without the token of that run; what each
    /// is answered.
    async fn try_all(&self, agent: &str, run: RunId, token: &str) -> Vec<(&'static str, u16, u16)> {
        let thread = self.places.thread;
        let at = |what: &str| format!("/runs/{run}{what}");
        let attempts: [(&str, &str, String, Value); 9] = [
            ("start", "POST", at("/start"), json!({ "invocation_token": token })),
            ("resume", "POST", at("/resume"), json!({ "invocation_token": token })),
            ("patch", "PATCH", at(""), json!({ "status_line": "still here" })),
            ("ask", "POST", at("/await-input"), json!({ "question_md": "?" })),
            ("finish", "POST", at("/finish"), json!({ "outcome": "completed" })),
            ("session", "POST", at("/session"), json!({ "reference": "late" })),
            ("respond", "POST", at("/interaction-response"), json!({ "content_md": "late" })),
            ("context", "GET", at("/context"), Value::Null),
            ("answer", "POST", format!("/threads/{thread}/messages"), json!({ "content_md": "late answer" })),
        ];
        let mut answered = Vec::new();
        for (name, method, path, body) in attempts {
            let body = Some(body).filter(|body| !body.is_null());
            let bound = self.bound(agent, method, &path, token, body.clone()).await.status.as_u16();
            // An agent may speak for itself; whether that was a run, the server cannot tell (AF-16).
            let plain = if name == "answer" {
                0
            } else {
                self.sender.send(method, &path, Some(self.token(agent)), &[], body).await.status.as_u16()
            };
            answered.push((name, bound, plain));
        }
        answered
    }
}

both_databases! {
    async fn c67_a_stalled_adapter_changes_nothing_any_more(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let run = world.ask("alex", thread, "first").await;
        let token = world.start("lotse", run).await;
        world.say("alex", thread, "still there?").await;
        world.clock.advance(Duration::from_secs(121));
        assert_eq!(world.runs.expire().await.unwrap().lost, 1);
        let next = world.thread_runs(thread).await[1].0;
        let fresh = world.start("lotse", next).await;
        let before = world.get("alex", &format!("/runs/{next}")).await.expect(200).body;

        // The heartbeat of an adapter that names its lost run renews nothing, and tells it.
        let pulse = world.post("lotse", "/agent/heartbeat", json!({ "run_ids": [run] })).await.expect(200).body;
        assert_eq!((pulse["runs"].as_array().unwrap().len(), &pulse["runs"][0]["run_id"]), (1, &json!(next)));
        for (what, bound, plain) in world.try_all("lotse", run, &token).await {
            let allowed_bound: &[u16] = if matches!(what, "start" | "resume") { &[409] } else { &[403] };
            assert!(allowed_bound.contains(&bound), "{what}: {bound}");
            let allowed_plain: &[u16] = match what {
                "answer" => &[0],
                "context" => &[404],
                _ => &[409],
            };
            assert!(allowed_plain.contains(&plain), "{what}: {plain}");
        }
        assert!(!world.thread_texts().await.contains(&"late answer".to_owned()));
        assert_eq!(world.state(run).await, ("failed".to_owned(), Some("agent_lost".to_owned())));
        assert_eq!(world.get("alex", &format!("/runs/{next}")).await.expect(200).body, before);
        // The lease of the next run was not touched by it: a silent adapter loses it in its time.
        let body = json!({ "content_md": "the answer" });
        world.bound("lotse", "POST", &format!("/threads/{thread}/messages"), &fresh, Some(body)).await.expect(201);
        world.finish("lotse", next).await;
        assert_eq!(world.thread_runs(thread).await.len(), 2);
    }

    async fn an_answer_is_given_once_whatever_crashes(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let run = world.ask("alex", thread, "first").await;
        let token = world.start("lotse", run).await;
        let path = format!("/threads/{thread}/messages");
        let body = json!({ "content_md": "the answer", "client_message_id": format!("run-{run}") });
        let one = world.bound("lotse", "POST", &path, &token, Some(body.clone())).await.expect(201);
        // The adapter crashed before it finished; the run is delivered to nobody again and is lost.
        world.clock.advance(Duration::from_secs(121));
        world.runs.expire().await.unwrap();
        world.bound("lotse", "POST", &path, &token, Some(body.clone())).await.expect(403);
        let again = world.post("lotse", &path, body).await.expect(201);
        assert_eq!(again.text("message_id"), one.text("message_id"));
        let answers = world.thread_texts().await.into_iter().filter(|text| text == "the answer").count();
        assert_eq!(answers, 1);
    }

    async fn c41_another_agent_touches_nothing_of_a_run(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let run = world.ask("alex", thread, "first").await;
        let token = world.start("lotse", run).await;
        for (what, bound, plain) in world.try_all("texter", run, &token).await {
            // The token of another agent binds nothing; without it the run is somebody else's.
            assert_eq!(bound, 403, "{what}");
            assert!(matches!(plain, 0 | 403), "{what}: {plain}");
        }
        let pulse = world.post("texter", "/agent/heartbeat", json!({ "run_ids": [run] })).await.expect(200).body;
        assert_eq!(pulse["runs"], json!([]));
        assert_eq!(world.state(run).await.0, "running");
        // A run cannot be made by naming one.
        let body = json!({ "content_md": "x", "run_id": run });
        world.post("texter", &format!("/threads/{thread}/messages"), body).await.expect(422);
    }
}
