//! The life of a run through its operations (chapter 06 section 2).

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
use serde_json::json;
use support::World;

fn finish(outcome: &str) -> serde_json::Value {
    json!({ "outcome": outcome })
}

both_databases! {
    async fn a_run_starts_once_and_ends_once(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        let path = |verb: &str| format!("/runs/{run}/{verb}");
        world.post("lotse", &path("finish"), finish("completed")).await.expect(409);
        let token = world.start("lotse", run).await;
        let again = world.post("lotse", &path("start"), json!({ "invocation_token": token })).await.expect(409);
        assert_eq!(again.text("code"), "already_started");
        let first = world.post("lotse", &path("finish"), finish("completed")).await.expect(200);
        assert_eq!(first.text("state"), "completed");
        world.clock.advance(Duration::from_secs(60));
        let second = world.post("lotse", &path("finish"), finish("completed")).await.expect(200);
        assert_eq!(first.bytes, second.bytes);
        world.post("lotse", &path("finish"), finish("cancelled")).await.expect(409);
        let late = world.post("lotse", &path("start"), json!({ "invocation_token": token })).await.expect(409);
        assert_eq!(late.text("code"), "run_inactive");
        assert_eq!(world.state(run).await, ("completed".to_owned(), Some("completed".to_owned())));
    }

    async fn only_one_of_many_starts_wins(db: TestDb) {
        let world = std::sync::Arc::new(World::new(&db).await);
        let run = world.ask("alex", world.places.thread, "hello").await;
        let token = world.invocation_token("lotse", run).await;
        let starts = (0..8).map(|_| {
            let (world, token) = (world.clone(), token.clone());
            tokio::spawn(async move {
                world.post("lotse", &format!("/runs/{run}/start"), json!({ "invocation_token": token })).await.status
            })
        });
        let mut won = 0;
        for start in starts.collect::<Vec<_>>() {
            let status = start.await.unwrap().as_u16();
            assert!(status == 200 || status == 409, "{status}");
            won += u32::from(status == 200);
        }
        assert_eq!(won, 1);
    }

    async fn a_failure_has_a_class_and_nothing_else_has(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        world.start("lotse", run).await;
        let path = format!("/runs/{run}/finish");
        for body in [
            finish("failed"),
            json!({ "outcome": "failed", "error_class": "Has Spaces" }),
            json!({ "outcome": "completed", "error_class": "tool_error" }),
            json!({ "outcome": "lost" }),
        ] {
            world.post("lotse", &path, body).await.expect(422);
        }
        let ended = world.post("lotse", &path, json!({ "outcome": "failed", "error_class": "tool_error" })).await.expect(200);
        assert_eq!((ended.text("state"), ended.text("error_class")), ("failed", "tool_error"));
    }

    async fn starting_takes_a_fresh_token_of_the_very_run(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        let other = world.ask("alex", world.thread(world.places.allgemein, None).await, "hello").await;
        let foreign = world.ask("sam", world.places.thread, "@texter hello").await;
        let token = world.invocation_token("lotse", run).await;
        let tokens = [
            world.invocation_token("lotse", other).await,
            world.invocation_token("texter", foreign).await,
            world.token("lotse").to_owned(),
            format!("{token}="),
            token.to_ascii_lowercase(),
            String::new(),
        ];
        let path = format!("/runs/{run}/start");
        for wrong in tokens {
            let refused = world.post("lotse", &path, json!({ "invocation_token": wrong })).await.expect(403);
            assert_eq!((refused.text("code"), refused.text("reason")), ("invocation_token_invalid", "invalid"));
        }
        // It expires; a renewed one is good.
        world.clock.advance(Duration::from_secs(3600 + 31));
        world.post("lotse", &path, json!({ "invocation_token": token })).await.expect(403);
        let fresh = world.post_empty("lotse", &format!("/runs/{run}/token")).await.expect(200);
        let body = json!({ "invocation_token": fresh.text("invocation_token") });
        world.post("lotse", &path, body).await.expect(200);
        world.post_empty("lotse", &format!("/runs/{run}/token")).await.expect(409);
    }

    async fn foreign_agents_and_people_cannot_touch_a_run(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        let unknown: RunId = world.ids.next();
        let token = world.invocation_token("lotse", run).await;
        let calls = [
            ("start", json!({ "invocation_token": token })),
            ("finish", finish("completed")),
            ("await-input", json!({ "question_md": "?" })),
            ("resume", json!({ "invocation_token": token })),
            ("session", json!({ "reference": "x" })),
        ];
        for (verb, body) in calls {
            let foreign = world.post("texter", &format!("/runs/{run}/{verb}"), body.clone()).await.expect(403);
            assert_eq!(foreign.text("reason"), "not_self", "{verb}");
            let person = world.post("alex", &format!("/runs/{run}/{verb}"), body.clone()).await.expect(403);
            assert_eq!(person.text("reason"), "subject_kind_not_allowed", "{verb}");
            world.post("lotse", &format!("/runs/{unknown}/{verb}"), body).await.expect(404);
        }
        assert_eq!(world.state(run).await.0, "queued");
    }

    async fn an_agent_asks_and_the_persons_next_message_answers(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let run = world.ask("alex", thread, "hello").await;
        let path = |verb: &str| format!("/runs/{run}/{verb}");
        world.post("lotse", &path("await-input"), json!({ "question_md": "Which?" })).await.expect(409);
        world.start("lotse", run).await;
        world.post("lotse", &path("await-input"), json!({ "question_md": "  " })).await.expect(422);
        let waiting = world.post("lotse", &path("await-input"), json!({ "question_md": "Which?" })).await.expect(200);
        assert_eq!((waiting.text("state"), waiting.text("question_md")), ("waiting_input", "Which?"));
        world.post("lotse", &path("await-input"), json!({ "question_md": "Which?" })).await.expect(409);
        world.ack_all("lotse").await;

        let fresh = world.post_empty("lotse", &path("token")).await.expect(200);
        let resume = json!({ "invocation_token": fresh.text("invocation_token") });
        world.post("lotse", &path("resume"), resume.clone()).await.expect(409);
        // Somebody else's message is no answer; the person's next one is, and starts nothing new.
        world.say("sam", thread, "the blue one").await;
        world.post("lotse", &path("resume"), resume.clone()).await.expect(409);
        let answer = world.say("alex", thread, "the red one").await;
        assert_eq!(answer.runs(), 0);
        let events = world.events("lotse", "run.input_received").await;
        assert_eq!(events.len(), 1);
        assert_eq!((&events[0]["message_id"], &events[0]["trust"]), (&json!(answer.id), &json!("trigger")));
        // A second message of theirs is an ordinary follow-up.
        let more = world.say("alex", thread, "and quickly").await;
        let follow_ups = world.events("lotse", "agent.followup").await;
        assert_eq!(follow_ups.len(), 1);
        assert_eq!(follow_ups[0]["message_id"], json!(more.id));

        let resumed = world.post("lotse", &path("resume"), resume).await.expect(200);
        assert_eq!(resumed.text("state"), "running");
        assert!(resumed.body.get("question_md").is_none() && resumed.body.get("input_message_id").is_none());
        world.patch("lotse", &format!("/runs/{run}"), json!({ "absorbed_message_ids": [more.id] })).await.expect(200);
        world.finish("lotse", run).await;
        // The answer was absorbed by going on; only Sam's message is left.
        let runs = world.thread_runs(thread).await;
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[1].3, world.id("sam"));
    }

    async fn an_answer_is_not_lost_when_the_run_ends_before_it_goes_on(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let run = world.ask("alex", thread, "hello").await;
        world.start("lotse", run).await;
        world.post("lotse", &format!("/runs/{run}/await-input"), json!({ "question_md": "?" })).await.expect(200);
        let answer = world.say("alex", thread, "yes").await;
        world.post("lotse", &format!("/runs/{run}/finish"), finish("cancelled")).await.expect(200);
        let runs = world.thread_runs(thread).await;
        assert_eq!((runs[1].1.as_str(), runs[1].2), ("queued", answer.id));
    }

    async fn a_patch_shows_what_the_agent_does(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        let path = format!("/runs/{run}");
        world.patch("lotse", &path, json!({ "progress": 5 })).await.expect(409);
        world.start("lotse", run).await;
        let body = json!({ "status_line": " reading ", "progress": 40, "draft_md": "So" });
        let shown = world.patch("lotse", &path, body).await.expect(200);
        assert_eq!((shown.text("status_line"), shown.text("draft_md")), ("reading", "So"));
        let kept = world.patch("lotse", &path, json!({ "draft_md": "" })).await.expect(200);
        assert_eq!((&kept.body["progress"], kept.body.get("draft_md")), (&json!(40), None));
        for body in [
            json!({ "progress": 101 }),
            json!({ "status_line": "\u{202e}" }),
            json!({ "draft_md": "x".repeat(70_000) }),
            json!({ "absorbed_message_ids": [world.ids.next::<()>()] }),
            json!({ "unknown": 1 }),
        ] {
            world.patch("lotse", &path, body).await.expect(422);
        }
        // Whoever may read the thread sees it, in the list as well.
        assert_eq!(world.get("alex", &path).await.expect(200).text("status_line"), "reading");
        let list = world.get("writer", &format!("/threads/{}/runs", world.places.thread)).await.expect(200);
        assert_eq!(list.body["items"][0]["run_id"], json!(run));
        world.finish("lotse", run).await;
        assert!(world.get("alex", &path).await.body.get("draft_md").is_none());
    }

    async fn runs_of_a_thread_come_in_pages_newest_first(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let mut expected = Vec::new();
        for _ in 0..5 {
            let run = world.ask("alex", thread, "hello").await;
            world.start("lotse", run).await;
            world.finish("lotse", run).await;
            expected.insert(0, json!(run));
        }
        for limit in [1, 2, 5, 50] {
            let mut found = Vec::new();
            let mut cursor = String::new();
            loop {
                let page = world.get("alex", &format!("/threads/{thread}/runs?limit={limit}{cursor}")).await.expect(200);
                found.extend(page.body["items"].as_array().unwrap().iter().map(|run| run["run_id"].clone()));
                match page.body["next_cursor"].as_str() {
                    Some(next) => cursor = format!("&cursor={next}"),
                    None => break,
                }
            }
            assert_eq!(found, expected, "limit {limit}");
        }
        world.get("alex", &format!("/threads/{}/runs", world.places.hidden)).await.expect(404);
    }

    async fn people_cancel_and_the_agent_is_told(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let queued = world.ask("alex", thread, "hello").await;
        let path = |run: RunId| format!("/runs/{run}/cancel");
        world.post_empty("sam", &path(queued)).await.expect(403);
        let ended = world.post_empty("alex", &path(queued)).await.expect(200);
        assert_eq!((ended.text("state"), ended.text("end_reason")), ("cancelled", "cancelled"));
        world.post_empty("alex", &path(queued)).await.expect(409);

        let running = world.ask("alex", thread, "hello again").await;
        world.start("lotse", running).await;
        world.ack_all("lotse").await;
        let asked = world.post_empty("alex", &path(running)).await.expect(200);
        assert_eq!((asked.text("state"), asked.text("cancel_reason")), ("running", "requested"));
        let again = world.post_empty("alex", &path(running)).await.expect(200);
        assert_eq!(asked.body["cancel_requested_at"], again.body["cancel_requested_at"]);
        let events = world.events("lotse", "run.cancel_requested").await;
        assert_eq!(events.len(), 1);
        assert_eq!(events[0]["cancel_reason"], json!("requested"));
        world.post("lotse", &format!("/runs/{running}/finish"), finish("cancelled")).await.expect(200);
    }

    async fn a_session_is_reported_and_goes_on(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let run = world.ask("alex", thread, "hello").await;
        let session = |run: RunId| format!("/runs/{run}/session");
        world.post("lotse", &session(run), json!({ "reference": "s-1" })).await.expect(409);
        let invocation = world.events("lotse", "agent.invocation").await.remove(0);
        assert_eq!(invocation["session"]["mode"], json!("new"));
        world.start("lotse", run).await;
        for bad in ["", "two words", "umläut", &"x".repeat(513)] {
            world.post("lotse", &session(run), json!({ "reference": bad })).await.expect(422);
        }
        let reported = world.post("lotse", &session(run), json!({ "reference": "s-1" })).await.expect(200);
        assert_eq!(reported.body["started"], json!(true));
        world.finish("lotse", run).await;
        world.ack_all("lotse").await;
        world.ask("alex", thread, "more").await;
        let next = world.events("lotse", "agent.invocation").await.remove(0);
        assert_eq!(next["session"]["mode"], json!("resume"));
        assert_eq!(next["session"]["reference"], json!("s-1"));
        // A guest keeps none.
        let guest = world.ask("sam", thread, "@texter hello").await;
        let invocation = world.events("texter", "agent.invocation").await.remove(0);
        assert_eq!(invocation["session"], json!({ "mode": "guest" }));
        world.start("texter", guest).await;
        world.post("texter", &session(guest), json!({ "reference": "s-2" })).await.expect(409);
    }
}
