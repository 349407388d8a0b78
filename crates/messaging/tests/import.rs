//! Taking messages over: what they keep, what they never do, and that it can be repeated.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod support;

use std::time::Duration;

use bothy_domain::ids::ThreadId;
use bothy_domain::time::Timestamp;
use bothy_platform::clock::Clock;
use bothy_storage::statements;
use bothy_testkit::both_databases;
use http::Method;
use serde_json::{Value as Json, json};
use support::{MANAGE, World, id};

statements! {
    COUNT_MENTIONS = "SELECT COUNT(*) AS n FROM mentions";
    COUNT_IMPORT_AUDITS = "SELECT COUNT(*) AS n FROM audit_events WHERE action = 'message.import' AND effect = 'allow'";
    COUNT_DENIALS = "SELECT COUNT(*) AS n FROM audit_events WHERE action = 'message.import' AND effect = 'deny'";
    COUNT_MESSAGES = "SELECT COUNT(*) AS n FROM messages";
}

fn text(time: Timestamp) -> String {
    serde_json::to_value(time).unwrap().as_str().unwrap().to_owned()
}

struct Past(Timestamp);

impl Past {
    fn of(world: &World) -> Self {
        Self(world.server.base.clock.now().minus(Duration::from_secs(1_000_000)))
    }

    fn at(&self, seconds: u64) -> String {
        text(self.0.plus(Duration::from_secs(seconds)))
    }

    fn message(&self, key: &str, content: &str) -> Json {
        json!({ "key": key, "author_name": "Former Colleague", "content_md": content, "created_at": self.at(1) })
    }
}

fn path(world: &World) -> String {
    format!("/channels/{}/import", world.general)
}

fn outcomes(answer: &Json) -> Vec<String> {
    let items = answer["items"].as_array().unwrap();
    items.iter().map(|item| item["reason"].as_str().or(item["outcome"].as_str()).unwrap().to_owned()).collect()
}

both_databases! {
    async fn messages_keep_time_author_and_thread_and_start_nothing(db: TestDb) {
        let world = World::new(&db).await;
        let past = Past::of(&world);
        let body = json!({ "messages": [
            { "key": "s:1", "author_id": world.sam, "content_md": "@lotse do it", "created_at": past.at(1), "edited_at": past.at(9),
              "revisions": [{ "content_md": "@lotse do", "replaced_at": past.at(5) }, { "content_md": "@lotse do i", "replaced_at": past.at(9) }] },
            { "key": "s:2", "author_name": "  Former Colleague ", "content_md": "by a name", "created_at": past.at(2) },
            { "key": "s:3", "parent_key": "s:1", "author_name": "Lotse", "content_md": "done", "created_at": past.at(3) },
            { "key": "s:4", "author_name": "Gone", "content_md": "", "created_at": past.at(4), "deleted_at": past.at(6) },
            { "key": "s:5", "parent_key": "s:4", "author_id": world.robin, "content_md": "under a deleted one", "created_at": past.at(5) },
        ]});
        let answer = world.server.post("robin", &path(&world), body).await.expect(201).body;
        assert_eq!(outcomes(&answer), ["taken"; 5]);
        assert!(world.hook.written.lock().unwrap().is_empty(), "nothing acts on them");
        assert_eq!(world.server.base.number(&COUNT_MENTIONS, &[]).await, 0);

        let main = world.server.walk("sam", &format!("/threads/{}/messages", world.main), 50).await;
        let seen: Vec<_> = main.iter().map(|one| (one["thread_seq"].as_i64().unwrap(), one["content_md"].as_str().unwrap())).collect();
        assert_eq!(seen, [(1, "@lotse do it"), (2, "by a name"), (3, "")]);
        assert!(main.iter().all(|one| one["origin"] == "import"));
        assert_eq!((main[0]["created_at"].as_str(), main[0]["edited_at"].as_str()), (Some(past.at(1).as_str()), Some(past.at(9).as_str())));
        assert_eq!(main[0]["author"]["handle"], "sam");
        assert!(main[0].get("imported_author").is_none());
        assert_eq!((&main[1]["imported_author"], &main[1]["author"]["handle"]), (&json!("Former Colleague"), &json!("robin")));
        assert_eq!(main[2]["deleted_at"], json!(past.at(6)));
        let reply = answer["items"][2]["message_id"].as_str().unwrap();
        let reply = world.server.get("sam", &format!("/messages/{reply}")).await.expect(200).body;
        let thread = world.server.get("sam", &format!("/threads/{}", reply["thread_id"].as_str().unwrap())).await.expect(200).body;
        assert_eq!(thread["parent_message_id"], answer["items"][0]["message_id"]);
        // A name that is also a handle is a name all the same.
        assert_eq!((&reply["imported_author"], &reply["author"]["handle"]), (&json!("Lotse"), &json!("robin")));
        let first = answer["items"][0]["message_id"].as_str().unwrap();
        let revisions = world.server.get("sam", &format!("/messages/{first}/revisions")).await.expect(200).body;
        assert_eq!(revisions["items"][0]["content_md"], "@lotse do");
        // Found like any other, but not what was deleted.
        let found = world.server.get("sam", "/search/messages?q=name").await.expect(200).body;
        assert_eq!(found["items"][0]["message"]["message_id"], answer["items"][1]["message_id"]);
        // It stays what it was.
        let edit = json!({ "content_md": "other" });
        world.server.send("robin", Method::PATCH, &format!("/messages/{first}"), Some(&edit), None).await.expect(403);
        assert_eq!(world.server.base.number(&COUNT_IMPORT_AUDITS, &[]).await, 1);
    }

    async fn a_repeated_import_takes_only_what_is_missing(db: TestDb) {
        let world = World::new(&db).await;
        let past = Past::of(&world);
        let all: Vec<Json> = (0..7).map(|number| past.message(&format!("k{number}"), &format!("text {number}"))).collect();
        let first = world.server.post("robin", &path(&world), json!({ "messages": all[..3] })).await.expect(201).body;
        let mut again = all.clone();
        let mut reply = past.message("late", "late reply");
        reply["parent_key"] = "k1".into();
        again.push(reply);
        let second = world.server.post("robin", &path(&world), json!({ "messages": again })).await.expect(201).body;
        assert_eq!(outcomes(&second), ["known", "known", "known", "taken", "taken", "taken", "taken", "taken"]);
        assert_eq!(first["items"][0]["message_id"], second["items"][0]["message_id"]);
        let third = world.server.post("robin", &path(&world), json!({ "messages": again })).await.expect(201).body;
        assert_eq!(outcomes(&third), ["known"; 8]);
        assert_eq!(world.server.base.number(&COUNT_MESSAGES, &[]).await, 8);
        assert_eq!(world.server.base.number(&COUNT_IMPORT_AUDITS, &[]).await, 2);
        // Two at once: each message is there once, and whoever was slower is told to try again.
        let more: Vec<Json> = (0..20).map(|number| past.message(&format!("m{number}"), "text")).collect();
        let body = json!({ "messages": more });
        let route = path(&world);
        let (one, two) = futures::join!(
            world.server.post("robin", &route, body.clone()),
            world.server.post("robin", &route, body.clone())
        );
        assert!([&one, &two].iter().all(|answer| [201, 409].contains(&answer.status.as_u16())), "{one:?} {two:?}");
        assert_eq!(world.server.base.number(&COUNT_MESSAGES, &[]).await, 28);
    }

    async fn c19_what_cannot_be_taken_is_named_and_the_rest_is_taken(db: TestDb) {
        let world = World::new(&db).await;
        let past = Past::of(&world);
        let with = |key: &str, member: &str, value: Json| {
            let mut message = past.message(key, "text");
            message[member] = value;
            message
        };
        let future = text(world.server.base.clock.now().plus(Duration::from_secs(1)));
        let nobody = json!("0193f1f0-1111-7000-8000-0123456789ab");
        let with_both = with("b", "author_id", json!(world.sam));
        let mut agent = with("a", "author_id", json!(world.lotse));
        agent.as_object_mut().unwrap().remove("author_name");
        let mut unknown = with("u", "author_id", nobody);
        unknown.as_object_mut().unwrap().remove("author_name");
        let mut authorless = past.message("n", "text");
        authorless.as_object_mut().unwrap().remove("author_name");
        let cases = [
            (past.message("good", "text"), "taken"),
            (past.message("good", "other"), "key_repeated"),
            (past.message("", "text"), "key_invalid"),
            (past.message(&"k".repeat(201), "text"), "key_invalid"),
            (past.message("blank", " \n"), "content_invalid"),
            (past.message("nul", "a\u{0}b"), "content_invalid"),
            (past.message("long", &"x".repeat(65_537)), "content_invalid"),
            (with("future", "created_at", json!(future)), "time_in_the_future"),
            (with("edit", "edited_at", json!(future)), "time_in_the_future"),
            (with("gone", "deleted_at", json!(past.at(2))), "content_invalid"),
            (with("parent", "parent_key", json!("nowhere")), "parent_unknown"),
            (with("reply", "parent_key", json!("good")), "taken"),
            (with("deeper", "parent_key", json!("reply")), "parent_unknown"),
            (with("ctrl", "author_name", json!(" ")), "author_unknown"),
            (with_both, "author_unknown"),
            (agent, "author_unknown"),
            (unknown, "author_unknown"),
            (authorless, "author_unknown"),
            (with("rev", "revisions", json!([{ "content_md": "", "replaced_at": past.at(2) }])), "revisions_invalid"),
            (past.message("last", "text"), "taken"),
        ];
        let messages: Vec<&Json> = cases.iter().map(|(message, _)| message).collect();
        let answer = world.server.post("robin", &path(&world), json!({ "messages": messages })).await.expect(201).body;
        assert_eq!(outcomes(&answer), cases.iter().map(|(_, outcome)| *outcome).collect::<Vec<_>>());
        assert_eq!(world.server.base.number(&COUNT_MESSAGES, &[]).await, 3);
        for (body, pointer) in [
            (json!({ "messages": [] }), "/messages"),
            (json!({ "messages": vec![past.message("x", "y"); 201] }), "/messages"),
            (json!({ "messages": [with("x", "origin", json!("human"))] }), "/messages/0/origin"),
            (json!({ "messages": [with("x", "created_at", json!("yesterday"))] }), "/messages/0/created_at"),
        ] {
            let refused = world.server.post("robin", &path(&world), body).await.expect(422).body;
            assert!(pointer.starts_with(refused["errors"][0]["pointer"].as_str().unwrap()), "{refused}");
        }
        // A later message of a person stands behind what was imported, whatever the times say.
        let said = world.say("sam", world.main, "now").await;
        assert_eq!(said.body["thread_seq"], 3);
    }

    async fn only_who_may_import_does_and_only_into_text_channels(db: TestDb) {
        let world = World::new(&db).await;
        let past = Past::of(&world);
        let body = json!({ "messages": [past.message("k", "text")] });
        world.server.post("sam", &path(&world), body.clone()).await.expect(403);
        world.server.post("lotse", &path(&world), body.clone()).await.expect(403);
        world.server.post("texter", &path(&world), body.clone()).await.expect(404);
        assert_eq!(world.server.base.number(&COUNT_DENIALS, &[]).await, 3);
        world.server.base.grant(world.sam, world.support, None, "write", MANAGE).await;
        world.server.post("sam", &path(&world), body.clone()).await.expect(201);
        world.server.post("robin", &format!("/channels/{}/import", world.forum), body.clone()).await.expect(409);
        world.server.post_empty("robin", &format!("/channels/{}/archive", world.general)).await.expect(200);
        let more = json!({ "messages": [past.message("k2", "text")] });
        world.server.post("sam", &path(&world), more).await.expect(403);
        assert_eq!(world.server.base.number(&COUNT_MESSAGES, &[]).await, 1);
    }

    async fn replies_go_on_in_a_thread_that_people_opened_and_not_into_a_closed_one(db: TestDb) {
        let world = World::new(&db).await;
        let past = Past::of(&world);
        let first = world.server.post("robin", &path(&world), json!({ "messages": [past.message("k", "text")] })).await.expect(201).body;
        let thread: ThreadId = world.open("sam", first["items"][0]["message_id"].as_str().unwrap()).await;
        world.say("sam", thread, "said here").await;
        let reply = |key: &str| {
            let mut message = past.message(key, "reply");
            message["parent_key"] = "k".into();
            json!({ "messages": [message] })
        };
        let taken = world.server.post("robin", &path(&world), reply("r1")).await.expect(201).body;
        let message = world.server.get("sam", &format!("/messages/{}", taken["items"][0]["message_id"].as_str().unwrap())).await.expect(200);
        assert_eq!((id(&message, "thread_id"), message.body["thread_seq"].as_i64()), (thread, Some(2)));
        world.server.post_empty("robin", &format!("/threads/{thread}/close")).await.expect(200);
        let refused = world.server.post("robin", &path(&world), reply("r2")).await.expect(201).body;
        assert_eq!(outcomes(&refused), ["thread_closed"]);
    }
}
