//! Opening, closing and reopening threads, and what a run context takes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod support;

use bothy_domain::action::ResourceKind;
use bothy_domain::actor::{ActingFor, Actor, Credential, PrincipalKind};
use bothy_domain::ids::{Id, MessageId, PrincipalId, ThreadId};
use bothy_messaging::ContextQuery;
use bothy_platform::authorize::{Authorizer, Judge, Locate};
use bothy_platform::instance::rights_version;
use bothy_storage::{Reader, params, statements};
use bothy_testkit::both_databases;
use serde_json::json;
use support::{MODERATE, World, id};

statements! {
    DELETE_MESSAGE = "UPDATE messages SET deleted_at = $2, content_md = '' WHERE id = $1";
}

fn messages(thread: ThreadId) -> String {
    format!("/threads/{thread}/messages")
}

async fn judge(world: &World, reader: &Reader, agent: PrincipalId) -> Judge {
    let actor = Actor {
        principal: agent,
        kind: PrincipalKind::Agent,
        credential: Credential::ApiToken { id: Id::from_uuid(agent.uuid()) },
        rights_version: rights_version(reader).await.unwrap(),
        acting_for: ActingFor::Absent,
        requires_binding: false,
    };
    world.server.base.authz.judge(reader, &actor).await.unwrap()
}

both_databases! {
    async fn threads_open_from_messages_of_the_main_thread_once(db: TestDb) {
        let world = World::new(&db).await;
        let path = format!("/channels/{}/threads", world.general);
        let first = world.say("sam", world.main, "first").await;
        let parent = json!({ "parent_message_id": first.text("message_id") });
        let opened = world.server.post("lotse", &path, parent.clone()).await.expect(201);
        assert_eq!((opened.text("kind"), opened.text("created_by")), ("thread", world.lotse.to_string().as_str()));
        assert_eq!(opened.body["parent_message_id"], first.body["message_id"]);
        world.server.post("sam", &path, parent).await.expect(409);

        let inside = world.say("sam", id(&opened, "thread_id"), "inside").await;
        let unknown: MessageId = world.server.base.ids.next();
        let nested = world.server.post("sam", &path, json!({ "parent_message_id": inside.text("message_id") })).await.expect(422);
        let nowhere = world.server.post("sam", &path, json!({ "parent_message_id": unknown })).await.expect(422);
        assert_eq!(nested.body["errors"], nowhere.body["errors"]);
        world.server.post("sam", &path, json!({ "title": "no parent" })).await.expect(422);
        world.server.post("feed", &path, json!({ "title": "apps open none" })).await.expect(403);

        let posts = format!("/channels/{}/threads", world.forum);
        world.server.post("sam", &posts, json!({})).await.expect(422);
        world.server.post("sam", &posts, json!({ "title": "  " })).await.expect(422);
        world.server.post("sam", &posts, json!({ "title": "a", "parent_message_id": first.text("message_id") })).await.expect(422);
        let post = world.server.post("sam", &posts, json!({ "title": " Plan " })).await.expect(201);
        assert_eq!((post.text("kind"), post.text("title")), ("post", "Plan"));
        let said = world.say("sam", id(&post, "thread_id"), "begin").await;
        assert_eq!(said.body["thread_seq"], 1);
        assert_eq!(world.server.walk("sam", &path, 1).await.len(), 2);
    }

    async fn a_post_may_begin_with_its_first_message(db: TestDb) {
        let world = World::new(&db).await;
        let posts = format!("/channels/{}/threads", world.forum);
        let body = json!({ "title": "Plan", "content_md": "@lotse what is next?" });
        let post = world.server.post("sam", &posts, body).await.expect(201);
        let thread: ThreadId = id(&post, "thread_id");
        let listed = world.server.walk("sam", &messages(thread), 50).await;
        assert_eq!(listed.len(), 1);
        assert_eq!((&listed[0]["message_id"], &listed[0]["thread_seq"]), (&post.body["message_id"], &json!(1)));
        assert_eq!((listed[0]["content_md"].as_str(), listed[0]["author"]["handle"].as_str()), (Some("@lotse what is next?"), Some("sam")));
        assert_eq!(world.last_mentions(), ["lotse"]);

        // In a text channel as well; what cannot be taken opens nothing.
        let parent = world.say("sam", world.main, "the parent").await;
        let path = format!("/channels/{}/threads", world.general);
        let before = world.server.walk("sam", &path, 50).await.len();
        for bad in ["", "a\u{0}b"] {
            let body = json!({ "parent_message_id": parent.text("message_id"), "content_md": bad });
            let refused = world.server.post("sam", &path, body).await.expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], "/content_md");
        }
        *world.hook.fail.lock().unwrap() = true;
        let body = json!({ "parent_message_id": parent.text("message_id"), "content_md": "first" });
        world.server.post("sam", &path, body.clone()).await.expect(503);
        *world.hook.fail.lock().unwrap() = false;
        assert_eq!(world.server.walk("sam", &path, 50).await.len(), before);
        let opened = world.server.post("lotse", &path, body).await.expect(201);
        assert_eq!(world.server.walk("sam", &messages(id(&opened, "thread_id")), 50).await[0]["origin"], "agent");
    }

    async fn titles_change_by_version_and_are_names(db: TestDb) {
        let world = World::new(&db).await;
        let posts = format!("/channels/{}/threads", world.forum);
        let post = world.server.post("sam", &posts, json!({ "title": "Plan" })).await.expect(201);
        let path = format!("/threads/{}", post.text("thread_id"));
        assert_eq!(world.server.get("sam", &path).await.etag, post.etag);
        world.server.patch("sam", &path, json!({ "title": "Plan B" }), None).await.expect(409);
        let changed = world.server.patch("sam", &path, json!({ "title": " Plan B " }), post.etag.as_deref()).await.expect(200);
        assert_eq!((changed.text("title"), changed.body["thread_id"].as_str()), ("Plan B", Some(post.text("thread_id"))));
        world.server.patch("sam", &path, json!({ "title": "Plan C" }), post.etag.as_deref()).await.expect(409);
        let same = world.server.patch("sam", &path, json!({ "title": "Plan B" }), changed.etag.as_deref()).await.expect(200);
        assert_eq!(same.etag, changed.etag);
        for bad in ["", " ", "a\u{202E}b", "a\nb", &"x".repeat(81)] {
            let refused = world.server.patch("sam", &path, json!({ "title": bad }), same.etag.as_deref()).await.expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], "/title");
        }
        // Not everybody who writes, but whoever moderates.
        world.server.patch("lotse", &path, json!({ "title": "x" }), same.etag.as_deref()).await.expect(403);
        world.server.patch("texter", &path, json!({ "title": "x" }), same.etag.as_deref()).await.expect(404);
        world.server.patch("robin", &path, json!({ "title": "Plan D" }), same.etag.as_deref()).await.expect(200);
        let main = format!("/threads/{}", world.main);
        let tag = world.server.get("robin", &main).await.expect(200).etag;
        world.server.patch("robin", &main, json!({ "title": "x" }), tag.as_deref()).await.expect(409);
        let told = world.server.base.events_for(world.sam).await;
        let updated = told.iter().filter(|event| event.kind == bothy_domain::event::EventKind::ThreadUpdated).count();
        assert_eq!(updated, 2);
    }

    async fn c56_threads_are_listed_by_state_and_in_either_order(db: TestDb) {
        let world = World::new(&db).await;
        let path = format!("/channels/{}/threads", world.forum);
        let mut all = Vec::new();
        for number in 0..9 {
            let post = world.server.post("sam", &path, json!({ "title": format!("Plan {number}") })).await.expect(201);
            let thread = post.text("thread_id").to_owned();
            if number % 3 == 0 {
                world.server.post_empty("sam", &format!("/threads/{thread}/close")).await.expect(200);
            }
            all.push((thread, number % 3 == 0));
        }
        for limit in [1, 2, 3, 50] {
            for (query, wanted) in [("", None), ("&state=open", Some(false)), ("&state=closed", Some(true))] {
                let mut expected: Vec<&str> =
                    all.iter().filter(|one| wanted.is_none_or(|closed| one.1 == closed)).map(|one| one.0.as_str()).collect();
                for order in ["asc", "desc"] {
                    let found = world.server.walk("sam", &format!("{path}?order={order}{query}"), limit).await;
                    let found: Vec<&str> = found.iter().map(|one| one["thread_id"].as_str().unwrap()).collect();
                    assert_eq!(found, expected, "{query} {order} {limit}");
                    expected.reverse();
                }
            }
        }
        for bad in ["state=gone", "order=up", "sort=id"] {
            world.server.get("sam", &format!("{path}?{bad}")).await.expect(422);
        }
    }

    async fn racing_openings_make_one_thread(db: TestDb) {
        let world = std::sync::Arc::new(World::new(&db).await);
        let first = world.say("sam", world.main, "first").await;
        let racers: Vec<_> = (0..6)
            .map(|_| {
                let (world, parent) = (world.clone(), first.text("message_id").to_owned());
                tokio::spawn(async move {
                    let path = format!("/channels/{}/threads", world.general);
                    world.server.post("sam", &path, json!({ "parent_message_id": parent })).await.status.as_u16()
                })
            })
            .collect();
        let mut statuses = Vec::new();
        for racer in racers {
            statuses.push(racer.await.unwrap());
        }
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409, 409, 409, 409, 409]);
    }

    async fn closing_and_reopening_write_system_lines(db: TestDb) {
        let world = World::new(&db).await;
        let first = world.say("sam", world.main, "first").await;
        let thread = world.open("sam", first.text("message_id")).await;
        world.say("sam", thread, "inside").await;
        let before = world.hook.written.lock().unwrap().len();
        let closed = world.server.post_empty("sam", &format!("/threads/{thread}/close")).await.expect(200);
        assert!(closed.body["closed_at"].is_string());
        let again = world.server.post_empty("sam", &format!("/threads/{thread}/close")).await.expect(200);
        assert_eq!(again.body, closed.body);
        world.server.post("sam", &messages(thread), json!({ "content_md": "late" })).await.expect(409);
        world.server.post_empty("sam", &format!("/threads/{thread}/reopen")).await.expect(403);
        world.server.base.grant(world.sam, world.support, None, "write", MODERATE).await;
        let open = world.server.post_empty("sam", &format!("/threads/{thread}/reopen")).await.expect(200);
        assert!(open.body.get("closed_at").is_none());
        world.say("sam", thread, "again").await;

        let listed = world.server.walk("sam", &messages(thread), 50).await;
        let lines: Vec<_> = listed.iter().map(|one| (one["thread_seq"].as_i64().unwrap(), one["system_code"].as_str())).collect();
        assert_eq!(lines, [(1, None), (2, Some("thread.closed")), (3, Some("thread.reopened")), (4, None)]);
        let line = &listed[1];
        assert_eq!((&line["kind"], &line["origin"], &line["content_md"]), (&json!("system"), &json!("system"), &json!("")));
        assert_eq!(line["author"]["handle"], "sam");
        assert_eq!(world.hook.written.lock().unwrap().len(), before + 1, "nothing acts on system lines");

        for verb in ["close", "reopen"] {
            world.server.post_empty("robin", &format!("/threads/{}/{verb}", world.main)).await.expect(409);
        }
        let path = format!("/channels/{}/threads", world.general);
        let system = json!({ "parent_message_id": line["message_id"] });
        world.server.post("sam", &path, system).await.expect(422);
    }

    async fn what_is_archived_is_read_only(db: TestDb) {
        let world = World::new(&db).await;
        let said = world.say("sam", world.main, "before").await;
        let thread = world.open("sam", said.text("message_id")).await;
        for path in [format!("/channels/{}", world.general), format!("/spaces/{}", world.support)] {
            world.server.post_empty("robin", &format!("{path}/archive")).await.expect(200);
            for who in ["sam", "robin"] {
                let refused = world.server.post(who, &messages(world.main), json!({ "content_md": "x" })).await.expect(403);
                assert_eq!(refused.text("reason"), "archived");
            }
            world.server.post_empty("sam", &format!("/threads/{thread}/close")).await.expect(403);
            assert_eq!(world.server.walk("sam", &messages(world.main), 50).await.len(), 1);
            world.server.post_empty("robin", &format!("{path}/unarchive")).await.expect(200);
        }
        world.say("sam", world.main, "after").await;
    }

    async fn the_fixed_operator_of_a_thread_works_there_and_nowhere_else(db: TestDb) {
        let world = World::new(&db).await;
        let said = world.say("sam", world.main, "please").await;
        let thread = world.open("sam", said.text("message_id")).await;
        world.say("sam", thread, "details").await;
        world.server.get("texter", &messages(thread)).await.expect(404);
        world.server.put("robin", &format!("/threads/{thread}/operator"), json!({ "agent_id": world.texter })).await.expect(200);
        world.say("sam", thread, "@texter").await;
        assert_eq!(world.last_mentions(), ["texter"]);
        assert_eq!(world.server.walk("texter", &messages(thread), 1).await.len(), 2);
        world.say("texter", thread, "done").await;
        world.server.get("texter", &messages(world.main)).await.expect(404);
        world.server.get("texter", &format!("/channels/{}", world.general)).await.expect(404);
        world.server.get("texter", &format!("/messages/{}", said.text("message_id"))).await.expect(404);
        assert!(world.server.walk("texter", "/spaces", 50).await.is_empty());
        world.say("sam", world.main, "@texter").await;
        assert!(world.last_mentions().is_empty());
    }

    async fn hidden_messages_answer_like_unknown_ones(db: TestDb) {
        let world = World::new(&db).await;
        let said = world.say("sam", world.main, "secret").await;
        let unknown: MessageId = world.server.base.ids.next();
        let mut bodies = Vec::new();
        for message in [said.text("message_id").to_owned(), unknown.to_string()] {
            let mut body = world.server.get("texter", &format!("/messages/{message}")).await.expect(404).body;
            body.as_object_mut().unwrap().retain(|name, _| name != "instance" && name != "correlation_id");
            bodies.push(body);
        }
        assert_eq!(bodies[0], bodies[1]);
        let reader = world.server.base.database.reader().await.unwrap();
        let found = world.messaging.locate(&reader, ResourceKind::Message, id(&said, "message_id")).await.unwrap().unwrap();
        assert_eq!((found.author, found.path.thread), (Some(world.sam), Some(world.main)));
        assert!(world.messaging.locate(&reader, ResourceKind::Message, unknown.cast()).await.unwrap().is_none());
    }

    async fn a_context_window_holds_the_newest_that_count(db: TestDb) {
        let world = World::with(&db, |config| config.message = serde_json::from_value(json!({ "list_content_max_bytes": 4 })).unwrap()).await;
        let mut ids: Vec<MessageId> = Vec::new();
        for number in 1..=8 {
            let who = if number % 4 == 0 { "lotse" } else { "sam" };
            ids.push(id(&world.say(who, world.main, &format!("message {number}")).await, "message_id"));
        }
        let unit = world.server.base.database.begin().await.unwrap();
        unit.execute(&DELETE_MESSAGE, params![ids[5], 1_i64]).await.unwrap();
        unit.commit().await.unwrap();

        let reader = world.server.base.database.reader().await.unwrap();
        let lotse = judge(&world, &reader, world.lotse).await;
        let query = ContextQuery { thread: world.main, after_seq: 0, before_seq: 9, limit: 50, exclude_author: None };
        let table: [(ContextQuery, &[i64], bool); 9] = [
            (query, &[1, 2, 3, 4, 5, 7, 8], false),
            (ContextQuery { limit: 7, ..query }, &[1, 2, 3, 4, 5, 7, 8], false),
            (ContextQuery { limit: 6, ..query }, &[2, 3, 4, 5, 7, 8], true),
            (ContextQuery { limit: 0, ..query }, &[], true),
            (ContextQuery { limit: 0, after_seq: 8, ..query }, &[], false),
            (ContextQuery { after_seq: 2, before_seq: 7, ..query }, &[3, 4, 5], false),
            (ContextQuery { after_seq: 5, before_seq: 7, limit: 1, ..query }, &[], false),
            (ContextQuery { exclude_author: Some(world.lotse), limit: 4, ..query }, &[2, 3, 5, 7], true),
            (ContextQuery { exclude_author: Some(world.lotse), limit: 5, ..query }, &[1, 2, 3, 5, 7], false),
        ];
        for (query, expected, has_older) in table {
            let page = world.messaging.context_window(&reader, &lotse, query).await.unwrap();
            let found: Vec<i64> = page.items.iter().map(|one| one.thread_seq).collect();
            assert_eq!((found.as_slice(), page.has_older), (expected, has_older), "{query:?}");
            assert!(page.items.iter().all(|one| one.content_md.starts_with("message ") && one.channel_id == world.general));
        }
        let deleted = world.messaging.context_message(&reader, &lotse, ids[5]).await.unwrap().unwrap();
        assert!(deleted.content_md.is_empty() && deleted.deleted_at.is_some());
        let texter = judge(&world, &reader, world.texter).await;
        assert!(world.messaging.context_message(&reader, &texter, ids[0]).await.unwrap().is_none());
        assert!(world.messaging.context_window(&reader, &texter, query).await.unwrap().items.is_empty());
    }
}
