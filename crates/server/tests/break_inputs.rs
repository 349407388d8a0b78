//! Hostile input: cursors, limits, texts, times and JSON that nobody of good will sends.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use bothy_testkit::both_databases;
use reqwest::Method;
use serde_json::json;
use support::TestServer;

both_databases! {
    // Whatever a stranger or a member types, the server answers in its own words.
    async fn no_input_makes_the_server_fail(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let robin = server.http().token(&world.robin.token);
        let lists = ["/people", "/groups", "/sessions", "/me/tokens", "/audit/events", "/agents", "/spaces"];
        let cursors = ["", "A", "AA", "AQ", "AQEAAAAAAAAAAA", "_____w", "%00", "AQ==", "AQIDBAUGBwgJCgsMDQ4PEA", "%F0%9F%8F%95"];
        let limits = ["0", "-1", "1e3", "4294967296", "99999999999999999999", "", "5&limit=6", "%2B5", "NaN", "201"];
        for list in lists {
            for query in cursors.map(|c| format!("cursor={c}")).into_iter().chain(limits.map(|l| format!("limit={l}"))) {
                let answer = robin.get(&format!("{list}?{query}")).await;
                assert!([200, 422].contains(&answer.status.as_u16()), "{list}?{query}: {answer:?}");
            }
            let deep = format!("{list}?cursor={}", "A".repeat(4000));
            robin.get(&deep).await.expect(422);
        }
        let texts = ["\u{0}", "a\u{0}b", "\u{202e}abc", "\u{200b}", "", " ", "\u{fffd}", &"x".repeat(70_000), "\u{1f3f4}\u{e0067}"];
        for text in texts {
            let bodies = [
                ("/groups", json!({ "name": text })),
                ("/me/tokens", json!({ "name": text })),
                ("/invites", json!({ "email": "q@example.com", "handle": "q1", "display_name": text })),
                ("/invites", json!({ "email": "q@example.com", "handle": text, "display_name": "Q" })),
                ("/invites", json!({ "email": format!("{text}@example.com"), "handle": "q2", "display_name": "Q" })),
                ("/sessions", json!({ "email": text, "password": text })),
                ("/sessions/confirm", json!({ "password": text })),
                ("/invites/accept", json!({ "code": text, "password": "long enough for one" })),
                ("/setup", json!({ "setup_code": text, "email": "a@example.com", "handle": "a1", "display_name": text, "password": text })),
                ("/me/password", json!({ "current_password": text, "new_password": text })),
            ];
            for (path, body) in bodies {
                let answer = robin.post(path, body).await;
                assert!(answer.status.as_u16() < 500, "{path} {text:?}: {answer:?}");
            }
            robin.patch("/me", json!({ "display_name": text })).await;
        }
        let times = ["0000-01-01T00:00:00Z", "-9999-01-01T00:00:00Z", "9999-12-31T23:59:60Z", "99999-01-01T00:00:00Z", "2026", ""];
        for time in times {
            let answer = robin.post("/me/tokens", json!({ "name": "t", "expires_at": time })).await;
            assert!([201, 422].contains(&answer.status.as_u16()), "{time}: {answer:?}");
        }
        let deep = [b"[".repeat(100_000), b"{\"a\":".repeat(50_000), b"{\"name\":\"\\ud83d\"}".to_vec(), b"{\"name\":1e999}".to_vec()];
        for body in deep {
            robin.send(Method::POST, "/groups", Some(("application/json", body))).await.expect(422);
        }
        robin.get("/me").await.expect(200);
        server.stop().await;
    }
}
