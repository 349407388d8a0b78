//! What a change of rights does to runs, in the unit of work of the change (chapter 06 section 2).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use bothy_authz::Touched;
use bothy_domain::ids::RunId;
use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use serde_json::json;
use support::World;

statements! {
    ARCHIVE = "UPDATE channels SET archived_at = 1 WHERE id = $1";
    ARCHIVE_SPACE = "UPDATE spaces SET archived_at = 1 WHERE id = $1";
    CANCEL = "SELECT cancel_reason FROM runs WHERE id = $1";
}

async fn cancel_reason(world: &World, run: RunId) -> Option<String> {
    let reader = world.database.reader().await.unwrap();
    reader.one(&CANCEL, params![run]).await.unwrap().get("cancel_reason").unwrap()
}

both_databases! {
    async fn a_queued_run_ends_with_the_right_of_its_person(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        let other = world.ask("sam", world.places.thread, "@texter hello").await;
        world.revoke("G-1", "alex").await;
        assert_eq!(world.state(run).await, ("cancelled".to_owned(), Some("access_revoked".to_owned())));
        assert_eq!(world.state(other).await.0, "queued");
    }

    async fn a_running_one_is_asked_to_end_and_loses_its_context(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        let token = world.start("lotse", run).await;
        let context = format!("/runs/{run}/context");
        world.bound("lotse", "GET", &context, &token, None).await.expect(200);
        world.revoke("G-1", "alex").await;
        assert_eq!(world.state(run).await.0, "running");
        assert_eq!(cancel_reason(&world, run).await.as_deref(), Some("access_revoked"));
        let events = world.events("lotse", "run.cancel_requested").await;
        assert_eq!((events.len(), &events[0]["cancel_reason"]), (1, &json!("access_revoked")));
        // With and without the header (RC-21).
        world.get("lotse", &context).await.expect(404);
        world.bound("lotse", "GET", &context, &token, None).await.expect(404);
        // The own run can still be ended with the token (AF-13).
        let body = json!({ "outcome": "cancelled" });
        world.bound("lotse", "POST", &format!("/runs/{run}/finish"), &token, Some(body)).await.expect(200);
    }

    async fn losing_trigger_alone_is_enough(db: TestDb) {
        let mut world = World::new(&db).await;
        let support = world.places.support;
        world.grant("alex-read", "alex", support, None, "read").await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        world.start("lotse", run).await;
        world.revoke("G-1", "alex").await;
        assert_eq!(cancel_reason(&world, run).await.as_deref(), Some("access_revoked"));
    }

    async fn a_revocation_outweighs_the_wish_of_a_person(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        world.start("lotse", run).await;
        world.post_empty("alex", &format!("/runs/{run}/cancel")).await.expect(200);
        world.revoke("G-1", "alex").await;
        assert_eq!(cancel_reason(&world, run).await.as_deref(), Some("access_revoked"));
    }

    async fn a_disabled_person_ends_their_runs(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        world.disable("alex").await;
        assert_eq!(world.state(run).await.1.as_deref(), Some("access_revoked"));
    }

    async fn a_disabled_agent_leaves_no_run_behind(db: TestDb) {
        let world = World::new(&db).await;
        let queued = world.ask("alex", world.places.thread, "hello").await;
        let thread = world.thread(world.places.allgemein, None).await;
        let running = world.ask("alex", thread, "hello").await;
        world.start("lotse", running).await;
        world.say("sam", thread, "me too").await;
        world.disable("lotse").await;
        for run in [queued, running] {
            assert_eq!(world.state(run).await, ("cancelled".to_owned(), Some("access_revoked".to_owned())));
        }
        // Nobody waits for an agent that cannot come.
        assert_eq!(world.thread_runs(thread).await.len(), 1);
    }

    async fn an_agent_that_loses_sight_of_the_thread_is_stopped(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        world.start("lotse", run).await;
        world.revoke("G-5", "lotse").await;
        assert_eq!(world.state(run).await, ("cancelled".to_owned(), Some("access_revoked".to_owned())));
    }

    async fn an_archived_channel_ends_its_runs(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        let elsewhere = world.ask("alex", world.thread(world.places.eskalation, None).await, "hello").await;
        let unit = world.database.begin().await.unwrap();
        unit.execute(&ARCHIVE, params![world.places.allgemein]).await.unwrap();
        world.authz.changed(&unit, Touched::Channel(world.places.allgemein)).await.unwrap();
        unit.commit().await.unwrap();
        assert_eq!(world.state(run).await.1.as_deref(), Some("access_revoked"));
        assert_eq!(world.state(elsewhere).await.0, "queued");
    }

    async fn an_archived_space_ends_the_runs_of_all_its_channels_and_of_no_other(db: TestDb) {
        let world = World::new(&db).await;
        // More threads with active runs than are looked up at once; nobody is judged elsewhere.
        let elsewhere = world.busy_threads(1_001).await;
        let run = world.ask("alex", world.thread(world.places.allgemein, None).await, "hello").await;
        let sibling = world.ask("alex", world.thread(world.places.eskalation, None).await, "hello").await;
        let unit = world.database.begin().await.unwrap();
        unit.execute(&ARCHIVE_SPACE, params![world.places.support]).await.unwrap();
        world.authz.changed(&unit, Touched::Space(world.places.support)).await.unwrap();
        unit.commit().await.unwrap();
        for run in [run, sibling] {
            assert_eq!(world.state(run).await.1.as_deref(), Some("access_revoked"));
        }
        assert_eq!(world.state(elsewhere).await.0, "queued");
    }

    async fn a_change_that_is_undone_ends_nothing(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        let unit = world.database.begin().await.unwrap();
        unit.execute(&ARCHIVE, params![world.places.allgemein]).await.unwrap();
        world.authz.changed(&unit, Touched::Space(world.places.support)).await.unwrap();
        drop(unit);
        assert_eq!(world.state(run).await.0, "queued");
    }
}
