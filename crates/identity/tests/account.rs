//! Setup, signing in, sessions and personal tokens, through the real HTTP chain.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect has failed"
)]

mod support;

use std::time::Duration;

use bothy_testkit::both_databases;
use http::Method;
use serde_json::json;
use support::{Member, PASSWORD, Server, setup_body};

both_databases! {
    async fn the_first_owner_comes_with_the_code_and_only_once(db: TestDb) {
        let server = Server::new(&db).await;
        let instance = server.get("", "/instance").await.expect(200);
        assert_eq!((instance.body["set_up"].as_bool(), instance.text("name")), (Some(false), "Bothy"));
        let refused = server.post("", "/setup", setup_body("wrong")).await.expect(401);
        assert_eq!(refused.problem(), ("unauthenticated", ""));
        assert_eq!(server.audited(1).await, ["anonymous owner.add deny not_live"]);
        let ttl = Duration::from_secs(3600);
        let late = server.instance.issue_setup_code(&server.database, ttl).await.unwrap();
        server.clock.advance(ttl);
        server.post("", "/setup", setup_body(late.expose())).await.expect(401);
        let code = server.instance.issue_setup_code(&server.database, ttl).await.unwrap();
        let mut body = setup_body(code.expose());
        body["instance_name"] = "Example team".into();
        for (member, bad) in [("email", "robin"), ("handle", "admin"), ("display_name", " "), ("password", "short"), ("instance_name", "")] {
            let mut wrong = body.clone();
            wrong[member] = bad.into();
            let answer = server.post("", "/setup", wrong).await.expect(422);
            assert_eq!(answer.problem(), ("validation_failed", format!("/{member}").as_str()));
        }
        let robin = server.post("", "/setup", body.clone()).await.expect(201);
        assert_eq!(robin.body["person"]["owner"], true);
        server.post("", "/setup", body).await.expect(409);
        let instance = server.get("", "/instance").await.expect(200);
        assert_eq!((instance.body["set_up"].as_bool(), instance.text("name")), (Some(true), "Example team"));
        let me = server.get(robin.text("token"), "/me").await.expect(200);
        assert_eq!((me.text("handle"), me.text("email"), me.body["owner"].as_bool()), ("robin", "robin@example.com", Some(true)));
        assert!(server.audited(10).await.contains(&"anonymous owner.add allow".to_owned()));
    }

    async fn of_two_who_set_up_at_once_one_wins(db: TestDb) {
        let server = Server::new(&db).await;
        let second = server.second(&db).await;
        let code = server.instance.issue_setup_code(&server.database, Duration::from_secs(60)).await.unwrap();
        let body = setup_body(code.expose());
        let (first, other) = futures::join!(server.post("", "/setup", body.clone()), second.post("", "/setup", body));
        let mut statuses = [first.status, other.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409]);
    }

    async fn signing_in_has_one_answer_for_whatever_is_wrong(db: TestDb) {
        let server = Server::new(&db).await;
        let robin = server.setup().await;
        let sam = server.member(&robin, "sam").await;
        let signed_in = server.login("sam").await.expect(201);
        let cookie = signed_in.headers["set-cookie"].to_str().unwrap();
        let token = signed_in.text("token");
        assert_eq!(cookie, format!("bothy_session={token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000"));
        assert_eq!(signed_in.headers["cache-control"], "no-store");
        // The cookie and the bearer are the same session.
        let cookie = format!("bothy_session={token}");
        let with_cookie = server.send(Method::GET, "/me", &[("cookie", &cookie)], None).await.expect(200);
        assert_eq!(with_cookie.body, server.get(token, "/me").await.body);
        // From another site the cookie does not count.
        let unsafe_method = server.send(Method::PATCH, "/me", &[("cookie", &cookie)], Some(&json!({}))).await;
        assert_eq!(unsafe_method.status, 401);
        server.act(&robin.token, Method::POST, &format!("/people/{}/disable", sam.id)).await.expect(200);
        let invite = json!({ "email": "nina@example.com", "handle": "nina", "display_name": "Nina" });
        server.post(&robin.token, "/invites", invite).await.expect(201);
        let attempts = [
            json!({ "email": "nobody@example.com", "password": PASSWORD }),
            json!({ "email": "no address", "password": PASSWORD }),
            json!({ "email": "robin@example.com", "password": "a wrong password" }),
            json!({ "email": "robin@example.com", "password": "" }),
            json!({ "email": "sam@example.com", "password": PASSWORD }),
            json!({ "email": "nina@example.com", "password": PASSWORD }),
        ];
        for attempt in attempts {
            let mut answer = server.post("", "/sessions", attempt.clone()).await.expect(401);
            answer.body.as_object_mut().unwrap().remove("correlation_id");
            assert_eq!(answer.body["code"], "unauthenticated");
            assert!(!answer.body.to_string().contains("example.com"), "{answer:?}");
        }
        assert_eq!(server.audited(1).await, ["anonymous self.read deny not_live"]);
        let long = json!({ "email": "robin@example.com", "password": "x".repeat(1025) });
        assert_eq!(server.post("", "/sessions", long).await.expect(422).problem().1, "/password");
        let unknown = json!({ "email": "robin@example.com", "password": PASSWORD, "admin": true });
        server.post("", "/sessions", unknown).await.expect(422);
        server.post("", "/sessions", json!({ "email": "ROBIN@example.com ", "password": PASSWORD })).await.expect(201);
    }

    async fn a_session_ends_by_the_clock_by_hand_and_with_the_password(db: TestDb) {
        let server = Server::new(&db).await;
        let robin = server.setup().await;
        let second = Member::of(&server.login("robin").await.expect(201));
        let third = Member::of(&server.login("robin").await.expect(201));
        let page = server.get(&robin.token, "/sessions?limit=2").await.expect(200);
        assert_eq!(page.items().len(), 2);
        let rest = format!("/sessions?limit=2&cursor={}", page.text("next_cursor"));
        let rest = server.get(&robin.token, &rest).await.expect(200);
        assert_eq!(rest.items().len(), 1);
        assert!(rest.body["next_cursor"].is_null());
        assert_eq!(page.items()[0]["current"], true);
        server.act(&robin.token, Method::DELETE, &format!("/sessions/{}", second.session)).await.expect(204);
        server.get(&second.token, "/me").await.expect(401);
        server.act(&robin.token, Method::DELETE, &format!("/sessions/{}", second.session)).await.expect(404);
        let change = |current: &str, new: &str| json!({ "current_password": current, "new_password": new });
        let wrong = server.post(&robin.token, "/me/password", change("a wrong password", "another password")).await;
        assert_eq!(wrong.expect(422).problem(), ("validation_failed", "/current_password"));
        assert_eq!(server.audited(1).await, ["person self.update deny step_up_required"]);
        let short = server.post(&robin.token, "/me/password", change(PASSWORD, "short")).await.expect(422);
        assert_eq!(short.problem().1, "/new_password");
        server.post(&robin.token, "/me/password", change(PASSWORD, "another password")).await.expect(204);
        server.get(&third.token, "/me").await.expect(401);
        server.get(&robin.token, "/me").await.expect(200);
        server.login("robin").await.expect(401);
        server.clock.advance(Duration::from_secs(30 * 86_400));
        server.get(&robin.token, "/me").await.expect(401);
    }

    async fn the_session_of_somebody_else_is_not_there(db: TestDb) {
        let server = Server::new(&db).await;
        let robin = server.setup().await;
        let sam = server.member(&robin, "sam").await;
        let path = format!("/sessions/{}", sam.session);
        let strip = |mut answer: support::Answer| {
            for member in ["correlation_id", "instance"] {
                answer.body.as_object_mut().unwrap().remove(member);
            }
            answer.headers.remove("correlation-id");
            answer.headers.remove("content-length");
            (answer.status, answer.headers, answer.body)
        };
        let hidden = server.act(&robin.token, Method::DELETE, &path).await.expect(404);
        let unknown = server.act(&robin.token, Method::DELETE, &format!("/sessions/{}", robin.id)).await.expect(404);
        let (hidden, unknown) = (strip(hidden), strip(unknown));
        assert_eq!((hidden.0, hidden.2), (unknown.0, unknown.2));
        server.get(&sam.token, "/me").await.expect(200);
        assert_eq!(server.audited(2).await[1], "person session.revoke deny no_grant");
    }

    async fn administration_wants_a_fresh_confirmation(db: TestDb) {
        let server = Server::new(&db).await;
        let robin = server.setup().await;
        let sam = server.member(&robin, "sam").await;
        let disable = format!("/people/{}/disable", sam.id);
        server.clock.advance(Duration::from_secs(600));
        let stale = server.act(&robin.token, Method::POST, &disable).await.expect(403);
        assert_eq!(stale.problem(), ("forbidden", "step_up_required"));
        let wrong = server.post(&robin.token, "/sessions/confirm", json!({ "password": "a wrong password" })).await;
        assert_eq!(wrong.expect(422).problem().1, "/password");
        server.act(&robin.token, Method::POST, &disable).await.expect(403);
        let confirmed = server.post(&robin.token, "/sessions/confirm", json!({ "password": PASSWORD })).await.expect(200);
        assert_eq!(confirmed.body["current"], true);
        server.act(&robin.token, Method::POST, &disable).await.expect(200);
        server.get(&sam.token, "/me").await.expect(401);
    }

    async fn a_personal_token_is_no_session(db: TestDb) {
        let server = Server::new(&db).await;
        let robin = server.setup().await;
        let expires = "2026-01-01T01:00:00Z";
        let body = json!({ "name": "backup", "expires_at": expires });
        let made = server.post(&robin.token, "/me/tokens", body).await.expect(201);
        let token = made.text("token").to_owned();
        assert!(token.starts_with("bothy_per_"));
        let me = server.get(&token, "/me").await.expect(200);
        assert_eq!((me.body["owner"].as_bool(), me.body.get("session")), (Some(false), None));
        let refused = server.post(&token, "/me/tokens", json!({ "name": "more" })).await.expect(403);
        assert_eq!(refused.problem(), ("forbidden", "session_required"));
        assert_eq!(server.get(&token, "/audit/events").await.expect(403).problem().1, "owner_required");
        // The day of the use is noted beside the request.
        let used = loop {
            let listed = server.get(&robin.token, "/me/tokens").await.expect(200);
            assert!(listed.items()[0].get("token").is_none());
            if listed.items()[0].get("last_used_on").is_some() {
                break listed;
            }
            tokio::task::yield_now().await;
        };
        assert_eq!(used.items()[0]["last_used_on"], "2026-01-01T00:00:00.000000Z");
        let sam = server.member(&robin, "sam").await;
        let path = format!("/me/tokens/{}", made.text("token_id"));
        server.act(&sam.token, Method::DELETE, &path).await.expect(404);
        let second = server.second(&db).await;
        second.get(&token, "/me").await.expect(200);
        server.act(&robin.token, Method::DELETE, &path).await.expect(204);
        for node in [&server, &second] {
            node.get(&token, "/me").await.expect(401);
        }
        server.act(&robin.token, Method::DELETE, &path).await.expect(404);
        let short = json!({ "name": "short", "expires_at": expires });
        let short = server.post(&robin.token, "/me/tokens", short).await.expect(201);
        server.clock.advance(Duration::from_secs(3600));
        server.get(short.text("token"), "/me").await.expect(401);
        let past = json!({ "name": "past", "expires_at": expires });
        server.post(&robin.token, "/sessions/confirm", json!({ "password": PASSWORD })).await.expect(200);
        assert_eq!(server.post(&robin.token, "/me/tokens", past).await.expect(422).problem().1, "/expires_at");
    }
}
