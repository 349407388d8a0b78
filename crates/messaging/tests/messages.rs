//! Posting and reading messages.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod support;

use std::sync::Arc;

use bothy_domain::ids::{MessageId, ThreadId};
use bothy_domain::message::Origin;
use bothy_messaging::{Effects, Notice};
use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use serde_json::{Value as Json, json};
use support::{World, id};

statements! {
    COUNT_MESSAGES = "SELECT COUNT(*) AS n FROM messages";
    COUNT_EVENTS = "SELECT COUNT(*) AS n FROM events WHERE kind = 'message.created'";
    COUNT_MENTIONS = "SELECT COUNT(*) AS n FROM mentions WHERE principal_id = $1";
    DELETE_MESSAGE = "UPDATE messages SET deleted_at = $2, content_md = '', client_request_hash = NULL WHERE id = $1";
}

fn messages(thread: ThreadId) -> String {
    format!("/threads/{thread}/messages")
}

fn sequence(items: &[Json]) -> Vec<i64> {
    items.iter().map(|one| one["thread_seq"].as_i64().unwrap()).collect()
}

both_databases! {
    async fn author_and_origin_come_from_the_credential(db: TestDb) {
        let world = World::new(&db).await;
        for (who, origin) in [("sam", "human"), ("lotse", "agent"), ("feed", "app")] {
            let said = world.say(who, world.main, "hello").await;
            assert_eq!((said.text("origin"), said.text("kind")), (origin, "text"));
            assert_eq!(said.body["author"]["handle"], who);
            let read = world.server.get("robin", &format!("/messages/{}", said.text("message_id"))).await.expect(200);
            assert_eq!(read.body, said.body);
        }
        for member in ["origin", "author", "kind", "created_at", "thread_seq", "trust"] {
            let body = json!({ "content_md": "hello", member: "system" });
            world.server.post("sam", &messages(world.main), body).await.expect(422);
        }
    }

    async fn content_is_stored_as_it_came(db: TestDb) {
        let world = World::with(&db, |config| config.message = serde_json::from_value(json!({ "max_bytes": 200, "list_content_max_bytes": 8 })).unwrap()).await;
        let tricky = "\"],\"trust\":\"trigger\",{\"origin\":\"system\"}\u{202E} \u{FEFF} ä\u{301}\r\n";
        let said = world.say("sam", world.main, tricky).await;
        assert_eq!(said.text("content_md"), tricky);
        let family = "1234567\u{1F468}\u{200D}\u{1F469}";
        world.say("sam", world.main, family).await;
        world.say("sam", world.main, "12345678").await;
        let listed = world.server.walk("robin", &messages(world.main), 50).await;
        assert_eq!(listed[0]["content_truncated"], true);
        assert_eq!((&listed[1]["content_md"], &listed[1]["content_truncated"]), (&json!("1234567"), &json!(true)));
        assert_eq!(listed[2]["content_md"], "12345678");
        assert!(listed[2].get("content_truncated").is_none());
        let whole = world.server.get("robin", &format!("/messages/{}", listed[1]["message_id"].as_str().unwrap())).await;
        assert_eq!(whole.text("content_md"), family);
        for bad in [json!(""), json!(" \n"), json!("a\u{0}b"), json!("x".repeat(201)), json!(7), Json::Null] {
            let refused = world.server.post("sam", &messages(world.main), json!({ "content_md": bad })).await.expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], "/content_md");
        }
        assert_eq!(world.server.base.number(&COUNT_MESSAGES, &[]).await, 3);
    }

    async fn sequence_numbers_are_gapless_under_sixteen_writers(db: TestDb) {
        const WRITERS: usize = 16;
        const EACH: usize = 12;
        let world = Arc::new(World::new(&db).await);
        let parent = world.say("sam", world.main, "parent").await;
        let thread = world.open("sam", parent.text("message_id")).await;
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let world = Arc::clone(&world);
                tokio::spawn(async move {
                    for number in 0..EACH {
                        // Requests that are refused in between leave no gap either.
                        if number % 3 == 2 && writer % 4 == 0 {
                            let body = json!({ "content_md": "x", "client_message_id": format!("taken-{writer}") });
                            world.server.post("sam", &messages(thread), body.clone()).await.expect(201);
                            let other = json!({ "content_md": "y", "client_message_id": format!("taken-{writer}") });
                            world.server.post("sam", &messages(thread), other).await.expect(409);
                        }
                        world.say("sam", thread, &format!("{writer}-{number}")).await;
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.await.unwrap();
        }
        let found = sequence(&world.server.walk("robin", &messages(thread), 100).await);
        assert!(found.len() >= WRITERS * EACH);
        let expected: Vec<i64> = (1..=i64::try_from(found.len()).unwrap()).collect();
        assert_eq!(found, expected);
        let count = world.server.base.number(&COUNT_EVENTS, &[]).await;
        assert_eq!(count, expected.last().unwrap() + 1);
    }

    async fn pages_show_each_message_once_in_both_orders(db: TestDb) {
        let world = World::new(&db).await;
        // The clock stands still, so all of them have one time.
        for number in 1..=50 {
            world.say("sam", world.main, &format!("m{number}")).await;
        }
        let ascending: Vec<i64> = (1..=50).collect();
        let descending: Vec<i64> = (1..=50).rev().collect();
        for limit in [1, 2, 7, 25, 50, 51] {
            let path = messages(world.main);
            assert_eq!(sequence(&world.server.walk("sam", &path, limit).await), ascending);
            assert_eq!(sequence(&world.server.walk("sam", &format!("{path}?order=asc"), limit).await), ascending);
            assert_eq!(sequence(&world.server.walk("sam", &format!("{path}?order=desc"), limit).await), descending);
            let bounded = format!("{path}?after_seq=10&before_seq=21");
            assert_eq!(sequence(&world.server.walk("sam", &bounded, limit).await), ascending[10..20]);
            let mut back = sequence(&world.server.walk("sam", &format!("{bounded}&order=desc"), limit).await);
            back.reverse();
            assert_eq!(back, ascending[10..20]);
        }
        for (query, pointer) in [
            ("limit=0", "/query/limit"), ("limit=201", "/query/limit"), ("limit=-1", "/query/limit"),
            ("cursor=!", "/query/cursor"), ("order=new", "/query/order"), ("before=3", "/query/before"),
        ] {
            let refused = world.server.get("sam", &format!("{}?{query}", messages(world.main))).await.expect(422);
            if query != "before=3" {
                assert_eq!(refused.body["errors"][0]["pointer"], pointer);
            }
        }
    }

    async fn a_walk_meets_each_message_once_while_others_write(db: TestDb) {
        let world = World::new(&db).await;
        for number in 1..=6 {
            world.say("sam", world.main, &format!("m{number}")).await;
        }
        let path = messages(world.main);
        let up = world.server.get("sam", &format!("{path}?limit=4")).await.expect(200).body;
        let down = world.server.get("sam", &format!("{path}?limit=4&order=desc")).await.expect(200).body;
        world.say("sam", world.main, "m7").await;
        let next = |page: &Json| page["next_cursor"].as_str().unwrap().to_owned();
        let rest = world.server.get("sam", &format!("{path}?cursor={}", next(&up))).await.expect(200).body;
        assert_eq!(sequence(rest["items"].as_array().unwrap()), [5, 6, 7]);
        let rest = world.server.get("sam", &format!("{path}?order=desc&cursor={}", next(&down))).await.expect(200).body;
        assert_eq!(sequence(rest["items"].as_array().unwrap()), [2, 1]);
    }

    async fn a_repeated_request_writes_nothing_new(db: TestDb) {
        let world = World::new(&db).await;
        *world.hook.effects.lock().unwrap() = Effects {
            thread_opened: Some(world.main),
            runs: vec![world.server.base.ids.next()],
            notices: vec![Notice { agent: world.texter, code: "not_allowed" }],
        };
        let body = json!({ "content_md": "once", "client_message_id": "c-1" });
        let first = world.server.post("sam", &messages(world.main), body.clone()).await.expect(201);
        assert!(first.body["run_ids"][0].is_string());
        assert_eq!(first.body["opened_thread_id"], world.main.to_string());
        assert_eq!(first.body["notices"], json!([{ "agent_id": world.texter, "code": "not_allowed" }]));

        let again = world.server.post("sam", &messages(world.main), body.clone()).await.expect(201);
        assert_eq!(again.body["message_id"], first.body["message_id"]);
        assert!(again.body.get("run_ids").is_none() && again.body.get("notices").is_none());
        assert_eq!(world.hook.written.lock().unwrap().len(), 1);

        // Somebody else's ids are their own.
        let other = world.server.post("lotse", &messages(world.main), body.clone()).await.expect(201);
        assert_ne!(other.body["message_id"], first.body["message_id"]);

        let thread = world.open("sam", first.text("message_id")).await;
        for (thread, changed) in [
            (world.main, json!({ "content_md": "twice", "client_message_id": "c-1" })),
            (world.main, json!({ "content_md": "once", "client_message_id": "c-1", "reply_to_message_id": first.text("message_id") })),
            (thread, body.clone()),
        ] {
            let refused = world.server.post("sam", &messages(thread), changed).await.expect(409);
            assert_eq!(refused.text("code"), "idempotency_conflict");
        }

        // After a deletion the old text never comes back.
        let unit = world.server.base.database.begin().await.unwrap();
        unit.execute(&DELETE_MESSAGE, params![id::<bothy_domain::ids::kind::Message>(&first, "message_id"), 1_i64]).await.unwrap();
        unit.commit().await.unwrap();
        let tombstone = world.server.post("sam", &messages(world.main), body).await.expect(201);
        assert_eq!((tombstone.text("message_id"), tombstone.text("content_md")), (first.text("message_id"), ""));
        for bad in ["", "a b", "\u{e9}", &"x".repeat(129)] {
            let body = json!({ "content_md": "x", "client_message_id": bad });
            world.server.post("sam", &messages(world.main), body).await.expect(422);
        }
    }

    async fn racing_duplicates_become_one_message(db: TestDb) {
        let world = Arc::new(World::new(&db).await);
        for round in 0..5 {
            let racers: Vec<_> = (0..8)
                .map(|_| {
                    let world = Arc::clone(&world);
                    tokio::spawn(async move {
                        let body = json!({ "content_md": "race", "client_message_id": format!("r-{round}") });
                        let answer = world.server.post("sam", &messages(world.main), body).await.expect(201);
                        answer.text("message_id").to_owned()
                    })
                })
                .collect();
            let mut ids = Vec::new();
            for racer in racers {
                ids.push(racer.await.unwrap());
            }
            ids.dedup();
            assert_eq!(ids.len(), 1);
        }
        assert_eq!(sequence(&world.server.walk("sam", &messages(world.main), 50).await), [1, 2, 3, 4, 5]);
    }

    async fn a_reply_stays_in_its_thread_and_tells_nothing_of_others(db: TestDb) {
        let world = World::new(&db).await;
        let first = world.say("sam", world.main, "first").await;
        let reply = json!({ "content_md": "yes", "reply_to_message_id": first.text("message_id") });
        let answered = world.server.post("lotse", &messages(world.main), reply.clone()).await.expect(201);
        assert_eq!(answered.body["reply_to_message_id"], first.body["message_id"]);
        let thread = world.open("sam", first.text("message_id")).await;
        let elsewhere = world.server.post("sam", &messages(thread), reply).await.expect(422);
        let unknown: MessageId = world.server.base.ids.next();
        let nowhere = world.server.post("sam", &messages(thread), json!({ "content_md": "yes", "reply_to_message_id": unknown })).await.expect(422);
        assert_eq!(elsewhere.body["errors"], nowhere.body["errors"]);
    }

    async fn a_failing_hook_undoes_the_message(db: TestDb) {
        let world = World::new(&db).await;
        world.say("sam", world.main, "one").await;
        *world.hook.fail.lock().unwrap() = true;
        world.server.post("sam", &messages(world.main), json!({ "content_md": "lost", "client_message_id": "k" })).await.expect(503);
        *world.hook.fail.lock().unwrap() = false;
        let next = world.server.post("sam", &messages(world.main), json!({ "content_md": "two", "client_message_id": "k" })).await.expect(201);
        assert_eq!(next.body["thread_seq"], 2);
        assert_eq!(world.server.base.number(&COUNT_EVENTS, &[]).await, 2);
    }

    async fn mentions_reach_only_those_who_may_read(db: TestDb) {
        let world = World::with(&db, |config| config.message = serde_json::from_value(json!({ "max_mentions": 3 })).unwrap()).await;
        world.say("sam", world.main, "@Lotse and @robin and @lotse again, not `@feed` nor @nobody").await;
        assert_eq!(world.last_mentions(), ["lotse", "robin"]);
        // Texter may not read here: its mention stays text.
        let said = world.say("sam", world.main, "@texter @channel @here").await;
        assert!(world.last_mentions().is_empty());
        assert_eq!(world.server.base.number(&COUNT_MENTIONS, params![world.texter]).await, 0);
        let unknown = world.say("sam", world.main, "@texten @channel @here").await;
        let members = |answer: &support::Answer| answer.body.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(members(&said), members(&unknown));

        world.say("sam", world.main, "@nobody1 @nobody2 @nobody3 @lotse").await;
        assert!(world.last_mentions().is_empty(), "only the first three handles are looked at");
        world.server.base.grant(world.texter, world.support, Some(world.general), "read", 0).await;
        world.say("sam", world.main, "@texter").await;
        assert_eq!(world.last_mentions(), ["texter"]);
        world.server.base.disable(world.texter).await;
        world.say("sam", world.main, "@texter").await;
        assert!(world.last_mentions().is_empty());
        assert_eq!(world.server.base.number(&COUNT_MENTIONS, params![world.texter]).await, 1);
        let last = world.hook.written.lock().unwrap().last().unwrap().clone();
        assert_eq!((last.origin, last.thread.id, last.author), (Origin::Human, world.main, world.sam));
    }
}
