//! Everybody who calls.

use serde_json::json;

use super::stage::{Person, Stage, Task, invite};
use super::support::Http;

/// What a caller may see of the hidden realm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: there are no credentials that count.
    Outside,
    /// Nothing: what is shown as an invocation token is none (AF-7).
    Invalid,
    /// Nothing: there are no rights.
    Blind,
    /// Nothing, except by actions that the binding leaves alone (AF-13).
    BlindWhenBound,
    /// All of it.
    Sees,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Outside => "OUTSIDE",
            Self::Invalid => "INVALID INVOCATION",
            Self::Blind => "BLIND",
            Self::BlindWhenBound => "BLIND WHEN BOUND",
            Self::Sees => "SEES",
        }
    }
}

pub struct Caller {
    pub name: &'static str,
    pub http: Http,
    pub kind: Kind,
}

const fn caller(name: &'static str, kind: Kind, http: Http) -> Caller {
    Caller { name, http, kind }
}

/// The callers: first those who may do nothing, last those who may do most.
pub async fn callers(stage: &Stage) -> Vec<Caller> {
    use Kind::{Blind, BlindWhenBound, Invalid, Outside, Sees};
    let Stage { server, world, robin, lotse, runner, .. } = stage;
    let http = server.http();
    let alex = stage.sign_in(&world.alex).await;
    let sam = stage.sign_in(&world.sam).await;
    let home = world.allgemein.main.to_string();
    let for_alex = running(&alex, lotse, &home).await;
    let for_robin = running(robin, lotse, &home).await;
    let ended = running(&alex, lotse, &home).await;
    lotse.post(&format!("/runs/{}/finish", ended.run), json!({ "outcome": "completed" })).await.expect(200);
    let foreign = Task::ask(robin, runner, &world.werkzeuge.main.to_string(), "@runner go on").await;
    let inside = |task: &Task| lotse.invocation(&task.token);
    let personal = json!({ "name": "script" });
    let personal = robin.post("/me/tokens", personal).await.expect(201).text("/token");
    let token = robin.bearer();
    vec![
        caller("nobody", Outside, http.clone()),
        caller("malformed token", Outside, http.token("bothy_ses_short")),
        caller("unknown token", Outside, http.token(&unknown_token())),
        caller("revoked token", Outside, http.token(&revoked_token(stage).await)),
        caller("ended session", Outside, ended_session(stage, &stage.other).await),
        caller("invitation as token", Outside, http.token(&invite(robin, "pending").await)),
        caller("invocation as token", Outside, http.token(&for_alex.token)),
        caller("session in another scheme", Outside, http.authorization(&format!("Basic {token}"))),
        caller("session twice", Outside, robin.header("authorization", format!("Bearer {token}").as_bytes())),
        caller("invocation alone", Outside, http.invocation(&for_robin.token)),
        caller("stranger", Blind, stage.stranger.http.clone()),
        caller("former member", Blind, stage.former.http.clone()),
        caller("other stranger", Blind, stage.other.http.clone()),
        caller("member, write", Blind, http.token(&world.writer.token)),
        caller("member, trigger", Blind, alex.clone()),
        caller("member, manage", Blind, sam),
        caller("member with invocation", Invalid, alex.invocation(&for_alex.token)),
        caller("app, write", Blind, stage.ci.http.clone()),
        caller("agent, write", Blind, http.token(&world.texter.token)),
        caller("agent that needs a run", Blind, stage.bound.http.clone()),
        caller("agent of the hidden realm", Sees, runner.clone()),
        caller("agent, broken invocation", Invalid, lotse.invocation(&broken(&for_alex.token))),
        caller("agent, foreign invocation", Invalid, inside(&foreign)),
        caller(
            "agent, invocation twice",
            Invalid,
            inside(&for_alex).header("invocation-token", for_alex.token.as_bytes()),
        ),
        caller("agent, empty invocation", Invalid, lotse.invocation("")),
        caller("agent, ended run", BlindWhenBound, inside(&ended)),
        caller("agent, run of member", BlindWhenBound, inside(&for_alex)),
        caller("agent, run of owner", Sees, inside(&for_robin)),
        caller("agent of both realms", Sees, lotse.clone()),
        caller("owner, personal token", Blind, http.token(&personal)),
        caller("owner, not confirmed", Sees, http.token(&world.robin.token)),
        caller("owner", Sees, robin.clone()),
    ]
}

async fn running(person: &Http, agent: &Http, main: &str) -> Task {
    let task = Task::ask(person, agent, main, "@lotse please look").await;
    task.start(agent).await;
    task
}

/// An API token of an agent that can do much, revoked.
async fn revoked_token(stage: &Stage) -> String {
    let path = format!("/agents/{}/tokens", stage.world.lotse.id);
    let issued = stage.robin.post(&path, json!({ "name": "lost" })).await.expect(201);
    stage.robin.delete(&format!("{path}/{}", issued.text("/token_id"))).await.expect(204);
    issued.text("/token")
}

async fn ended_session(stage: &Stage, person: &Person) -> Http {
    let session = super::stage::sign_in(&stage.server.http(), &person.email, super::stage::PASSWORD).await;
    let id = session.get("/me").await.expect(200).text("/session/session_id");
    session.delete(&format!("/sessions/{id}")).await.expect(204);
    session
}

/// The same token with another signature.
fn broken(token: &str) -> String {
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let other = if signature.starts_with('A') { 'B' } else { 'A' };
    format!("{signed}.{other}{}", &signature[1..])
}

/// A session token as the server could have made it, but has not.
fn unknown_token() -> String {
    let body = format!("bothy_ses_{}", "Q".repeat(43));
    let mut crc = u32::MAX;
    for byte in body.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    let alphabet = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut rest = !crc;
    let mut check: Vec<u8> = (0..6)
        .map(|_| {
            let character = alphabet[usize::try_from(rest % 62).unwrap()];
            rest /= 62;
            character
        })
        .collect();
    check.reverse();
    body + std::str::from_utf8(&check).unwrap()
}
