//! TestSR9_EveryScopedList of seed 003: every `GET` that an agent may call, inside a run and outside.
//! Inside the run of a person who may not see Engineering, nothing of it is in any answer; outside, the
//! lists show it, so the test is not vacuous.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use bothy::world::World;
use bothy_domain::action::Row;
use bothy_domain::actor::PrincipalKind;
use bothy_platform::http::OperationInfo;
use bothy_testkit::both_databases;
use reqwest::Method;
use serde_json::{Value, json};
use support::{Answer, Http, TestServer};

/// Lists over everything that the caller may see: what they show is decided by scope alone. A new one
/// fails the test until it stands here.
const SCOPED: [&str; 8] = [
    "listSpaces",
    "listMyDms",
    "listMyMentions",
    "listMyReadStates",
    "listActiveRuns",
    "searchMessages",
    "getSnapshot",
    "listEvents",
];
/// What reaches the agent as such, whichever run it is in (AF-14).
const DELIVERED: [&str; 1] = ["pollAgentEvents"];
/// The cursor before the first event.
const FROM_THE_BEGINNING: &str = "AQEAAAAAAAAAAA";
const UNKNOWN: &str = "0193f1f0-1111-7000-8000-0123456789ab";

both_databases! {
    async fn sr9_every_scoped_list(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let ground = Ground::lay(&server, &world).await;
        let operations = server.app.modules().operations();
        let readable: Vec<_> = operations.iter().filter(|operation| is_for_agents(operation)).collect();
        assert!(readable.len() > 10, "there are operations to try");
        let mut scoped = BTreeSet::new();
        for operation in readable {
            ground.try_out(operation, &mut scoped).await;
        }
        assert_eq!(scoped, BTreeSet::from(SCOPED), "the lists that scope decides");
        server.stop().await;
    }
}

fn is_for_agents(operation: &OperationInfo) -> bool {
    let may = |row: &Row| row.subjects.contains(PrincipalKind::Agent);
    operation.method == Method::GET && operation.action.is_none_or(|action| may(action.row()))
}

/// Lotse inside a run of Alex and outside of it, with rights in Support and in Engineering.
struct Ground {
    outside: Http,
    inside: Http,
    /// By path parameter: something in Support, and something in Engineering.
    ids: BTreeMap<&'static str, [String; 2]>,
    /// Ids and words that stand in Engineering only.
    secrets: Vec<String>,
}

impl Ground {
    async fn lay(server: &TestServer, world: &World) -> Self {
        let http = server.http();
        let (robin, alex) = (http.token(&world.robin.token), http.token(&world.alex.token));
        let (lotse, runner) = (http.token(&world.lotse.token), http.token(&world.runner.token));
        for (agent, level) in [(&world.lotse, "read"), (&world.runner, "write")] {
            let grant = json!({ "principal_id": agent.id, "level": level });
            robin.post(&format!("/access/space/{}/grants", world.engineering), grant).await.expect(201);
        }
        let post = world.projekt_a.post.to_string();
        let mention = say(&robin, &post, "@lotse knows the Geheimplan").await;
        let foreign = say(&robin, &world.werkzeuge.main.to_string(), "@runner check the Geheimplan").await;
        let asked = say(&alex, &world.allgemein.main.to_string(), "@lotse what is new?").await;
        // Lotse speaks with Alex and with Robin; only the latter is hidden in a run of Alex.
        let mut directs = Vec::new();
        for who in [&alex, &robin] {
            let body = json!({ "participant_ids": [world.lotse.id] });
            directs.push(who.post("/dms", body).await.expect(200).text("/channel_id"));
        }
        let (run, foreign_run) = (asked.text("/run_ids/0"), foreign.text("/run_ids/0"));
        let token = start(&lotse, &run).await;
        start(&runner, &foreign_run).await;
        let foreign_thread = foreign.text("/opened_thread_id");
        let ids = BTreeMap::from([
            ("space_id", [world.support.to_string(), world.engineering.to_string()]),
            ("channel_id", [world.allgemein.id.to_string(), world.projekt_a.id.to_string()]),
            ("thread_id", [asked.text("/opened_thread_id"), post.clone()]),
            ("message_id", [asked.text("/message_id"), mention.text("/message_id")]),
            ("run_id", [run, foreign_run.clone()]),
        ]);
        let words = ["Engineering", "Projekt-A", "Werkzeuge", "Auftakt", "Geheimplan"].map(str::to_owned);
        let others = [
            world.werkzeuge.id.to_string(),
            world.werkzeuge.main.to_string(),
            foreign.text("/message_id"),
            foreign_thread,
        ];
        let directs = directs.into_iter().skip(1);
        let secrets =
            ids.values().map(|[_, hidden]| hidden.clone()).chain(others).chain(directs).chain(words).collect();
        Self { inside: lotse.invocation(&token), outside: lotse, ids, secrets }
    }

    async fn try_out(&self, operation: &OperationInfo, scoped: &mut BTreeSet<&'static str>) {
        let id = operation.id;
        let in_tree = operation.action.is_some_and(|action| action.row().in_tree());
        if id == "openGateway" {
            // No list: what a connection tells an agent reaches it as such (`tests/gateway.rs`).
            return;
        }
        if DELIVERED.contains(&id) {
            let [inside, outside] = [self.inside.get(operation.path).await, self.outside.get(operation.path).await];
            assert!(self.told(&outside.expect(200)).is_some(), "{id}: the agent is told of Engineering");
            assert!(self.told(&inside.expect(200)).is_some(), "{id}: inside a run as well");
            return;
        }
        let Some(parameter) = parameter(operation.path).filter(|_| in_tree) else {
            if parameter(operation.path).is_some() {
                // People, agents and apps: nothing that is hidden stands behind them.
                return;
            }
            // Events are listed from the beginning of the log.
            let path = match id {
                "listEvents" => format!("{}?cursor={FROM_THE_BEGINNING}", operation.path),
                // A word that stands in both places.
                "searchMessages" => format!("{}?q=lotse", operation.path),
                _ => operation.path.to_owned(),
            };
            let [inside, outside] = [self.pages(&self.inside, &path).await, self.pages(&self.outside, &path).await];
            self.assert_silent(id, &inside);
            if in_tree {
                scoped.insert(id);
                assert!(outside.iter().any(|page| self.told(page).is_some()), "{id}: outside it shows Engineering");
            }
            return;
        };
        let [open, hidden] = self.ids.get(parameter).unwrap_or_else(|| panic!("{id}: nothing stands for {parameter}"));
        let at = |target: &str| operation.path.replace(&format!("{{{parameter}}}"), target);
        self.assert_silent(id, &self.pages(&self.inside, &at(open)).await);
        let refused = self.inside.get(&at(hidden)).await.expect_problem(404, "not_found");
        refused.assert_like(&self.inside.get(&at(UNKNOWN)).await);
        let outside = self.outside.get(&at(hidden)).await;
        // A run of another agent is closed to this one, but not hidden.
        assert_ne!(outside.status, 404, "{id}: outside it is there: {outside:?}");
    }

    /// Every page of a list, in large pages and in the smallest; or the one answer.
    async fn pages(&self, who: &Http, path: &str) -> Vec<Answer> {
        let first = who.get(path).await.expect(200);
        if !first.json().get("items").is_some_and(Value::is_array) {
            return vec![first];
        }
        let mut pages = vec![first];
        for limit in ["limit=1", "limit=2"] {
            let separator = if path.contains('?') { '&' } else { '?' };
            let mut next = Some(format!("{path}{separator}{limit}"));
            while let Some(path_of_page) = next {
                let page = who.get(&path_of_page).await.expect(200);
                let cursor = page.json()["next_cursor"].as_str().map(str::to_owned);
                next = cursor.map(|cursor| format!("{path}{separator}{limit}&cursor={cursor}"));
                assert!(
                    next.is_none() || page.json()["items"].as_array().is_some_and(|items| !items.is_empty()),
                    "{path}: an empty page that promises more"
                );
                pages.push(page);
            }
        }
        pages
    }

    /// What an answer tells of Engineering.
    fn told(&self, answer: &Answer) -> Option<&str> {
        let body = std::str::from_utf8(&answer.body).unwrap();
        self.secrets.iter().map(String::as_str).find(|secret| body.contains(*secret))
    }

    #[track_caller]
    fn assert_silent(&self, id: &str, answers: &[Answer]) {
        for answer in answers {
            let told = self.told(answer);
            assert!(told.is_none(), "{id} tells {told:?}: {answer:?}");
        }
    }
}

/// The one parameter of a path that names what is asked for.
fn parameter(path: &'static str) -> Option<&'static str> {
    path.split('/').find_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
}

async fn say(who: &Http, thread: &str, text: &str) -> Answer {
    who.post(&format!("/threads/{thread}/messages"), json!({ "content_md": text })).await.expect(201)
}

async fn start(agent: &Http, run: &str) -> String {
    let token = agent.post_empty(&format!("/runs/{run}/token")).await.expect(200).text("/invocation_token");
    agent.post(&format!("/runs/{run}/start"), json!({ "invocation_token": token })).await.expect(200);
    token
}
