//! Messages that reach an agent while its run is active (chapter 06 section 3, AF-19).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use serde_json::json;
use support::World;

statements! {
    FOLLOW_UP_STATE = "SELECT state FROM run_followups WHERE run_id = $1 AND message_id = $2";
    WAITING = "SELECT COUNT(*) AS n FROM run_waiting";
}

async fn follow_up_state(
    world: &World,
    run: bothy_domain::ids::RunId,
    message: bothy_domain::ids::MessageId,
) -> String {
    let reader = world.database.reader().await.unwrap();
    reader.one(&FOLLOW_UP_STATE, params![run, message]).await.unwrap().get("state").unwrap()
}

both_databases! {
    async fn the_persons_own_messages_follow_up_and_others_wait(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let run = world.ask("alex", thread, "first").await;
        let own = world.say("alex", thread, "more").await;
        let other = world.say("sam", thread, "me too").await;
        assert_eq!((own.runs(), other.runs()), (0, 0));
        let events = world.events("lotse", "agent.followup").await;
        assert_eq!(events.len(), 1);
        assert_eq!((&events[0]["run_id"], &events[0]["message_id"]), (&json!(run), &json!(own.id)));
        assert!(events[0].get("content_md").is_none());
        assert_eq!(follow_up_state(&world, run, own.id).await, "pending");
        world.ack_all("lotse").await;
        assert_eq!(follow_up_state(&world, run, own.id).await, "delivered");
    }

    async fn the_oldest_that_nobody_answered_starts_the_next_run(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let first = world.ask("alex", thread, "first").await;
        world.start("lotse", first).await;
        let absorbed = world.say("alex", thread, "a").await;
        let left = world.say("alex", thread, "b").await;
        let sam = world.say("sam", thread, "c").await;
        let later = world.say("alex", thread, "d").await;
        let body = json!({ "absorbed_message_ids": [absorbed.id] });
        world.patch("lotse", &format!("/runs/{first}"), body).await.expect(200);
        world.finish("lotse", first).await;

        // Alex's b is the oldest; d goes with it, Sam waits.
        let runs = world.thread_runs(thread).await;
        assert_eq!((runs.len(), runs[1].2, runs[1].3), (2, left.id, world.id("alex")));
        assert_eq!(follow_up_state(&world, runs[1].0, later.id).await, "pending");
        assert_eq!(follow_up_state(&world, first, left.id).await, "moved");
        assert_eq!(follow_up_state(&world, first, absorbed.id).await, "absorbed");
        // The events of the old run about what moved are not handed out any more.
        let events = world.events("lotse", "agent.followup").await;
        let runs_told: Vec<_> = events.iter().map(|event| (event["run_id"].clone(), event["message_id"].clone())).collect();
        assert!(runs_told.contains(&(json!(runs[1].0), json!(later.id))), "{runs_told:?}");
        assert!(!runs_told.contains(&(json!(first), json!(left.id))), "{runs_told:?}");

        world.start("lotse", runs[1].0).await;
        let body = json!({ "absorbed_message_ids": [later.id] });
        world.patch("lotse", &format!("/runs/{}", runs[1].0), body).await.expect(200);
        world.finish("lotse", runs[1].0).await;
        let runs = world.thread_runs(thread).await;
        assert_eq!((runs.len(), runs[2].2, runs[2].3), (3, sam.id, world.id("sam")));
        let reader = world.database.reader().await.unwrap();
        assert_eq!(reader.one(&WAITING, params![]).await.unwrap().get::<i64>("n").unwrap(), 0);
    }

    async fn who_lost_the_right_while_waiting_gets_no_run(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let first = world.ask("alex", thread, "first").await;
        world.start("lotse", first).await;
        world.say("sam", thread, "me").await;
        world.revoke("sam", "sam").await;
        world.finish("lotse", first).await;
        assert_eq!(world.thread_runs(thread).await.len(), 1);
    }

    async fn a_lost_run_hands_its_messages_on(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let first = world.ask("alex", thread, "first").await;
        world.start("lotse", first).await;
        let left = world.say("alex", thread, "still there?").await;
        world.clock.advance(std::time::Duration::from_secs(121));
        assert_eq!(world.runs.expire().await.unwrap().lost, 1);
        let runs = world.thread_runs(thread).await;
        assert_eq!((runs[0].1.as_str(), runs[1].1.as_str(), runs[1].2), ("failed", "queued", left.id));
        assert_eq!(world.state(first).await.1.as_deref(), Some("agent_lost"));
    }

    async fn equal_texts_stay_apart(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let run = world.ask("alex", thread, "first").await;
        let (one, two) = (world.say("alex", thread, "yes").await, world.say("alex", thread, "yes").await);
        let events = world.events("lotse", "agent.followup").await;
        let told: Vec<_> = events.iter().map(|event| event["message_id"].clone()).collect();
        assert_eq!(told, [json!(one.id), json!(two.id)]);
        world.start("lotse", run).await;
        world.patch("lotse", &format!("/runs/{run}"), json!({ "absorbed_message_ids": [two.id] })).await.expect(200);
        assert_eq!(follow_up_state(&world, run, one.id).await, "pending");
        assert_eq!(follow_up_state(&world, run, two.id).await, "absorbed");
        // Absorbed first, acknowledged later: it stays absorbed.
        world.ack_all("lotse").await;
        assert_eq!(follow_up_state(&world, run, two.id).await, "absorbed");
    }

    async fn a_follow_up_that_crosses_the_end_of_its_run_is_never_lost(db: TestDb) {
        let world = std::sync::Arc::new(World::new(&db).await);
        let thread = world.places.thread;
        for round in 0..10 {
            let run = world.ask("alex", thread, "start").await;
            world.start("lotse", run).await;
            let (a, b) = (world.clone(), world.clone());
            let said = tokio::spawn(async move { a.say("alex", thread, "crossing").await.id });
            let ended = tokio::spawn(async move { b.finish("lotse", run).await });
            let (said, ()) = (said.await.unwrap(), ended.await.unwrap());
            let runs = world.thread_runs(thread).await;
            let last = runs.last().unwrap();
            assert_eq!((last.1.as_str(), last.2), ("queued", said), "round {round}");
            world.start("lotse", last.0).await;
            world.finish("lotse", last.0).await;
        }
    }
}
