//! Agents and apps as members: making, reading, changing, shutting out, and their tokens.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use bothy_testkit::both_databases;
use serde_json::{Value, json};
use support::World;

both_databases! {
    async fn an_agent_is_made_read_and_changed(db: TestDb) {
        let world = World::new(&db).await;
        let made = world.post("/agents", json!({ "handle": "Lotse", "display_name": " Lotse " })).await.expect(201);
        assert_eq!((made.text("handle"), made.text("display_name"), made.text("status")), ("lotse", "Lotse", "active"));
        assert_eq!((made.text("dm_policy"), &made.body["requires_binding"]), ("triggerers", &json!(false)));
        let path = format!("/agents/{}", made.text("agent_id"));
        let read = world.get(&path).await.expect(200);
        assert_eq!(read.body, made.body);

        let change = json!({ "display_name": "Pilot", "description": "Helps", "dm_policy": "nobody", "requires_binding": true });
        let send = |tag: Option<String>| {
            let (change, path, world) = (change.clone(), path.clone(), &world);
            async move {
                let headers: Vec<(&str, &str)> = tag.iter().map(|tag| ("if-match", tag.as_str())).collect();
                world.request("PATCH", &path, &world.robin, &headers, Some(change)).await
            }
        };
        send(None).await.expect(409);
        let changed = send(read.etag.clone()).await.expect(200);
        assert_eq!((changed.text("display_name"), changed.text("description")), ("Pilot", "Helps"));
        assert_eq!((changed.text("dm_policy"), &changed.body["requires_binding"]), ("nobody", &json!(true)));
        send(read.etag).await.expect(409);
        world.get(&format!("/agents/{}", world.ids.next::<()>())).await.expect(404);
    }

    async fn what_cannot_be_an_agent_is_refused(db: TestDb) {
        let world = World::new(&db).await;
        world.agent("lotse").await;
        world.post("/agents", json!({ "handle": "LOTSE", "display_name": "x" })).await.expect(409);
        for (body, pointer) in [
            (json!({ "handle": "", "display_name": "x" }), "/handle"),
            (json!({ "handle": "here", "display_name": "x" }), "/handle"),
            (json!({ "handle": "texter", "display_name": "\u{202e}x" }), "/display_name"),
            (json!({ "handle": "texter", "display_name": "x", "description": "\u{7}" }), "/description"),
            (json!({ "handle": "texter", "display_name": "x", "description": "x".repeat(501) }), "/description"),
            (json!({ "handle": "texter", "display_name": "x", "dm_policy": "all" }), "/dm_policy"),
        ] {
            let refused = world.post("/agents", body).await.expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], json!(pointer));
        }
    }

    async fn only_an_owner_in_a_session_makes_agents(db: TestDb) {
        let world = World::new(&db).await;
        let alex = world.person("alex").await;
        let body = json!({ "handle": "lotse", "display_name": "Lotse" });
        world.request("POST", "/agents", &alex, &[], Some(body.clone())).await.expect(403);
        world.request("POST", "/agents", "", &[], Some(body)).await.expect(401);
        // Everybody who is signed in may know agents.
        let agent = world.agent("lotse").await;
        world.request("GET", &format!("/agents/{agent}"), &alex, &[], None).await.expect(200);
        world.request("GET", &format!("/agents/{agent}/tokens"), &alex, &[], None).await.expect(403);
    }

    async fn a_repeated_request_makes_one_agent(db: TestDb) {
        let world = World::new(&db).await;
        let body = json!({ "handle": "lotse", "display_name": "Lotse" });
        let key = [("idempotency-key", "one")];
        let first = world.request("POST", "/agents", &world.robin, &key, Some(body.clone())).await.expect(201);
        let second = world.request("POST", "/agents", &world.robin, &key, Some(body)).await.expect(201);
        assert_eq!(first.body, second.body);
    }

    async fn lists_come_in_pages(db: TestDb) {
        let world = World::new(&db).await;
        let mut made = Vec::new();
        for handle in ["a1", "a2", "a3", "a4", "a5"] {
            made.push(json!(world.agent(handle).await));
        }
        for limit in [1, 2, 5] {
            let mut found: Vec<Value> = Vec::new();
            let mut cursor = String::new();
            loop {
                let page = world.get(&format!("/agents?limit={limit}{cursor}")).await.expect(200).body;
                found.extend(page["items"].as_array().unwrap().iter().map(|agent| agent["agent_id"].clone()));
                match page["next_cursor"].as_str() {
                    Some(next) => cursor = format!("&cursor={next}"),
                    None => break,
                }
            }
            assert_eq!(found, made);
        }
        world.get("/agents?limit=0").await.expect(422);
        world.get("/agents?cursor=x").await.expect(422);
    }

    async fn tokens_are_shown_once_and_end_at_once(db: TestDb) {
        let world = World::new(&db).await;
        let agent = world.agent("lotse").await;
        let tokens = format!("/agents/{agent}/tokens");
        let issued = world.post(&tokens, json!({ "name": "laptop" })).await.expect(201);
        let secret = issued.text("token").to_owned();
        assert!(secret.starts_with("bothy_agt_"));
        let me = |secret: String| {
            let world = &world;
            async move { world.request("GET", "/me", &secret, &[], None).await }
        };
        me(secret.clone()).await.expect(200);
        let list = world.get(&tokens).await.expect(200);
        assert!(!list.body.to_string().contains(&secret));
        assert_eq!(list.body["items"][0]["name"], json!("laptop"));
        let one = format!("{tokens}/{}", issued.text("token_id"));
        world.request("DELETE", &one, &world.robin, &[], None).await.expect(204);
        me(secret).await.expect(401);
        world.request("DELETE", &one, &world.robin, &[], None).await.expect(404);
        // A token of another agent cannot be revoked through this one.
        let other = world.agent("texter").await;
        let foreign = world.post(&format!("/agents/{other}/tokens"), json!({ "name": "x" })).await.expect(201);
        let crossed = format!("{tokens}/{}", foreign.text("token_id"));
        world.request("DELETE", &crossed, &world.robin, &[], None).await.expect(404);
        me(foreign.text("token").to_owned()).await.expect(200);
        world.post(&tokens, json!({ "name": "late", "expires_at": "2001-01-01T00:00:00Z" })).await.expect(422);
    }

    async fn a_disabled_agent_is_out_until_it_is_let_in_again(db: TestDb) {
        let world = World::new(&db).await;
        let agent = world.agent("lotse").await;
        let issued = world.post(&format!("/agents/{agent}/tokens"), json!({ "name": "t" })).await.expect(201);
        let secret = issued.text("token").to_owned();
        let disabled = world.post_empty(&format!("/agents/{agent}/disable")).await.expect(200);
        assert_eq!(disabled.text("status"), "disabled");
        world.request("GET", "/me", &secret, &[], None).await.expect(401);
        world.post_empty(&format!("/agents/{agent}/enable")).await.expect(200);
        world.request("GET", "/me", &secret, &[], None).await.expect(200);
        // An agent is no app.
        world.post_empty(&format!("/apps/{agent}/disable")).await.expect(404);
    }

    async fn apps_are_members_too(db: TestDb) {
        let world = World::new(&db).await;
        let made = world.post("/apps", json!({ "handle": "feed", "display_name": "Feed" })).await.expect(201);
        let app = made.text("app_id").to_owned();
        assert_eq!(world.get("/apps").await.expect(200).body["items"][0]["app_id"], json!(app));
        let issued = world.post(&format!("/apps/{app}/tokens"), json!({ "name": "t" })).await.expect(201);
        let secret = issued.text("token").to_owned();
        assert!(secret.starts_with("bothy_app_"));
        world.request("GET", "/me", &secret, &[], None).await.expect(200);
        world.get(&format!("/apps/{app}/tokens")).await.expect(200);
        world.post_empty(&format!("/apps/{app}/disable")).await.expect(200);
        world.request("GET", "/me", &secret, &[], None).await.expect(401);
        world.post_empty(&format!("/apps/{app}/enable")).await.expect(200);
        let one = format!("/apps/{app}/tokens/{}", issued.text("token_id"));
        world.request("DELETE", &one, &world.robin, &[], None).await.expect(204);
        world.request("GET", "/me", &secret, &[], None).await.expect(401);
        world.get(&format!("/agents/{app}")).await.expect(404);
    }
}
