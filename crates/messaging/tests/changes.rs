//! Editing and deleting messages.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod support;

use std::sync::Arc;
use std::time::Duration;

use bothy_domain::event::EventKind;
use bothy_domain::ids::kind;
use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use http::{HeaderName, Method};
use serde_json::{Value as Json, json};
use support::{Answer, MODERATE, World, id};

statements! {
    /// Every text that a message, its earlier wordings or the index of the search hold.
    TEXTS =
        "SELECT content_md AS text FROM messages UNION ALL SELECT content_md FROM message_revisions \
         UNION ALL SELECT folded FROM search_documents UNION ALL SELECT term FROM search_terms";
    COUNT_REVISIONS = "SELECT COUNT(*) AS n FROM message_revisions";
    COUNT_MENTIONS = "SELECT COUNT(*) AS n FROM mentions WHERE principal_id = $1";
    COUNT_REACTIONS = "SELECT COUNT(*) AS n FROM reactions";
    AUDITED = "SELECT COUNT(*) AS n FROM audit_events WHERE action = 'message.delete' AND effect = 'allow'";
    ARCHIVE = "UPDATE channels SET archived_at = $2 WHERE id = $1";
    IMPORTED = "UPDATE messages SET origin = 'import' WHERE id = $1";
}

async fn edit(world: &World, who: &str, message: &str, text: &str) -> Answer {
    let path = format!("/messages/{message}");
    world.server.patch(who, &path, json!({ "content_md": text }), None).await
}

async fn delete(world: &World, who: &str, message: &str) -> Answer {
    world.server.send(who, Method::DELETE, &format!("/messages/{message}"), None, None).await
}

async fn read(world: &World, message: &str) -> Json {
    world.server.get("robin", &format!("/messages/{message}")).await.expect(200).body
}

async fn kinds(world: &World, message: &Answer) -> Vec<EventKind> {
    let events = world.server.base.events_for(world.sam).await;
    let about = id::<kind::Message>(message, "message_id");
    events.iter().filter(|event| event.message == Some(about)).map(|event| event.kind).collect()
}

both_databases! {
    async fn an_edit_keeps_what_was_said_before(db: TestDb) {
        let world = World::new(&db).await;
        let said = world.say("sam", world.main, "one").await;
        let message = said.text("message_id");
        for text in ["two", "three", "four"] {
            world.server.base.clock.advance(Duration::from_secs(1));
            let edited = edit(&world, "sam", message, text).await.expect(200);
            assert_eq!((edited.text("content_md"), edited.text("message_id")), (text, message));
            assert_eq!(edited.body["thread_seq"], said.body["thread_seq"]);
            assert_eq!(edited.body["created_at"], said.body["created_at"]);
            assert_eq!(read(&world, message).await, edited.body);
        }
        let path = format!("/messages/{message}/revisions");
        let found = world.server.get("lotse", &path).await.expect(200).body;
        let texts: Vec<_> = found["items"].as_array().unwrap().iter().map(|one| one["content_md"].clone()).collect();
        assert_eq!(texts, ["one", "two", "three"]);
        for limit in 1..=4 {
            assert_eq!(&json!(world.server.walk("lotse", &path, limit).await), &found["items"]);
        }
        // What it says already changes nothing.
        let before = read(&world, message).await;
        assert_eq!(edit(&world, "sam", message, "four").await.expect(200).body, before);
        assert_eq!(world.server.base.number(&COUNT_REVISIONS, &[]).await, 3);
        let updated = EventKind::MessageUpdated;
        assert_eq!(kinds(&world, &said).await, [EventKind::MessageCreated, updated, updated, updated]);
    }

    async fn only_the_author_edits_and_only_what_can_be_taken(db: TestDb) {
        let world = World::with(&db, |config| {
            config.message = serde_json::from_value(json!({ "max_bytes": 20, "max_revisions": 2 })).unwrap();
        }).await;
        let base = &world.server.base;
        let said = world.say("sam", world.main, "mine").await;
        let message = said.text("message_id");
        // Not even an owner puts words into somebody's mouth (C76).
        for who in ["robin", "lotse", "feed"] {
            let refused = edit(&world, who, message, "yours").await.expect(403);
            assert_eq!(refused.text("reason"), "not_self");
        }
        edit(&world, "texter", message, "yours").await.expect(404);
        for bad in [json!(""), json!(" "), json!("a\u{0}"), json!("x".repeat(21)), json!(1)] {
            let path = format!("/messages/{message}");
            let refused = world.server.patch("sam", &path, json!({ "content_md": bad }), None).await.expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], "/content_md");
        }
        edit(&world, "sam", message, "two").await.expect(200);
        edit(&world, "sam", message, "three").await.expect(200);
        edit(&world, "sam", message, "four").await.expect(409);
        // Imported words stay as they came.
        let imported = world.say("sam", world.main, "elsewhere").await;
        let unit = base.database.begin().await.unwrap();
        unit.execute(&IMPORTED, params![id::<kind::Message>(&imported, "message_id")]).await.unwrap();
        unit.commit().await.unwrap();
        edit(&world, "sam", imported.text("message_id"), "here").await.expect(409);
        // A closed thread takes no more messages, but what is in it can be set right; an archived
        // channel stays as it is.
        let fresh = world.say("sam", world.main, "parent").await;
        let thread = world.open("sam", fresh.text("message_id")).await;
        let inside = world.say("sam", thread, "inside").await;
        world.server.post_empty("sam", &format!("/threads/{thread}/close")).await.expect(200);
        edit(&world, "sam", inside.text("message_id"), "insight").await.expect(200);
        let unit = base.database.begin().await.unwrap();
        unit.execute(&ARCHIVE, params![world.general, 1_i64]).await.unwrap();
        unit.commit().await.unwrap();
        let refused = edit(&world, "sam", inside.text("message_id"), "again").await.expect(403);
        assert_eq!(refused.text("reason"), "archived");
        assert_eq!(delete(&world, "sam", inside.text("message_id")).await.expect(403).text("reason"), "archived");
    }

    // c76: an edit starts nothing, whatever it mentions.
    async fn c76_an_edit_triggers_nobody_and_mentions_anew(db: TestDb) {
        let world = World::new(&db).await;
        let base = &world.server.base;
        let said = world.say("sam", world.main, "@robin look").await;
        let message = said.text("message_id");
        assert_eq!(world.hook.written.lock().unwrap().len(), 1);
        edit(&world, "sam", message, "@lotse look, @texter").await.expect(200);
        edit(&world, "sam", message, "@lotse look, please").await.expect(200);
        assert_eq!(world.hook.written.lock().unwrap().len(), 1, "no hook acts on an edit");
        assert_eq!(base.number(&COUNT_MENTIONS, params![world.robin]).await, 0);
        assert_eq!(base.number(&COUNT_MENTIONS, params![world.lotse]).await, 1);
        // Texter may not read here (C64).
        assert_eq!(base.number(&COUNT_MENTIONS, params![world.texter]).await, 0);
        assert_eq!(world.server.walk("robin", "/me/mentions", 5).await.len(), 0);
        let mine = world.server.walk("lotse", "/me/mentions", 5).await;
        assert_eq!((mine.len(), &mine[0]["message_id"]), (1, &said.body["message_id"]));
    }

    async fn a_deletion_leaves_a_tombstone(db: TestDb) {
        let world = World::new(&db).await;
        let base = &world.server.base;
        let key = json!({ "content_md": "Zauberwort eins @lotse", "client_message_id": "c-1" });
        let messages = format!("/threads/{}/messages", world.main);
        let said = world.server.post("sam", &messages, key.clone()).await.expect(201);
        let message = said.text("message_id");
        edit(&world, "sam", message, "Zauberwort zwei @lotse").await.expect(200);
        let reply = json!({ "content_md": "yes", "reply_to_message_id": message });
        let reply = world.server.post("lotse", &messages, reply).await.expect(201);
        let thumb = format!("/messages/{message}/reactions/%F0%9F%91%8D");
        world.server.send("lotse", Method::PUT, &thumb, None, None).await.expect(200);

        delete(&world, "sam", message).await.expect(204);
        let tomb = read(&world, message).await;
        assert_eq!((&tomb["content_md"], &tomb["thread_seq"]), (&json!(""), &json!(1)));
        assert!(tomb["deleted_at"].is_string() && tomb.get("reactions").is_none());
        let texts = base.database.reader().await.unwrap().all(&TEXTS, &[]).await.unwrap();
        for row in texts {
            let text: String = row.get("text").unwrap();
            assert!(!text.to_lowercase().contains("zauberwort"), "{text}");
        }
        assert_eq!(base.number(&COUNT_REVISIONS, &[]).await, 0);
        assert_eq!(base.number(&COUNT_REACTIONS, &[]).await, 0);
        assert_eq!(base.number(&COUNT_MENTIONS, params![world.lotse]).await, 0);
        assert!(world.server.walk("lotse", "/me/mentions", 5).await.is_empty());
        assert!(world.server.walk("lotse", &format!("/messages/{message}/revisions"), 5).await.is_empty());
        // A reply still names what it answers, and what is left of that can be read.
        let answer = read(&world, reply.text("message_id")).await;
        assert_eq!(answer["reply_to_message_id"], said.body["message_id"]);
        // The list keeps the place, without a gap.
        let listed = world.server.walk("lotse", &messages, 5).await;
        assert_eq!(listed.iter().map(|one| one["thread_seq"].as_i64().unwrap()).collect::<Vec<_>>(), [1, 2]);
        // Nobody may go on with it, and c104: a repeated request never brings the text back.
        edit(&world, "sam", message, "three").await.expect(409);
        world.server.send("lotse", Method::PUT, &thumb, None, None).await.expect(409);
        assert_eq!(world.server.post("sam", &messages, key).await.expect(201).text("content_md"), "");

        // Again: no change, no event, no second call of the hook.
        delete(&world, "sam", message).await.expect(204);
        assert_eq!(world.hook.deleted.lock().unwrap().len(), 1);
        let (created, updated) = (EventKind::MessageCreated, EventKind::MessageUpdated);
        let (reacted, deleted) = (EventKind::MessageReactionsUpdated, EventKind::MessageDeleted);
        assert_eq!(kinds(&world, &said).await, [created, updated, reacted, deleted]);
        // Who takes back their own words is not audited.
        assert_eq!(base.number(&AUDITED, &[]).await, 0);
    }

    async fn c104_a_kept_answer_goes_with_its_message(db: TestDb) {
        let world = World::new(&db).await;
        let path = format!("/threads/{}/messages", world.main);
        let body = json!({ "content_md": "once" });
        let keyed = async || {
            world.server.send_with("sam", Method::POST, &path, Some(&body), &[(HeaderName::from_static("idempotency-key"), "k-1")]).await
        };
        let first = keyed().await.expect(201);
        assert_eq!(keyed().await.expect(201).body, first.body);
        delete(&world, "sam", first.text("message_id")).await.expect(204);
        let gone = keyed().await.expect(404);
        assert_eq!(gone.text("code"), "not_found");
    }

    async fn a_moderator_deletes_what_others_wrote_and_that_is_recorded(db: TestDb) {
        let world = World::new(&db).await;
        let base = &world.server.base;
        let said = world.say("lotse", world.main, "too much").await;
        let message = said.text("message_id");
        assert_eq!(delete(&world, "sam", message).await.expect(403).text("reason"), "capability_missing");
        delete(&world, "texter", message).await.expect(404);
        base.grant(world.sam, world.support, None, "read", MODERATE).await;
        delete(&world, "sam", message).await.expect(204);
        assert_eq!(base.number(&AUDITED, &[]).await, 1);
        delete(&world, "sam", message).await.expect(204);
        assert_eq!(base.number(&AUDITED, &[]).await, 1);

        // Lines of the server tell what happened; they stay.
        let parent = world.say("sam", world.main, "parent").await;
        let thread = world.open("sam", parent.text("message_id")).await;
        world.server.post_empty("sam", &format!("/threads/{thread}/close")).await.expect(200);
        let line = world.server.walk("sam", &format!("/threads/{thread}/messages"), 5).await;
        let line = line[0]["message_id"].as_str().unwrap().to_owned();
        delete(&world, "sam", &line).await.expect(409);
        edit(&world, "sam", &line, "text").await.expect(409);
    }

    async fn a_failing_hook_undoes_the_deletion(db: TestDb) {
        let world = World::new(&db).await;
        let said = world.say("sam", world.main, "stays").await;
        *world.hook.fail.lock().unwrap() = true;
        delete(&world, "sam", said.text("message_id")).await.expect(503);
        *world.hook.fail.lock().unwrap() = false;
        assert_eq!(read(&world, said.text("message_id")).await["content_md"], "stays");
        assert_eq!(kinds(&world, &said).await, [EventKind::MessageCreated]);
    }

    // c81: what is told of a change is ids, and only to those who may read the message now.
    async fn c81_changes_are_told_by_ids_to_those_who_may_read(db: TestDb) {
        let world = World::new(&db).await;
        let base = &world.server.base;
        let said = world.say("sam", world.main, "secret").await;
        edit(&world, "sam", said.text("message_id"), "more secret").await.expect(200);
        delete(&world, "sam", said.text("message_id")).await.expect(204);
        for who in [world.sam, world.lotse, world.robin] {
            let told = base.events_for(who).await;
            let told: Vec<_> = told.iter().filter(|event| event.message.is_some()).collect();
            assert_eq!(told.len(), 3);
            assert!(told.iter().all(|event| event.channel == Some(world.general) && event.thread == Some(world.main)));
        }
        // Texter may not read here; who came later is not told of anything else than ids either.
        assert!(base.events_for(world.texter).await.iter().all(|event| event.message.is_none()));
    }

    async fn edits_and_deletions_cross_without_harm(db: TestDb) {
        let world = Arc::new(World::new(&db).await);
        for round in 0..10 {
            let said = world.say("sam", world.main, "start").await;
            let message = said.text("message_id").to_owned();
            let edits = (0..4).map(|number| {
                let (world, message) = (Arc::clone(&world), message.clone());
                tokio::spawn(async move { edit(&world, "sam", &message, &format!("{round} {number}")).await.status })
            });
            let edits: Vec<_> = edits.collect();
            let deleted = {
                let (world, message) = (Arc::clone(&world), message.clone());
                tokio::spawn(async move { delete(&world, "sam", &message).await.status })
            };
            for edited in edits {
                assert!([200, 409].contains(&edited.await.unwrap().as_u16()));
            }
            assert_eq!(deleted.await.unwrap().as_u16(), 204);
            assert_eq!(read(&world, &message).await["content_md"], "");
        }
        assert_eq!(world.server.base.number(&COUNT_REVISIONS, &[]).await, 0);
    }
}
