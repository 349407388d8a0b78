//! The leak that this year's report shows, replayed: an agent that is a member everywhere is asked by
//! somebody who is not in `private` to summarise it. Nothing of it reaches the agent inside that run;
//! in a run of a member it does.
//!
//! With `BOTHY_LEAK_DATA` naming the `environment.default.json` of AgentDojo's Slack suite, the same
//! story runs on that data; without it on a transcript of our own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use std::path::Path;

use bothy_testkit::{both_databases, sqlite_folder};
use serde_json::{Value, json};
use support::process::{bothy, run};
use support::{Http, TestServer};

/// Who asks, and about what.
struct Cast {
    file: String,
    format: &'static str,
    outsider: &'static str,
    member: &'static str,
    secret: &'static str,
}

#[allow(clippy::disallowed_methods, reason = "says which data a test runs on, not how the product works")]
fn cast(folder: &Path) -> Cast {
    if let Ok(file) = std::env::var("BOTHY_LEAK_DATA") {
        return Cast { file, format: "agentdojo-slack", outsider: "alice", member: "charlie", secret: "just testing" };
    }
    let file = folder.join("transcript.json");
    let transcript = json!({
        "people": [
            { "handle": "alex", "display_name": "Alex" },
            { "handle": "sam", "display_name": "Sam" },
        ],
        "channels": [
            { "name": "general", "members": ["alex", "sam"] },
            { "name": "private", "members": ["sam"] },
        ],
        "messages": [
            { "channel": "general", "author": "alex", "content": "Good morning." },
            { "channel": "private", "author": "sam", "content": "The offer is 12 percent." },
        ],
    });
    std::fs::write(&file, transcript.to_string()).unwrap();
    let file = file.to_str().unwrap().to_owned();
    Cast { file, format: "transcript", outsider: "alex", member: "sam", secret: "The offer is 12 percent." }
}

/// What `bothy replay` has made.
struct Loaded(Value);

impl Loaded {
    fn token(&self, handle: &str) -> String {
        self.find("people", "handle", handle)["session_token"].as_str().unwrap().to_owned()
    }

    fn channel(&self, name: &str) -> &Value {
        self.find("channels", "name", name)
    }

    fn find(&self, list: &str, member: &str, value: &str) -> &Value {
        self.0[list].as_array().unwrap().iter().find(|item| item[member] == value).unwrap()
    }
}

both_databases! {
    async fn an_agent_that_is_a_member_everywhere_reads_for_nobody_what_they_may_not_read(db: TestDb) {
        let server = TestServer::start(&db).await;
        let folder = sqlite_folder();
        let cast = cast(folder.path());
        let http = server.http();
        let owner = http.token(&set_up(&server).await);
        let loaded = replay(&server, &owner, &cast, folder.path()).await;

        // The agent is a member everywhere.
        let new = json!({ "handle": "assistant", "display_name": "Assistant", "description": "Summarises." });
        let agent = owner.post("/agents", new).await.expect(201).text("/agent_id");
        let token = owner.post(&format!("/agents/{agent}/tokens"), json!({ "name": "adapter" })).await.expect(201).text("/token");
        let assistant = http.token(&token);
        for channel in loaded.0["channels"].as_array().unwrap() {
            let path = format!("/access/channel/{}/grants", channel["id"].as_str().unwrap());
            owner.post(&path, json!({ "principal_id": agent, "level": "write" })).await.expect(201);
        }
        let main = loaded.channel("general")["main_thread_id"].as_str().unwrap();
        let private = loaded.channel("private")["id"].as_str().unwrap();
        let private_main = loaded.channel("private")["main_thread_id"].as_str().unwrap();
        let secret_id = secret_message(&assistant, private_main, cast.secret).await;

        // The outsider asks: nothing of it reaches the agent, whatever it tries.
        let inside = asked_by(&http.token(&loaded.token(cast.outsider)), &assistant, main).await;
        let seen = crawl(&inside).await;
        assert!(!seen.contains(cast.secret) && !seen.contains(private) && !seen.contains(private_main), "{seen}");
        assert!(!seen.contains("\"private\""), "not even its name");
        for path in [
            format!("/channels/{private}"),
            format!("/channels/{private}/threads"),
            format!("/threads/{private_main}"),
            format!("/threads/{private_main}/messages"),
            format!("/messages/{secret_id}"),
        ] {
            let hidden = inside.get(&path).await.expect_problem(404, "not_found");
            let unknown = path.replace(private, UNKNOWN).replace(private_main, UNKNOWN).replace(&secret_id, UNKNOWN);
            hidden.assert_like(&inside.get(&unknown).await);
        }
        let posted = inside.post(&format!("/threads/{private_main}/messages"), json!({ "content_md": "x" })).await;
        posted.expect_problem(404, "not_found");

        // A member asks: there it is.
        let inside = asked_by(&http.token(&loaded.token(cast.member)), &assistant, main).await;
        assert!(crawl(&inside).await.contains(cast.secret));
        inside.get(&format!("/messages/{secret_id}")).await.expect(200);
        server.stop().await;
    }
}

const UNKNOWN: &str = "0193f1f0-1111-7000-8000-0123456789ab";

async fn set_up(server: &TestServer) -> String {
    let code = server.app.setup_code().unwrap();
    let owner = json!({
        "setup_code": code, "handle": "robin", "display_name": "Robin", "email": "robin@example.com",
        "password": "robin likes long passwords",
    });
    server.http().post("/setup", owner).await.expect(201).text("/token")
}

/// Loads the transcript with the program, as an operator would.
async fn replay(server: &TestServer, owner: &Http, cast: &Cast, folder: &Path) -> Loaded {
    owner.get("/me").await.expect(200);
    let token = owner.bearer();
    std::fs::write(folder.join("token"), token).unwrap();
    let mut command = bothy(folder);
    command.args(["replay", &cast.file, "--format", cast.format, "--server", &server.url()]);
    command.args(["--token-file", "token", "--out", "kept.json"]);
    let said = tokio::task::spawn_blocking(move || run(&mut command)).await.unwrap();
    assert!(matches!(said.code, Some(0 | 1)), "{said:?}");
    Loaded(serde_json::from_slice(&std::fs::read(folder.join("kept.json")).unwrap()).unwrap())
}

async fn secret_message(assistant: &Http, thread: &str, text: &str) -> String {
    let messages = assistant.get(&format!("/threads/{thread}/messages")).await.expect(200).json();
    let mut messages = messages["items"].as_array().unwrap().iter();
    messages.find(|message| message["content_md"] == text).unwrap()["message_id"].as_str().unwrap().to_owned()
}

/// The agent's client inside a run that this person started.
async fn asked_by(person: &Http, assistant: &Http, thread: &str) -> Http {
    let request = json!({ "content_md": "@assistant please summarise the channel private" });
    let asked = person.post(&format!("/threads/{thread}/messages"), request).await.expect(201).json();
    let run = asked["run_ids"][0].as_str().expect("a run").to_owned();
    for _ in 0..50 {
        let polled = assistant.get("/agent/events").await.expect(200).json();
        let mut items = polled["items"].as_array().unwrap().iter();
        if let Some(event) = items.find(|event| event["kind"] == "agent.invocation" && event["run_id"] == run.as_str())
        {
            let token = event["invocation_token"].as_str().unwrap();
            assistant.post("/agent/events/ack", json!({ "cursor": event["position"] })).await.expect(200);
            assistant.post(&format!("/runs/{run}/start"), json!({ "invocation_token": token })).await.expect(200);
            let inside = assistant.invocation(token);
            inside.get(&format!("/runs/{run}/context")).await.expect(200);
            return inside;
        }
        tokio::task::yield_now().await;
    }
    panic!("the run was not delivered");
}

/// Everything that lists show, as one text.
async fn crawl(agent: &Http) -> String {
    let mut seen = String::new();
    for space in list(agent, "/spaces", &mut seen).await {
        for channel in
            list(agent, &format!("/spaces/{}/channels", space["space_id"].as_str().unwrap()), &mut seen).await
        {
            let threads = format!("/channels/{}/threads", channel["channel_id"].as_str().unwrap());
            for thread in list(agent, &threads, &mut seen).await {
                list(agent, &format!("/threads/{}/messages", thread["thread_id"].as_str().unwrap()), &mut seen).await;
            }
        }
    }
    seen
}

async fn list(agent: &Http, path: &str, seen: &mut String) -> Vec<Value> {
    let answer = agent.get(path).await.expect(200);
    seen.push_str(std::str::from_utf8(&answer.body).unwrap());
    answer.json()["items"].as_array().unwrap().clone()
}
