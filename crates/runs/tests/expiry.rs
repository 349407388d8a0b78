//! Runs whose time is over (chapter 06 section 2), by the clock and the rows alone.

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

use bothy_platform::clock::Clock;
use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use serde_json::json;
use support::World;

statements! {
    EXPIRES = "UPDATE grants SET expires_at = $2 WHERE principal_id = $1";
    GROUP = "INSERT INTO groups (id, name, name_key, created_at, version) VALUES ($1, 'Support', 'support', $2, 1)";
    MEMBER = "INSERT INTO group_members (group_id, principal_id, added_at) VALUES ($1, $2, $3)";
    TO_GROUP = "UPDATE grants SET principal_id = NULL, group_id = $2 WHERE principal_id = $1";
}

const QUEUE: Duration = Duration::from_secs(15 * 60);
const LEASE: Duration = Duration::from_secs(2 * 60);
const GRACE: Duration = Duration::from_secs(30);

both_databases! {
    async fn nobody_takes_the_run(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        world.clock.advance(QUEUE - Duration::from_secs(1));
        assert_eq!(world.runs.expire().await.unwrap(), bothy_runs::Expired::default());
        world.clock.advance(Duration::from_secs(1));
        let expired = world.runs.expire().await.unwrap();
        assert_eq!((expired.unavailable, expired.lost, expired.cancelled), (1, 0, 0));
        assert_eq!(world.state(run).await, ("failed".to_owned(), Some("agent_unavailable".to_owned())));
        assert!(world.events("lotse", "agent.invocation").await.is_empty());
        assert_eq!(world.runs.expire().await.unwrap(), bothy_runs::Expired::default());
    }

    async fn the_agent_falls_silent(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        let token = world.start("lotse", run).await;
        world.clock.advance(LEASE);
        assert_eq!(world.runs.expire().await.unwrap().lost, 1);
        assert_eq!(world.state(run).await, ("failed".to_owned(), Some("agent_lost".to_owned())));
        // Whoever comes back late finds it ended (C67).
        let path = format!("/runs/{run}/finish");
        let late = world.post("lotse", &path, json!({ "outcome": "completed" })).await.expect(409);
        assert_eq!(late.text("code"), "conflict");
        world.patch("lotse", &format!("/runs/{run}"), json!({ "progress": 1 })).await.expect(409);
        let bound = world.bound("lotse", "GET", &format!("/runs/{run}/context"), &token, None).await.expect(403);
        assert_eq!((bound.text("code"), bound.text("reason")), ("invocation_token_invalid", "run_inactive"));
        // The thread is free again.
        world.ask("alex", world.places.thread, "once more").await;
    }

    async fn a_run_that_waits_for_a_person_has_no_lease(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        world.start("lotse", run).await;
        world.post("lotse", &format!("/runs/{run}/await-input"), json!({ "question_md": "?" })).await.expect(200);
        world.clock.advance(Duration::from_secs(7 * 86_400));
        assert_eq!(world.runs.expire().await.unwrap(), bothy_runs::Expired::default());
        assert_eq!(world.state(run).await.0, "waiting_input");
    }

    async fn the_agent_does_not_end_what_was_cancelled(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        world.start("lotse", run).await;
        world.post_empty("alex", &format!("/runs/{run}/cancel")).await.expect(200);
        world.clock.advance(GRACE);
        assert_eq!(world.runs.expire().await.unwrap().cancelled, 1);
        assert_eq!(world.state(run).await, ("cancelled".to_owned(), Some("cancel_grace_expired".to_owned())));
    }

    async fn a_grant_that_expires_ends_the_runs_that_rested_on_it(db: TestDb) {
        let world = World::new(&db).await;
        let minute = Duration::from_secs(60);
        world.execute(&EXPIRES, params![world.id("alex"), world.clock.now().plus(minute)]).await;
        // More active runs than are looked through at once.
        world.busy_threads(501).await;
        let run = world.ask("alex", world.thread(world.places.allgemein, None).await, "hello").await;
        let other = world.ask("sam", world.thread(world.places.allgemein, None).await, "hello").await;
        world.clock.advance(minute - Duration::from_secs(1));
        assert_eq!(world.runs.expire().await.unwrap(), bothy_runs::Expired::default());
        world.clock.advance(Duration::from_secs(1));
        assert_eq!(world.runs.expire().await.unwrap().revoked, 1);
        assert_eq!(world.state(run).await, ("cancelled".to_owned(), Some("access_revoked".to_owned())));
        assert_eq!(world.state(other).await.0, "queued");
        assert_eq!(world.runs.expire().await.unwrap(), bothy_runs::Expired::default());
    }

    async fn a_grant_of_a_group_that_expires_counts_for_its_members(db: TestDb) {
        let world = World::new(&db).await;
        let (group, lotse) = (world.ids.next::<bothy_domain::ids::kind::Group>(), world.id("lotse"));
        world.execute(&GROUP, params![group, world.clock.now()]).await;
        world.execute(&MEMBER, params![group, lotse, world.clock.now()]).await;
        world.execute(&EXPIRES, params![lotse, world.clock.now().plus(LEASE)]).await;
        world.execute(&TO_GROUP, params![lotse, group]).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        let other = world.ask("sam", world.places.thread, "@texter hello").await;
        world.clock.advance(LEASE);
        assert_eq!(world.runs.expire().await.unwrap().revoked, 1);
        assert_eq!(world.state(run).await, ("cancelled".to_owned(), Some("access_revoked".to_owned())));
        assert_eq!(world.state(other).await.0, "queued");
    }

    async fn many_nodes_end_each_run_once(db: TestDb) {
        let world = Arc::new(World::new(&db).await);
        let mut runs = Vec::new();
        for _ in 0..12 {
            let thread = world.thread(world.places.allgemein, None).await;
            runs.push(world.ask("alex", thread, "hello").await);
        }
        world.clock.advance(QUEUE);
        let passes = (0..4).map(|_| {
            let world = world.clone();
            tokio::spawn(async move { world.runs.expire().await.unwrap().unavailable })
        });
        let mut ended = 0;
        for pass in passes.collect::<Vec<_>>() {
            ended += pass.await.unwrap();
        }
        // A node that met another one leaves the rest to the next pass.
        ended += world.runs.expire().await.unwrap().unavailable;
        assert_eq!(ended, runs.len());
    }
}
