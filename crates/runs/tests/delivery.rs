//! What reaches the consumer of an agent (chapter 05 section 5, chapter 06 section 6).

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

use bothy_domain::ids::TokenId;
use bothy_platform::clock::Clock;
use bothy_testkit::both_databases;
use serde_json::{Value, json};
use support::World;

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["kind"].as_str().unwrap()).collect()
}

/// A poll that waits, and the word that it does.
async fn waiting(world: &Arc<World>, agent: &'static str) -> tokio::task::JoinHandle<support::Answer> {
    world.settle().await;
    let poller = world.clone();
    let before = world.clock.sleepers();
    let poll = tokio::spawn(async move { poller.get(agent, "/agent/events?wait=30").await });
    world.clock.until_sleepers(before + 1).await;
    poll
}

both_databases! {
    async fn an_invocation_carries_ids_and_a_token_and_no_content(db: TestDb) {
        let world = World::new(&db).await;
        let said = world.say("alex", world.places.thread, "a secret word").await;
        let invocation = world.events("lotse", "agent.invocation").await.remove(0);
        assert_eq!(invocation["run_id"], json!(said.run()));
        assert_eq!(invocation["thread_id"], json!(world.places.thread));
        assert_eq!(invocation["channel_id"], json!(world.places.allgemein));
        assert_eq!(invocation["message_id"], json!(said.id));
        assert_eq!(invocation["trigger_kind"], json!("message"));
        assert_eq!(invocation["session"]["mode"], json!("new"));
        assert!(invocation["deadline"].is_string() && invocation["invocation_token"].is_string());
        assert!(!invocation.to_string().contains("secret"));
        // Another agent hears nothing of it.
        assert!(world.events("texter", "agent.invocation").await.is_empty());
    }

    async fn events_come_again_until_they_are_acknowledged(db: TestDb) {
        let world = World::new(&db).await;
        world.say("alex", world.places.thread, "hello").await;
        let first = world.poll("lotse").await;
        let second = world.poll("lotse").await;
        assert_eq!(kinds(&first), kinds(&second));
        assert_eq!(first.iter().map(|e| &e["position"]).collect::<Vec<_>>(), second.iter().map(|e| &e["position"]).collect::<Vec<_>>());
        let redelivered = second.iter().find(|event| event["kind"] == "agent.invocation").unwrap();
        assert_eq!(redelivered["redelivered"], json!(true));
        assert!(first.iter().all(|event| event.get("redelivered").is_none()));
        assert!(kinds(&first).contains(&"message.created"));
        world.ack_all("lotse").await;
        assert!(world.poll("lotse").await.is_empty());
    }

    async fn an_acknowledgement_never_goes_back_nor_beyond_the_end(db: TestDb) {
        let world = World::new(&db).await;
        world.say("alex", world.places.thread, "hello").await;
        world.settle().await;
        let end = world.get("lotse", "/agent/events").await.body["cursor"].as_i64().unwrap();
        let ack = |cursor: i64| world.post("lotse", "/agent/events/ack", json!({ "cursor": cursor }));
        ack(end + 1).await.expect(422);
        ack(-1).await.expect(422);
        assert_eq!(ack(end).await.expect(200).body["cursor"], json!(end));
        assert_eq!(ack(end - 1).await.expect(200).body["cursor"], json!(end));
        assert!(world.poll("lotse").await.is_empty());
        world.get("lotse", &format!("/agent/events?cursor={}", end + 1)).await.expect(422);
        // A cursor before what was acknowledged shows nothing again.
        assert_eq!(world.get("lotse", "/agent/events?cursor=0").await.expect(200).body["items"], json!([]));
    }

    async fn reading_ahead_acknowledges_nothing(db: TestDb) {
        let world = World::new(&db).await;
        world.say("alex", world.places.thread, "hello").await;
        let all = world.poll("lotse").await;
        let first = all[0]["position"].as_i64().unwrap();
        let ahead = world.get("lotse", &format!("/agent/events?cursor={first}")).await.expect(200).body;
        assert_eq!(ahead["items"].as_array().unwrap().len(), all.len() - 1);
        assert_eq!(world.poll("lotse").await.len(), all.len());
    }

    async fn a_poll_waits_and_is_woken(db: TestDb) {
        let world = Arc::new(World::new(&db).await);
        world.ack_all("lotse").await;
        let poll = waiting(&world, "lotse").await;
        world.say("alex", world.places.thread, "hello").await;
        let woken = world.pass_time_until(poll).await.expect(200).body;
        assert!(!woken["items"].as_array().unwrap().is_empty());
    }

    async fn a_poll_that_finds_nothing_ends_in_time(db: TestDb) {
        let world = Arc::new(World::new(&db).await);
        world.ack_all("lotse").await;
        let poll = waiting(&world, "lotse").await;
        assert_eq!(world.pass_time_until(poll).await.expect(200).body["items"], json!([]));
    }

    async fn a_disabled_agent_ends_its_poll(db: TestDb) {
        let world = Arc::new(World::new(&db).await);
        world.ack_all("lotse").await;
        let poll = waiting(&world, "lotse").await;
        world.disable("lotse").await;
        world.pass_time_until(poll).await.expect(401);
        world.get("lotse", "/agent/events").await.expect(401);
    }

    async fn a_revoked_token_ends_a_poll_at_its_next_wake_up(db: TestDb) {
        let world = Arc::new(World::new(&db).await);
        world.ack_all("lotse").await;
        let poll = waiting(&world, "lotse").await;
        let reader = world.database.reader().await.unwrap();
        let paging = bothy_platform::paging::Paging { limit: 10, after: None };
        let tokens = world.identity.list_tokens(&reader, world.id("lotse"), &paging).await.unwrap();
        let token: TokenId = tokens.items[0].token_id;
        drop(reader);
        let unit = world.database.begin().await.unwrap();
        assert!(world.identity.revoke_token(&unit, world.id("lotse"), token).await.unwrap());
        unit.commit().await.unwrap();
        world.pass_time_until(poll).await.expect(401);
    }

    async fn what_was_queued_is_not_handed_over_after_the_right_is_gone(db: TestDb) {
        let world = World::new(&db).await;
        world.ack_all("lotse").await;
        world.say("alex", world.places.thread, "hello").await;
        world.revoke("G-5", "lotse").await;
        let events = world.poll("lotse").await;
        // All that is left is that the run is to end, without a place.
        for event in &events {
            assert_eq!(event["kind"], json!("run.cancel_requested"), "{event}");
            assert!(event.get("channel_id").is_none() && event.get("thread_id").is_none());
        }
        let body = world.get("lotse", "/agent/events").await.expect(200).body;
        assert!(body["cursor"].as_i64().unwrap() > 0);
    }

    async fn a_right_that_comes_back_while_polling_counts_at_once(db: TestDb) {
        let mut world = World::new(&db).await;
        world.revoke("texter", "texter").await;
        world.ack_all("texter").await;
        world.say("writer", world.places.thread, "hello").await;
        assert!(world.poll("texter").await.is_empty());
        let (support, allgemein) = (world.places.support, world.places.allgemein);
        world.grant("again", "texter", support, Some(allgemein), "read").await;
        assert_eq!(kinds(&world.poll("texter").await), ["message.created"]);
    }

    async fn the_right_of_the_person_is_repeated_at_delivery(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        world.revoke_silently("G-1").await;
        assert!(world.events("lotse", "agent.invocation").await.is_empty());
        assert_eq!(world.state(run).await, ("cancelled".to_owned(), Some("access_revoked".to_owned())));
    }

    async fn renewing_repeats_the_right_of_the_person(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        world.revoke_silently("G-1").await;
        let refused = world.post_empty("lotse", &format!("/runs/{run}/token")).await.expect(403);
        assert_eq!(refused.text("reason"), "access_revoked");
        assert_eq!(world.state(run).await.1.as_deref(), Some("access_revoked"));
    }

    async fn the_header_narrows_no_poll(db: TestDb) {
        let mut world = World::new(&db).await;
        let marketing = world.places.marketing;
        world.grant("l-m", "lotse", marketing, None, "read").await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        let token = world.invocation_token("lotse", run).await;
        world.say("texter", world.places.hidden, "in Kampagne").await;
        world.settle().await;
        let bound = world.bound("lotse", "GET", "/agent/events", &token, None).await.expect(200).body;
        let plain = world.get("lotse", "/agent/events").await.expect(200).body;
        let ids = |body: &Value| {
            let items = body["items"].as_array().unwrap();
            items.iter().map(|event| event["position"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(ids(&bound), ids(&plain));
        assert!(bound.to_string().contains(&world.places.kampagne.to_string()));
    }

    async fn a_heartbeat_renews_what_it_names_and_tells_what_is_left(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        world.start("lotse", run).await;
        world.clock.advance(Duration::from_secs(100));
        let pulse = world.post("lotse", "/agent/heartbeat", json!({})).await.expect(200).body;
        assert_eq!(pulse["runs"][0], json!({ "run_id": run, "state": "running" }));
        world.clock.advance(Duration::from_secs(100));
        assert_eq!(world.runs.expire().await.unwrap().lost, 0);
        // An adapter that was restarted does not have the run any more, and says so.
        world.post("lotse", "/agent/heartbeat", json!({ "run_ids": [] })).await.expect(200);
        // Another agent's heartbeat does nothing for it.
        world.post("texter", "/agent/heartbeat", json!({ "run_ids": [run] })).await.expect(200);
        world.clock.advance(Duration::from_secs(21));
        assert_eq!(world.runs.expire().await.unwrap().lost, 1);
        let pulse = world.post("lotse", "/agent/heartbeat", json!({ "run_ids": [run] })).await.expect(200).body;
        assert_eq!(pulse["runs"], json!([]));
        assert_eq!(world.state(run).await.0, "failed");
        assert!(world.clock.now().micros() > 0);
    }
}
