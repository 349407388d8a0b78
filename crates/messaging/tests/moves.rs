//! Moving threads between channels, and what people see of it on both sides. `c14_`, `c81_`, `c91_`: the
//! cases of that number.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod support;

use std::sync::Arc;

use bothy_domain::actor::PrincipalKind::Person;
use bothy_domain::event::{EventKind, NewEvent};
use bothy_domain::ids::{ChannelId, PrincipalId, SpaceId, ThreadId};
use bothy_testkit::both_databases;
use serde_json::{Value, json};
use support::{Answer, MANAGE, MODERATE, World, id};

const UNKNOWN: &str = "0190a000-0000-7000-8000-000000000000";

/// A space with two channels that the world knows nothing of.
struct Elsewhere {
    space: SpaceId,
    text: ChannelId,
    text_main: ThreadId,
    forum: ChannelId,
}

impl Elsewhere {
    async fn new(world: &World) -> Self {
        let space: SpaceId =
            id(&world.server.post("robin", "/spaces", json!({ "name": "Marketing" })).await.expect(201), "space_id");
        let path = format!("/spaces/{space}/channels");
        let text = world.server.post("robin", &path, json!({ "kind": "text", "name": "Kampagne" })).await.expect(201);
        let forum = world.server.post("robin", &path, json!({ "kind": "forum", "name": "Entwurf" })).await.expect(201);
        Self {
            space,
            text: id(&text, "channel_id"),
            text_main: id(&text, "main_thread_id"),
            forum: id(&forum, "channel_id"),
        }
    }
}

impl World {
    async fn person(&self, handle: &str) -> PrincipalId {
        self.server.base.principal(Person, handle).await
    }

    /// A thread of Allgemein with a parent message and one message in it.
    async fn talk(&self) -> ThreadId {
        let parent = self.say("sam", self.main, "the parent").await;
        let thread = self.open("sam", parent.text("message_id")).await;
        self.say("sam", thread, "inside").await;
        thread
    }

    async fn move_to(&self, who: &str, thread: ThreadId, channel: impl std::fmt::Display) -> Answer {
        let body = json!({ "channel_id": channel.to_string() });
        self.server.post(who, &format!("/threads/{thread}/move"), body).await
    }

    async fn sees(&self, who: &str, thread: ThreadId) -> bool {
        let read = self.server.get(who, &format!("/threads/{thread}")).await.status.as_u16();
        let messages = self.server.get(who, &format!("/threads/{thread}/messages")).await.status.as_u16();
        assert_eq!(read, messages);
        assert!(read == 200 || read == 404);
        read == 200
    }

    /// Whether the list of a channel has the thread; `None` when the channel cannot be seen.
    async fn lists(&self, who: &str, channel: ChannelId, thread: ThreadId) -> Option<bool> {
        let path = format!("/channels/{channel}/threads");
        if self.server.get(who, &path).await.status == 404 {
            return None;
        }
        let items = self.server.walk(who, &path, 2).await;
        Some(items.iter().any(|one| one["thread_id"] == thread.to_string()))
    }

    /// The moves that somebody is told of, as the channels that the events name.
    async fn moves_told(&self, who: PrincipalId, thread: ThreadId) -> Vec<ChannelId> {
        let events = self.server.base.events_for(who).await;
        let moved = |event: &&NewEvent| event.kind == EventKind::ThreadMoved && event.thread == Some(thread);
        events.iter().filter(moved).map(|event| event.channel.unwrap()).collect()
    }
}

/// What somebody may do in a channel: a level, and whether they moderate.
const RIGHTS: [(&str, i64); 4] = [("none", 0), ("read", 0), ("write", 0), ("read", MODERATE)];

both_databases! {
    async fn a_move_takes_the_right_on_both_sides_whatever_they_are(db: TestDb) {
        let world = World::new(&db).await;
        let elsewhere = Elsewhere::new(&world).await;
        let base = &world.server.base;
        let [source_reader, target_reader, both] =
            [world.person("sr").await, world.person("tr").await, world.person("both").await];
        for who in [source_reader, both] {
            base.grant(who, world.support, Some(world.general), "read", 0).await;
        }
        for who in [target_reader, both] {
            base.grant(who, elsewhere.space, Some(elsewhere.text), "read", 0).await;
        }
        for (from, source) in RIGHTS.into_iter().enumerate() {
            for (to, target) in RIGHTS.into_iter().enumerate() {
                let handle = format!("mover{from}{to}");
                let mover = world.person(&handle).await;
                base.grant(mover, world.support, Some(world.general), source.0, source.1).await;
                base.grant(mover, elsewhere.space, Some(elsewhere.text), target.0, target.1).await;
                let thread = world.talk().await;
                for (who, sees) in [("sr", true), ("tr", false), ("both", true)] {
                    assert_eq!(world.sees(who, thread).await, sees);
                }
                let answer = world.move_to(&handle, thread, elsewhere.text).await;
                let expected = match (from, to) {
                    (0, _) | (3, 0) => 404,
                    (3, 3) => 200,
                    _ => 403,
                };
                assert_eq!(answer.status.as_u16(), expected, "{source:?} {target:?}: {answer:?}");
                match expected {
                    404 if from == 3 => {
                        let unknown = world.move_to(&handle, thread, UNKNOWN).await.expect(404);
                        assert_eq!(answer.comparable(), unknown.comparable(), "hidden and unknown targets");
                    }
                    404 => {
                        let body = json!({ "channel_id": elsewhere.text });
                        let path = format!("/threads/{UNKNOWN}/move");
                        let unknown = world.server.post(&handle, &path, body).await.expect(404);
                        assert_eq!(answer.comparable(), unknown.comparable(), "hidden and unknown threads");
                    }
                    403 => assert_eq!(answer.text("reason"), "capability_missing"),
                    _ => assert_eq!(answer.text("channel_id"), elsewhere.text.to_string()),
                }
                let moved = expected == 200;
                for (who, sees) in [("sr", !moved), ("tr", moved), ("both", true)] {
                    assert_eq!(world.sees(who, thread).await, sees, "{who} after {source:?} {target:?}");
                }
                for (who, here, there) in [
                    ("sr", Some(!moved), None),
                    ("tr", None, Some(moved)),
                    ("both", Some(!moved), Some(moved)),
                ] {
                    assert_eq!(world.lists(who, world.general, thread).await, here, "{who}");
                    assert_eq!(world.lists(who, elsewhere.text, thread).await, there, "{who}");
                }
                let told = |channels: &[ChannelId]| if moved { channels.to_vec() } else { Vec::new() };
                assert_eq!(world.moves_told(source_reader, thread).await, told(&[world.general]));
                assert_eq!(world.moves_told(target_reader, thread).await, told(&[elsewhere.text]));
                assert_eq!(world.moves_told(both, thread).await, told(&[world.general, elsewhere.text]));
            }
        }
    }

    async fn c14_c81_neither_side_learns_of_the_other(db: TestDb) {
        let world = World::new(&db).await;
        let elsewhere = Elsewhere::new(&world).await;
        let base = &world.server.base;
        let [source_reader, target_reader] = [world.person("sr").await, world.person("tr").await];
        base.grant(source_reader, world.support, None, "read", 0).await;
        base.grant(target_reader, elsewhere.space, None, "read", 0).await;
        let parent = world.say("sam", world.main, "the parent").await;
        let thread = world.open("sam", parent.text("message_id")).await;
        let inside = world.say("sam", thread, "inside").await;
        let read = world.server.get("sr", &format!("/threads/{thread}")).await.expect(200);
        assert_eq!(read.body["parent_message_id"], parent.body["message_id"]);

        let moved = world.move_to("robin", thread, elsewhere.text).await.expect(200);
        assert_eq!(moved.text("thread_id"), thread.to_string());
        assert!(moved.body.get("parent_message_id").is_none());
        // Everything that readers of the target are answered, and everything that they are told.
        let listed = world.server.walk("tr", &format!("/threads/{thread}/messages"), 50).await;
        let message = world.server.get("tr", &format!("/messages/{}", inside.text("message_id"))).await.expect(200);
        let view = world.server.get("tr", &format!("/threads/{thread}")).await.expect(200);
        let shown = format!("{listed:?} {:?} {:?}", message.body, view.body);
        for secret in [world.general.to_string(), world.support.to_string(), parent.text("message_id").to_owned(), "Allgemein".to_owned()] {
            assert!(!shown.contains(&secret), "{secret} in {shown}");
        }
        let line = listed.last().unwrap();
        assert_eq!((&line["kind"], &line["origin"], &line["system_code"]), (&json!("system"), &json!("system"), &json!("thread.moved")));
        assert_eq!((&line["content_md"], &line["author"]["handle"], &line["thread_seq"]), (&json!(""), &json!("robin"), &json!(2)));

        // Of spaces everybody is told at delivery only what they see then.
        let names = |event: &NewEvent, channel: ChannelId, space: SpaceId| {
            event.thread.is_some() && (event.channel == Some(channel) || event.space == Some(space))
        };
        for (who, channel, space) in [
            (source_reader, elsewhere.text, elsewhere.space),
            (target_reader, world.general, world.support),
        ] {
            let events = base.events_for(who).await;
            assert!(events.iter().any(|event| event.kind == EventKind::ThreadMoved));
            assert!(!events.iter().any(|event| names(event, channel, space)), "{events:?}");
        }
        // The parent stays behind, and keeps its thread.
        let again = json!({ "parent_message_id": parent.text("message_id") });
        world.server.post("sam", &format!("/channels/{}/threads", world.general), again).await.expect(409);
        world.server.get("sr", &format!("/messages/{}", parent.text("message_id"))).await.expect(200);
        world.server.get("tr", &format!("/messages/{}", parent.text("message_id"))).await.expect(404);
        world.server.get("sr", &format!("/messages/{}", inside.text("message_id"))).await.expect(404);

        // Back where its parent is, it is known again.
        let back = world.move_to("robin", thread, world.general).await.expect(200);
        assert_eq!(back.body["parent_message_id"], parent.body["message_id"]);
        let same = world.move_to("robin", thread, world.general).await.expect(200);
        assert_eq!(same.body, back.body);
        assert_eq!(world.server.walk("sr", &format!("/threads/{thread}/messages"), 50).await.len(), 3);
    }

    async fn a_kept_answer_does_not_name_the_channel_before(db: TestDb) {
        let world = World::new(&db).await;
        let elsewhere = Elsewhere::new(&world).await;
        let base = &world.server.base;
        base.grant(world.sam, elsewhere.space, None, "read", 0).await;
        let post = async || {
            let path = format!("/channels/{}/threads", world.forum);
            let key = [(http::HeaderName::from_static("idempotency-key"), "one")];
            let body = json!({ "title": "Plan", "content_md": "begin" });
            world.server.send_with("sam", http::Method::POST, &path, Some(&body), &key).await
        };
        let opened = post().await.expect(201);
        assert_eq!(post().await.expect(201).body, opened.body);
        world.move_to("robin", id(&opened, "thread_id"), elsewhere.forum).await.expect(200);
        let again = post().await.expect(404);
        assert!(!again.body.to_string().contains(opened.text("thread_id")));
        assert!(world.server.walk("sam", &format!("/channels/{}/threads", world.forum), 50).await.is_empty());
    }

    async fn threads_are_posts_in_a_forum_and_threads_elsewhere(db: TestDb) {
        let world = World::new(&db).await;
        let elsewhere = Elsewhere::new(&world).await;
        let thread = world.talk().await;
        let path = format!("/threads/{thread}/move");
        let untitled = world.move_to("robin", thread, elsewhere.forum).await.expect(422);
        assert_eq!(untitled.body["errors"][0]["pointer"], "/title");
        for bad in ["", "a\u{202E}b"] {
            let body = json!({ "channel_id": elsewhere.forum, "title": bad });
            world.server.post("robin", &path, body).await.expect(422);
        }
        let body = json!({ "channel_id": elsewhere.forum, "title": " Plan " });
        let post = world.server.post("robin", &path, body).await.expect(200);
        assert_eq!((post.text("kind"), post.text("title")), ("post", "Plan"));
        let thread_again = world.move_to("robin", thread, elsewhere.text).await.expect(200);
        assert_eq!((thread_again.text("kind"), thread_again.text("title")), ("thread", "Plan"));
        assert_ne!(post.etag, thread_again.etag);
        world.move_to("robin", thread, world.forum).await.expect(200);
        assert_eq!(world.lists("robin", world.forum, thread).await, Some(true));
    }

    async fn what_cannot_move_stays(db: TestDb) {
        let world = World::new(&db).await;
        let elsewhere = Elsewhere::new(&world).await;
        let thread = world.talk().await;
        world.move_to("robin", world.main, elsewhere.text).await.expect(409);
        world.move_to("robin", elsewhere.text_main, world.general).await.expect(409);
        world.server.base.grant(world.sam, world.support, None, "write", MODERATE | MANAGE).await;
        let alex = world.person("alex").await;
        let direct = world.server.post("sam", "/dms", json!({ "participant_ids": [alex] })).await.expect(200);
        let (channel, main): (ChannelId, ThreadId) = (id(&direct, "channel_id"), id(&direct, "main_thread_id"));
        for (who, status) in [("sam", 403), ("robin", 404)] {
            world.move_to(who, thread, channel).await.expect(status);
            world.move_to(who, main, world.general).await.expect(status);
        }
        let hidden = world.move_to("robin", thread, channel).await.comparable();
        assert_eq!(hidden, world.move_to("robin", thread, UNKNOWN).await.comparable());

        for archived in [world.general, elsewhere.text] {
            world.server.post_empty("robin", &format!("/channels/{archived}/archive")).await.expect(200);
            let refused = world.move_to("robin", thread, elsewhere.text).await.expect(403);
            assert_eq!(refused.text("reason"), "archived");
            world.server.post_empty("robin", &format!("/channels/{archived}/unarchive")).await.expect(200);
        }
        world.server.post("robin", &format!("/threads/{thread}/move"), json!({})).await.expect(422);
        world.server.post("robin", &format!("/threads/{thread}/move"), json!({ "channel_id": "x" })).await.expect(422);
        world.move_to("lotse", thread, world.forum).await.expect(403);
        assert!(world.moves_told(world.robin, thread).await.is_empty());
        // A closed thread moves, and stays closed.
        world.server.post_empty("robin", &format!("/threads/{thread}/close")).await.expect(200);
        let moved = world.move_to("robin", thread, elsewhere.text).await.expect(200);
        assert!(moved.body["closed_at"].is_string());
    }

    async fn a_fixed_operator_comes_along_only_where_it_could_be_put_in_charge(db: TestDb) {
        let world = World::new(&db).await;
        let elsewhere = Elsewhere::new(&world).await;
        let mover = world.person("mover").await;
        for (space, channel) in [(world.support, world.general), (elsewhere.space, elsewhere.text)] {
            world.server.base.grant(mover, space, Some(channel), "read", MODERATE).await;
        }
        for (who, stays) in [("mover", false), ("robin", true)] {
            let thread = world.talk().await;
            let operator = json!({ "agent_id": world.texter });
            world.server.put("robin", &format!("/threads/{thread}/operator"), operator).await.expect(200);
            assert!(world.sees("texter", thread).await);
            let moved = world.move_to(who, thread, elsewhere.text).await.expect(200);
            assert_eq!(moved.body.get("operator_agent_id").is_some(), stays);
            assert_eq!(world.sees("texter", thread).await, stays);
        }
    }

    async fn no_message_is_ordered_after_the_move_that_shut_its_author_out(db: TestDb) {
        let world = Arc::new(World::new(&db).await);
        let elsewhere = Elsewhere::new(&world).await;
        for _ in 0..6 {
            let thread = world.talk().await;
            let posts: Vec<_> = (0..8)
                .map(|number| {
                    let world = Arc::clone(&world);
                    tokio::spawn(async move {
                        let body = json!({ "content_md": format!("post {number}") });
                        world.server.post("sam", &format!("/threads/{thread}/messages"), body).await
                    })
                })
                .collect();
            world.move_to("robin", thread, elsewhere.text).await.expect(200);
            let mut taken = 0;
            for post in posts {
                let answer = post.await.unwrap();
                assert!(answer.status == 201 || answer.status == 404, "{answer:?}");
                taken += usize::from(answer.status == 201);
            }
            let messages = world.server.walk("robin", &format!("/threads/{thread}/messages"), 50).await;
            assert_eq!(messages.len(), taken + 2);
            assert_eq!(messages.last().unwrap()["system_code"], "thread.moved");
            let places: Vec<i64> = messages.iter().map(|one| one["thread_seq"].as_i64().unwrap()).collect();
            assert_eq!(places, (1..=i64::try_from(messages.len()).unwrap()).collect::<Vec<_>>());
        }
    }

    async fn c91_archiving_and_posting_have_one_order(db: TestDb) {
        let world = Arc::new(World::new(&db).await);
        let channel = format!("/channels/{}", world.general);
        let posts: Vec<_> = (0..50)
            .map(|number| {
                let world = Arc::clone(&world);
                tokio::spawn(async move {
                    let body = json!({ "content_md": format!("post {number}") });
                    world.server.post("sam", &format!("/threads/{}/messages", world.main), body).await
                })
            })
            .collect();
        world.server.post_empty("robin", &format!("{channel}/archive")).await.expect(200);
        let at_archive = world.server.base.events_for(world.robin).await.len();
        let mut taken = 0;
        for post in posts {
            let answer = post.await.unwrap();
            match answer.status.as_u16() {
                201 => taken += 1,
                403 => assert_eq!(answer.text("reason"), "archived"),
                _ => panic!("{answer:?}"),
            }
        }
        let written = |events: &[NewEvent]| events.iter().filter(|event| event.kind == EventKind::MessageCreated).count();
        let events = world.server.base.events_for(world.robin).await;
        assert_eq!(written(&events[..at_archive]), written(&events), "nothing is written after the archive");
        assert_eq!(written(&events), taken);
        assert_eq!(world.server.walk("sam", &format!("/threads/{}/messages", world.main), 50).await.len(), taken);
        world.server.post("sam", &format!("/threads/{}/messages", world.main), json!({ "content_md": "late" })).await.expect(403);
        world.server.post_empty("robin", &format!("{channel}/unarchive")).await.expect(200);
        world.say("sam", world.main, "@lotse again").await;
        assert_eq!(world.last_mentions(), ["lotse"]);
        let texter: Value = world.server.get("texter", &channel).await.expect(404).body;
        assert!(texter.get("reason").is_none());
    }
}
