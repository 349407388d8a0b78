//! Cases of the areas binding and lists that need a whole server: what an agent in a run may do is what
//! both may do, whoever else it is working for at that moment.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use bothy::world::World;
use bothy_testkit::{TestDb, both_databases};
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use support::{Answer, Http, TestServer};

const UNKNOWN: &str = "0193f1f0-1111-7000-8000-0123456789ab";

/// The world of chapter 00 and who acts in it.
struct Stage {
    server: TestServer,
    world: World,
    robin: Http,
    alex: Http,
    sam: Http,
    lotse: Http,
}

/// A run of Lotse that has started.
struct Task {
    id: String,
    thread: String,
    inside: Http,
}

impl Stage {
    async fn set(db: &TestDb) -> Self {
        let server = TestServer::start(db).await;
        let world = server.world().await;
        let as_caller = |token: &str| server.http().token(token);
        Self {
            robin: as_caller(&world.robin.token),
            alex: as_caller(&world.alex.token),
            sam: as_caller(&world.sam.token),
            lotse: as_caller(&world.lotse.token),
            server,
            world,
        }
    }

    /// Somebody asks Lotse in a main thread, and Lotse starts.
    async fn ask(&self, who: &Http, main: impl std::fmt::Display) -> Task {
        let asked = say(who, main, "@lotse please look").await.expect(201);
        let (id, thread) = (asked.text("/run_ids/0"), asked.text("/opened_thread_id"));
        let renewed = self.lotse.post_empty(&format!("/runs/{id}/token")).await.expect(200);
        let token = renewed.text("/invocation_token");
        self.lotse.post(&format!("/runs/{id}/start"), json!({ "invocation_token": token })).await.expect(200);
        Task { id, thread, inside: self.lotse.invocation(&token) }
    }

    /// The newest denials of a run in the audit log.
    async fn denials(&self, run: &str) -> Vec<Value> {
        let page = self.robin.get("/audit/events?effect=deny&limit=200").await.expect(200).json();
        let all = page["items"].as_array().unwrap().clone();
        all.into_iter().filter(|entry| entry["run_id"] == run).collect()
    }
}

async fn say(who: &Http, thread: impl std::fmt::Display, text: &str) -> Answer {
    who.post(&format!("/threads/{thread}/messages"), json!({ "content_md": text })).await
}

both_databases! {
    // C27: one agent in two runs at once, the same addresses, on every node.
    async fn c27_runs_of_two_people_at_once_never_cross(db: TestDb) {
        let stage = Stage::set(&db).await;
        let other = if db.is_postgres() { Some(stage.server.another(&db).await) } else { None };
        let of_alex = stage.ask(&stage.alex, stage.world.allgemein.main).await;
        let of_sam = stage.ask(&stage.sam, stage.world.allgemein.main).await;
        let hidden = format!("/channels/{}", stage.world.eskalation.id);
        let channels = format!("/spaces/{}/channels", stage.world.support);
        let nodes: Vec<String> =
            [Some(&stage.server), other.as_ref()].into_iter().flatten().map(TestServer::url).collect();
        for _ in 0..10 {
            let asked = join_all((0..100).map(async |number| {
                let sees = number % 2 == 0;
                let inside = if sees { &of_alex.inside } else { &of_sam.inside };
                let inside = inside.at(&nodes[number / 2 % nodes.len()]);
                let answer = if number % 3 == 0 { inside.get(&channels).await } else { inside.get(&hidden).await };
                (number, sees, answer)
            }));
            for (number, sees, answer) in asked.await {
                if number % 3 == 0 {
                    let names = answer.expect(200).json()["items"].as_array().unwrap().len();
                    assert_eq!(names, if sees { 2 } else { 1 }, "{number}");
                } else {
                    answer.expect(if sees { 200 } else { 404 });
                }
            }
        }
        if let Some(other) = other {
            other.stop().await;
        }
        stage.server.stop().await;
    }

    // C36: an owner's run does not make the agent an owner, and what it tried is on record.
    async fn c36_the_run_of_an_owner_is_not_the_owner(db: TestDb) {
        let stage = Stage::set(&db).await;
        let world = &stage.world;
        let task = stage.ask(&stage.robin, world.allgemein.main).await;
        let inside = &task.inside;
        for hidden in [format!("/channels/{}", world.werkzeuge.id), format!("/threads/{}/messages", world.kampagne.main)] {
            let refused = inside.get(&hidden).await.expect_problem(404, "not_found");
            refused.assert_like(&stage.alex.get(&hidden).await);
        }
        say(inside, world.kampagne.main, "hello").await.expect_problem(404, "not_found");
        let grant = json!({ "principal_id": world.lotse.id, "level": "read" });
        let hidden = inside.post(&format!("/access/space/{}/grants", world.engineering), grant.clone()).await;
        hidden.expect_problem(404, "not_found");
        let invite = json!({ "email": "spy@example.com", "handle": "spy", "display_name": "Spy" });
        let administration = [
            (Method::POST, format!("/access/space/{}/grants", world.support), Some(grant)),
            (Method::POST, "/invites".to_owned(), Some(invite)),
            (Method::PUT, format!("/owners/{}", world.alex.id), None),
            (Method::POST, format!("/people/{}/disable", world.sam.id), None),
            (Method::POST, format!("/channels/{}/archive", world.allgemein.id), None),
            (Method::POST, format!("/agents/{}/tokens", world.lotse.id), Some(json!({ "name": "mine" }))),
        ];
        for (method, path, body) in &administration {
            let body = body.as_ref().map(|body| ("application/json", serde_json::to_vec(body).unwrap()));
            let refused = inside.send(method.clone(), path, body).await.expect_problem(403, "forbidden");
            assert_eq!(refused.json()["reason"], "subject_kind_not_allowed", "{method} {path}");
        }
        let denials = stage.denials(&task.id).await;
        assert!(denials.len() >= administration.len() + 4, "{denials:#?}");
        for denial in &denials {
            assert_eq!(denial["actor_id"], json!(world.lotse.id), "{denial}");
            assert_eq!(denial["acting_for_user_id"], json!(world.robin.id), "{denial}");
        }
        let reasons: Vec<_> = denials.iter().filter_map(|denial| denial["reason"].as_str()).collect();
        assert!(reasons.contains(&"no_grant") && reasons.contains(&"subject_kind_not_allowed"), "{reasons:?}");
        stage.server.stop().await;
    }

    // C37: what an agent writes gives nobody's rights to another agent.
    async fn c37_an_agent_hands_its_person_to_nobody(db: TestDb) {
        let stage = Stage::set(&db).await;
        let task = stage.ask(&stage.sam, stage.world.allgemein.main).await;
        let said = say(&task.inside, &task.thread, "@texter @runner read Eskalation and report here").await.expect(201);
        assert!(said.json().get("run_ids").is_none(), "{said:?}");
        let runs = format!("/threads/{}/runs", task.thread);
        let runs = stage.robin.get(&runs).await.expect(200).json();
        assert_eq!(runs["items"].as_array().unwrap().len(), 1, "{runs}");
        let texter = stage.server.http().token(&stage.world.texter.token);
        let polled = texter.get("/agent/events").await.expect(200).json();
        assert!(polled["items"].as_array().unwrap().iter().all(|event| event["kind"] != "agent.invocation"), "{polled}");
        stage.server.stop().await;
    }

    // C41: another agent's run is not there, and stays as it was.
    async fn c41_a_run_of_another_agent_is_not_touched(db: TestDb) {
        let stage = Stage::set(&db).await;
        let task = stage.ask(&stage.alex, stage.world.allgemein.main).await;
        let before = stage.robin.get(&format!("/runs/{}", task.id)).await.expect(200).json();
        for agent in [&stage.world.texter, &stage.world.runner] {
            let agent = stage.server.http().token(&agent.token);
            let calls = [
                (Method::GET, "context", None),
                (Method::POST, "start", Some(json!({ "invocation_token": "x" }))),
                (Method::POST, "resume", Some(json!({ "invocation_token": "x" }))),
                (Method::POST, "finish", Some(json!({ "outcome": "completed" }))),
                (Method::POST, "await-input", Some(json!({ "question_md": "Mine?" }))),
                (Method::POST, "session", Some(json!({ "reference": "mine" }))),
                (Method::POST, "token", None),
                (Method::POST, "cancel", None),
                (Method::PATCH, "", Some(json!({ "status_line": "mine" }))),
            ];
            for (method, step, body) in calls {
                let body = body.map(|body| ("application/json", serde_json::to_vec(&body).unwrap()));
                let path = |run: &str| format!("/runs/{run}/{step}").trim_end_matches('/').to_owned();
                let refused = agent.send(method.clone(), &path(&task.id), body.clone()).await;
                assert!([403, 404].contains(&refused.status.as_u16()), "{method} {step}: {refused:?}");
                if refused.status == 404 {
                    refused.assert_like(&agent.send(method, &path(UNKNOWN), body).await);
                }
            }
            let beat = agent.post("/agent/heartbeat", json!({ "run_ids": [task.id] })).await.expect(200);
            assert_eq!(beat.json()["runs"], json!([]));
        }
        assert_eq!(stage.robin.get(&format!("/runs/{}", task.id)).await.expect(200).json(), before);
        stage.server.stop().await;
    }

    // C42: having spoken somewhere is no right to read what comes after.
    async fn c42_nothing_is_read_after_the_person_lost_the_channel(db: TestDb) {
        let stage = Stage::set(&db).await;
        let task = stage.ask(&stage.alex, stage.world.eskalation.main).await;
        task.inside.get(&format!("/runs/{}/context", task.id)).await.expect(200);
        stage.robin.delete(&format!("/grants/{}", stage.world.grants.alex_support)).await.expect(204);
        let late = say(&stage.robin, &task.thread, "Geheim, after the removal").await.expect(201).text("/message_id");
        for path in [
            format!("/runs/{}/context", task.id),
            format!("/runs/{}", task.id),
            format!("/threads/{}", task.thread),
            format!("/threads/{}/messages", task.thread),
            format!("/messages/{late}"),
            format!("/channels/{}", stage.world.eskalation.id),
            format!("/channels/{}/threads", stage.world.eskalation.id),
        ] {
            let refused = task.inside.get(&path).await.expect_problem(404, "not_found");
            let unknown = path.replace(&task.id, UNKNOWN).replace(&task.thread, UNKNOWN).replace(&late, UNKNOWN);
            let unknown = unknown.replace(&stage.world.eskalation.id.to_string(), UNKNOWN);
            refused.assert_like(&task.inside.get(&unknown).await);
        }
        let reasons: Vec<Value> =
            stage.denials(&task.id).await.into_iter().map(|denial| denial["reason"].clone()).collect();
        assert!(reasons.contains(&json!("acting_for_insufficient")), "{reasons:?}");
        stage.server.stop().await;
    }

    // C64: whom a mention in a private place names learns nothing, and its author learns nothing of them.
    async fn c64_a_mention_reaches_nobody_who_cannot_read_it(db: TestDb) {
        let stage = Stage::set(&db).await;
        let secret = stage.world.werkzeuge.main;
        let outsiders = say(&stage.robin, secret, "@sam @texter look at this").await.expect(201);
        let nobody = say(&stage.robin, secret, "@sbm @texfer look at this").await.expect(201);
        let shape = |answer: &Answer| {
            let mut body = answer.json();
            for member in ["message_id", "content_md", "thread_seq", "notices"] {
                body.as_object_mut().unwrap().remove(member);
            }
            body
        };
        assert_eq!(shape(&outsiders), shape(&nobody), "nothing tells a person who cannot read it from nobody");
        assert!(outsiders.json().get("run_ids").is_none());
        assert!(!outsiders.json()["notices"].to_string().contains(&stage.world.sam.id.to_string()));
        for who in [&stage.sam, &stage.server.http().token(&stage.world.texter.token)] {
            let message = outsiders.text("/message_id");
            let hidden = who.get(&format!("/messages/{message}")).await.expect_problem(404, "not_found");
            hidden.assert_like(&who.get(&format!("/messages/{UNKNOWN}")).await);
            let spaces = who.get("/spaces").await.expect(200);
            assert!(!String::from_utf8_lossy(&spaces.body).contains(&stage.world.engineering.to_string()));
        }
        let texter = stage.server.http().token(&stage.world.texter.token);
        let polled = String::from_utf8(texter.get("/agent/events").await.expect(200).body).unwrap();
        assert!(!polled.contains(&secret.to_string()), "{polled}");
        stage.server.stop().await;
    }
}
