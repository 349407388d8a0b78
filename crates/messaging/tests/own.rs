//! Read states, mentions and private notices: what belongs to one person.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod support;

use std::sync::Arc;

use bothy_domain::event::{Audience, EventKind};
use bothy_domain::ids::{ChannelId, PrincipalId, ThreadId};
use bothy_messaging::NewNotice;
use bothy_platform::instance::{Touched, bump_rights_version};
use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use http::Method;
use serde_json::{Value as Json, json};
use support::{Answer, World, id};

statements! {
    REVOKE_ALL = "UPDATE grants SET revoked_at = $2 WHERE principal_id = $1";
    ARCHIVE = "UPDATE channels SET archived_at = $2 WHERE id = $1";
    COUNT_NOTICES = "SELECT COUNT(*) AS n FROM notices WHERE principal_id = $1";
}

async fn revoke(world: &World, who: PrincipalId) {
    let base = &world.server.base;
    let unit = base.database.begin().await.unwrap();
    unit.execute(&REVOKE_ALL, params![who, 1_i64]).await.unwrap();
    bump_rights_version(&unit, Touched::Principals(&[who]), bothy_platform::clock::Clock::now(&base.clock))
        .await
        .unwrap();
    unit.commit().await.unwrap();
}

async fn set_archived(world: &World, channel: ChannelId, at: Option<i64>) {
    let unit = world.server.base.database.begin().await.unwrap();
    unit.execute(&ARCHIVE, params![channel, at]).await.unwrap();
    unit.commit().await.unwrap();
}

async fn read_to(world: &World, who: &str, thread: ThreadId, seq: i64) -> Answer {
    world.server.put(who, &format!("/threads/{thread}/read-state"), json!({ "last_read_seq": seq })).await
}

/// Place, unread messages and mentions of one thread, as the list shows them.
async fn counts(world: &World, who: &str, thread: ThreadId) -> Option<(i64, i64, i64)> {
    let all = world.server.walk(who, "/me/read-states", 2).await;
    let one = all.iter().find(|one| one["thread_id"] == thread.to_string())?;
    let number = |name: &str| one[name].as_i64().unwrap();
    Some((number("last_read_seq"), number("unread_count"), number("mention_count")))
}

fn ids(items: &[Json], name: &str) -> Vec<String> {
    items.iter().map(|one| one[name].as_str().unwrap().to_owned()).collect()
}

both_databases! {
    async fn what_is_unread_is_what_others_said_since(db: TestDb) {
        let world = World::new(&db).await;
        for text in ["one", "@sam two", "three"] {
            world.say("lotse", world.main, text).await;
        }
        world.say("sam", world.main, "mine, @sam").await;
        assert_eq!(counts(&world, "sam", world.main).await, Some((0, 3, 1)));
        let set = read_to(&world, "sam", world.main, 1).await.expect(200).body;
        assert_eq!((&set["last_read_seq"], &set["unread_count"], &set["mention_count"]), (&json!(1), &json!(2), &json!(1)));
        assert_eq!(set["last_seq"], 4);
        assert!(set.get("capped").is_none());
        assert_eq!(counts(&world, "sam", world.main).await, Some((1, 2, 1)));
        // Others have their own marks.
        assert_eq!(counts(&world, "robin", world.main).await, Some((0, 4, 0)));
        // A mark only grows, unless it is set back on purpose, and ends at the end.
        read_to(&world, "sam", world.main, 3).await.expect(200);
        read_to(&world, "sam", world.main, 2).await.expect(200);
        assert_eq!(counts(&world, "sam", world.main).await, Some((3, 0, 0)));
        let path = format!("/threads/{}/read-state", world.main);
        let back = json!({ "last_read_seq": 1, "mark_unread": true });
        world.server.put("sam", &path, back).await.expect(200);
        assert_eq!(counts(&world, "sam", world.main).await, Some((1, 2, 1)));
        read_to(&world, "sam", world.main, i64::MAX).await.expect(200);
        assert_eq!(counts(&world, "sam", world.main).await, Some((4, 0, 0)));
        read_to(&world, "sam", world.main, -1).await.expect(422);
        // Only people have marks; what cannot be seen has none.
        read_to(&world, "lotse", world.main, 1).await.expect(403);
        read_to(&world, "texter", world.main, 1).await.expect(404);
        // Each change is told to the person, and only to her.
        let told = async |who| {
            let events = world.server.base.events_for(who).await;
            let mine = events.iter().filter(|event| event.kind == EventKind::ReadStateUpdated);
            mine.map(|event| (event.audience, event.thread)).collect::<Vec<_>>()
        };
        assert_eq!(told(world.sam).await, vec![(Audience::Principal(world.sam), Some(world.main)); 4]);
        assert!(told(world.robin).await.is_empty());
    }

    async fn deleted_and_server_lines_are_not_unread(db: TestDb) {
        let world = World::new(&db).await;
        let parent = world.say("sam", world.main, "parent").await;
        let thread = world.open("sam", parent.text("message_id")).await;
        world.say("sam", thread, "I follow this").await;
        let gone = world.say("lotse", thread, "@sam gone").await;
        let kept = world.say("lotse", thread, "kept").await;
        world.server.post_empty("robin", &format!("/threads/{thread}/close")).await.expect(200);
        assert_eq!(counts(&world, "sam", thread).await, Some((0, 2, 1)));
        let path = format!("/messages/{}", gone.text("message_id"));
        world.server.send("lotse", Method::DELETE, &path, None, None).await.expect(204);
        assert_eq!(counts(&world, "sam", thread).await, Some((0, 1, 0)));
        // An edit that mentions somebody counts where the message stands.
        let path = format!("/messages/{}", kept.text("message_id"));
        world.server.patch("lotse", &path, json!({ "content_md": "kept, @sam" }), None).await.expect(200);
        assert_eq!(counts(&world, "sam", thread).await, Some((0, 1, 1)));
    }

    async fn threads_are_followed_by_writers_mentioned_and_markers(db: TestDb) {
        let world = World::new(&db).await;
        let parent = world.say("lotse", world.main, "parent").await;
        let thread = world.open("lotse", parent.text("message_id")).await;
        world.say("lotse", thread, "opened").await;
        assert_eq!(counts(&world, "sam", thread).await, None);
        world.say("lotse", thread, "@sam look").await;
        assert_eq!(counts(&world, "sam", thread).await, Some((0, 2, 1)));
        assert_eq!(counts(&world, "robin", thread).await, None);
        world.say("robin", thread, "hello").await;
        assert_eq!(counts(&world, "robin", thread).await, Some((0, 2, 0)));
        assert_eq!(counts(&world, "lotse", thread).await, Some((0, 1, 0)));
        let other = world.say("lotse", world.main, "other parent").await;
        let marked = world.open("lotse", other.text("message_id")).await;
        read_to(&world, "sam", marked, 0).await.expect(200);
        assert_eq!(counts(&world, "sam", marked).await, Some((0, 0, 0)));
    }

    // c59 and c91: what cannot be seen or is archived counts for nobody, and comes back as it was.
    async fn c59_c91_counters_follow_what_is_visible(db: TestDb) {
        let world = World::new(&db).await;
        world.say("lotse", world.main, "@sam one").await;
        assert_eq!(counts(&world, "sam", world.main).await, Some((0, 1, 1)));
        set_archived(&world, world.general, Some(1)).await;
        assert_eq!(counts(&world, "sam", world.main).await, None);
        // It can still be read, and marked.
        let set = read_to(&world, "sam", world.main, 1).await.expect(200).body;
        assert_eq!((&set["unread_count"], &set["mention_count"]), (&json!(0), &json!(0)));
        assert_eq!(world.server.walk("sam", "/me/mentions", 5).await.len(), 1);
        set_archived(&world, world.general, None).await;
        assert_eq!(counts(&world, "sam", world.main).await, Some((1, 0, 0)));
        world.say("lotse", world.main, "two").await;
        revoke(&world, world.sam).await;
        assert!(world.server.walk("sam", "/me/read-states", 5).await.is_empty());
        read_to(&world, "sam", world.main, 2).await.expect(404);
        world.server.base.grant(world.sam, world.support, Some(world.general), "read", 0).await;
        assert_eq!(counts(&world, "sam", world.main).await, Some((1, 1, 0)));
    }

    async fn c91_archiving_crosses_posts_marks_edits_and_reactions(db: TestDb) {
        let world = Arc::new(World::new(&db).await);
        let first = world.say("lotse", world.main, "first").await.text("message_id").to_owned();
        let tasks: Vec<_> = (0..40_i64)
            .map(|number| {
                let (world, first) = (Arc::clone(&world), first.clone());
                tokio::spawn(async move {
                    let main = world.main;
                    let answer = match number % 4 {
                        0 => {
                            let body = json!({ "content_md": format!("{number}") });
                            world.server.post("lotse", &format!("/threads/{main}/messages"), body).await
                        }
                        1 => {
                            let body = json!({ "content_md": format!("{number}") });
                            world.server.patch("lotse", &format!("/messages/{first}"), body, None).await
                        }
                        2 => {
                            let path = format!("/messages/{first}/reactions/%F0%9F%91%8D");
                            world.server.send("sam", Method::PUT, &path, None, None).await
                        }
                        _ => read_to(&world, "sam", main, number).await,
                    };
                    (number, answer.status.as_u16())
                })
            })
            .collect();
        let channel = world.general;
        world.server.post_empty("robin", &format!("/channels/{channel}/archive")).await.expect(200);
        for task in tasks {
            let (number, status) = task.await.unwrap();
            let marks = number % 4 == 3;
            assert!([200, 201].contains(&status) || (status == 403 && !marks), "{number}: {status}");
        }
        assert_eq!(counts(&world, "sam", world.main).await, None);
        read_to(&world, "sam", world.main, i64::MAX).await.expect(200);
        world.server.post_empty("robin", &format!("/channels/{channel}/unarchive")).await.expect(200);
        assert_eq!(counts(&world, "sam", world.main).await.map(|(_, unread, _)| unread), Some(0));
        let listed = world.server.walk("sam", &format!("/threads/{}/messages", world.main), 100).await;
        let places: Vec<i64> = listed.iter().map(|one| one["thread_seq"].as_i64().unwrap()).collect();
        assert_eq!(places, (1..=i64::try_from(places.len()).unwrap()).collect::<Vec<_>>());
    }

    async fn what_is_sent_on_is_not_marked_as_anybodys_own(db: TestDb) {
        let world = World::new(&db).await;
        let said = world.say("sam", world.main, &"x".repeat(40)).await;
        let path = format!("/messages/{}/reactions/%F0%9F%91%8D", said.text("message_id"));
        world.server.send("sam", Method::PUT, &path, None, None).await.expect(200);
        let reader = world.server.base.database.reader().await.unwrap();
        let ids = [id(&said, "message_id"), world.server.base.ids.next()];
        for (viewer, me) in [(None, false), (Some(world.sam), true), (Some(world.robin), false)] {
            let shown = world.messaging.shown(&reader, &ids, viewer).await.unwrap();
            assert_eq!((shown.len(), shown[0].resource.path.channel()), (1, Some(world.general)));
            let view = serde_json::to_value(shown[0].clone().listed(8)).unwrap();
            assert_eq!(view["reactions"], json!([{ "emoji": "👍", "count": 1, "me": me }]));
            assert_eq!((&view["content_md"], &view["content_truncated"]), (&json!("xxxxxxxx"), &json!(true)));
        }
    }

    async fn counting_ends_at_its_bound_and_says_so(db: TestDb) {
        let world = World::with(&db, |config| {
            config.message = serde_json::from_value(json!({ "unread_count_max": 3 })).unwrap();
        }).await;
        let one = async || world.server.walk("sam", "/me/read-states", 50).await[0].clone();
        for _ in 0..3 {
            world.say("lotse", world.main, "@sam").await;
        }
        assert_eq!((&one().await["unread_count"], one().await.get("capped")), (&json!(3), None));
        world.say("lotse", world.main, "@sam").await;
        let found = one().await;
        assert_eq!((&found["unread_count"], &found["mention_count"], &found["capped"]), (&json!(3), &json!(3), &json!(true)));
    }

    async fn pages_of_read_states_show_each_thread_once(db: TestDb) {
        let world = World::new(&db).await;
        for number in 0..7 {
            let parent = world.say("lotse", world.main, &format!("{number}")).await;
            let thread = world.open("lotse", parent.text("message_id")).await;
            world.say("lotse", thread, "@sam").await;
        }
        let whole = ids(&world.server.walk("sam", "/me/read-states", 100).await, "thread_id");
        assert_eq!(whole.len(), 8);
        assert!(whole.is_sorted());
        for limit in [1, 2, 3, 8] {
            assert_eq!(ids(&world.server.walk("sam", "/me/read-states", limit).await, "thread_id"), whole);
        }
        world.server.get("sam", "/me/read-states?cursor=AA").await.expect(422);
    }

    async fn mentions_are_listed_newest_first_where_they_can_be_seen(db: TestDb) {
        let world = World::new(&db).await;
        let mut expected = Vec::new();
        for number in 0..5 {
            let said = world.say("lotse", world.main, &format!("@sam {number}")).await;
            expected.push(said.text("message_id").to_owned());
            world.say("lotse", world.main, "nothing").await;
        }
        // Nobody mentions themselves.
        world.say("sam", world.main, "@sam").await;
        expected.reverse();
        for limit in [1, 2, 5, 6] {
            assert_eq!(ids(&world.server.walk("sam", "/me/mentions", limit).await, "message_id"), expected);
        }
        assert!(world.server.walk("robin", "/me/mentions", 5).await.is_empty());
        // c64: what is hidden again is not listed, and what was hidden at the time never was a mention.
        revoke(&world, world.sam).await;
        assert!(world.server.walk("sam", "/me/mentions", 5).await.is_empty());
        world.say("lotse", world.main, "@sam behind your back").await;
        world.server.base.grant(world.sam, world.support, None, "read", 0).await;
        assert_eq!(ids(&world.server.walk("sam", "/me/mentions", 5).await, "message_id"), expected);
    }

    // c87: words that call everybody are text, and a message reaches only so many.
    async fn c87_words_for_everybody_call_nobody(db: TestDb) {
        let world = World::with(&db, |config| {
            config.message = serde_json::from_value(json!({ "max_mentions": 2 })).unwrap();
        }).await;
        let calls = "@channel @here @everyone @all @group @owner @robin @sam ".repeat(20);
        world.say("lotse", world.main, &calls).await;
        assert!(world.last_mentions().is_empty());
        let calls = "@robin @sam @lotse @feed ".repeat(50);
        world.say("lotse", world.main, &calls).await;
        assert_eq!(world.last_mentions(), ["robin", "sam"]);
    }

    async fn notices_are_kept_for_one_person_until_they_are_put_away(db: TestDb) {
        let world = World::with(&db, |config| {
            config.message = serde_json::from_value(json!({ "max_notices": 4 })).unwrap();
        }).await;
        let base = &world.server.base;
        let said = world.say("sam", world.main, "@texter hello").await;
        let notify = async |number: usize| {
            let unit = base.database.begin().await.unwrap();
            let thread = base.chat.thread(&unit, world.main).await.unwrap().unwrap();
            let notice = NewNotice {
                person: world.sam,
                thread: &thread,
                message: (number == 0).then(|| id(&said, "message_id")),
                agent: Some(world.texter),
                run: None,
                code: "agent_not_allowed",
            };
            world.messaging.notify(&unit, &notice).await.unwrap();
            unit.commit().await.unwrap();
        };
        notify(0).await;
        let found = world.server.walk("sam", "/me/notices", 5).await;
        assert_eq!((found[0]["code"].as_str().unwrap(), &found[0]["message_id"]), ("agent_not_allowed", &said.body["message_id"]));
        assert_eq!((&found[0]["channel_id"], &found[0]["agent_id"]), (&json!(world.general), &json!(world.texter)));
        for who in ["robin", "lotse"] {
            assert!(world.server.walk(who, "/me/notices", 5).await.is_empty());
        }
        let told = base.events_for(world.sam).await;
        let told: Vec<_> = told.iter().filter(|event| event.kind == EventKind::NoticeCreated).collect();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].subject.unwrap().to_string(), found[0]["notice_id"]);
        assert!(base.events_for(world.robin).await.iter().all(|event| event.kind != EventKind::NoticeCreated));

        for number in 1..6 {
            notify(number).await;
        }
        let found = ids(&world.server.walk("sam", "/me/notices", 3).await, "notice_id");
        assert_eq!((found.len(), base.number(&COUNT_NOTICES, params![world.sam]).await), (4, 4));
        assert!(found.is_sorted_by(|one, two| one > two));
        let dismiss = async |who, notice: &str| {
            world.server.send(who, Method::DELETE, &format!("/me/notices/{notice}"), None, None).await
        };
        // Nobody puts away what is for somebody else, nor learns that it is there.
        let theirs = dismiss("robin", &found[0]).await.expect(204);
        let unknown = dismiss("robin", "0193f1f0-1111-7000-8000-0123456789ab").await.expect(204);
        assert_eq!(theirs.body, unknown.body);
        dismiss("sam", "not-an-id").await.expect(422);
        dismiss("sam", &found[0]).await.expect(204);
        dismiss("sam", &found[0]).await.expect(204);
        assert_eq!(ids(&world.server.walk("sam", "/me/notices", 3).await, "notice_id"), found[1..]);
        // What is about a place that cannot be seen any more is not shown.
        revoke(&world, world.sam).await;
        assert!(world.server.walk("sam", "/me/notices", 5).await.is_empty());
    }

    async fn a_notice_goes_with_its_message(db: TestDb) {
        let world = World::new(&db).await;
        let base = &world.server.base;
        let said = world.say("sam", world.main, "@texter hello").await;
        let unit = base.database.begin().await.unwrap();
        let thread = base.chat.thread(&unit, world.main).await.unwrap().unwrap();
        let message = Some(id(&said, "message_id"));
        let notice =
            NewNotice { person: world.sam, thread: &thread, message, agent: None, run: None, code: "agent_unavailable" };
        world.messaging.notify(&unit, &notice).await.unwrap();
        unit.commit().await.unwrap();
        let path = format!("/messages/{}", said.text("message_id"));
        world.server.send("sam", Method::DELETE, &path, None, None).await.expect(204);
        assert_eq!(base.number(&COUNT_NOTICES, params![world.sam]).await, 0);
    }

    async fn a_reply_to_what_is_gone_is_refused_or_says_so(db: TestDb) {
        let world = World::new(&db).await;
        let first = world.say("sam", world.main, "first").await;
        let messages = format!("/threads/{}/messages", world.main);
        let reply = json!({ "content_md": "yes", "reply_to_message_id": first.text("message_id") });
        let answered = world.server.post("lotse", &messages, reply.clone()).await.expect(201);
        let path = format!("/messages/{}", first.text("message_id"));
        world.server.send("sam", Method::DELETE, &path, None, None).await.expect(204);
        let read = world.server.get("robin", &format!("/messages/{}", answered.text("message_id"))).await.expect(200);
        assert_eq!(read.body["reply_to_message_id"], first.body["message_id"]);
        let tomb = world.server.get("robin", &path).await.expect(200);
        assert!(tomb.text("content_md").is_empty() && tomb.body["deleted_at"].is_string());
        let refused = world.server.post("lotse", &messages, reply).await.expect(422);
        assert_eq!(refused.body["errors"][0]["pointer"], "/reply_to_message_id");
    }
}
