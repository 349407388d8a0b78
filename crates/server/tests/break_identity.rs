//! Attempts to get past who one is and what one may: credentials, bindings, administration that races
//! with its own end, doors for strangers. Each test names the case that it stands for.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test that cannot go on must fail; one of them holds a request open for a while"
)]

mod support;

use std::time::Duration;

use bothy::world::World;
use bothy_domain::actor::PrincipalStatus;
use bothy_platform::clock::Clock as _;
use bothy_platform::config::{Config, Rate};
use bothy_testkit::both_databases;
use reqwest::Method;
use serde_json::{Value, json};
use support::{Answer, Http, TestServer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// A well-formed invocation token of a key that nobody has.
const UNKNOWN_KEY: &str = concat!(
    "eyJhbGciOiJFZERTQSIsImtpZCI6IkFBQUFBQUFBQUFBQUFBQUFBQUFBQUEiLCJ0eXAiOiJpbnZvY2F0aW9uK2p3dCJ9.e30.",
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
);
const UNKNOWN: &str = "0193f1f0-1111-7000-8000-0123456789ab";

async fn grant(owner: &Http, kind: &str, target: &str, body: Value) -> String {
    owner.post(&format!("/access/{kind}/{target}/grants"), body).await.expect(201).text("/grant_id")
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
        let (before, rest) = token.split_at(token.len() - 8);
        let changed = format!("{before}{}{}", if rest.starts_with('A') { 'B' } else { 'A' }, &rest[1..]);
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

    // AF-3, C29: a token that names an unknown key costs a look-up, but never a second connection for
    // the same request: otherwise strangers could starve everybody else of connections.
    async fn unknown_keys_starve_nobody(db: TestDb) {
        let small = |config: &mut Config| config.database = serde_json::from_value(json!({ "pool_size": 2 })).unwrap();
        let server = TestServer::start_with(&db, small).await;
        let world = server.world().await;
        let (lotse, alex) = (server.http().token(&world.lotse.token), server.http().token(&world.alex.token));
        for _ in 0..5 {
            let hostile = lotse.header("invocation-token", UNKNOWN_KEY.as_bytes());
            let flood = futures::future::join_all((0..24).map(|_| hostile.get("/me")));
            let honest = futures::future::join_all((0..4).map(|_| alex.get("/me")));
            let (hostile, honest) = futures::join!(flood, honest);
            assert!(hostile.iter().all(|answer| answer.status == 403), "{hostile:?}");
            assert!(honest.iter().all(|answer| answer.status == 200), "{honest:?}");
        }
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
            server.http().token(&another_ending(&world.alex.token)),
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

both_databases! {
    // C104: a kept answer belongs to one principal and one target, and dies with the right to it.
    async fn kept_answers_die_with_the_right_to_them(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let (robin, alex) = (server.http().token(&world.robin.token), server.http().token(&world.alex.token));
        robin.send(Method::PUT, &format!("/owners/{}", world.alex.id), None).await.expect(200);
        let with_key = |who: &Http| who.header("idempotency-key", b"the same");
        let invite = json!({ "email": "kim@example.com", "handle": "kim", "display_name": "Kim" });
        let first = with_key(&robin).post("/invites", invite.clone()).await.expect(201);
        assert_eq!(with_key(&robin).post("/invites", invite.clone()).await.expect(201).body, first.body);
        let others = with_key(&alex).post("/invites", invite.clone()).await.expect(201);
        assert_ne!(others.text("/code"), first.text("/code"), "another principal, another answer");
        with_key(&robin).post("/invites", json!({ "email": "l@example.com", "handle": "l9", "display_name": "L" }))
            .await.expect_problem(409, "idempotency_conflict");

        let token = with_key(&alex).post("/me/tokens", json!({ "name": "t" })).await.expect(201);
        assert_eq!(with_key(&alex).post("/me/tokens", json!({ "name": "t" })).await.expect(201).body, token.body);
        let scripts = server.http().token(&token.text("/token"));
        with_key(&scripts).post("/me/tokens", json!({ "name": "t" })).await.expect_problem(403, "forbidden");
        alex.delete(&format!("/me/tokens/{}", token.text("/token_id"))).await.expect(204);
        with_key(&alex).post("/me/tokens", json!({ "name": "t" })).await.expect_problem(404, "not_found");

        let group = with_key(&alex).post("/groups", json!({ "name": "g" })).await.expect(201);
        let path = format!("/access/space/{}/grants", world.support);
        let give = json!({ "group_id": group.text("/group_id"), "level": "read" });
        let given = with_key(&alex).post(&path, give.clone()).await.expect(201);
        alex.delete(&format!("/grants/{}", given.text("/grant_id"))).await.expect(204);
        with_key(&alex).post(&path, give.clone()).await.expect_problem(404, "not_found");
        let elsewhere = format!("/access/space/{}/grants", world.engineering);
        with_key(&alex).post(&elsewhere, give).await.expect(201);
        alex.delete(&format!("/groups/{}", group.text("/group_id"))).await.expect(204);
        with_key(&alex).post("/groups", json!({ "name": "g" })).await.expect_problem(404, "not_found");

        robin.delete(&format!("/owners/{}", world.alex.id)).await.expect(204);
        with_key(&alex).post("/invites", invite.clone()).await.expect_problem(403, "forbidden");
        server.pass(Duration::from_secs(7200));
        // A client of its own: the server has closed the idle connections.
        let robin = server.http().token(&world.robin.token);
        let stale = with_key(&robin).post("/me/tokens", json!({ "name": "t" })).await;
        assert_eq!(stale.expect_problem(403, "forbidden").json()["reason"], "step_up_required");
        server.stop().await;
    }

    // C101, AZ-6: whatever else is wrong with a request, what is hidden answers like what is not there.
    async fn nothing_wrong_with_a_request_betrays_its_target(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let (robin, alex) = (server.http().token(&world.robin.token), server.http().token(&world.alex.token));
        let token = robin.post("/me/tokens", json!({ "name": "t" })).await.expect(201).text("/token_id");
        let session = robin.get("/sessions").await.expect(200).text("/items/0/session_id");
        let space = world.marketing.to_string();
        let hidden_grant = grant(&robin, "space", &space, json!({ "principal_id": world.sam.id, "level": "read" })).await;
        let json_kind = "application/json";
        let targets = [
            (Method::DELETE, "/sessions/{}", session), (Method::DELETE, "/me/tokens/{}", token),
            (Method::DELETE, "/grants/{}", hidden_grant),
            (Method::POST, "/access/space/{}/grants", space.clone()), (Method::GET, "/access/space/{}/grants", space),
            (Method::POST, "/access/channel/{}/grants", world.kampagne.id.to_string()),
            (Method::HEAD, "/channels/{}", world.kampagne.id.to_string()),
        ];
        for (method, path, hidden) in targets {
            let bodies: [Option<(&str, Vec<u8>)>; 5] = [
                None, Some((json_kind, b"{".to_vec())), Some((json_kind, vec![0xff])), Some(("text/plain", b"x".to_vec())),
                Some((json_kind, b"{\"level\":\"read\",\"group_id\":null}".to_vec())),
            ];
            for body in bodies {
                for extra in [("if-match", "\"1\""), ("if-none-match", "*"), ("idempotency-key", ""), ("idempotency-key", "k")] {
                    let who = alex.header(extra.0, extra.1.as_bytes());
                    for query in ["", "?limit=0", "?cursor=x", "?nonsense=1"] {
                        let ask = |id: &str| format!("{}{query}", path.replace("{}", id));
                        let body = || body.as_ref().map(|(kind, bytes)| (*kind, bytes.clone()));
                        let answer = who.send(method.clone(), &ask(&hidden), body()).await;
                        answer.assert_like(&who.send(method.clone(), &ask(UNKNOWN), body()).await);
                        assert_eq!(answer.status, 404, "{method} {path} {query}: {answer:?}");
                    }
                }
            }
        }
        server.stop().await;
    }

    // Chapter 04 section 2: a cookie counts from our own pages only, and once only.
    async fn a_cookie_counts_from_our_own_pages_only(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let cookie = format!("bothy_session={}", world.robin.token);
        let browser = server.http().header("cookie", cookie.as_bytes());
        browser.get("/me").await.expect(200);
        let group = json!({ "name": "made" });
        let foreign: [&[(&str, &str)]; 7] = [
            &[], &[("sec-fetch-site", "cross-site")], &[("sec-fetch-site", "same-site")], &[("sec-fetch-site", "none")],
            &[("origin", "https://evil.example.com")], &[("origin", "null")],
            &[("sec-fetch-site", "cross-site"), ("origin", "http://127.0.0.1")],
        ];
        for headers in foreign {
            let who = headers.iter().fold(browser.clone(), |who, (name, value)| who.header(name, value.as_bytes()));
            who.post("/groups", group.clone()).await.expect_problem(401, "unauthenticated");
        }
        browser.header("sec-fetch-site", b"same-origin").post("/groups", group).await.expect(201);
        let own = server.url();
        browser.header("origin", own.as_bytes()).post("/groups", json!({ "name": "two" })).await.expect(201);
        let other = format!("bothy_session={}", world.alex.token);
        browser.header("cookie", other.as_bytes()).get("/me").await.expect(401);
        let both = server.http().header("cookie", format!("{cookie}; {other}").as_bytes());
        both.get("/me").await.expect(401);
        browser.header("authorization", b"Bearer x").get("/me").await.expect(401);
        server.stop().await;
    }

    // C07, C31, C32 and the doors of chapter 03 section 3.
    async fn grants_reach_whom_they_name_and_end_on_time(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let (robin, sam) = (server.http().token(&world.robin.token), server.http().token(&world.sam.token));
        let space = world.engineering.to_string();
        let path = format!("/access/space/{space}/grants");
        let group = robin.post("/groups", json!({ "name": "g" })).await.expect(201).text("/group_id");
        for subject in [
            json!({ "principal_id": world.allgemein.id }), json!({ "principal_id": group }), json!({ "principal_id": UNKNOWN }),
            json!({ "group_id": world.sam.id }), json!({ "group_id": group, "principal_id": world.sam.id }), json!({}),
        ] {
            let mut body = subject.clone();
            body["level"] = json!("read");
            robin.post(&path, body).await.expect_problem(422, "validation_failed");
        }
        robin.send(Method::PUT, &format!("/groups/{group}/members/{}", world.lotse.id), None).await.expect(422);
        robin.send(Method::PUT, &format!("/owners/{}", world.lotse.id), None).await.expect(404);

        let until = |seconds: u64| server.clock.now().plus(Duration::from_secs(seconds));
        robin.post(&path, json!({ "principal_id": world.sam.id, "level": "read", "expires_at": until(0) })).await.expect(422);
        grant(&robin, "space", &space, json!({ "principal_id": world.sam.id, "level": "read", "expires_at": until(10) })).await;
        let direct = grant(&robin, "space", &space, json!({ "principal_id": world.sam.id, "level": "read" })).await;
        let sees = format!("/spaces/{space}");
        sam.get(&sees).await.expect(200);
        robin.delete(&format!("/grants/{direct}")).await.expect(204);
        sam.get(&sees).await.expect(200);
        server.pass(Duration::from_micros(9_999_999));
        sam.get(&sees).await.expect(200);
        server.pass(Duration::from_micros(1));
        sam.get(&sees).await.assert_like(&sam.get(&format!("/spaces/{UNKNOWN}")).await);

        grant(&robin, "space", &space, json!({ "group_id": group, "level": "read" })).await;
        sam.get(&sees).await.expect(404);
        robin.send(Method::PUT, &format!("/groups/{group}/members/{}", world.sam.id), None).await.expect(204);
        sam.get(&sees).await.expect(200);
        robin.delete(&format!("/groups/{group}")).await.expect(204);
        sam.get(&sees).await.expect(404);
        let again = robin.post("/groups", json!({ "name": "g" })).await.expect(201).text("/group_id");
        robin.send(Method::PUT, &format!("/groups/{again}/members/{}", world.sam.id), None).await.expect(204);
        sam.get(&sees).await.expect(404);
        server.stop().await;
    }

    // One code, one account: of two that come at once, one is let in; who was shut out stays out.
    async fn one_time_codes_work_once(db: TestDb) {
        let server = TestServer::start(&db).await;
        let http = server.http();
        let code = server.app.setup_code().unwrap().to_owned();
        let setup = |n: u8| json!({
            "setup_code": code, "handle": format!("robin{n}"), "display_name": "Robin",
            "email": format!("robin{n}@example.com"), "password": "robin likes long passwords",
        });
        let setups = futures::future::join_all((0..6).map(|n| { let http = http.clone(); let body = setup(n); async move { http.post("/setup", body).await } })).await;
        let winners: Vec<_> = setups.iter().filter(|answer| answer.status == 201).collect();
        assert_eq!(winners.len(), 1, "{setups:?}");
        assert!(setups.iter().all(|answer| [201, 401, 409].contains(&answer.status.as_u16())));
        let robin = http.token(&winners[0].text("/token"));
        let new = |n: u8| json!({ "email": format!("kim{n}@example.com"), "handle": format!("kim{n}"), "display_name": "Kim" });
        let code = robin.post("/invites", new(1)).await.expect(201).text("/code");
        let accept = json!({ "code": code, "password": "kim likes long passwords" });
        let accepts = futures::future::join_all((0..6).map(|_| http.post("/invites/accept", accept.clone()))).await;
        assert_eq!(accepts.iter().filter(|answer| answer.status == 201).count(), 1);
        assert!(accepts.iter().all(|answer| [201, 401].contains(&answer.status.as_u16())), "{accepts:?}");

        // Pending, disabled, wrong and unknown look alike at the login.
        let invited = robin.post("/invites", new(2)).await.expect(201);
        let login = |email: &str, password: &str| json!({ "email": email, "password": password });
        let unknown = http.post("/sessions", login("nobody@example.com", "kim likes long passwords")).await.expect(401);
        http.post("/sessions", login("kim2@example.com", "kim likes long passwords")).await.assert_like(&unknown);
        http.post("/sessions", login("kim1@example.com", "kim likes other passwords")).await.assert_like(&unknown);
        http.post("/sessions", login("no address", "kim likes long passwords")).await.assert_like(&unknown);
        let kim = accepts.iter().find(|answer| answer.status == 201).unwrap();
        let disable = |id: String| format!("/people/{id}/disable");
        robin.post_empty(&disable(kim.text("/person/person_id"))).await.expect(200);
        http.token(&kim.text("/token")).get("/me").await.expect(401);
        http.post("/sessions", login("kim1@example.com", "kim likes long passwords")).await.assert_like(&unknown);
        robin.post_empty(&disable(invited.text("/person/person_id"))).await.expect(200);
        let late = json!({ "code": invited.text("/code"), "password": "kim likes long passwords" });
        http.post("/invites/accept", late).await.expect_problem(401, "unauthenticated");
        http.token(&invited.text("/code")).get("/me").await.expect(401);

        // An expired session is no session, to the microsecond; a script has no ownership.
        let scripts = http.token(&robin.post("/me/tokens", json!({ "name": "s" })).await.expect(201).text("/token"));
        assert_eq!(scripts.get("/me").await.expect(200).json()["owner"], false);
        for (path, method) in [("/audit/events", Method::GET), ("/groups", Method::POST), ("/invites", Method::POST)] {
            let body = (method == Method::POST).then(|| ("application/json", b"{}".to_vec()));
            scripts.send(method, path, body).await.expect_problem(403, "forbidden");
        }
        server.stop().await;
    }

    // Confirming the password is an oracle for it: it has the budget of the login, not that of writes.
    async fn confirming_a_password_has_the_budget_of_the_login(db: TestDb) {
        let server = TestServer::start_with(&db, |config| config.rate = Rate::default()).await;
        let world = server.world().await;
        let sam = server.http().token(&world.sam.token);
        let mut answers = Vec::new();
        for _ in 0..40 {
            answers.push(sam.post("/sessions/confirm", json!({ "password": "not the password" })).await.status.as_u16());
        }
        assert_eq!(answers.iter().filter(|status| **status == 422).count(), 30, "{answers:?}");
        sam.post("/me/password", json!({ "current_password": "x", "new_password": "x" })).await.expect_problem(429, "rate_limited");
        sam.patch("/me", json!({ "display_name": "Sam" })).await.expect(200);
        server.stop().await;
    }
}

/// Robin's session anew: the old one may have ended with time.
async fn sign_in(server: &TestServer, world: &World) -> Http {
    let login = json!({ "email": world.robin.email, "password": world.robin.password });
    server.http().token(&server.http().post("/sessions", login).await.expect(201).text("/token"))
}

/// A token with another last letter.
fn another_ending(token: &str) -> String {
    let (before, last) = token.split_at(token.len() - 1);
    format!("{before}{}", if last == "x" { "y" } else { "x" })
}
