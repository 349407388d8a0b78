//! What a run is stopped at because of the person whom it works for is told to that person (AF-23).

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
use serde_json::{Value, json};
use support::World;
use uuid::Uuid;

statements! {
    PUT_AWAY = "DELETE FROM notices WHERE principal_id = $1";
}

/// The codes of somebody's notices, oldest first, after the duty of the node was done.
async fn told(world: &World, who: &str) -> Vec<String> {
    world.runs.tell_what_was_stopped().await.unwrap();
    let items = world.get(who, "/me/notices").await.expect(200).body["items"].as_array().unwrap().clone();
    items.iter().rev().map(|one| one["code"].as_str().unwrap().to_owned()).collect()
}

both_databases! {
    async fn af23_the_person_is_told_once_a_class_and_nobody_else_is(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("sam", world.places.thread, "@lotse look around").await;
        let token = world.start("lotse", run).await;
        let elsewhere = world.thread(world.places.eskalation, None).await;
        let hidden = world.say("alex", elsewhere, "a hidden word").await;
        let read = async |path: String| world.bound("lotse", "GET", &path, &token, None).await.expect(404);
        for _ in 0..3 {
            read(format!("/channels/{}", world.places.eskalation)).await;
            read(format!("/messages/{}", hidden.id)).await;
        }
        assert_eq!(told(&world, "sam").await, ["stopped_reading"]);
        let message = || Some(json!({ "content_md": "there" }));
        let path = format!("/threads/{elsewhere}/messages");
        world.bound("lotse", "POST", &path, &token, message()).await.expect(404);
        world.bound("lotse", "POST", &path, &token, message()).await.expect(404);
        assert_eq!(told(&world, "sam").await, ["stopped_reading", "stopped_writing"]);
        for other in ["alex", "robin", "writer"] {
            assert!(told(&world, other).await.is_empty(), "{other}");
        }
        let notices = world.get("sam", "/me/notices").await.expect(200).body;
        for one in notices["items"].as_array().unwrap() {
            assert_eq!((&one["run_id"], &one["thread_id"]), (&json!(run), &json!(world.places.thread)));
            assert_eq!(one["agent_id"], json!(world.id("lotse")));
        }
        for trace in [world.places.eskalation.to_string(), elsewhere.to_string(), hidden.id.to_string()] {
            assert!(!notices.to_string().contains(&trace), "{notices}");
        }
        // What was put away does not come back.
        world.execute(&PUT_AWAY, params![world.id("sam")]).await;
        read(format!("/channels/{}", world.places.eskalation)).await;
        assert!(told(&world, "sam").await.is_empty());
    }

    async fn af23_what_the_agent_may_not_do_either_is_not_told(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("sam", world.places.thread, "@lotse look around").await;
        let token = world.start("lotse", run).await;
        for path in [
            format!("/channels/{}", Uuid::from_u128(7)),
            format!("/channels/{}", world.places.kampagne),
            format!("/spaces/{}", world.places.marketing),
        ] {
            world.bound("lotse", "GET", &path, &token, None).await.expect(404);
            // Nor is what is refused without a run.
            let unbound: Value = world.get("lotse", &path).await.expect(404).body;
            assert_eq!(unbound["code"], "not_found");
        }
        world.get("lotse", &format!("/channels/{}", world.places.eskalation)).await.expect(200);
        assert!(told(&world, "sam").await.is_empty());
    }

    async fn af23_the_end_of_rights_is_told_to_whom_may_read_on(db: TestDb) {
        let mut world = World::new(&db).await;
        let (support, thread) = (world.places.support, world.places.thread);
        world.grant("alex-read", "alex", support, None, "read").await;
        let run = world.ask("alex", thread, "@lotse look around").await;
        world.start("lotse", run).await;
        world.revoke("G-1", "alex").await;
        assert_eq!(told(&world, "alex").await, ["run_access_revoked"]);
    }

    async fn af23_whoever_may_not_read_the_thread_any_more_is_told_nothing(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("sam", world.places.thread, "@lotse look around").await;
        let token = world.start("lotse", run).await;
        world.bound("lotse", "GET", &format!("/channels/{}", world.places.eskalation), &token, None).await.expect(404);
        assert_eq!(told(&world, "sam").await, ["stopped_reading"]);
        world.revoke("sam", "sam").await;
        assert!(told(&world, "sam").await.is_empty());
    }
}
