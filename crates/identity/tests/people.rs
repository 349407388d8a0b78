//! People, invitations and owners, through the real HTTP chain.

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
use support::{PASSWORD, Server};

both_databases! {
    async fn an_invitation_lets_one_person_in_once(db: TestDb) {
        let server = Server::new(&db).await;
        let robin = server.setup().await;
        let body = json!({ "email": "Sam@example.com", "handle": "Sam", "display_name": "Sam" });
        let first = server.post(&robin.token, "/invites", body.clone()).await.expect(201);
        assert_eq!(first.body["person"]["status"], "pending");
        let again = server.post(&robin.token, "/invites", body).await.expect(201);
        let accept = |code: &str, password: &str| json!({ "code": code, "password": password, "display_name": "Sam S." });
        let replaced = server.post("", "/invites/accept", accept(first.text("code"), PASSWORD)).await.expect(401);
        assert_eq!(replaced.problem().0, "unauthenticated");
        assert_eq!(server.audited(1).await, ["anonymous self.read deny not_live"]);
        let code = again.text("code");
        assert_eq!(server.post("", "/invites/accept", accept(code, "short")).await.expect(422).problem().1, "/password");
        server.post("", "/invites/accept", accept("no code", PASSWORD)).await.expect(401);
        let (one, two) = futures::join!(
            server.post("", "/invites/accept", accept(code, PASSWORD)),
            server.post("", "/invites/accept", accept(code, PASSWORD)),
        );
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 401]);
        let sam = server.login("sam").await.expect(201);
        assert_eq!(sam.body["person"]["display_name"], "Sam S.");
        let taken = json!({ "email": "sam@example.com", "handle": "other", "display_name": "Other" });
        server.post(&robin.token, "/invites", taken).await.expect(409);
        let alike = json!({ "email": "other@example.com", "handle": "5am", "display_name": "Other" });
        server.post(&robin.token, "/invites", alike).await.expect(422);
        let alike = json!({ "email": "other@example.com", "handle": "s.am", "display_name": "Other" });
        server.post(&robin.token, "/invites", alike).await.expect(409);
        let not_owner = json!({ "email": "x@example.com", "handle": "xaver", "display_name": "X" });
        assert_eq!(server.post(sam.text("token"), "/invites", not_owner.clone()).await.expect(403).problem().1, "owner_required");
        let late = server.post(&robin.token, "/invites", not_owner).await.expect(201);
        server.clock.advance(Duration::from_secs(7 * 86_400));
        server.post("", "/invites/accept", accept(late.text("code"), PASSWORD)).await.expect(401);
    }

    async fn whoever_is_shut_out_is_out_at_once_in_every_process(db: TestDb) {
        let server = Server::new(&db).await;
        let second = server.second(&db).await;
        let robin = server.setup().await;
        let sam = server.member(&robin, "sam").await;
        let token = server.post(&sam.token, "/me/tokens", json!({ "name": "script" })).await.expect(201);
        let token = token.text("token");
        for node in [&server, &second] {
            node.get(&sam.token, "/people").await.expect(200);
            node.get(token, "/me").await.expect(200);
        }
        let person = format!("/people/{}", sam.id);
        let disabled = server.act(&robin.token, Method::POST, &format!("{person}/disable")).await.expect(200);
        assert_eq!(disabled.text("status"), "disabled");
        for node in [&server, &second] {
            node.get(&sam.token, "/people").await.expect(401);
            node.get(token, "/me").await.expect(401);
        }
        server.act(&robin.token, Method::POST, &format!("{person}/disable")).await.expect(200);
        let enabled = server.act(&robin.token, Method::POST, &format!("{person}/enable")).await.expect(200);
        assert_eq!(enabled.text("status"), "active");
        // The session ended for good; the token counts again.
        server.get(&sam.token, "/me").await.expect(401);
        server.get(token, "/me").await.expect(200);
        server.login("sam").await.expect(201);
        let invite = json!({ "email": "nina@example.com", "handle": "nina", "display_name": "Nina" });
        let invite = server.post(&robin.token, "/invites", invite).await.expect(201);
        let nina = format!("/people/{}", invite.body["person"]["person_id"].as_str().unwrap());
        server.act(&robin.token, Method::POST, &format!("{nina}/disable")).await.expect(200);
        let accept = json!({ "code": invite.text("code"), "password": PASSWORD });
        server.post("", "/invites/accept", accept.clone()).await.expect(401);
        let enabled = server.act(&robin.token, Method::POST, &format!("{nina}/enable")).await.expect(200);
        assert_eq!(enabled.text("status"), "pending");
        server.post("", "/invites/accept", accept).await.expect(201);
    }

    async fn accounts_are_listed_in_full_pages_and_addresses_are_private(db: TestDb) {
        let server = Server::new(&db).await;
        let robin = server.setup().await;
        let sam = server.member(&robin, "sam").await;
        let alex = server.member(&robin, "alex").await;
        let (mut seen, mut path) = (Vec::new(), "/people?limit=1".to_owned());
        loop {
            let page = server.get(&sam.token, &path).await.expect(200);
            assert_eq!(page.items().len(), 1);
            let person = page.items()[0].clone();
            assert_eq!(person.get("email").is_some(), person["handle"] == "sam");
            seen.push(person["handle"].as_str().unwrap().to_owned());
            let Some(next) = page.body["next_cursor"].as_str() else { break };
            path = format!("/people?limit=1&cursor={next}");
        }
        assert_eq!(seen, ["robin", "sam", "alex"]);
        let page = server.get(&robin.token, "/people").await.expect(200);
        assert!(page.items().iter().all(|person| person.get("email").is_some()));
        for (query, pointer) in [("limit=0", "/query/limit"), ("limit=201", "/query/limit"), ("limit=x", "/query/limit"), ("cursor=x", "/query/cursor"), ("order=up", "/query")] {
            let refused = server.get(&sam.token, &format!("/people?{query}")).await.expect(422);
            assert!(refused.problem().1.starts_with(pointer), "{query} {refused:?}");
        }
        server.get(&sam.token, &format!("/people/{}", alex.id)).await.expect(200);
        server.get(&sam.token, &format!("/people/{}", support::SUPPORT)).await.expect(404);
        server.get(&sam.token, "/people/not-an-id").await.expect(422);
    }

    async fn handles_move_on_alone(db: TestDb) {
        let server = Server::new(&db).await;
        let robin = server.setup().await;
        let sam = server.member(&robin, "sam").await;
        let alex = server.member(&robin, "alex").await;
        let rename = |id, handle: &str| (format!("/people/{id}"), json!({ "handle": handle }));
        let (path, body) = rename(alex.id, "sam");
        server.ask(&robin.token, Method::PATCH, &path, Some(body)).await.expect(409);
        let (path, body) = rename(sam.id, "samantha");
        server.ask(&robin.token, Method::PATCH, &path, Some(body)).await.expect(200);
        let (path, body) = rename(alex.id, "sam");
        let alex_now = server.ask(&robin.token, Method::PATCH, &path, Some(body.clone())).await.expect(200);
        assert_eq!(alex_now.text("handle"), "sam");
        assert_eq!(server.ask(&sam.token, Method::PATCH, &path, Some(body)).await.expect(403).problem().1, "owner_required");
        let reader = server.database.reader().await.unwrap();
        let found = server.identity.by_handles(&reader, &["@sam".into(), "SAM".into(), "sa.m".into(), "nobody".into()]).await.unwrap();
        assert_eq!(found.iter().map(|found| found.id).collect::<Vec<_>>(), [alex.id]);
        let me = server.ask(&sam.token, Method::PATCH, "/me", Some(json!({ "display_name": "Sam the second" }))).await.expect(200);
        assert_eq!((me.text("handle"), me.text("display_name")), ("samantha", "Sam the second"));
        let hidden = json!({ "display_name": "S\u{202e}am" });
        assert_eq!(server.ask(&sam.token, Method::PATCH, "/me", Some(hidden)).await.expect(422).problem().1, "/display_name");
        let email = json!({ "email": "robin@example.com" });
        server.ask(&robin.token, Method::PATCH, &format!("/people/{}", sam.id), Some(email)).await.expect(409);
    }

    async fn there_is_always_an_owner_who_can_act(db: TestDb) {
        let server = Server::new(&db).await;
        let second = server.second(&db).await;
        let robin = server.setup().await;
        let sam = server.member(&robin, "sam").await;
        let owner = |id| format!("/owners/{id}");
        let disable = |id| format!("/people/{id}/disable");
        server.act(&robin.token, Method::DELETE, &owner(robin.id)).await.expect(409);
        server.act(&robin.token, Method::POST, &disable(robin.id)).await.expect(409);
        let invite = json!({ "email": "nina@example.com", "handle": "nina", "display_name": "Nina" });
        let nina = server.post(&robin.token, "/invites", invite).await.expect(201);
        let nina = nina.body["person"]["person_id"].as_str().unwrap().to_owned();
        server.act(&robin.token, Method::PUT, &format!("/owners/{nina}")).await.expect(409);
        for round in 0..10 {
            let made = server.act(&robin.token, Method::PUT, &owner(sam.id)).await.expect(200);
            assert_eq!(made.body["owner"], true);
            // They put each other out at once, on two processes.
            let (one, two) = if round % 2 == 0 {
                let (robin_path, sam_path) = (owner(robin.id), owner(sam.id));
                futures::join!(
                    server.act(&sam.token, Method::DELETE, &robin_path),
                    second.act(&robin.token, Method::DELETE, &sam_path),
                )
            } else {
                let sam_path = owner(sam.id);
                let robin_path = owner(robin.id);
                futures::join!(
                    server.act(&robin.token, Method::DELETE, &robin_path),
                    second.act(&sam.token, Method::DELETE, &sam_path),
                )
            };
            let statuses = [one.status, two.status];
            let gone = statuses.iter().filter(|status| **status == 204).count();
            assert!(gone <= 1 && statuses.iter().all(|status| [204, 403, 409].contains(status)), "{round} {statuses:?}");
            let people = server.get(&robin.token, "/people").await.expect(200);
            let owners: Vec<_> = people.items().iter().filter(|person| person["owner"] == true).collect();
            assert!(!owners.is_empty(), "{round}");
            // Robin is an owner again for the next round.
            let left = owners[0]["handle"].as_str().unwrap();
            let token = if left == "robin" { &robin.token } else { &sam.token };
            server.act(token, Method::PUT, &owner(robin.id)).await.expect(200);
        }
    }

    async fn owners_read_the_audit_log_and_nobody_else_does(db: TestDb) {
        let server = Server::new(&db).await;
        let robin = server.setup().await;
        let sam = server.member(&robin, "sam").await;
        assert_eq!(server.get(&sam.token, "/audit/events").await.expect(403).problem().1, "owner_required");
        let denied = server.get(&robin.token, "/audit/events?limit=1&effect=deny").await.expect(200);
        let entry = &denied.items()[0];
        assert_eq!((&entry["action"], &entry["reason"], &entry["effect"]), (&json!("audit.read"), &json!("owner_required"), &json!("deny")));
        assert_eq!(entry["actor_id"], json!(sam.id));
        let all = server.get(&robin.token, "/audit/events").await.expect(200);
        let (mut seen, mut path) = (Vec::new(), "/audit/events?limit=1".to_owned());
        loop {
            let page = server.get(&robin.token, &path).await.expect(200);
            seen.extend(page.items().iter().cloned());
            let Some(next) = page.body["next_cursor"].as_str() else { break };
            path = format!("/audit/events?limit=1&cursor={next}");
        }
        assert_eq!(seen, all.items());
        let text = serde_json::to_string(&seen).unwrap();
        for canary in ["example.com", "robin", "sam", "bothy_", PASSWORD] {
            assert!(!text.contains(canary), "{canary}");
        }
    }
}
