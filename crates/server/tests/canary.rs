//! Canary (chapter 12, SEC-T10): content, handles and names with marked values flow through the life of a
//! run. None of them may appear in the log at its most talkative, in the audit log, or in an error.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use std::fs::File;
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

use bothy::world::{World, test_password};
use bothy_sdk::Client;
use bothy_testkit::{TestDb, TestFolder, both_databases, sqlite_folder};
use serde_json::{Value, json};
use support::process::bothy;
use support::{Answer, Http};

const CONTENT: &str = "kanarienvogel";
const NAME: &str = "Kanarienname";
const HANDLE: &str = "kanarienhandle";
const REFERENCE: &str = "kanarienreferenz";

/// A server whose output goes to a file.
struct Logged {
    child: Child,
    log: PathBuf,
    folder: TestFolder,
}

impl Logged {
    async fn start(db: &TestDb) -> Self {
        let folder = sqlite_folder();
        let log = folder.path().join("output");
        let file = File::create(&log).unwrap();
        let mut command = bothy(folder.path());
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--data", "data", "--database", &db.url()])
            .env("BOTHY_SERVER__SECRET", "the secret of the canary test, which is long enough")
            .env("BOTHY_LOG__LEVEL", "trace")
            .env("BOTHY_LOG__FORMAT", "json")
            .stdout(file.try_clone().unwrap())
            .stderr(file);
        let started = Self { child: command.spawn().unwrap(), log, folder };
        for _ in 0..6_000 {
            if started.output().contains("makes another") {
                return started;
            }
            pause().await;
        }
        panic!("the server does not start: {}", started.output());
    }

    fn output(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    fn url(&self) -> String {
        let output = self.output();
        let line = output.lines().find_map(|line| line.split_once(" listens on ")).unwrap();
        format!("http://{}", line.1)
    }

    fn setup_code(&self) -> String {
        let output = self.output();
        let mut lines = output.lines().skip_while(|line| !line.contains("setup code"));
        lines.by_ref().skip(1).find(|line| !line.trim().is_empty()).unwrap().trim().to_owned()
    }
}

impl Drop for Logged {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        let _ = self.folder.path();
    }
}

#[allow(clippy::disallowed_methods, reason = "waits for another process, not for a time")]
async fn pause() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

/// What the canary says in a text.
fn text(more: &str) -> String {
    format!("{CONTENT} {more}")
}

fn tells(text: &str) -> Option<&'static str> {
    [CONTENT, NAME, HANDLE, REFERENCE].into_iter().find(|canary| text.contains(canary))
}

struct Flow {
    robin: Http,
    writer: Http,
    lotse: Http,
    canary: Http,
    main: String,
    refused: Vec<Answer>,
}

impl Flow {
    async fn begin(world: &World, http: &Http) -> Self {
        let robin = http.token(&world.robin.token);
        let person = json!({ "handle": HANDLE, "display_name": NAME, "email": "canary@example.com" });
        let code = robin.post("/invites", person).await.expect(201).text("/code");
        let accept = json!({ "code": code, "password": test_password(HANDLE) });
        let joined = http.post("/invites/accept", accept).await.expect(201);
        let grant = json!({ "principal_id": joined.text("/person/person_id"), "level": "trigger" });
        robin.post(&format!("/access/space/{}/grants", world.support), grant).await.expect(201);
        Self {
            writer: http.token(&world.writer.token),
            lotse: http.token(&world.lotse.token),
            canary: http.token(&joined.text("/token")),
            main: world.allgemein.main.to_string(),
            robin,
            refused: Vec::new(),
        }
    }

    async fn say(&self, who: &Http, thread: &str, more: &str) -> Value {
        let body = json!({ "content_md": text(more) });
        who.post(&format!("/threads/{thread}/messages"), body).await.expect(201).json()
    }

    /// The life of a run, with the canary wherever somebody may write something.
    async fn live(&mut self, world: &World) {
        self.say(&self.writer, &self.main, "before").await;
        let said = self.say(&self.canary, &self.main, "@lotse please").await;
        let of = |pointer: &str| said.pointer(pointer).unwrap().as_str().unwrap().to_owned();
        let (run, thread) = (of("/run_ids/0"), of("/opened_thread_id"));
        let at = |what: &str| format!("/runs/{run}/{what}");
        let context = self.lotse.get(&at("context")).await.expect(200);
        assert!(tells(&context.text("/trigger_message/content_md")).is_some(), "the canary flows");
        assert!(context.text("/trigger_message/author/display_name") == NAME, "and its name");
        let token = self.lotse.post_empty(&at("token")).await.expect(200).text("/invocation_token");
        self.lotse.post(&at("start"), json!({ "invocation_token": token })).await.expect(200);
        let bound = self.lotse.invocation(&token);
        let shown = json!({ "status_line": text("line"), "draft_md": text("draft") });
        bound.patch(&format!("/runs/{run}"), shown).await.expect(200);
        self.say(&self.canary, &thread, "and this").await;
        bound.post(&at("session"), json!({ "reference": REFERENCE })).await.expect(200);
        let question = json!({
            "question_md": text("question"),
            "components": [{ "type": "form", "component_id": "why", "label": text("label"),
                             "fields": [{ "name": "reason", "label": text("field") }] }],
        });
        let asked = bound.post(&at("await-input"), question).await.expect(200).text("/question_message_id");
        let pressed = json!({ "component_id": "why", "fields": { "reason": text("typed") } });
        let interactions = format!("/messages/{asked}/interactions");
        for wrong in [
            json!({ "component_id": CONTENT, "fields": { "reason": text("typed") } }),
            json!({ "component_id": "why", "fields": { HANDLE: text("typed") } }),
            json!({ "component_id": "why", "fields": { "reason": CONTENT.repeat(10_000) } }),
            json!({ "component_id": "why", "fields": { "reason": { NAME: 5 } } }),
        ] {
            self.refused.push(self.canary.post(&interactions, wrong).await.expect(422));
        }
        self.canary.post(&interactions, pressed.clone()).await.expect(201);
        self.refused.push(self.canary.post(&interactions, pressed).await.expect(409));
        let fresh = self.lotse.post_empty(&at("token")).await.expect(200).text("/invocation_token");
        self.lotse.post(&at("resume"), json!({ "invocation_token": fresh })).await.expect(200);
        bound.post(&format!("/threads/{thread}/messages"), json!({ "content_md": text("answer") })).await.expect(201);
        self.robin.get(&at("evidence")).await.expect(200);

        let commands = json!({ "commands": [{
            "name": "note", "description": text("command"),
            "arguments": { "type": "object", "properties": { "say": { "type": "string" } } },
        }] });
        let agent = world.lotse.id;
        self.lotse.put(&format!("/agents/{agent}/commands"), commands).await.expect(200);
        let call = json!({ "agent_id": agent, "name": "note", "arguments": { "say": text("argument") } });
        self.canary.post(&format!("/threads/{thread}/commands"), call).await.expect(201);
        self.refuse(&run, &thread, &token, &agent.to_string()).await;
        self.lotse.post(&at("finish"), json!({ "outcome": "completed" })).await.expect(200);
        self.refused.push(bound.get(&at("context")).await.expect(403));
        self.refused.push(self.lotse.get(&at("context")).await.expect(404));
    }

    /// Requests that are refused, with the canary in every place that an error could repeat.
    async fn refuse(&mut self, run: &str, thread: &str, token: &str, agent: &str) {
        let messages = format!("/threads/{thread}/messages");
        let long = json!({ "content_md": CONTENT.repeat(10_000) });
        let nul = json!({ "content_md": format!("{CONTENT}\u{0}") });
        let member = json!({ "content_md": "x", CONTENT: NAME });
        let call = json!({ "agent_id": agent, "name": CONTENT, "arguments": { HANDLE: NAME } });
        let wrong = json!({ "agent_id": agent, "name": "note", "arguments": { "say": 5, CONTENT: NAME } });
        for (who, path, body, status) in [
            (&self.canary, messages.clone(), long, 422),
            (&self.canary, messages.clone(), nul, 422),
            (&self.canary, messages.clone(), member, 422),
            (&self.canary, format!("/threads/{thread}/commands"), call, 422),
            (&self.canary, format!("/threads/{thread}/commands"), wrong, 422),
            (&self.lotse, format!("/runs/{run}/session"), json!({ "reference": format!("{REFERENCE} x") }), 422),
            (&self.lotse, format!("/runs/{run}/start"), json!({ "invocation_token": CONTENT }), 403),
            (&self.lotse, format!("/runs/{run}/await-input"), json!({ "question_md": CONTENT.repeat(10_000) }), 422),
        ] {
            self.refused.push(who.post(&path, body).await.expect(status));
        }
        let path = format!("/threads/{thread}/messages");
        self.refused
            .push(self.lotse.invocation(CONTENT).post(&path, json!({ "content_md": text("x") })).await.expect(403));
        self.refused.push(self.writer.invocation(token).get(&path).await.expect(403));
        self.refused.push(self.canary.get(&format!("/threads/{CONTENT}")).await.expect(422));
    }
}

both_databases! {
    async fn nothing_of_a_context_is_told_elsewhere(db: TestDb) {
        let server = Logged::start(&db).await;
        let anonymous = Client::anonymous(&server.url()).unwrap();
        let world = World::build(&anonymous, &server.setup_code(), &test_password).await.unwrap();
        let mut flow = Flow::begin(&world, &Http::new(&server.url())).await;
        flow.live(&world).await;

        for refused in &flow.refused {
            // A member that does not belong there may be named by its pointer, which the client sent.
            let body = refused.json();
            let rest = ["title", "detail", "code", "reason"].map(|member| body[member].to_string()).concat();
            let messages: String = body["errors"].as_array().into_iter().flatten().map(|one| one["message"].to_string()).collect();
            assert_eq!(tells(&format!("{rest}{messages}")), None, "{refused:?}");
        }
        let mut path = "/audit/events?limit=200".to_owned();
        loop {
            let page = flow.robin.get(&path).await.expect(200).json();
            assert_eq!(tells(&page["items"].to_string()), None, "the audit log");
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            path = format!("/audit/events?limit=200&cursor={cursor}");
        }
        let output = server.output();
        assert!(output.lines().count() > 30, "something was logged at all: {}", output.lines().count());
        let told = output.lines().find(|line| tells(line).is_some());
        assert_eq!(told, None, "the log");
    }
}
