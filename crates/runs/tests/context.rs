//! The context of a run with origin and trust (chapter 07), through the real chain.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use bothy_domain::ids::{MessageId, RunId, ThreadId};
use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use serde_json::{Value, json};
use support::World;

statements! {
    LIMIT = "UPDATE channels SET history_backfill_limit = $2 WHERE id = $1";
    ORIGIN = "UPDATE messages SET origin = $2 WHERE id = $1";
    SYSTEM = "UPDATE messages SET origin = 'system', kind = 'system', system_code = 'thread.reopened' WHERE id = $1";
    DELETE = "UPDATE messages SET content_md = '', deleted_at = 1 WHERE id = $1";
    EDIT = "UPDATE messages SET content_md = $2, edited_at = 1 WHERE id = $1";
    MOVE = "UPDATE threads SET channel_id = $2 WHERE id = $1";
    AUDITS = "SELECT COUNT(*) AS n FROM audit_events WHERE action = 'run.context.read'";
}

fn marks(elements: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let elements = elements.as_array().unwrap();
    elements.iter().map(|one| (text(&one["content_md"]), text(&one["role"]), text(&one["trust"]))).collect()
}

fn contents(elements: &Value) -> Vec<String> {
    marks(elements).into_iter().map(|(content, _, _)| content).collect()
}

async fn reader_count(world: &World) -> i64 {
    let reader = world.database.reader().await.unwrap();
    reader.one(&AUDITS, params![]).await.unwrap().get("n").unwrap()
}

both_databases! {
    async fn every_author_has_the_trust_of_this_moment(db: TestDb) {
        let mut world = World::new(&db).await;
        let (support, thread) = (world.places.support, world.places.thread);
        world.grant("robin", "robin", support, None, "write").await;
        world.say("lotse", thread, "own").await;
        world.say("writer", thread, "write only").await;
        world.say("texter", thread, "other agent").await;
        world.say("feed", thread, "app").await;
        let import = world.say("writer", thread, "import of Alex").await;
        world.execute(&ORIGIN, params![import.id, "import"]).await;
        let asked = world.ask("sam", thread, "from Sam").await;
        world.post_empty("sam", &format!("/runs/{asked}/cancel")).await.expect(200);
        let asked = world.ask("robin", thread, "from the owner").await;
        world.runs.expire().await.unwrap();
        world.clock.advance(std::time::Duration::from_secs(901));
        world.runs.expire().await.unwrap();
        assert_eq!(world.state(asked).await.0, "failed");
        let said = world.say("alex", thread, "the request").await;
        let context = world.context(said.run()).await;
        let expected = [
            ("own", "assistant", "self"),
            ("write only", "user", "unverified"),
            ("other agent", "other", "unverified"),
            ("app", "other", "unverified"),
            ("import of Alex", "other", "unverified"),
            ("from Sam", "user", "authorized"),
            ("from the owner", "user", "authorized"),
        ]
        .map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()));
        assert_eq!(marks(&context["thread_context"]), expected);
        let trigger = &context["trigger_message"];
        assert_eq!((&trigger["trust"], &trigger["role"], &trigger["content_md"]), (&json!("trigger"), &json!("user"), &json!("the request")));
        for element in context["thread_context"].as_array().unwrap() {
            assert_eq!(element["channel_id"], json!(world.places.allgemein));
            assert_eq!(element["attachments"], json!([]));
            let author = element["author"].as_object().unwrap();
            let mut members: Vec<_> = author.keys().map(String::as_str).collect();
            members.sort_unstable();
            assert_eq!(members, ["display_name", "handle", "id", "kind"]);
        }
        // Sam loses the right: the same message, another trust, without a new message.
        world.revoke("sam", "sam").await;
        let again = world.context(said.run()).await;
        assert_eq!(again["thread_context"][5]["trust"], json!("unverified"));
        assert_eq!(reader_count(&world).await, 0);
    }

    async fn a_line_of_the_server_stays_one(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let line = world.say("writer", thread, "reopened").await;
        world.execute(&SYSTEM, params![line.id]).await;
        let run = world.ask("alex", thread, "hello").await;
        let context = world.context(run).await;
        assert_eq!(marks(&context["thread_context"])[0].1, "other");
        assert_eq!(context["thread_context"][0]["trust"], json!("system"));
    }

    async fn the_request_is_never_cut_and_the_rest_is_from_old_to_new(db: TestDb) {
        let world = World::with(&db, |settings| {
            settings.context_message_max_bytes = 10;
            settings.context_max_bytes = 25;
        })
        .await;
        let thread = world.places.thread;
        for text in ["1234567890", "äöüäöüäöü", "short", "abcdefghij"] {
            world.say("writer", thread, text).await;
        }
        let long = "x".repeat(500);
        let run = world.ask("alex", thread, &long).await;
        let context = world.context(run).await;
        assert_eq!(context["trigger_message"]["content_md"], json!(long));
        assert!(context["trigger_message"].get("truncated").is_none());
        // 10 + 5 + 10 fit; the oldest does not.
        assert_eq!(contents(&context["thread_context"]), ["äöüäö", "short", "abcdefghij"]);
        let cut = &context["thread_context"][0];
        assert_eq!((&cut["truncated"], &cut["original_bytes"]), (&json!(true), &json!(18)));
        assert_eq!(context["truncated_before_seq"], json!(2));
    }

    async fn the_backfill_limit_counts_what_can_be_selected(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let mut said = Vec::new();
        for number in 0..6 {
            said.push(world.say("writer", thread, &format!("m{number}")).await.id);
        }
        world.execute(&DELETE, params![said[4]]).await;
        world.execute(&LIMIT, params![world.places.allgemein, 3_i64]).await;
        let run = world.ask("alex", thread, "hello").await;
        let context = world.context(run).await;
        assert_eq!(contents(&context["thread_context"]), ["m2", "m3", "m5"]);
        assert_eq!(context["truncated_before_seq"], json!(3));
        world.execute(&LIMIT, params![world.places.allgemein, 0_i64]).await;
        let context = world.context(run).await;
        assert_eq!((&context["thread_context"], &context["truncated_before_seq"]), (&json!([]), &json!(7)));
        world.execute(&LIMIT, params![world.places.allgemein, 5_i64]).await;
        assert!(world.context(run).await.get("truncated_before_seq").is_none());
    }

    async fn a_session_that_goes_on_knows_what_it_knows(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        world.say("writer", thread, "before").await;
        let first = world.ask("alex", thread, "first").await;
        world.start("lotse", first).await;
        let follow_up = world.say("alex", thread, "and this").await;
        world.say("lotse", thread, "answer").await;
        let body = json!({ "absorbed_message_ids": [follow_up.id] });
        world.patch("lotse", &format!("/runs/{first}"), body).await.expect(200);
        world.post("lotse", &format!("/runs/{first}/session"), json!({ "reference": "s" })).await.expect(200);
        world.finish("lotse", first).await;
        world.say("writer", thread, "between").await;
        let second = world.ask("alex", thread, "second").await;
        let context = world.context(second).await;
        assert_eq!(context["context_floor_seq"], json!(2));
        assert_eq!(contents(&context["thread_context"]), ["and this", "between"]);
        assert_eq!(context["thread_context"][0]["already_delivered"], json!(true));
        assert!(context["thread_context"][1].get("already_delivered").is_none());
        assert!(context.get("channel_context").is_none());
    }

    async fn a_guest_sees_everything_and_its_own_words(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        for round in 0..2 {
            let run = world.ask("sam", thread, "@texter hello").await;
            world.start("texter", run).await;
            world.say("texter", thread, "hi").await;
            let context = world.get("texter", &format!("/runs/{run}/context")).await.expect(200).body;
            assert_eq!(context["context_floor_seq"], json!(0));
            let own = marks(&context["thread_context"]).into_iter().filter(|mark| mark.2 == "self").count();
            assert_eq!(own, round);
            world.finish("texter", run).await;
        }
    }

    async fn an_auto_thread_begins_with_what_was_around_its_parent(db: TestDb) {
        let world = World::new(&db).await;
        let main = world.places.main;
        world.say("writer", main, "earlier").await;
        let said = world.say("alex", main, "@lotse look").await;
        world.say("writer", main, "later").await;
        let thread: ThreadId = said.answer["opened_thread_id"].as_str().unwrap().parse().unwrap();
        let context = world.context(said.run()).await;
        assert_eq!(context["trigger_message"]["message_id"], json!(said.id));
        assert_eq!(context["thread_context"], json!([]));
        assert_eq!(contents(&context["channel_context"]), ["earlier"]);
        assert!(context.get("parent_message").is_none());

        let first = said.run();
        world.start("lotse", first).await;
        world.post("lotse", &format!("/runs/{first}/session"), json!({ "reference": "s" })).await.expect(200);
        world.say("lotse", thread, "looked").await;
        world.finish("lotse", first).await;
        world.say("writer", thread, "in the thread").await;
        let second = world.ask("alex", thread, "and now").await;
        let context = world.context(second).await;
        // The trigger before lies in the main thread: it is no floor here.
        assert_eq!(context["context_floor_seq"], json!(0));
        assert_eq!(contents(&context["thread_context"]), ["in the thread"]);
        assert!(context.get("channel_context").is_none());
    }

    async fn the_parent_message_is_an_element_of_its_own(db: TestDb) {
        let world = World::with(&db, |settings| settings.context_max_bytes = 40).await;
        let main = world.places.main;
        world.say("writer", main, "earlier").await;
        let parent = world.say("writer", main, "what the thread is about").await;
        let thread = world.thread(world.places.allgemein, Some(parent.id)).await;
        let run = world.ask("alex", thread, "hello").await;
        let context = world.context(run).await;
        assert_eq!(context["parent_message"]["message_id"], json!(parent.id));
        assert_eq!(context["parent_message"]["trust"], json!("unverified"));
        assert_eq!(contents(&context["channel_context"]), ["earlier"]);

        // Alone too large: left out, and the answer says so.
        let big: String = "y".repeat(41);
        world.execute(&EDIT, params![parent.id, big]).await;
        let context = world.context(run).await;
        assert!(context.get("parent_message").is_none());
        assert_eq!(context["parent_message_dropped"], json!(true));
        assert_eq!(contents(&context["channel_context"]), ["earlier"]);

        // Moved: nothing of the channel that the thread came from.
        world.execute(&MOVE, params![thread, world.places.eskalation]).await;
        let context = world.context(run).await;
        assert!(context.get("channel_context").is_none() && context.get("parent_message").is_none());
        assert!(context.get("parent_message_dropped").is_none());
        assert!(!context.to_string().contains("earlier"));
    }

    async fn deleted_and_edited_messages(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let gone = world.say("writer", thread, "gone").await;
        let edited = world.say("writer", thread, "typo").await;
        let said = world.say("alex", thread, "hello").await;
        world.execute(&DELETE, params![gone.id]).await;
        world.execute(&EDIT, params![edited.id, "right"]).await;
        world.execute(&DELETE, params![said.id]).await;
        let context = world.context(said.run()).await;
        assert_eq!(contents(&context["thread_context"]), ["right"]);
        assert!(context["thread_context"][0]["edited_at"].is_string());
        assert_eq!(context["trigger_message"]["content_md"], json!(""));
    }

    async fn only_an_active_run_of_ones_own_has_a_context(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("alex", world.places.thread, "hello").await;
        let path = format!("/runs/{run}/context");
        world.get("lotse", &path).await.expect(200);
        assert_eq!(world.get("texter", &path).await.expect(403).text("reason"), "not_self");
        assert_eq!(world.get("alex", &path).await.expect(403).text("reason"), "subject_kind_not_allowed");
        world.start("lotse", run).await;
        world.post("lotse", &format!("/runs/{run}/await-input"), json!({ "question_md": "?" })).await.expect(200);
        world.get("lotse", &path).await.expect(200);
        world.post("lotse", &format!("/runs/{run}/finish"), json!({ "outcome": "cancelled" })).await.expect(200);

        let unknown: RunId = world.ids.next();
        let unknown = world.get("lotse", &format!("/runs/{unknown}/context")).await.expect(404);
        let ended = world.get("lotse", &path).await.expect(404);
        assert_eq!(ended.comparable(), unknown.comparable());
    }

    async fn a_run_without_its_triggering_message_has_no_context(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.busy_threads(1).await;
        let unknown: RunId = world.ids.next();
        let unknown = world.get("texter", &format!("/runs/{unknown}/context")).await.expect(404);
        let gone = world.get("texter", &format!("/runs/{run}/context")).await.expect(404);
        assert_eq!(gone.comparable(), unknown.comparable());
    }

    async fn a_bound_read_is_the_intersection(db: TestDb) {
        let world = World::new(&db).await;
        let run = world.ask("sam", world.places.thread, "hello").await;
        let token = world.start("lotse", run).await;
        let path = format!("/runs/{run}/context");
        world.bound("lotse", "GET", &path, &token, None).await.expect(200);
        // Sam reads Allgemein only; Lotse reads Eskalation too, but not for Sam.
        let elsewhere = world.thread(world.places.eskalation, None).await;
        let said = world.say("alex", elsewhere, "not for Sam").await;
        let message: MessageId = said.id;
        world.get("lotse", &format!("/messages/{message}")).await.expect(200);
        world.bound("lotse", "GET", &format!("/messages/{message}"), &token, None).await.expect(404);
    }
}
