//! Looking for messages: who finds what, page by page, on both engines alike.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod support;

use std::collections::BTreeSet;

use bothy_domain::ids::{ChannelId, ThreadId};
use bothy_testkit::both_databases;
use http::Method;
use serde_json::{Value as Json, json};
use support::{Answer, World, id};

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn path(q: &str, further: &str) -> String {
    format!("/search/messages?q={}{further}", encoded(q))
}

/// The texts that somebody finds, newest first.
async fn found(world: &World, who: &str, q: &str, further: &str) -> Vec<String> {
    let items = world.server.walk(who, &path(q, further), 50).await;
    items.iter().map(|item| item["message"]["content_md"].as_str().unwrap().to_owned()).collect()
}

/// A text channel of Support: its id and main thread.
async fn channel(world: &World, name: &str) -> (ChannelId, ThreadId) {
    let body = json!({ "kind": "text", "name": name });
    let made = world.server.post("robin", &format!("/spaces/{}/channels", world.support), body).await.expect(201);
    (id(&made, "channel_id"), id(&made, "main_thread_id"))
}

both_databases! {
    async fn words_phrases_and_beginnings_are_found_alike(db: TestDb) {
        let world = World::new(&db).await;
        let said = [
            "Die Straße ist nass", "STRASSENFEST am Montag", "un café, s'il vous plaît", "CAFE\u{301} con leche",
            "東京都に行く", "京都", "ship it 🚀 now", "NEAR( AND OR NOT *", "a \"quoted phrase\" here",
            "phrase quoted", "foo_bar and foo.bar", "foo then bar", "100% sure", "C:\\temp\\x", "Zoë's ångström",
            "O'Reilly; DROP TABLE messages; --", "ﬁnal ﬁnish", "pass\u{200B}word", "naïve", "x",
        ];
        for text in said {
            world.say("sam", world.main, text).await;
        }
        let expect = [
            ("strasse", vec!["STRASSENFEST am Montag", "Die Straße ist nass"]),
            ("STRAẞE ", vec!["Die Straße ist nass"]),
            ("\"strasse\"", vec!["Die Straße ist nass"]),
            ("cafe", vec!["CAFE\u{301} con leche", "un café, s'il vous plaît"]),
            ("CAFÉ leche", vec!["CAFE\u{301} con leche"]),
            ("京都", vec!["京都", "東京都に行く"]),
            ("東京", vec!["東京都に行く"]),
            ("都京", vec![]),
            ("🚀", vec!["ship it 🚀 now"]),
            ("NEAR(", vec!["NEAR( AND OR NOT *"]),
            ("and OR not", vec!["NEAR( AND OR NOT *"]),
            ("\"quoted phrase\"", vec!["a \"quoted phrase\" here"]),
            ("quoted phrase", vec!["phrase quoted", "a \"quoted phrase\" here"]),
            ("foo_bar", vec!["foo_bar and foo.bar"]),
            ("foo bar", vec!["foo then bar", "foo_bar and foo.bar"]),
            ("100%", vec!["100% sure"]),
            ("c:\\temp", vec!["C:\\temp\\x"]),
            ("zoe angstrom", vec!["Zoë's ångström"]),
            ("'; DROP TABLE", vec!["O'Reilly; DROP TABLE messages; --"]),
            ("fini", vec!["ﬁnal ﬁnish"]),
            ("fi", vec![]),
            ("password", vec!["pass\u{200B}word"]),
            ("naive", vec!["naïve"]),
            ("sure sure", vec!["100% sure"]),
            ("absent", vec![]),
            ("strasse absent", vec![]),
        ];
        for (q, texts) in expect {
            assert_eq!(found(&world, "robin", q, "").await, texts, "{q}");
        }
        let hit = &world.server.get("robin", &path("quoted", "")).await.expect(200).body["items"][1];
        assert_eq!(hit["snippet"], json!({ "text": "a \"quoted phrase\" here", "hits": [{ "start": 3, "end": 9 }] }));
    }

    async fn filters_narrow_what_is_found(db: TestDb) {
        let world = World::new(&db).await;
        let (other, other_main) = channel(&world, "Ablage").await;
        let first = world.say("sam", world.main, "word with https://example.com").await;
        world.server.base.clock.advance(std::time::Duration::from_secs(60));
        world.say("lotse", world.main, "word with `code` for @robin").await;
        world.say("sam", other_main, "word elsewhere").await;
        let thread = world.open("sam", first.text("message_id")).await;
        world.say("sam", thread, "word in a thread").await;
        for (further, count) in [
            (String::new(), 4),
            (format!("&author_id={}", world.lotse), 1),
            (format!("&channel_id={other}"), 1),
            (format!("&channel_id={}", world.general), 3),
            (format!("&thread_id={thread}"), 1),
            (format!("&thread_id={}&author_id={}", world.main, world.sam), 1),
            (format!("&to={}", first_second_later(&first)), 1),
            (format!("&from={}", first_second_later(&first)), 3),
            ("&has=link".to_owned(), 1),
            ("&has=code".to_owned(), 1),
            ("&has=code,mention".to_owned(), 1),
            ("&has=code,link".to_owned(), 0),
            ("&has=reaction".to_owned(), 0),
            (format!("&author_id={}", world.texter), 0),
            (format!("&channel_id={}", world.main), 0),
        ] {
            assert_eq!(found(&world, "robin", "word", &further).await.len(), count, "{further}");
        }
        for (query, pointer) in [
            ("q=word&has=everything", "/query/has"), ("q=word&limit=0", "/query/limit"), ("q=word&cursor=!", "/query/cursor"),
            ("q=word&from=yesterday", "/query/from"), ("q=%22%22", "/query/q"), ("q=", "/query/q"),
        ] {
            let refused = world.server.get("sam", &format!("/search/messages?{query}")).await.expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], pointer, "{query}");
        }
        world.server.get("sam", "/search/messages").await.expect(422);
    }

    async fn c61_c56_exactly_the_visible_ones_are_found_whatever_the_page(db: TestDb) {
        let world = World::new(&db).await;
        let mut channels = Vec::new();
        for number in 0..8 {
            channels.push(channel(&world, &format!("Kanal-{number}")).await);
        }
        let alone = world.server.base.principal(bothy_domain::actor::PrincipalKind::Person, "alex").await;
        let mut state = 12345_u32;
        let mut next = |bound: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % bound
        };
        let visible: Vec<usize> = (0..channels.len()).filter(|_| next(2) == 0).collect();
        for index in &visible {
            world.server.base.grant(alone, world.support, Some(channels[*index].0), "read", 0).await;
        }
        let mut expected = Vec::new();
        for number in 0..120 {
            let index = usize::try_from(next(8)).unwrap();
            let text = format!("gemeinsam nummer{number} {}", if next(3) == 0 { "selten" } else { "oft" });
            world.say("sam", channels[index].1, &text).await;
            if visible.contains(&index) {
                expected.push(text);
            }
        }
        expected.reverse();
        for limit in [1, 2, 50, 200] {
            for (q, wanted) in [("gemeinsam", ""), ("gemein", ""), ("selten gemeinsam", "selten"), ("gemeinsam nummer", ""), ("\"oft\"", "oft")] {
                let items = world.server.walk("alex", &path(q, ""), limit).await;
                let texts: Vec<&str> = items.iter().map(|item| item["message"]["content_md"].as_str().unwrap()).collect();
                let wanted: Vec<&str> = expected.iter().map(String::as_str).filter(|text| text.contains(wanted)).collect();
                assert_eq!(texts, wanted, "{q} by {limit}");
            }
        }
        // A filter that names a hidden channel answers like one that names nothing.
        let hidden = (0..channels.len()).find(|index| !visible.contains(index)).unwrap();
        let of = |channel: &str| path("gemeinsam", &format!("&channel_id={channel}"));
        let known = world.server.get("alex", &of(&channels[hidden].0.to_string())).await.expect(200);
        let unknown = world.server.get("alex", &of("0193f1f0-1111-7000-8000-0123456789ab")).await.expect(200);
        assert_eq!(known.body, unknown.body);
        assert_eq!(known.body, json!({ "items": [] }));
        // Nobody who sees nothing finds anything, and an owner finds all.
        assert!(world.server.get("texter", &path("gemeinsam", "")).await.expect(200).body["items"].as_array().unwrap().is_empty());
        assert_eq!(found(&world, "robin", "gemeinsam", "").await.len(), 120);
    }

    async fn c57_a_walk_meets_each_hit_once_while_others_write(db: TestDb) {
        let world = World::new(&db).await;
        for number in 0..20 {
            world.say("sam", world.main, &format!("treffer {number}")).await;
        }
        let mut seen = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = world.server.get("robin", &path("treffer", &format!("&limit=3{cursor}"))).await.expect(200).body;
            seen.extend(page["items"].as_array().unwrap().iter().map(|item| item["message"]["message_id"].to_string()));
            world.say("sam", world.main, "treffer dazwischen").await;
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(seen.len(), 20);
        assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), 20);
    }

    async fn what_changes_is_found_as_it_is_now(db: TestDb) {
        let world = World::new(&db).await;
        let said = world.say("sam", world.main, "alte worte").await;
        let message = format!("/messages/{}", said.text("message_id"));
        world.server.send("sam", Method::PATCH, &message, Some(&json!({ "content_md": "neue worte" })), None).await.expect(200);
        assert_eq!(found(&world, "robin", "alte", "").await, Vec::<String>::new());
        assert_eq!(found(&world, "robin", "neue worte", "").await, ["neue worte"]);
        world.server.send("sam", Method::DELETE, &message, None, None).await.expect(204);
        assert_eq!(found(&world, "robin", "worte", "").await, Vec::<String>::new());
        world.say("sam", world.main, "worte danach").await;
        assert_eq!(found(&world, "robin", "worte", "").await, ["worte danach"]);
    }

    async fn c14_a_thread_that_moved_is_found_by_whom_sees_its_channel_now(db: TestDb) {
        let world = World::new(&db).await;
        let (goal, _) = channel(&world, "Ziel").await;
        let (_, source_main) = channel(&world, "Quelle").await;
        let said = world.say("sam", source_main, "anfang").await;
        let place: ChannelId = id(&said, "channel_id");
        let opened = world.server.post("sam", &format!("/channels/{place}/threads"), json!({ "parent_message_id": said.text("message_id") })).await.expect(201);
        let thread: ThreadId = id(&opened, "thread_id");
        world.say("sam", thread, "umzug eins").await;
        world.say("sam", thread, "umzug zwei").await;
        let base = &world.server.base;
        let (here, there) = (
            base.principal(bothy_domain::actor::PrincipalKind::Person, "alex").await,
            base.principal(bothy_domain::actor::PrincipalKind::Person, "kim").await,
        );
        base.grant(here, world.support, Some(place), "read", 0).await;
        base.grant(there, world.support, Some(goal), "read", 0).await;
        assert_eq!((found(&world, "alex", "umzug", "").await.len(), found(&world, "kim", "umzug", "").await.len()), (2, 0));
        world.server.post("robin", &format!("/threads/{thread}/move"), json!({ "channel_id": goal })).await.expect(200);
        assert_eq!((found(&world, "alex", "umzug", "").await.len(), found(&world, "kim", "umzug", "").await.len()), (0, 2));
        assert_eq!(found(&world, "kim", "umzug", &format!("&channel_id={goal}")).await.len(), 2);
        assert_eq!(found(&world, "robin", "umzug", &format!("&channel_id={place}")).await.len(), 0);
    }

    async fn beginnings_of_many_words_are_found_as_well(db: TestDb) {
        let world = World::new(&db).await;
        let mut wanted = Vec::new();
        for batch in 0..6 {
            let messages: Vec<Json> = (0..200)
                .map(|number| {
                    let number = batch * 200 + number;
                    // In 40 words, and each in one of its own: more than are followed one by one.
                    let text = format!("haufen{} menge{number} ende", number % 40);
                    wanted.push(text.clone());
                    json!({ "key": text, "author_name": "Former Colleague", "content_md": text, "created_at": "2020-01-01T00:00:00Z" })
                })
                .collect();
            let path = format!("/channels/{}/import", world.general);
            world.server.post("robin", &path, json!({ "messages": messages })).await.expect(201);
        }
        wanted.reverse();
        // The owner, who sees all, and somebody who sees some channels are served by different statements.
        for (who, q) in ["robin", "sam"].into_iter().flat_map(|who| ["haufen", "menge", "ende haufen", "ende menge", "haufen* ende "].map(|q| (who, q))) {
            let items = world.server.walk(who, &path(q, ""), 200).await;
            let texts: Vec<&str> = items.iter().map(|item| item["message"]["content_md"].as_str().unwrap()).collect();
            assert_eq!(texts.len(), if q == "haufen* ende " { 0 } else { 1200 }, "{who} {q}");
            assert!(texts.is_empty() || texts == wanted, "{who} {q}: each once, newest first");
        }
    }

    async fn two_thousand_hostile_queries_are_answered(db: TestDb) {
        let world = World::new(&db).await;
        world.say("sam", world.main, "the quick brown fox `jumps` over \"lazy\" dogs 東京 👍").await;
        let pieces = [
            "\"", "'", "*", "(", ")", "NEAR/2", "AND", "OR", "NOT", "^", ":", "-", "+", "\\", "%", "_", "\u{0}", "fox", "qui",
            " ", "東", "👍", "é", "\u{301}", "\u{202E}", "&", "|", "!", "<->", "{", "}", "[", "]", "~", "$1", "?1", ";", "--", "/*", "\n",
        ];
        let mut state = 99_u32;
        let mut next = |bound: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            usize::try_from(state >> 8).unwrap() % bound
        };
        let mut answered = 0;
        for _ in 0..2_000 {
            let q: String = (0..=next(9)).map(|_| pieces[next(pieces.len())]).collect();
            let status = world.server.get("robin", &path(&q, "")).await.status.as_u16();
            assert!(status == 200 || status == 422, "{status} for {q:?}");
            answered += usize::from(status == 200);
        }
        assert!(answered > 200, "the test asks for something: {answered}");
    }
}

/// The time of a message, half a minute on.
fn first_second_later(said: &Answer) -> String {
    let time: bothy_domain::time::Timestamp = serde_json::from_value(Json::from(said.text("created_at"))).unwrap();
    let later = serde_json::to_value(time.plus(std::time::Duration::from_secs(30))).unwrap();
    later.as_str().unwrap().to_owned()
}
