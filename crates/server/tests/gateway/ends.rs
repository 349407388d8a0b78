//! What ends a connection, and with which good-bye.

use std::time::Duration;

use bothy_platform::entropy::{Entropy as _, SeededEntropy};
use bothy_testkit::{TestDb, both_databases};
use serde_json::json;

use super::stage::{Stage, number};
use super::support::{Socket, TestServer};

/// Another node over PostgreSQL; with SQLite there is one.
async fn other_node(stage: &Stage, db: &TestDb) -> Option<TestServer> {
    if db.is_postgres() { Some(stage.server.another(db).await) } else { None }
}

both_databases! {
    /// A session, a token and a person that end close what is open, on every node.
    async fn what_ends_closes_connections_on_every_node(db: TestDb) {
        let stage = Stage::set(&db).await;
        let other = other_node(&stage, &db).await;
        let url = other.as_ref().map_or_else(|| stage.server.url(), TestServer::url);
        // A session.
        let mut sam = Socket::open(&url, &stage.sam.bearer()).await;
        let session = stage.sam.get("/me").await.expect(200).text("/session/session_id");
        stage.sam.delete(&format!("/sessions/{session}")).await.expect(204);
        assert_eq!(sam.end().await.code, 4401);
        // A personal token.
        let made = stage.alex.post("/me/tokens", json!({ "name": "script" })).await.expect(201);
        let mut script = Socket::open(&url, &made.text("/token")).await;
        let mut alex = Socket::open(&url, &stage.alex.bearer()).await;
        stage.alex.delete(&format!("/me/tokens/{}", made.text("/token_id"))).await.expect(204);
        assert_eq!(script.end().await.code, 4401);
        // The other credential of the same person goes on.
        let said = stage.say(&stage.robin, "still there?").await;
        assert_eq!(alex.event("message.created").await["message_id"], json!(said));
        // The token of an agent.
        let path = format!("/agents/{}/tokens", stage.world.lotse.id);
        let issued = stage.robin.post(&path, json!({ "name": "second" })).await.expect(201);
        let mut lotse = Socket::open(&url, &issued.text("/token")).await;
        stage.robin.delete(&format!("{path}/{}", issued.text("/token_id"))).await.expect(204);
        assert_eq!(lotse.end().await.code, 4401);
        // A person.
        stage.robin.post_empty(&format!("/people/{}/disable", stage.world.alex.id)).await.expect(200);
        assert_eq!(alex.end().await.code, 4401);
        if let Some(other) = other {
            other.stop().await;
        }
        stage.stop().await;
    }

    /// A session that expires by the clock is found at the next heartbeat; a client that is silent is cut
    /// off, and one that answers is not.
    async fn heartbeats_go_both_ways(db: TestDb) {
        let stage = Stage::set(&db).await;
        let (mut silent, mut lively) = (stage.follow(&stage.alex).await, stage.follow(&stage.sam).await);
        let interval = Duration::from_secs(silent.greeting["heartbeat_interval"].as_u64().unwrap());
        for _ in 0..4 {
            lively.say(json!({ "op": "heartbeat" })).await;
            assert_eq!(lively.next().await["type"], "heartbeat");
            stage.server.pass(interval);
            assert_eq!(lively.next().await["type"], "heartbeat");
            if let Err(ended) = silent.step().await {
                assert_eq!(ended.code, 4408, "{ended:?}");
                assert!(ended.reason.contains("resume="), "{ended:?}");
            }
        }
        while stage.server.app.modules().delivery.connections() > 1 {
            tokio::task::yield_now().await;
        }
        stage.stop().await;
    }

    /// The cookie of a browser opens a connection only for our own pages.
    async fn a_cookie_counts_for_the_same_origin_only(db: TestDb) {
        let stage = Stage::set(&db).await;
        let url = stage.server.url();
        let cookie = format!("bothy_session={}", stage.alex.bearer());
        let refused = async |headers: &[(&str, &str)]| Socket::try_open(&url, "", headers).await.err().map(|refused| refused.0);
        assert_eq!(refused(&[("cookie", &cookie)]).await, Some(401));
        assert_eq!(refused(&[("cookie", &cookie), ("origin", "http://evil.example.com")]).await, Some(401));
        assert_eq!(refused(&[("cookie", &cookie), ("origin", "null")]).await, Some(401));
        let cross = [("cookie", cookie.as_str()), ("origin", url.as_str()), ("sec-fetch-site", "cross-site")];
        assert_eq!(refused(&cross).await, Some(401));
        assert_eq!(refused(&[("cookie", &cookie), ("origin", &url)]).await, None);
        assert_eq!(refused(&[]).await, Some(401));
        // An app follows nothing live.
        let app = json!({ "handle": "ci", "display_name": "CI", "description": "Builds." });
        let app = stage.robin.post("/apps", app).await.expect(201).text("/app_id");
        let token = stage.robin.post(&format!("/apps/{app}/tokens"), json!({ "name": "ci" })).await.expect(201).text("/token");
        let bearer = format!("Bearer {token}");
        let (status, problem) = Socket::try_open(&url, "", &[("authorization", &bearer)]).await.err().unwrap();
        assert_eq!((status, problem["reason"].as_str()), (403, Some("subject_kind_not_allowed")));
        stage.stop().await;
    }

    async fn there_are_so_many_connections_and_no_more(db: TestDb) {
        let stage = Stage::set_with(&db, |config| {
            config.gateway.max_connections_per_principal = number(2);
            config.gateway.max_connections = number(3);
        })
        .await;
        let url = stage.server.url();
        let (alex, sam) = (format!("Bearer {}", stage.alex.bearer()), format!("Bearer {}", stage.sam.bearer()));
        let (first, _second) = (stage.follow(&stage.alex).await, stage.follow(&stage.alex).await);
        let third = Socket::try_open(&url, "", &[("authorization", &alex)]).await.err().unwrap();
        assert_eq!((third.0, third.1["code"].as_str()), (429, Some("rate_limited")));
        let _other = stage.follow(&stage.sam).await;
        let full = Socket::try_open(&url, "", &[("authorization", &sam)]).await.err().unwrap();
        assert_eq!((full.0, full.1["code"].as_str()), (503, Some("unavailable")));
        drop(first);
        // Its place is free once the server has noticed.
        while stage.server.app.modules().delivery.connections() > 2 {
            tokio::task::yield_now().await;
        }
        let _again = stage.follow(&stage.alex).await;
        stage.stop().await;
    }

    async fn a_stop_says_good_bye_and_from_where_to_come_back(db: TestDb) {
        let stage = Stage::set(&db).await;
        let mut alex = stage.follow(&stage.alex).await;
        stage.say(&stage.sam, "before").await;
        alex.event("message.created").await;
        let cursor = alex.cursor.clone();
        let (ended, ()) = tokio::join!(async { alex.end().await }, stage.stop());
        assert_eq!(ended.code, 1012);
        assert_eq!(ended.reason, format!("stopping; resume={cursor}"));
    }

    /// What makes no sense is refused a few times; a frame that is too large, at once. The server and
    /// other connections go on.
    async fn malformed_frames_are_refused(db: TestDb) {
        let stage = Stage::set(&db).await;
        let mut witness = stage.follow(&stage.sam).await;
        let entropy = SeededEntropy::new(7);
        for round in 0..200_usize {
            let mut socket = stage.follow(&stage.alex).await;
            let mut ended = None;
            for number in 0..40_usize {
                let mut bytes = vec![0_u8; 1 + (round * 7 + number * 13) % 300];
                entropy.fill(&mut bytes);
                match (round + number) % 4 {
                    0 => socket.say_bytes(bytes).await,
                    1 => socket.say_text(String::from_utf8_lossy(&bytes).into_owned()).await,
                    2 => socket.say_text(format!("{}{}", "[".repeat(round * 10), "]".repeat(number))).await,
                    _ => socket.say_text(format!("{{\"op\":{}}}", bytes[0])).await,
                }
                match socket.step().await {
                    Ok(frame) => assert_eq!(frame["problem"]["code"], "validation_failed", "{frame}"),
                    Err(how) => {
                        ended = Some(how.code);
                        break;
                    }
                }
            }
            assert_eq!(ended, Some(1008), "round {round}");
        }
        let mut socket = stage.follow(&stage.alex).await;
        socket.say_text("x".repeat(300 * 1024)).await;
        assert!(matches!(socket.end().await.code, 1009 | 0));
        let said = stage.say(&stage.robin, "all well").await;
        let told = witness.until(|frame| frame["message_id"] == json!(said)).await;
        assert_eq!(told.last().unwrap()["message"]["content_md"], "all well");
        stage.stop().await;
    }
}
