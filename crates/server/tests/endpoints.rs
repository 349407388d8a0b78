//! Endpoints and callers (chapter 03 section 9): every operation of the API description, called as
//! each kind of caller, on something that members see, on something that is hidden from them and on
//! an id that does not exist.
//!
//! - What a caller may not see is answered like what does not exist, byte for byte (AZ-6).
//! - A refusal changes nothing: the whole database but the audit log is compared.
//! - Somebody succeeds with the very same request, otherwise a refusal would prove nothing.
//! - The result is a table, `golden/endpoints.txt`, in which a reviewer reads a change of rights.
//!   `BOTHY_UPDATE=1` writes it anew.

#![allow(unreachable_pub, reason = "the parts of a test")]

mod support;

#[path = "endpoints/callers.rs"]
mod callers;
#[path = "endpoints/stage.rs"]
mod stage;
#[path = "endpoints/table.rs"]
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use bothy_domain::action::BindingMode;
use bothy_platform::http::OperationInfo;
use bothy_testkit::both_databases;
use callers::{Caller, Sight, callers};
use futures::future::join_all;
use stage::{Side, Stage};
use support::{Answer, Dump, Http};
use table::{OPERATIONS, Reach, Scene, scene};
use uuid::Uuid;

/// What cannot succeed on an instance that has an owner.
const NEVER: [&str; 1] = ["setupInstance"];

both_databases! {
    async fn nobody_learns_or_changes_what_they_may_not(db: TestDb) {
        let stage = Stage::set(&db).await;
        let callers = callers(&stage).await;
        let operations = stage.server.app.modules().operations();
        same_operations(&operations);
        let mut found = Found::default();
        let mut rendered = String::from(HEAD);
        for (id, reach) in OPERATIONS {
            let operation = operations.iter().find(|operation| operation.id == *id).unwrap();
            let trial = Trial { stage: &stage, callers: &callers, operation, reach: *reach };
            rendered.push_str(&trial.run(&mut found).await);
        }
        assert!(found.0.is_empty(), "{} findings:\n{}", found.0.len(), found.0.join("\n"));
        compare(&rendered);
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
        let unknown = if self.reach == Reach::None { Answers::new() } else { self.unknown(found).await };
        let open = self.side(Side::Open, &unknown, found).await;
        let hideable = matches!(self.reach, Reach::Tree | Reach::Private);
        let hidden = if hideable { self.side(Side::Hidden, &unknown, found).await } else { Answers::new() };
        self.render(&open, &hidden, &unknown)
    }

    /// Asks for an id that does not exist, as everybody.
    async fn unknown(&self, found: &mut Found) -> Answers {
        let scene = self.scene(Side::Open).await;
        let before = self.dump().await;
        let asked = join_all(self.callers.iter().map(|caller| self.call(caller, &scene, Some(UNKNOWN)))).await;
        let changes = before.changes(&self.dump().await);
        found.expect(changes.is_empty(), || format!("{}: unknown: changed\n{changes}", self.operation.id));
        let answers: Answers = asked.into_iter().enumerate().collect();
        for (at, answer) in &answers {
            let who = self.callers[*at].name;
            found.expect(!answer.status.is_success(), || format!("{}: unknown: {who}: {answer:?}", self.operation.id));
        }
        answers
    }

    /// Asks for something that exists, as everybody. Who can be nobody's friend comes first, at once;
    /// the others one by one, so that what a refusal changes is seen.
    async fn side(&self, side: Side, unknown: &Answers, found: &mut Found) -> Answers {
        let id = self.operation.id;
        let (together, apart): (Vec<usize>, Vec<usize>) =
            (0..self.callers.len()).partition(|at| self.refused(&self.callers[*at], side));
        let mut scene = self.scene(side).await;
        let mut before = self.dump().await;
        let refused = join_all(together.iter().map(|at| self.call(&self.callers[*at], &scene, None))).await;
        let changes = before.changes(&self.dump().await);
        found.expect(changes.is_empty(), || format!("{id}: {side:?}: a refusal changed\n{changes}"));
        let mut answers: Answers = together.into_iter().zip(refused).collect();
        for (at, answer) in &answers {
            let who = self.callers[*at].name;
            found.expect(!answer.status.is_success(), || format!("{id}: {side:?}: {who} succeeded: {answer:?}"));
        }
        let mut succeeded = false;
        for at in apart {
            let caller = &self.callers[at];
            let answer = self.call(caller, &scene, None).await;
            if answer.status.is_success() {
                let expected = self.operation.status;
                found.expect(answer.status == expected, || format!("{id}: {side:?}: {}: {answer:?}", caller.name));
                succeeded = true;
                scene = self.scene(side).await;
                before = self.dump().await;
            } else {
                let after = self.dump().await;
                let changes = before.changes(&after);
                found.expect(changes.is_empty(), || format!("{id}: {side:?}: {}: changed\n{changes}", caller.name));
                before = after;
            }
            answers.insert(at, answer);
        }
        found.expect(succeeded || NEVER.contains(&id), || format!("{id}: {side:?}: nobody succeeds:\n{:?}", answers.last_key_value()));
        for (at, answer) in answers.iter().filter(|(at, _)| unknown.contains_key(at)) {
            let caller = &self.callers[*at];
            let hides = answer.status == 404 || self.refused(caller, side) || caller.sight == Sight::Outside;
            let like = answer.comparable() == unknown[at].comparable();
            found.expect(!hides || like, || {
                format!("{id}: {side:?}: {} can tell:\n{answer:?}\nfrom\n{:?}", caller.name, unknown[at])
            });
        }
        answers
    }

    /// Whether a caller is certain to be refused.
    fn refused(&self, caller: &Caller, side: Side) -> bool {
        let Some(action) = self.operation.action else { return false };
        let bound = action.row().binding != BindingMode::Unbound;
        match (self.reach, side, caller.sight) {
            (_, _, Sight::Outside) => true,
            (Reach::Private, Side::Hidden, _) => caller.name != "other stranger",
            (Reach::Tree, Side::Hidden, Sight::Blind) => true,
            (Reach::Tree, Side::Hidden, Sight::BlindWhenBound) => bound,
            _ => false,
        }
    }

    async fn call(&self, caller: &Caller, scene: &Scene, unknown: Option<Uuid>) -> Answer {
        let target = self.operation.action.and_then(|action| action.row().resource.path_parameter());
        let mut path = self.operation.path.to_owned();
        for (parameter, id) in &scene.path {
            let id = match unknown {
                Some(unknown) if Some(*parameter) == target => unknown.to_string(),
                _ => id.clone(),
            };
            path = path.replace(&format!("{{{parameter}}}"), &id);
        }
        assert!(!path.contains('{'), "{path} has a parameter that nobody gives a value");
        let mut http: Http = caller.http.clone();
        if let Some(version) = &scene.if_match {
            http = http.header("if-match", version);
        }
        let body = scene.body.as_ref().map(|body| ("application/json", serde_json::to_vec(body).unwrap()));
        http.send(self.operation.method.clone(), &path, body).await
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
        let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
        for (at, caller) in self.callers.iter().enumerate() {
            let shown = [open, hidden, unknown].map(|answers| answers.get(&at).map_or_else(|| "-".to_owned(), say));
            let shown = format!("  {:<42} {:<42} {:<42}", shown[0], shown[1], shown[2]);
            match lines.iter_mut().find(|(line, _)| *line == shown) {
                Some((_, names)) => names.push(caller.name),
                None => lines.push((shown, vec![caller.name])),
            }
        }
        for (line, names) in lines {
            writeln!(text, "{line} {}", names.join("; ")).unwrap();
        }
        text
    }
}

const UNKNOWN: Uuid = Uuid::from_u128(0x0193_f1f0_1111_7000_8000_0123_4567_89ab);

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
        Some(reason) => format!("{status} {code} {reason}"),
        None => format!("{status} {code}"),
    }
}

#[allow(clippy::disallowed_methods, reason = "the switch that rewrites golden files")]
fn compare(rendered: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/endpoints.txt");
    let rendered: String = rendered.lines().flat_map(|line| [line.trim_end(), "\n"]).collect();
    if std::env::var_os("BOTHY_UPDATE").is_some() {
        std::fs::write(path, rendered).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(path).unwrap_or_default();
    let changed = golden.lines().zip(rendered.lines()).find(|(old, new)| old != new);
    assert!(golden == rendered, "golden/endpoints.txt differs, first at {changed:#?}: read the change of rights, then BOTHY_UPDATE=1 cargo test -p bothy --test endpoints");
}
