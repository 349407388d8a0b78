//! Endpoints and callers (chapter 03 section 9): every operation of the API description, called as
//! each kind of caller, on something that members see, on something that is hidden from them and on
//! an id that does not exist.
//!
//! - What a caller may not see is answered like what does not exist, byte for byte (AZ-6; cases C26, C39).
//! - A refusal changes nothing: the whole database but the audit log is compared.
//! - Somebody succeeds with the very same request, otherwise a refusal would prove nothing.
//! - The result is a table, `golden/endpoints.txt`, in which a reviewer reads a change of rights.
//!   `BOTHY_UPDATE=1` writes it anew.

#![allow(missing_docs, unreachable_pub, reason = "the parts of a test")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

#[path = "endpoints/callers.rs"]
mod callers;
#[path = "endpoints/requests.rs"]
mod requests;
#[path = "endpoints/stage.rs"]
mod stage;
#[path = "endpoints/table.rs"]
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use bothy_domain::action::BindingMode;
use bothy_platform::http::OperationInfo;
use bothy_testkit::both_databases;
use callers::{Caller, Kind, callers};
use futures::future::join_all;
use serde_json::Value;
use stage::{Side, Stage};
use support::{Answer, Dump};
use table::{OPERATIONS, Reach, Scene, scene};
use uuid::Uuid;

/// What cannot succeed on an instance that has an owner, or with plain requests.
const NEVER: [&str; 2] = ["setupInstance", "openGateway"];

both_databases! {
    async fn nobody_learns_or_changes_what_they_may_not(db: TestDb) {
        let stage = Stage::set(&db).await;
        let callers = callers(&stage).await;
        stage.told().await;
        let operations = stage.server.app.modules().operations();
        same_operations(&operations);
        let mut found = Found::default();
        let mut rendered = String::from(HEAD);
        for kind in [Kind::Outside, Kind::Invalid] {
            let of_kind = callers.iter().filter(|caller| caller.kind == kind);
            let names: Vec<&str> = of_kind.map(|caller| caller.name).collect();
            writeln!(rendered, "{}: {}.", kind.name(), names.join("; ")).unwrap();
        }
        for (id, reach) in OPERATIONS {
            let operation = operations.iter().find(|operation| operation.id == *id).unwrap();
            let trial = Trial { stage: &stage, callers: &callers, operation, reach: *reach };
            rendered.push_str(&trial.run(&mut found).await);
        }
        found.0.extend(compare(&rendered));
        assert!(found.0.is_empty(), "{} findings:\n{}", found.0.len(), found.0.join("\n"));
        stage.server.stop().await;
    }
}

const HEAD: &str = "\
Every operation and every kind of caller: the answer on something in a realm where members have rights,
on something in a realm that is hidden from them, and on an id that does not exist. A dash: there is no
such target. `BOTHY_UPDATE=1 cargo test -p bothy --test endpoints` writes this anew.
";

/// The table names the operations of the API description, all of them and no other.
fn same_operations(operations: &[OperationInfo]) {
    let described: BTreeSet<&str> = operations.iter().map(|operation| operation.id).collect();
    let listed: BTreeSet<&str> = OPERATIONS.iter().map(|(id, _)| *id).collect();
    assert_eq!(listed.len(), OPERATIONS.len(), "an operation stands in the table twice");
    let missing: Vec<_> = described.difference(&listed).collect();
    assert!(missing.is_empty(), "operations that the table does not know: {missing:?}");
    let gone: Vec<_> = listed.difference(&described).collect();
    assert!(gone.is_empty(), "the table knows operations that do not exist: {gone:?}");
}

/// What is wrong.
#[derive(Default)]
struct Found(Vec<String>);

impl Found {
    fn expect(&mut self, holds: bool, say: impl FnOnce() -> String) {
        if !holds {
            self.0.push(say());
        }
    }
}

struct Trial<'a> {
    stage: &'a Stage,
    callers: &'a [Caller],
    operation: &'a OperationInfo,
    reach: Reach,
}

/// The answers of one operation, by place in the list of callers.
type Answers = BTreeMap<usize, Answer>;

impl Trial<'_> {
    async fn run(&self, found: &mut Found) -> String {
        let [open, unknown] = self.side(Side::Open, found).await;
        let hideable = matches!(self.reach, Reach::Tree | Reach::Private);
        let hidden = if hideable { self.side(Side::Hidden, found).await[0].clone() } else { Answers::new() };
        self.render(&open, &hidden, &unknown)
    }

    /// Asks for something that exists, and for what does not, as everybody.
    async fn side(&self, side: Side, found: &mut Found) -> [Answers; 2] {
        let id = self.operation.id;
        // First who may succeed, one by one, each with a target of its own.
        let (mut answers, mut privileged) = (Answers::new(), None);
        for (at, caller) in self.callers.iter().enumerate().filter(|(_, caller)| !self.refused(caller, side)) {
            let answer = self.call(caller, &self.scene(side).await, None).await;
            if answer.status.is_success() {
                let expected = self.operation.status;
                found.expect(answer.status == expected, || format!("{id}: {side:?}: {}: {answer:?}", caller.name));
                let empty = promises_hidden_rows(&answer);
                found.expect(!empty, || format!("{id}: {side:?}: {}: no item, but more: {answer:?}", caller.name));
                privileged = Some(caller);
            }
            answers.insert(at, answer);
        }
        // Then everybody who was or must be refused, at once, and everybody on what does not exist.
        let scene = self.scene(side).await;
        let is_refused = |at: &usize| answers.get(at).is_none_or(|answer| !answer.status.is_success());
        let refused: Vec<usize> = (0..self.callers.len()).filter(is_refused).collect();
        let before = self.dump().await;
        let asked = join_all(refused.iter().map(|at| self.call(&self.callers[*at], &scene, None))).await;
        let targeted = self.callers.iter().filter(|_| self.reach != Reach::None);
        let unknown = join_all(targeted.map(|caller| self.call(caller, &scene, Some(UNKNOWN)))).await;
        let changes = before.changes(&self.dump().await);
        found.expect(changes.is_empty(), || format!("{id}: {side:?}: a refusal changed\n{changes}"));
        for (at, answer) in refused.iter().copied().zip(asked) {
            let who = self.callers[at].name;
            found.expect(!answer.status.is_success(), || format!("{id}: {side:?}: {who} succeeded: {answer:?}"));
            if let Some(first) = answers.insert(at, answer.clone()) {
                let like = first.comparable() == answer.comparable();
                found.expect(like, || format!("{id}: {side:?}: {who}: first\n{first:?}\nthen\n{answer:?}"));
            }
        }
        // Now somebody who may, with the very request that was refused.
        match privileged {
            Some(caller) => {
                let answer = self.call(caller, &scene, None).await;
                found.expect(answer.status.is_success(), || format!("{id}: {side:?}: {}: {answer:?}", caller.name));
                // The comparison sees what is made.
                let seen = self.operation.status != 201 || !before.changes(&self.dump().await).is_empty();
                found.expect(seen, || format!("{id}: {side:?}: something was made, but nothing has changed"));
            }
            None => found.expect(NEVER.contains(&id), || {
                format!("{id}: {side:?}: nobody succeeds:\n{:?}", answers.last_key_value())
            }),
        }
        for (at, unknown) in unknown.iter().enumerate() {
            let (caller, answer) = (&self.callers[at], &answers[&at]);
            let who = caller.name;
            found.expect(!unknown.status.is_success(), || format!("{id}: unknown: {who} succeeded: {unknown:?}"));
            let hides = answer.status == 404 || self.refused(caller, side);
            let like = answer.comparable() == unknown.comparable();
            found.expect(!hides || like, || format!("{id}: {side:?}: {who} can tell\n{answer:?}\nfrom\n{unknown:?}"));
        }
        [answers, unknown.into_iter().enumerate().collect()]
    }

    /// Whether a caller is certain to be refused.
    fn refused(&self, caller: &Caller, side: Side) -> bool {
        let Some(action) = self.operation.action else { return false };
        let bound = action.row().binding != BindingMode::Unbound;
        match (self.reach, side, caller.kind) {
            (_, _, Kind::Outside) => true,
            (Reach::Private, Side::Hidden, _) => caller.name != "other stranger",
            (Reach::Tree, Side::Hidden, Kind::Blind | Kind::Invalid) => true,
            (Reach::Tree, Side::Hidden, Kind::BlindWhenBound) => bound,
            _ => false,
        }
    }

    async fn call(&self, caller: &Caller, scene: &Scene, unknown: Option<Uuid>) -> Answer {
        scene.send(&caller.http, self.operation, unknown).await
    }

    async fn scene(&self, side: Side) -> Scene {
        scene(self.stage, self.operation.id, side).await
    }

    async fn dump(&self) -> Dump {
        Dump::of(&self.stage.server.app.modules().database).await
    }

    /// The operation as a reviewer reads it; callers with the same answers stand together.
    fn render(&self, open: &Answers, hidden: &Answers, unknown: &Answers) -> String {
        let OperationInfo { id, method, path, action, .. } = self.operation;
        let mut text = format!("\n{id}: {method} {path} ({})\n", action.map_or("anybody", |action| action.as_str()));
        let mut lines: Vec<(String, BTreeSet<usize>)> = Vec::new();
        for at in 0..self.callers.len() {
            let shown = [open, hidden, unknown].map(|answers| answers.get(&at).map_or_else(|| "-".to_owned(), say));
            let shown = format!("  {:<26} {:<26} {:<26}", shown[0], shown[1], shown[2]);
            match lines.iter_mut().find(|(line, _)| *line == shown) {
                Some((_, same)) => same.extend([at]),
                None => lines.push((shown, BTreeSet::from([at]))),
            }
        }
        for (line, same) in lines {
            writeln!(text, "{line} {}", self.names(same)).unwrap();
        }
        text
    }

    /// The names of callers; whole kinds by the name of the kind.
    fn names(&self, mut who: BTreeSet<usize>) -> String {
        if who.len() == self.callers.len() {
            return "everybody".to_owned();
        }
        let mut names = Vec::new();
        for kind in [Kind::Outside, Kind::Invalid] {
            let all: BTreeSet<usize> = (0..self.callers.len()).filter(|at| self.callers[*at].kind == kind).collect();
            if all.is_subset(&who) {
                who.retain(|at| !all.contains(at));
                names.push(kind.name());
            }
        }
        names.extend(who.into_iter().map(|at| self.callers[at].name));
        names.join("; ")
    }
}

const UNKNOWN: Uuid = Uuid::from_u128(0x0193_f1f0_1111_7000_8000_0123_4567_89ab);

/// A page with nothing on it that says that there is more: rows were found and left out (chapter 03
/// section 6).
fn promises_hidden_rows(answer: &Answer) -> bool {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    body["items"].as_array().is_some_and(Vec::is_empty) && body["next_cursor"].is_string()
}

/// Status, code and reason.
fn say(answer: &Answer) -> String {
    let status = answer.status.as_u16();
    if answer.status.is_success() || matches!(status, 401 | 404) {
        return status.to_string();
    }
    let body = answer.json();
    let code = body["code"].as_str().unwrap();
    match body["reason"].as_str() {
        Some(reason) if code == "forbidden" => format!("{status} {reason}"),
        Some(reason) => format!("{status} token {reason}"),
        None => format!("{status} {code}"),
    }
}

/// Compares the table with the golden one, or writes that anew; says what differs.
#[allow(clippy::disallowed_methods, reason = "the switch that rewrites golden files")]
fn compare(rendered: &str) -> Option<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/endpoints.txt");
    let rendered: String = rendered.lines().flat_map(|line| [line.trim_end(), "\n"]).collect();
    if std::env::var_os("BOTHY_UPDATE").is_some() {
        std::fs::write(path, rendered).unwrap();
        return None;
    }
    let golden = std::fs::read_to_string(path).unwrap_or_default();
    let differs = golden.lines().zip(rendered.lines()).find(|(old, new)| old != new);
    (golden != rendered).then(|| {
        format!(
            "golden/endpoints.txt differs, first at {differs:#?}: read the change of rights, then \
             BOTHY_UPDATE=1 cargo test -p bothy --test endpoints"
        )
    })
}
