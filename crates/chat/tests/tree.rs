//! Spaces, channels, threads and switches as people and agents use them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod support;

use bothy_chat::Within;
use bothy_domain::actor::PrincipalKind::{Agent, Person};
use bothy_domain::ids::{ChannelId, SpaceId};
use bothy_testkit::both_databases;
use serde_json::json;
use support::{Base, MANAGE, Server, id};

async fn server(db: &bothy_testkit::TestDb) -> Server {
    let base = Base::new(db, |_| {}).await;
    base.owner("robin").await;
    base.serve(bothy_platform::http::RouteTable::default(), None)
}

async fn space(server: &Server, name: &str) -> SpaceId {
    id(&server.post("robin", "/spaces", json!({ "name": name })).await.expect(201), "space_id")
}

async fn channel(server: &Server, space: SpaceId, kind: &str, name: &str) -> ChannelId {
    let body = json!({ "kind": kind, "name": name });
    id(&server.post("robin", &format!("/spaces/{space}/channels"), body).await.expect(201), "channel_id")
}

both_databases! {
    async fn spaces_are_made_renamed_and_archived(db: TestDb) {
        let server = server(&db).await;
        let made = server.post("robin", "/spaces", json!({ "name": "  Support " })).await.expect(201);
        assert_eq!(made.text("name"), "Support");
        let path = format!("/spaces/{}", made.text("space_id"));
        assert_eq!(made.etag.as_deref(), Some("\"v1\""));

        server.post("robin", "/spaces", json!({ "name": "SUPPORT" })).await.expect(409);
        for name in ["", " ", "a\u{202E}b", &"x".repeat(81)] {
            let refused = server.post("robin", "/spaces", json!({ "name": name })).await.expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], "/name");
        }

        server.patch("robin", &path, json!({ "name": "Help" }), None).await.expect(409);
        server.patch("robin", &path, json!({ "name": "Help" }), Some("\"v2\"")).await.expect(409);
        let renamed = server.patch("robin", &path, json!({ "name": "Help" }), Some("\"v1\"")).await.expect(200);
        assert_eq!((renamed.text("name"), renamed.etag.as_deref()), ("Help", Some("\"v2\"")));
        space(&server, "Support").await;
        server.patch("robin", &path, json!({ "name": "support" }), Some("\"v2\"")).await.expect(409);

        let archived = server.post_empty("robin", &format!("{path}/archive")).await.expect(200);
        assert!(archived.body["archived_at"].is_string());
        let again = server.post_empty("robin", &format!("{path}/archive")).await.expect(200);
        assert_eq!((again.etag, again.body), (archived.etag, archived.body));
        server.post("robin", &format!("{path}/channels"), json!({ "kind": "text", "name": "Allgemein" })).await.expect(409);
        let back = server.post_empty("robin", &format!("{path}/unarchive")).await.expect(200);
        assert!(back.body.get("archived_at").is_none());
        server.post("robin", &format!("{path}/channels"), json!({ "kind": "text", "name": "Allgemein" })).await.expect(201);
    }

    async fn a_text_channel_begins_with_its_main_thread(db: TestDb) {
        let server = server(&db).await;
        let support = space(&server, "Support").await;
        let path = format!("/spaces/{support}/channels");
        let text = server.post("robin", &path, json!({ "kind": "text", "name": "Allgemein" })).await.expect(201);
        let forum = server.post("robin", &path, json!({ "kind": "forum", "name": "Projekt-A" })).await.expect(201);
        assert!(forum.body.get("main_thread_id").is_none());
        let main = server.get("robin", &format!("/threads/{}", text.text("main_thread_id"))).await.expect(200);
        assert_eq!((main.text("kind"), main.text("channel_id")), ("main", text.text("channel_id")));
        let threads = server.walk("robin", &format!("/channels/{}/threads", text.text("channel_id")), 1).await;
        assert_eq!(threads, [main.body]);

        server.post("robin", &path, json!({ "kind": "forum", "name": "ALLGEMEIN" })).await.expect(409);
        server.post("robin", &path, json!({ "kind": "dm", "name": "Other" })).await.expect(422);
        let other = space(&server, "Engineering").await;
        channel(&server, other, "text", "Allgemein").await;
    }

    async fn names_may_be_taken_again_only_elsewhere_and_versions_guard_renames(db: TestDb) {
        let server = server(&db).await;
        let support = space(&server, "Support").await;
        let first = channel(&server, support, "text", "Allgemein").await;
        channel(&server, support, "text", "Eskalation").await;
        let path = format!("/channels/{first}");
        let tag = server.get("robin", &path).await.expect(200).etag;
        server.patch("robin", &path, json!({ "name": "eskalation" }), tag.as_deref()).await.expect(409);
        server.patch("robin", &path, json!({ "name": "Halle" }), None).await.expect(409);
        let renamed = server.patch("robin", &path, json!({ "name": "Halle" }), tag.as_deref()).await.expect(200);
        assert_eq!(renamed.text("name"), "Halle");
        server.patch("robin", &path, json!({ "name": "Diele" }), tag.as_deref()).await.expect(409);
        server.patch("robin", &path, json!({ "title": "x" }), renamed.etag.as_deref()).await.expect(422);
    }

    async fn switches_have_defaults_and_change_one_by_one(db: TestDb) {
        let server = server(&db).await;
        let support = space(&server, "Support").await;
        let path = format!("/channels/{}/agent-config", channel(&server, support, "text", "Allgemein").await);
        let read = server.get("robin", &path).await.expect(200);
        let mut expected = json!({
            "channel_id": read.text("channel_id"), "respond_to": "mention", "respond_in_threads": true,
            "allow_mentioned_agents": true, "auto_thread": true, "history_backfill_limit": 50,
            "egress": "confirm", "skills": [],
        });
        assert_eq!(read.body, expected);

        let change = json!({ "respond_to": "every_message", "prompt": "Be brief.", "skills": ["triage"], "history_backfill_limit": 0 });
        server.patch("robin", &path, change.clone(), None).await.expect(409);
        let changed = server.patch("robin", &path, change.clone(), read.etag.as_deref()).await.expect(200);
        for (name, value) in change.as_object().unwrap() {
            expected[name] = value.clone();
        }
        assert_eq!(changed.body, expected);
        assert_ne!(changed.etag, read.etag);
        assert_eq!(server.get("robin", &path).await.body, expected);
        server.patch("robin", &path, json!({ "egress": "deny" }), read.etag.as_deref()).await.expect(409);

        let tag = changed.etag.as_deref();
        for (bad, pointer) in [
            (json!({ "history_backfill_limit": 201 }), "/history_backfill_limit"),
            (json!({ "prompt": "x".repeat(65 * 1024) }), "/prompt"),
            (json!({ "prompt": "a\u{0}b" }), "/prompt"),
            (json!({ "skills": ["fine", "a\u{200B}b"] }), "/skills/1"),
            (json!({ "respond_to": "always" }), "/respond_to"),
        ] {
            let refused = server.patch("robin", &path, bad, tag).await.expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], pointer);
        }
        let cleared = server.patch("robin", &path, json!({ "prompt": "", "skills": [] }), tag).await.expect(200);
        assert!(cleared.body.get("prompt").is_none());
        assert_eq!(cleared.body["skills"], json!([]));
        let same = server.patch("robin", &path, json!({}), cleared.etag.as_deref()).await.expect(200);
        assert_eq!(same.etag, cleared.etag);
    }

    async fn operators_are_active_agents_and_are_inherited(db: TestDb) {
        let server = server(&db).await;
        let base = &server.base;
        let alex = base.principal(Person, "alex").await;
        let lotse = base.principal(Agent, "lotse").await;
        let runner = base.principal(Agent, "runner").await;
        let support = space(&server, "Support").await;
        let general = channel(&server, support, "text", "Allgemein").await;
        let on_space = format!("/spaces/{support}/operator");
        let on_channel = format!("/channels/{general}/operator");

        let gone = bothy_domain::ids::PrincipalId::from_uuid(uuid::Uuid::nil());
        base.disable(runner).await;
        for nobody in [alex, gone, runner] {
            let refused = server.put("robin", &on_space, json!({ "agent_id": nobody })).await.expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], "/agent_id");
        }
        server.put("robin", &on_space, json!({ "agent_id": lotse })).await.expect(200);
        let read = server.get("robin", &format!("/channels/{general}")).await.expect(200);
        assert_eq!(read.text("effective_operator_agent_id"), lotse.to_string());
        assert!(read.body.get("operator_agent_id").is_none());

        let texter = base.principal(Agent, "texter").await;
        let set = server.put("robin", &on_channel, json!({ "agent_id": texter })).await.expect(200);
        assert_eq!(set.text("effective_operator_agent_id"), texter.to_string());
        let main = set.text("main_thread_id").to_owned();
        let thread = server.get("robin", &format!("/threads/{main}")).await.expect(200);
        assert_eq!(thread.text("effective_operator_agent_id"), texter.to_string());
        server.put("robin", &format!("/threads/{main}/operator"), json!({ "agent_id": lotse })).await.expect(409);
        server.put("robin", &on_channel, json!({})).await.expect(200);
        let read = server.get("robin", &format!("/threads/{main}")).await.expect(200);
        assert_eq!(read.text("effective_operator_agent_id"), lotse.to_string());
    }

    async fn what_is_hidden_answers_like_what_is_not_there(db: TestDb) {
        let server = server(&db).await;
        server.base.principal(Person, "sam").await;
        let hidden_space = space(&server, "Marketing").await;
        let hidden = channel(&server, hidden_space, "text", "Kampagne").await;
        let thread = server.get("robin", &format!("/channels/{hidden}")).await.text("main_thread_id").to_owned();
        let unknown = "0190a000-0000-7000-8000-000000000000";
        for (kind, hidden) in [
            ("spaces", hidden_space.to_string()),
            ("channels", hidden.to_string()),
            ("threads", thread),
        ] {
            let tails: &[&str] = match kind {
                "spaces" => &["", "/channels?limit=0"],
                "channels" => &["", "/agent-config", "/threads?cursor=bad"],
                _ => &[""],
            };
            for tail in tails {
                let mut there = server.get("sam", &format!("/{kind}/{hidden}{tail}")).await.expect(404).body;
                let mut nowhere = server.get("sam", &format!("/{kind}/{unknown}{tail}")).await.expect(404).body;
                for body in [&mut there, &mut nowhere] {
                    body.as_object_mut().unwrap().retain(|name, _| name != "instance" && name != "correlation_id");
                }
                assert_eq!(there, nowhere);
            }
            let put = server.put("sam", &format!("/{kind}/{hidden}/operator"), json!({ "bad": 1 })).await;
            put.expect(404);
        }
    }

    async fn lists_show_exactly_what_may_be_read_in_full_pages(db: TestDb) {
        let server = server(&db).await;
        let sam = server.base.principal(Person, "sam").await;
        let support = space(&server, "Support").await;
        let wide = space(&server, "Engineering").await;
        space(&server, "Marketing").await;
        let mut visible = Vec::new();
        for number in 0..24 {
            let made = channel(&server, support, "text", &format!("c{number}")).await;
            if number % 2 == 0 {
                server.base.grant(sam, support, Some(made), "read", 0).await;
                visible.push(made.to_string());
            }
        }
        server.base.grant(sam, wide, None, "read", MANAGE).await;
        // Made after the grant: visible through the space at once (AZ-9).
        let later = channel(&server, wide, "forum", "later").await;

        for limit in [1, 2, 5, 50] {
            let channels = server.walk("sam", &format!("/spaces/{support}/channels"), limit).await;
            let found: Vec<&str> = channels.iter().map(|one| one["channel_id"].as_str().unwrap()).collect();
            assert_eq!(found, visible);
            let spaces = server.walk("sam", "/spaces", limit).await;
            let names: Vec<&str> = spaces.iter().map(|one| one["name"].as_str().unwrap()).collect();
            assert_eq!(names, ["Support", "Engineering"]);
        }
        let found = server.walk("sam", &format!("/spaces/{wide}/channels"), 50).await;
        assert_eq!(found.len(), 1);
        assert_eq!(found[0]["channel_id"], later.to_string());
        let page = server.get("sam", &format!("/spaces/{support}/channels?limit=12")).await.expect(200);
        assert!(page.body.get("next_cursor").is_none(), "only hidden rows are left");
        for bad in ["limit=0", "limit=201", "limit=x", "cursor=AAAA", "page=1"] {
            server.get("sam", &format!("/spaces/{support}/channels?{bad}")).await.expect(422);
        }
    }

    async fn agents_read_what_the_channel_tells_them_and_people_its_switches(db: TestDb) {
        let server = server(&db).await;
        let lotse = server.base.principal(Agent, "lotse").await;
        let sam = server.base.principal(Person, "sam").await;
        server.base.principal(Agent, "texter").await;
        let support = space(&server, "Support").await;
        let general = channel(&server, support, "text", "Allgemein").await;
        for who in [lotse, sam] {
            server.base.grant(who, support, None, "read", 0).await;
        }
        let config = format!("/channels/{general}/agent-config");
        let tag = server.get("robin", &config).await.expect(200).etag;
        let change = json!({ "prompt": "Be brief.", "skills": ["triage"] });
        let changed = server.patch("robin", &config, change, tag.as_deref()).await.expect(200);
        let path = format!("/channels/{general}/agent-prompt");
        let read = server.get("lotse", &path).await.expect(200);
        assert_eq!(read.body, json!({ "channel_id": general, "prompt": "Be brief.", "skills": ["triage"] }));
        assert_eq!(read.etag, changed.etag);
        server.get("lotse", &config).await.expect(403);
        server.get("sam", &path).await.expect(403);
        server.get("texter", &path).await.expect(404);
    }

    async fn c102_a_tag_is_a_version_and_never_spares_the_judgement(db: TestDb) {
        let server = server(&db).await;
        server.base.principal(Person, "sam").await;
        let support = space(&server, "Support").await;
        let general = channel(&server, support, "text", "Allgemein").await;
        let path = format!("/channels/{general}");
        let read = server.get("robin", &path).await.expect(200);
        let main = format!("/threads/{}", read.text("main_thread_id"));
        let unknown = "/channels/0190a000-0000-7000-8000-000000000000";
        for tag in [read.etag.as_deref().unwrap(), "*", "W/\"v1\"", "\"v1\", \"v2\""] {
            let headers = [(http::header::IF_NONE_MATCH, tag)];
            for path in [&path, &main] {
                let again = server.send_with("robin", http::Method::GET, path, None, &headers).await.expect(200);
                assert!(again.body.is_object() && again.etag.is_some());
                let hidden = server.send_with("sam", http::Method::GET, path, None, &headers).await.expect(404);
                assert!(hidden.etag.is_none());
            }
            let hidden = server.send_with("sam", http::Method::GET, &path, None, &headers).await.comparable();
            let nowhere = server.send_with("sam", http::Method::GET, unknown, None, &headers).await.comparable();
            assert_eq!(hidden, nowhere);
            let body = json!({ "name": "Halle" });
            let headers = [(http::header::IF_MATCH, tag)];
            let hidden = server.send_with("sam", http::Method::PATCH, &path, Some(&body), &headers).await.comparable();
            let nowhere = server.send_with("sam", http::Method::PATCH, unknown, Some(&body), &headers).await.comparable();
            assert_eq!(hidden, nowhere);
        }
    }

    async fn threads_are_found_in_the_part_of_the_tree_where_they_stand(db: TestDb) {
        let server = server(&db).await;
        let (support, marketing) = (space(&server, "Support").await, space(&server, "Marketing").await);
        let reader = server.base.database.reader().await.unwrap();
        let (mut channels, mut threads) = (Vec::new(), Vec::new());
        for (space, name) in [(support, "a"), (support, "b"), (marketing, "c")] {
            let made = channel(&server, space, "text", name).await;
            threads.push(server.base.chat.main_thread(&reader, made).await.unwrap().unwrap().id);
            channels.push(made);
        }
        for (part, asked, found) in [
            (Within::Channel(channels[0]), &threads[..], &threads[..1]),
            (Within::Channel(channels[0]), &threads[1..], &[]),
            (Within::Space(support), &threads[..], &threads[..2]),
            (Within::Space(support), &threads[1..], &threads[1..2]),
            (Within::Space(marketing), &threads[..], &threads[2..]),
            (Within::Space(marketing), &[], &[]),
        ] {
            let mut standing = server.base.chat.threads_in(&reader, asked, part).await.unwrap();
            standing.sort_unstable();
            assert_eq!(standing, found, "{part:?}");
        }
    }

    async fn a_list_that_changes_shows_each_channel_once(db: TestDb) {
        let server = server(&db).await;
        let support = space(&server, "Support").await;
        for number in 0..7 {
            channel(&server, support, "text", &format!("c{number}")).await;
        }
        let path = format!("/spaces/{support}/channels");
        let first = server.get("robin", &format!("{path}?limit=3")).await.expect(200).body;
        channel(&server, support, "text", "new").await;
        let cursor = first["next_cursor"].as_str().unwrap();
        let rest = server.get("robin", &format!("{path}?limit=50&cursor={cursor}")).await.expect(200).body;
        let mut names: Vec<String> = Vec::new();
        for page in [&first, &rest] {
            names.extend(page["items"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()));
        }
        assert_eq!(names, ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "new"]);
    }
}
