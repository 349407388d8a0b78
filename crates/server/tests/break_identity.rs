//! Attempts to get past who one is and what one may: credentials, bindings, administration that races
//! with its own end, doors for strangers. Each test names the case that it stands for.

mod support;

use std::time::Duration;

use bothy::world::{World, test_password};
use bothy_domain::actor::PrincipalStatus;
use bothy_testkit::both_databases;
use reqwest::Method;
use serde_json::{Value, json};
use support::{Answer, Http, TestServer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const UNKNOWN: &str = "0193f1f0-1111-7000-8000-0123456789ab";

async fn grant(owner: &Http, kind: &str, target: &str, body: Value) -> String {
    owner.post(&format!("/access/{kind}/{target}/grants"), body).await.expect(201).text("/grant_id")
}

/// Another person, invited and accepted, with a session.
async fn person(server: &TestServer, owner: &Http, handle: &str) -> (String, Http) {
    let new = json!({ "email": format!("{handle}@example.com"), "handle": handle, "display_name": handle });
    let code = owner.post("/invites", new).await.expect(201).text("/code");
    let accept = json!({ "code": code, "password": test_password(handle) });
    let signed_in = server.http().post("/invites/accept", accept).await.expect(201);
    (signed_in.text("/person/person_id"), server.http().token(&signed_in.text("/token")))
}

/// The invocation token of a run of Lotse that this person starts.
async fn invocation(person: &Http, lotse: &Http, thread: &str) -> String {
    let text = json!({ "content_md": "@lotse please" });
    person.post(&format!("/threads/{thread}/messages"), text).await.expect(201);
    for _ in 0..20 {
        let polled = lotse.get("/agent/events?wait=1").await.expect(200).json();
        if let Some(event) = polled["items"].as_array().unwrap().iter().find(|one| one["kind"] == "agent.invocation") {
            lotse.post("/agent/events/ack", json!({ "cursor": event["position"] })).await.expect(200);
            return event["invocation_token"].as_str().unwrap().to_owned();
        }
    }
    panic!("no invocation came");
}

async fn denials(owner: &Http) -> Vec<Value> {
    let page = owner.get("/audit/events?effect=deny&limit=200").await.expect(200).json();
    page["items"].as_array().unwrap().clone()
}

async fn raw(server: &TestServer, head: &str) -> u16 {
    let address = server.url().trim_start_matches("http://").to_owned();
    let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
    let request = format!("{head}Host: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).split(' ').nth(1).unwrap().parse().unwrap()
}

both_databases! {
    // AZ-10: what was let in before its author lost the right is judged again where it becomes true.
    async fn administration_is_judged_again_where_it_becomes_true(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let robin = server.http().token(&world.robin.token);
        let modules = server.app.modules();
        let space = world.support.to_string();
        let manage = json!({ "principal_id": world.alex.id, "level": "write", "capabilities": ["manage"] });
        grant(&robin, "space", &space, manage).await;
        robin.put(&format!("/owners/{}", world.alex.id), json!({})).await;
        robin.send(Method::PUT, &format!("/owners/{}", world.alex.id), None).await.expect(200);
        let alex = server.http().token(&world.alex.token);
        let group = alex.post("/groups", json!({ "name": "before" })).await.expect(201).text("/group_id");

        let unit = modules.database.begin().await.unwrap();
        modules.authz.hold(&unit).await.unwrap();
        let pending: Vec<_> = [
            (Method::POST, format!("/access/space/{space}/grants"),
                Some(json!({ "principal_id": world.sam.id, "level": "write", "capabilities": ["manage"] }))),
            (Method::PUT, format!("/owners/{}", world.sam.id), None),
            (Method::DELETE, format!("/owners/{}", world.robin.id), None),
            (Method::POST, format!("/people/{}/disable", world.robin.id), None),
            (Method::PATCH, format!("/people/{}", world.robin.id), Some(json!({ "email": "mine@example.com" }))),
            (Method::POST, "/invites".to_owned(),
                Some(json!({ "email": "back@example.com", "handle": "back", "display_name": "Back" }))),
            (Method::POST, "/groups".to_owned(), Some(json!({ "name": "mine" }))),
            (Method::PUT, format!("/groups/{group}/members/{}", world.sam.id), None),
            (Method::DELETE, format!("/groups/{group}"), None),
            (Method::POST, "/me/tokens".to_owned(), Some(json!({ "name": "mine" }))),
            (Method::POST, format!("/agents/{}/tokens", world.lotse.id), Some(json!({ "name": "mine" }))),
            (Method::DELETE, format!("/grants/{}", world.grants.sam_allgemein), None),
            (Method::POST, format!("/agents/{}/disable", world.lotse.id), None),
            (Method::POST, "/agents".to_owned(),
                Some(json!({ "handle": "spy", "display_name": "Spy", "description": "Reads along." }))),
        ]
        .into_iter()
        .map(|(method, path, body)| {
            let alex = alex.clone();
            let body = body.map(|body| ("application/json", serde_json::to_vec(&body).unwrap()));
            let name = format!("{method} {path}");
            (name, tokio::spawn(async move { alex.send(method, &path, body).await }))
        })
        .collect();
        // All of them pass the door and wait for the unit that takes everything from Alex.
        tokio::time::sleep(Duration::from_millis(700)).await;
        modules.identity.set_status(&unit, world.alex.id, PrincipalStatus::Disabled).await.unwrap();
        unit.commit().await.unwrap();
        for (name, answer) in pending {
            answer.await.unwrap().expect_problem(401, "unauthenticated");
            println!("{name}: refused");
        }
        let robin_now = robin.get(&format!("/people/{}", world.robin.id)).await.expect(200).json();
        assert_eq!(robin_now["email"], "robin@example.com");
        assert!(!denials(&robin).await.is_empty(), "they are on record");
        server.stop().await;
    }

    // C92: whoever leaves, somebody who can act stays, also when they remove each other at once.
    async fn owners_who_remove_each_other_leave_one(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let other = if db.is_postgres() { Some(server.another(&db).await) } else { None };
        let robin = server.http().token(&world.robin.token);
        robin.send(Method::PUT, &format!("/owners/{}", world.alex.id), None).await.expect(200);
        let alex = other.as_ref().unwrap_or(&server).http().token(&world.alex.token);
        for round in 0..6 {
            let (by_robin, by_alex) = if round % 2 == 0 {
                let (a, r) = (format!("/owners/{}", world.alex.id), format!("/owners/{}", world.robin.id));
                futures::join!(robin.delete(&a), alex.delete(&r))
            } else {
                let (a, r) = (format!("/people/{}/disable", world.alex.id), format!("/owners/{}", world.robin.id));
                futures::join!(robin.post_empty(&a), alex.delete(&r))
            };
            let won = |answer: &Answer| answer.status.is_success();
            assert!(won(&by_robin) != won(&by_alex), "exactly one: {by_robin:?} {by_alex:?}");
            let loser = if won(&by_robin) { &by_alex } else { &by_robin };
            assert!([401, 403, 409].contains(&loser.status.as_u16()), "{loser:?}");
            if won(&by_alex) {
                alex.send(Method::PUT, &format!("/owners/{}", world.robin.id), None).await.expect(200);
            } else if round % 2 == 0 {
                robin.send(Method::PUT, &format!("/owners/{}", world.alex.id), None).await.expect(200);
            } else {
                break;
            }
        }
        server.stop().await;
    }

    // C47, C49, C54: one credential, one binding, exactly as sent; anything else binds nothing or nobody.
    async fn no_header_trick_escapes_the_binding(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let (robin, alex) = (server.http().token(&world.robin.token), server.http().token(&world.alex.token));
        let (lotse, texter) = (server.http().token(&world.lotse.token), server.http().token(&world.texter.token));
        let robins = invocation(&robin, &lotse, &world.allgemein.main.to_string()).await;
        let token = invocation(&alex, &lotse, &world.eskalation.main.to_string()).await;
        let open = format!("/threads/{}/messages", world.allgemein.main);
        lotse.invocation(&token).get(&open).await.expect(200);
        let changed = format!("{}A{}", &token[..token.len() - 8], &token[token.len() - 7..]);
        let list = [token.as_bytes(), b", ", robins.as_bytes()].concat();
        let values: [&[u8]; 9] = [
            b"", b" ", &list, &[token.as_bytes(), b"="].concat(), &[token.as_bytes(), b"\xff"].concat(),
            changed.as_bytes(), world.lotse.token.as_bytes(), world.alex.token.as_bytes(), b"null",
        ];
        let invalid = lotse.header("invocation-token", b"x").get(&open).await.expect_problem(403, "invocation_token_invalid");
        for value in values {
            lotse.header("invocation-token", value).get(&open).await.assert_like(&invalid);
        }
        for pair in [[&robins, &token], [&token, &robins], [&token, &token]] {
            let [first, second] = pair.map(|token| token.as_bytes());
            lotse.header("invocation-token", first).header("invocation-token", second).get(&open).await.assert_like(&invalid);
        }
        texter.invocation(&token).get(&open).await.assert_like(&invalid);
        alex.invocation(&token).get(&open).await.assert_like(&invalid);
        // Neither a query nor a cookie is a way in, and a hop cannot strip the header.
        lotse.get(&format!("{open}?invocation_token={token}")).await.expect(422);
        let head = |extra: &str| {
            format!("GET /api/v1{open} HTTP/1.1\r\nAuthorization: Bearer {}\r\n{extra}", world.lotse.token)
        };
        let hidden = format!("/api/v1/threads/{}/messages", world.werkzeuge.main);
        let hop = head(&format!("Connection: invocation-token\r\nInvocation-Token: {robins}x\r\n"));
        assert_eq!(raw(&server, &hop).await, 403);
        assert_eq!(raw(&server, &head("INVOCATION-TOKEN: x\r\n")).await, 403);
        assert_eq!(raw(&server, &head("Invocation-Token:\r\n")).await, 403);
        let twice = format!("Authorization: Bearer {}\r\n", world.alex.token);
        assert_eq!(raw(&server, &head(&twice)).await, 401);
        let folded = format!("GET {hidden} HTTP/1.1\r\nAuthorization: Bearer {}, Bearer {}\r\n", world.alex.token, world.robin.token);
        assert_eq!(raw(&server, &folded).await, 401);
        // No token passes for one of another kind.
        for wrong in [&token, &robins] {
            server.http().token(wrong).get("/me").await.expect_problem(401, "unauthenticated");
        }
        server.http().invocation(&token).get(&open).await.expect_problem(401, "unauthenticated");
        server.stop().await;
    }

    // C97, C99: who is turned away is on record, once a window however often it tries, with the count.
    async fn strangers_are_on_record_and_fill_nothing(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let robin = server.http().token(&world.robin.token);
        let revoked = robin.post("/me/tokens", json!({ "name": "short" })).await.expect(201);
        robin.delete(&format!("/me/tokens/{}", revoked.text("/token_id"))).await.expect(204);
        let kinds: Vec<Http> = vec![
            server.http(),
            server.http().token("garbage"),
            server.http().token(&format!("{}x", &world.alex.token[..world.alex.token.len() - 1])),
            server.http().token(&revoked.text("/token")),
            server.http().header("authorization", b"Basic eDp5"),
            server.http().header("cookie", b"bothy_session=garbage"),
        ];
        let login = json!({ "email": "robin@example.com", "password": "not the password" });
        let text = json!({ "content_md": "there" });
        let message = robin.post(&format!("/threads/{}/messages", world.allgemein.main), text).await.expect(201).text("/message_id");
        for round in 0..60 {
            let path = format!("/messages/{}", if round % 2 == 0 { message.as_str() } else { UNKNOWN });
            let answer = kinds[round % kinds.len()].get(&path).await;
            assert!([401, 429].contains(&answer.status.as_u16()), "{answer:?}");
        }
        server.http().get("/me").await;
        server.http().post("/sessions", login.clone()).await;
        let of = |entries: &[Value], action: &str| -> Vec<Value> {
            entries.iter().filter(|entry| entry["actor_kind"] == "anonymous" && entry["action"] == action).cloned().collect()
        };
        let entries = denials(&robin).await;
        let strangers = of(&entries, "message.read");
        assert_eq!(strangers.len(), 1, "{strangers:?}");
        assert_eq!((&strangers[0]["reason"], &strangers[0]["details"]["at"]), (&json!("not_live"), &json!("credentials")));
        assert!(strangers[0].get("resource_id").is_none(), "a stranger chooses no id in the log");
        assert!(entries.iter().all(|entry| !entry.to_string().contains("bothy_") && !entry.to_string().contains("garbage")));
        server.pass(Duration::from_secs(3600));
        server.app.modules().audit.close_windows(&server.app.modules().database).await.unwrap();
        let robin = sign_in(&server, &world).await;
        let counted: i64 = of(&denials(&robin).await, "message.read").iter().map(|entry| entry["count"].as_i64().unwrap()).sum();
        assert_eq!(counted, 60, "none is lost");
        server.stop().await;
    }
}

/// Robin's session anew: the old one may have ended with time.
async fn sign_in(server: &TestServer, world: &World) -> Http {
    let login = json!({ "email": world.robin.email, "password": world.robin.password });
    server.http().token(&server.http().post("/sessions", login).await.expect(201).text("/token"))
}
