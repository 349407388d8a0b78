//! Reactions to messages.

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
use bothy_storage::statements;
use bothy_testkit::both_databases;
use http::Method;
use serde_json::{Value as Json, json};
use support::{Answer, World};

statements! {
    COUNT_REACTIONS = "SELECT COUNT(*) AS n FROM reactions";
}

const THUMB: &str = "%F0%9F%91%8D";
const PARTY: &str = "%F0%9F%8E%89";

/// Percent-encodes a text for a path.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

async fn react(world: &World, who: &str, message: &str, emoji: &str) -> Answer {
    let path = format!("/messages/{message}/reactions/{emoji}");
    world.server.send(who, Method::PUT, &path, None, None).await
}

async fn unreact(world: &World, who: &str, message: &str, emoji: &str) -> Answer {
    let path = format!("/messages/{message}/reactions/{emoji}");
    world.server.send(who, Method::DELETE, &path, None, None).await
}

async fn reactions(world: &World, who: &str, message: &str) -> Json {
    world.server.get(who, &format!("/messages/{message}")).await.expect(200).body["reactions"].clone()
}

both_databases! {
    async fn each_person_counts_once_for_each_emoji(db: TestDb) {
        let world = World::new(&db).await;
        let said = world.say("sam", world.main, "done").await;
        let message = said.text("message_id");
        let first = react(&world, "sam", message, THUMB).await.expect(200);
        assert_eq!(first.body["reactions"], json!([{ "emoji": "👍", "count": 1, "me": true }]));
        react(&world, "sam", message, THUMB).await.expect(200);
        world.server.base.clock.advance(Duration::from_secs(1));
        react(&world, "lotse", message, THUMB).await.expect(200);
        world.server.base.clock.advance(Duration::from_secs(1));
        react(&world, "lotse", message, PARTY).await.expect(200);
        let by_sam = json!([{ "emoji": "👍", "count": 2, "me": true }, { "emoji": "🎉", "count": 1, "me": false }]);
        let by_robin = json!([{ "emoji": "👍", "count": 2, "me": false }, { "emoji": "🎉", "count": 1, "me": false }]);
        assert_eq!(reactions(&world, "sam", message).await, by_sam);
        assert_eq!(reactions(&world, "robin", message).await, by_robin);
        let listed = world.server.walk("robin", &format!("/threads/{}/messages", world.main), 5).await;
        assert_eq!(listed[0]["reactions"], by_robin);

        let path = format!("/messages/{message}/reactions");
        for limit in [1, 2, 3] {
            let people = world.server.walk("robin", &path, limit).await;
            let told: Vec<_> =
                people.iter().map(|one| (one["principal"]["handle"].clone(), one["emoji"].clone())).collect();
            assert_eq!(told, [(json!("sam"), json!(["👍"])), (json!("lotse"), json!(["👍", "🎉"]))]);
        }
        unreact(&world, "lotse", message, THUMB).await.expect(204);
        unreact(&world, "lotse", message, THUMB).await.expect(204);
        unreact(&world, "robin", message, PARTY).await.expect(204);
        let left = json!([{ "emoji": "👍", "count": 1, "me": true }, { "emoji": "🎉", "count": 1, "me": false }]);
        assert_eq!(reactions(&world, "sam", message).await, left);

        // Told once for each change, and not for what changes nothing.
        let events = world.server.base.events_for(world.robin).await;
        let told = events.iter().filter(|event| event.kind == EventKind::MessageReactionsUpdated).count();
        assert_eq!(told, 4);
    }

    async fn a_reaction_is_one_emoji_in_one_spelling(db: TestDb) {
        let world = World::new(&db).await;
        let said = world.say("sam", world.main, "done").await;
        let message = said.text("message_id");
        for spelling in ["❤", "❤\u{FE0F}"] {
            react(&world, "sam", message, &encoded(spelling)).await.expect(200);
            react(&world, "lotse", message, &encoded(spelling)).await.expect(200);
        }
        assert_eq!(reactions(&world, "sam", message).await, json!([{ "emoji": "❤\u{FE0F}", "count": 2, "me": true }]));
        for bad in ["a", "ok", ":+1:", "👍👍", "👍\u{202E}", "\u{0}", "🏽", "<img>", "👍 "] {
            let refused = react(&world, "sam", message, &encoded(bad)).await.expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], "/path/emoji");
            unreact(&world, "sam", message, &encoded(bad)).await.expect(422);
        }
        react(&world, "sam", message, "%FF%FE").await.expect(422);
    }

    async fn reactions_need_a_message_that_can_be_seen_and_is_there(db: TestDb) {
        let world = World::with(&db, |config| {
            config.message = serde_json::from_value(json!({ "max_reactions": 2 })).unwrap();
        }).await;
        let said = world.say("sam", world.main, "done").await;
        let message = said.text("message_id");
        // Nobody learns that the message exists, whatever they send.
        for emoji in [THUMB, "a"] {
            react(&world, "texter", message, emoji).await.expect(404);
            unreact(&world, "texter", message, emoji).await.expect(404);
        }
        world.server.get("texter", &format!("/messages/{message}/reactions")).await.expect(404);
        react(&world, "feed", message, THUMB).await.expect(403);
        react(&world, "sam", message, THUMB).await.expect(200);
        react(&world, "sam", message, PARTY).await.expect(200);
        let refused = react(&world, "lotse", message, &encoded("😀")).await.expect(409);
        assert_eq!(refused.text("code"), "conflict");
        // What is there already can still be joined.
        react(&world, "lotse", message, THUMB).await.expect(200);
        world.server.send("sam", Method::DELETE, &format!("/messages/{message}"), None, None).await.expect(204);
        react(&world, "lotse", message, THUMB).await.expect(409);
        unreact(&world, "lotse", message, THUMB).await.expect(204);
        assert_eq!(world.server.base.number(&COUNT_REACTIONS, &[]).await, 0);
    }

    async fn reactions_that_cross_keep_their_bound_and_their_count(db: TestDb) {
        let world = World::with(&db, |config| {
            config.message = serde_json::from_value(json!({ "max_reactions": 3 })).unwrap();
        }).await;
        let world = Arc::new(world);
        let said = world.say("sam", world.main, "done").await;
        let message = said.text("message_id").to_owned();
        let emoji = ["👍", "🎉", "😀", "🚀", "👀", "🙏"];
        let tasks: Vec<_> = emoji
            .iter()
            .flat_map(|one| ["sam", "lotse", "robin"].map(|who| (who, encoded(one))))
            .map(|(who, one)| {
                let (world, message) = (Arc::clone(&world), message.clone());
                tokio::spawn(async move { react(&world, who, &message, &one).await.status.as_u16() })
            })
            .collect();
        let mut taken = 0;
        for task in tasks {
            let status = task.await.unwrap();
            assert!([200, 409].contains(&status), "{status}");
            taken += u32::from(status == 200);
        }
        let found = reactions(&world, "sam", &message).await;
        let found = found.as_array().unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!(found.iter().map(|one| one["count"].as_u64().unwrap()).sum::<u64>(), u64::from(taken));
    }
}
