//! What a deleted message takes with it (chapter 06 section 2), and what its author is told privately.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use std::sync::Arc;
use std::time::Duration;

use bothy_domain::ids::{MessageId, RunId};
use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use serde_json::{Value, json};
use support::World;

statements! {
    TRIGGER = "SELECT triggering_message_id FROM runs WHERE id = $1";
    LEFT =
        "SELECT (SELECT COUNT(*) FROM run_waiting WHERE message_id = $1) \
           + (SELECT COUNT(*) FROM run_followups WHERE message_id = $1 AND state IN ('pending', 'delivered')) AS n";
}

async fn delete(world: &World, who: &str, message: MessageId) -> u16 {
    let path = format!("/messages/{message}");
    world.sender.send("DELETE", &path, Some(world.token(who)), &[], None).await.status.as_u16()
}

async fn trigger(world: &World, run: RunId) -> MessageId {
    let reader = world.database.reader().await.unwrap();
    reader.one(&TRIGGER, params![run]).await.unwrap().get("triggering_message_id").unwrap()
}

/// How many runs still owe an answer to a message.
async fn owed(world: &World, message: MessageId) -> i64 {
    let reader = world.database.reader().await.unwrap();
    reader.one(&LEFT, params![message]).await.unwrap().get("n").unwrap()
}

async fn notices(world: &World, who: &str) -> Vec<Value> {
    world.get(who, "/me/notices").await.expect(200).body["items"].as_array().unwrap().clone()
}

both_databases! {
    async fn a_queued_run_ends_with_its_message(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "first").await;
        assert_eq!(delete(&world, "alex", trigger(&world, run).await).await, 204);
        assert_eq!(world.state(run).await, ("cancelled".to_owned(), Some("trigger_deleted".to_owned())));
        assert!(world.events("lotse", "agent.invocation").await.is_empty());
        // Again: nothing.
        assert_eq!(delete(&world, "alex", trigger(&world, run).await).await, 204);
        assert_eq!(world.thread_runs(world.places.thread).await.len(), 1);
    }

    async fn a_running_run_is_asked_to_end(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "first").await;
        let token = world.start("lotse", run).await;
        assert_eq!(delete(&world, "alex", trigger(&world, run).await).await, 204);
        assert_eq!(world.state(run).await.0, "running");
        let asked = world.events("lotse", "run.cancel_requested").await;
        assert_eq!((asked.len(), &asked[0]["cancel_reason"]), (1, &json!("trigger_deleted")));
        // The agent may still read what it works on; of the request nothing is left (RC-7).
        let context = world.bound("lotse", "GET", &format!("/runs/{run}/context"), &token, None).await.expect(200);
        assert_eq!(context.body["trigger_message"]["content_md"], "");
        world.clock.advance(Duration::from_secs(31));
        world.runs.expire().await.unwrap();
        assert_eq!(world.state(run).await.0, "cancelled");
    }

    async fn a_deleted_follow_up_starts_no_run(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let run = world.ask("alex", thread, "first").await;
        world.start("lotse", run).await;
        let delivered = world.say("alex", thread, "more").await;
        world.ack_all("lotse").await;
        let pending = world.say("alex", thread, "and more").await;
        let waiting = world.say("sam", thread, "me too").await;
        for (who, message) in [("alex", delivered.id), ("alex", pending.id), ("sam", waiting.id)] {
            assert!(owed(&world, message).await == 1);
            assert_eq!(delete(&world, who, message).await, 204);
            assert_eq!(owed(&world, message).await, 0);
        }
        assert!(world.events("lotse", "agent.followup").await.is_empty());
        assert_eq!(world.state(run).await.0, "running", "only its own message ends a run");
        world.finish("lotse", run).await;
        assert_eq!(world.thread_runs(thread).await.len(), 1);
    }

    async fn what_is_left_of_a_deleted_request_goes_on(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let run = world.ask("alex", thread, "first").await;
        let more = world.say("alex", thread, "more").await;
        world.say("sam", thread, "me too").await;
        assert_eq!(delete(&world, "alex", trigger(&world, run).await).await, 204);
        let runs = world.thread_runs(thread).await;
        let last = runs.last().unwrap();
        assert_eq!((runs.len(), last.1.as_str(), last.2, last.3), (2, "queued", more.id, world.id("alex")));
        assert_eq!(delete(&world, "alex", more.id).await, 204);
        let runs = world.thread_runs(thread).await;
        let last = runs.last().unwrap();
        assert_eq!((runs.len(), last.1.as_str(), last.3), (3, "queued", world.id("sam")));
    }

    async fn a_deleted_answer_is_no_answer(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let run = world.ask("alex", thread, "first").await;
        world.start("lotse", run).await;
        let question = json!({ "question_md": "Which one?" });
        world.post("lotse", &format!("/runs/{run}/await-input"), question).await.expect(200);
        let answer = world.say("alex", thread, "this one").await;
        assert_eq!(delete(&world, "alex", answer.id).await, 204);
        let resume = async || {
            let token = world.post_empty("lotse", &format!("/runs/{run}/token")).await.expect(200);
            let body = json!({ "invocation_token": token.text("invocation_token") });
            world.post("lotse", &format!("/runs/{run}/resume"), body).await
        };
        resume().await.expect(409);
        world.say("alex", thread, "no, that one").await;
        resume().await.expect(200);
    }

    async fn a_deletion_that_crosses_the_end_of_a_run_starts_nothing(db: TestDb) {
        let world = Arc::new(World::new(&db).await);
        let thread = world.places.thread;
        for round in 0..10 {
            let run = world.ask("alex", thread, "start").await;
            world.start("lotse", run).await;
            let left = world.say("alex", thread, "crossing").await.id;
            let (a, b) = (Arc::clone(&world), Arc::clone(&world));
            let deleted = tokio::spawn(async move { delete(&a, "alex", left).await });
            let ended = tokio::spawn(async move { b.finish("lotse", run).await });
            assert_eq!(deleted.await.unwrap(), 204);
            ended.await.unwrap();
            for (_, state, message, _) in world.thread_runs(thread).await {
                let active = ["queued", "running", "waiting_input"].contains(&state.as_str());
                assert!(!active, "round {round}: {message} is active, {left} was deleted");
            }
        }
    }

    async fn who_is_not_answered_finds_out_later_too(db: TestDb) {
        let mut world = World::new(&db).await;
        let (support, allgemein) = (world.places.support, world.places.allgemein);
        let thread = world.places.thread;
        let said = world.say("writer", thread, "@lotse please").await;
        assert_eq!(said.notices(), ["agent_not_allowed"]);
        let kept = notices(&world, "writer").await;
        assert_eq!((kept.len(), &kept[0]["code"]), (1, &json!("agent_not_allowed")));
        assert_eq!((&kept[0]["message_id"], &kept[0]["agent_id"]), (&json!(said.id), &json!(world.id("lotse"))));
        for who in ["alex", "sam", "robin"] {
            assert!(notices(&world, who).await.is_empty());
        }
        // Who waited, and may not any more when the turn comes, is told then (AF-23).
        let run = world.ask("alex", thread, "first").await;
        world.start("lotse", run).await;
        let waiting = world.say("sam", thread, "me too").await;
        world.revoke("sam", "sam").await;
        world.grant("sam-write", "sam", support, Some(allgemein), "write").await;
        world.finish("lotse", run).await;
        assert_eq!(world.thread_runs(thread).await.len(), 1);
        let kept = notices(&world, "sam").await;
        assert_eq!((kept.len(), &kept[0]["message_id"]), (1, &json!(waiting.id)));
        // It goes with the message.
        assert_eq!(delete(&world, "sam", waiting.id).await, 204);
        assert!(notices(&world, "sam").await.is_empty());
    }
}
