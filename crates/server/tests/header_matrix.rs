//! Malformed `Invocation-Token` headers (AF-3, AF-7; cases C47, C49, C51, C54): every operation of the API description, called by
//! an agent with values that are none, doubled or not quite a token. Each is one and the same refusal and
//! changes nothing; none is ever treated as if the header were absent. What a good header means for every
//! operation (no header, its run, another run, an ended run) stands in `golden/endpoints.txt`.

#![allow(missing_docs, unreachable_pub, dead_code, reason = "the parts of a test, shared with endpoints.rs")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

#[path = "endpoints/requests.rs"]
mod requests;
#[path = "endpoints/stage.rs"]
mod stage;
#[path = "endpoints/table.rs"]
mod table;

use bothy_testkit::both_databases;
use futures::future::join_all;
use serde_json::json;
use stage::{Side, Stage, Task};
use support::{Dump, Http};
use table::{OPERATIONS, scene};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const HEADER: &str = "invocation-token";

both_databases! {
    async fn a_malformed_header_is_one_refusal_for_every_operation(db: TestDb) {
        let stage = Stage::set(&db).await;
        let forms = forms(&stage).await;
        let operations = stage.server.app.modules().operations();
        let (mut found, mut tried, mut first) = (Vec::new(), 0, None);
        for (id, _) in OPERATIONS {
            let operation = operations.iter().find(|operation| operation.id == *id).unwrap();
            // Operations for anybody never ask who is calling.
            if operation.action.is_none() {
                continue;
            }
            tried += 1;
            let scene = scene(&stage, id, Side::Open).await;
            let before = Dump::of(&stage.server.app.modules().database).await;
            let answers = join_all(forms.iter().map(|(_, http)| scene.send(http, operation, None))).await;
            let changes = before.changes(&Dump::of(&stage.server.app.modules().database).await);
            if !changes.is_empty() {
                found.push(format!("{id}: a refusal changed\n{changes}"));
            }
            for ((name, _), answer) in forms.iter().zip(&answers) {
                let comparable = answer.comparable();
                if comparable != answers[0].comparable() {
                    found.push(format!("{id}: {name}: {answer:?}\nis not\n{:?}", answers[0]));
                }
                let first = first.get_or_insert_with(|| comparable.body.clone());
                if answer.status != 403 || comparable.body != *first {
                    found.push(format!("{id}: {name}: not the one refusal: {answer:?}"));
                }
            }
        }
        assert!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
        assert!(tried > 100, "{tried}");
        stage.server.stop().await;
    }
}

both_databases! {
    async fn other_names_are_not_the_header_and_other_cases_are(db: TestDb) {
        let stage = Stage::set(&db).await;
        let robin_asks = Task::ask(&stage.robin, &stage.lotse, &stage.world.allgemein.main.to_string(), "@lotse look").await;
        let spoiled = robin_asks.token.replacen('.', "..", 1);
        let unbound = stage.lotse.get("/spaces").await.expect(200);
        // If one of these were taken for the header, its value would be refused.
        let others =
            ["x-invocation-token", "x-bothy-invocation-token", "bothy-invocation-token", "invocation_token", "invocationtoken"];
        for name in others {
            stage.lotse.header(name, spoiled.as_bytes()).get("/spaces").await.assert_like(&unbound);
        }
        for query in ["Invocation-Token", "invocation_token"] {
            let asked = stage.lotse.get(&format!("/spaces?{query}={}", robin_asks.token)).await;
            asked.expect_problem(422, "validation_failed");
        }
        let cookie = format!("invocation-token={spoiled}");
        stage.lotse.header("cookie", cookie.as_bytes()).get("/spaces").await.assert_like(&unbound);
        for name in ["Invocation-Token", "INVOCATION-TOKEN", "invocation-token", "iNVOCATION-tOKEN"] {
            let answer = raw(&stage, name, &spoiled).await;
            assert!(answer.starts_with("HTTP/1.1 403 "), "{name}: {answer}");
            let answer = raw(&stage, name, &robin_asks.token).await;
            assert!(answer.starts_with("HTTP/1.1 200 "), "{name}: {answer}");
        }
        stage.server.stop().await;
    }
}

/// An agent with each form of a header that names no run of its own.
async fn forms(stage: &Stage) -> Vec<(&'static str, Http)> {
    let Stage { world, robin, lotse, runner, .. } = stage;
    let own = Task::ask(robin, lotse, &world.allgemein.main.to_string(), "@lotse please look").await;
    own.start(lotse).await;
    let second = Task::ask(robin, lotse, &world.allgemein.main.to_string(), "@lotse and here").await;
    second.start(lotse).await;
    let foreign = Task::ask(robin, runner, &world.werkzeuge.main.to_string(), "@runner go on").await;
    let ended = Task::ask(robin, lotse, &world.allgemein.main.to_string(), "@lotse and this").await;
    ended.start(lotse).await;
    lotse.post(&format!("/runs/{}/finish", ended.run), json!({ "outcome": "completed" })).await.expect(200);
    let (good, other) = (own.token.as_str(), second.token.as_str());
    let (signed, signature) = good.rsplit_once('.').unwrap();
    let broken = format!("{signed}.{}{}", if signature.starts_with('A') { 'B' } else { 'A' }, &signature[1..]);
    // The header {"alg":"none"}.
    let none = format!("eyJhbGciOiJub25lIn0.{}.", signed.split_once('.').unwrap().1);
    let with = |values: &[&[u8]]| values.iter().fold(lotse.clone(), |http, value| http.header(HEADER, value));
    let one = |value: &str| with(&[value.as_bytes()]);
    vec![
        ("of another agent", one(&foreign.token)),
        ("empty", one("")),
        ("a space", one(" ")),
        ("a tab", one("\t")),
        ("not UTF-8", with(&[b"\xff\xfe"])),
        ("not UTF-8 after a token", with(&[&[good.as_bytes(), b"\xff"].concat()])),
        ("twice", with(&[good.as_bytes(), good.as_bytes()])),
        ("two runs", with(&[good.as_bytes(), other.as_bytes()])),
        ("two runs, the other way", with(&[other.as_bytes(), good.as_bytes()])),
        ("good and broken", with(&[good.as_bytes(), broken.as_bytes()])),
        ("broken and good", with(&[broken.as_bytes(), good.as_bytes()])),
        ("good and empty", with(&[good.as_bytes(), b""])),
        ("empty and good", with(&[b"", good.as_bytes()])),
        ("comma", one(&format!("{good},{other}"))),
        ("comma and space", one(&format!("{good}, {good}"))),
        ("comma after", one(&format!("{good},"))),
        ("broken signature", one(&broken)),
        ("no signature", one(signed)),
        ("alg none", one(&none)),
        ("padded", one(&format!("{good}=="))),
        ("of an ended run, padded (C51)", one(&format!("{}==", ended.token))),
        ("quoted", one(&format!("\"{good}\""))),
        ("bearer", one(&format!("Bearer {good}"))),
        ("null", one("null")),
        ("too long", one(&"A".repeat(4096))),
    ]
}

/// A request whose header has exactly this name, where clients write it in lower case, and which calls it
/// one for the next hop only (C47): that does not make it vanish.
async fn raw(stage: &Stage, name: &str, value: &str) -> String {
    let host = stage.server.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let mut stream = tokio::net::TcpStream::connect(&host).await.unwrap();
    let bearer = stage.lotse.bearer();
    let request = format!(
        "GET /api/v1/me HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {bearer}\r\n{name}: {value}\r\nConnection: close, {name}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}
