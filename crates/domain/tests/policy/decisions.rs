//! The decision table: action x principal of the test world (chapter 00) on representative targets.
//! A change of rights is a change of this file.

use std::fmt::Write;

use bothy_domain::action::{Action, ResourceKind};
use bothy_domain::actor::PrincipalKind::{Agent, App, Person};
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::policy::{Decision, Mode, Outcome, decide};
use bothy_domain::run::RunState;

use crate::bridge::{Facts, Fault};
use crate::reference::{
    Caps, Channel, Credential, Grant, Header, Home, Message, On, Principal, Question, Run, Step, Target, Thread, To,
    World,
};

const ROBIN: usize = 0;
const ALEX: usize = 1;
const SAM: usize = 2;
const WRITER: usize = 3;
const LOTSE: usize = 4;
const TEXTER: usize = 5;
const RUNNER: usize = 6;
const APP: usize = 7;

const SUPPORT: usize = 0;
const ENGINEERING: usize = 1;
const MARKETING: usize = 2;

const ALLGEMEIN: usize = 0;
const ESKALATION: usize = 1;
const PROJEKT_A: usize = 2;
const WERKZEUGE: usize = 3;
const KAMPAGNE: usize = 4;
const DIRECT: usize = 5;
const ARCHIVED: usize = 6;

const INTRODUCTION: &str = "\
# What each principal of the test world (chapter 00) may do: action | target | decision | who.
# Rewritten by BOTHY_UPDATE=1 cargo test -p bothy-domain --test policy.
# Robin! has confirmed the password just now; /token is a personal token; /Alex and /Robin are runs of
# that person in Allgemein and in Eskalation; /ended is a run of Alex that has ended; /invalid is a
# header that binds nothing. Beyond the world of chapter 00 there are: an app with `write` on
# Allgemein, a direct message of Alex and Lotse, an archived channel in Support, and a thread in
# Werkzeuge whose fixed operator is Lotse.
";

#[test]
fn decisions_in_the_test_world_are_the_golden_table() {
    let world = test_world();
    let mut table = INTRODUCTION.to_owned();
    for action in Action::ALL {
        for (name, target) in targets(action.row().resource) {
            let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
            for (who, caller, credential, header) in callers(&world) {
                let question = Question { caller, credential, header, action: *action, target, mode: Mode::Request };
                let facts = Facts::of(&world, &question, Fault::None);
                let decision = words(&decide(&facts.judgement(&world, &question, Fault::None)));
                match groups.iter_mut().find(|(other, _)| *other == decision) {
                    Some((_, members)) => members.push(who),
                    None => groups.push((decision, vec![who])),
                }
            }
            groups.sort_by_key(|(decision, _)| decision != "allow");
            for (decision, members) in groups {
                writeln!(table, "{} | {name} | {decision} | {}", action.as_str(), members.join(" ")).unwrap();
            }
        }
    }
    compare("golden/decisions.txt", &table);
}

fn compare(path: &str, rendered: &str) {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    if is_update() {
        std::fs::write(&path, rendered).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    for (number, (golden, rendered)) in golden.lines().zip(rendered.lines()).enumerate() {
        assert_eq!(golden, rendered, "{path}:{}: read the change of rights, then set BOTHY_UPDATE=1", number + 1);
    }
    assert_eq!(golden.lines().count(), rendered.lines().count(), "{path} has another length; set BOTHY_UPDATE=1");
}

#[expect(clippy::disallowed_methods, reason = "the one switch that rewrites golden files")]
fn is_update() -> bool {
    std::env::var_os("BOTHY_UPDATE").is_some()
}

fn words(decision: &Decision) -> String {
    let Decision::Deny(denial) = decision else { return "allow".to_owned() };
    let outcome = match denial.outcome {
        Outcome::Unauthenticated => "401",
        Outcome::NotFound => "404",
        Outcome::Forbidden => "403",
        Outcome::InvocationTokenInvalid => "403 invocation_token_invalid",
        Outcome::InvocationTokenRequired => "403 invocation_token_required",
    };
    format!("{outcome} {}", denial.reason.as_str())
}

fn callers(world: &World) -> Vec<(&'static str, usize, Credential, Header)> {
    let (session, personal, api) = (Credential::Session, Credential::PersonalToken, Credential::ApiToken);
    let run = |run| Header::of_run(world, run);
    vec![
        ("Robin!", ROBIN, Credential::ConfirmedSession, Header::Absent),
        ("Robin", ROBIN, session, Header::Absent),
        ("Robin/token", ROBIN, personal, Header::Absent),
        ("Alex", ALEX, session, Header::Absent),
        ("Alex/token", ALEX, personal, Header::Absent),
        ("Sam", SAM, session, Header::Absent),
        ("writer", WRITER, session, Header::Absent),
        ("Lotse", LOTSE, api, Header::Absent),
        ("Lotse/Alex", LOTSE, api, run(0)),
        ("Lotse/Robin", LOTSE, api, run(1)),
        ("Lotse/ended", LOTSE, api, run(2)),
        ("Lotse/invalid", LOTSE, api, Header::Broken),
        ("Texter", TEXTER, api, Header::Absent),
        ("Runner", RUNNER, api, Header::Absent),
        ("app", APP, api, Header::Absent),
    ]
}

fn targets(kind: ResourceKind) -> Vec<(&'static str, Target)> {
    let places = |target: fn(On) -> Target| {
        vec![
            ("instance", target(On::Instance)),
            ("Support", target(On::Space(SUPPORT))),
            ("Allgemein", target(On::Channel(ALLGEMEIN))),
            ("Projekt-A", target(On::Channel(PROJEKT_A))),
        ]
    };
    let mut all = match kind {
        ResourceKind::Instance => vec![("instance", Target::Instance)],
        ResourceKind::Own => vec![("oneself", Target::Own)],
        ResourceKind::Audit => vec![("audit log", Target::Audit)],
        ResourceKind::Group => vec![("group", Target::Group(0))],
        ResourceKind::Person => vec![("Sam", Target::Principal(SAM))],
        ResourceKind::Agent => vec![("Lotse", Target::Principal(LOTSE))],
        ResourceKind::App => vec![("app", Target::Principal(APP))],
        ResourceKind::LoginSession => vec![("session of Alex", Target::LoginSession(ALEX))],
        ResourceKind::Token => vec![("token of Alex", Target::Token(ALEX))],
        ResourceKind::Grant => places(Target::Grant),
        ResourceKind::GrantTarget => places(Target::GrantsOn),
        ResourceKind::Space => vec![
            ("Support", Target::Space(SUPPORT)),
            ("Engineering", Target::Space(ENGINEERING)),
            ("Marketing", Target::Space(MARKETING)),
        ],
        ResourceKind::Channel => vec![
            ("Allgemein", Target::Channel(ALLGEMEIN)),
            ("Eskalation", Target::Channel(ESKALATION)),
            ("Projekt-A", Target::Channel(PROJEKT_A)),
            ("Kampagne", Target::Channel(KAMPAGNE)),
            ("direct message", Target::Channel(DIRECT)),
            ("archived channel", Target::Channel(ARCHIVED)),
        ],
        ResourceKind::Thread => vec![
            ("Allgemein, main thread", Target::Thread(0)),
            ("Allgemein, thread of Alex", Target::Thread(1)),
            ("Eskalation, main thread", Target::Thread(2)),
            ("Projekt-A, post of Robin", Target::Thread(3)),
            ("Werkzeuge, thread fixed to Lotse", Target::Thread(4)),
            ("direct message", Target::Thread(5)),
            ("archived thread of Alex", Target::Thread(6)),
        ],
        ResourceKind::Message => vec![
            ("Allgemein, message of Alex", Target::Message(0)),
            ("Allgemein, message of Lotse", Target::Message(1)),
            ("Projekt-A, message of Robin", Target::Message(2)),
            ("direct message of Alex", Target::Message(3)),
            ("archived message of Alex", Target::Message(4)),
        ],
        ResourceKind::Run => vec![
            ("Lotse for Alex in Allgemein", Target::Run(0)),
            ("Lotse for Robin in Eskalation", Target::Run(1)),
            ("earlier one of Lotse for Alex in Allgemein", Target::Run(2)),
            ("Runner for Robin in Werkzeuge", Target::Run(3)),
        ],
    };
    if kind == ResourceKind::Message {
        all.push(("unknown id", Target::Unknown));
    }
    all
}

/// The world of chapter 00, and the few things that the introduction of the table names.
fn test_world() -> World {
    let principal =
        |kind: PrincipalKind, owner| Principal { kind, status: PrincipalStatus::Active, owner, run_only: false };
    let grant = |holder, on, level, upload| Grant {
        to: To::Principal(holder),
        on,
        level,
        caps: Caps { upload, ..Caps::NONE },
        expires_at: None,
        revoked: false,
    };
    let channel = |space| Channel { home: Home::Space(space), archived: false };
    let thread = |channel, author| Thread { channel, author, operator: None };
    let run = |agent, triggered_by, thread, state| Run { thread, agent, triggered_by, state };
    World {
        now: 1_000,
        principals: [(Person, true), (Person, false), (Person, false), (Person, false)]
            .into_iter()
            .chain([(Agent, false), (Agent, false), (Agent, false), (App, false)])
            .map(|(kind, owner)| principal(kind, owner))
            .collect(),
        groups: vec![Vec::new()],
        grants: vec![
            grant(ALEX, On::Space(SUPPORT), Step::Trigger, false),
            grant(SAM, On::Channel(ALLGEMEIN), Step::Trigger, false),
            grant(WRITER, On::Channel(ALLGEMEIN), Step::Write, false),
            grant(LOTSE, On::Space(SUPPORT), Step::Write, true),
            grant(TEXTER, On::Channel(ALLGEMEIN), Step::Write, false),
            grant(APP, On::Channel(ALLGEMEIN), Step::Write, false),
        ],
        spaces: vec![false; 3],
        channels: vec![
            channel(SUPPORT),
            channel(SUPPORT),
            channel(ENGINEERING),
            channel(ENGINEERING),
            channel(MARKETING),
            Channel { home: Home::Direct(vec![ALEX, LOTSE]), archived: false },
            Channel { archived: true, ..channel(SUPPORT) },
        ],
        threads: vec![
            thread(ALLGEMEIN, ROBIN),
            thread(ALLGEMEIN, ALEX),
            thread(ESKALATION, ROBIN),
            thread(PROJEKT_A, ROBIN),
            Thread { operator: Some(LOTSE), ..thread(WERKZEUGE, ROBIN) },
            thread(DIRECT, ALEX),
            thread(ARCHIVED, ALEX),
        ],
        messages: [(0, ALEX), (0, LOTSE), (3, ROBIN), (5, ALEX), (6, ALEX)]
            .map(|(thread, author)| Message { thread, author })
            .to_vec(),
        runs: vec![
            run(LOTSE, ALEX, 0, RunState::Running),
            run(LOTSE, ROBIN, 2, RunState::Running),
            run(LOTSE, ALEX, 0, RunState::Completed),
            run(RUNNER, ROBIN, 4, RunState::Running),
        ],
    }
}
