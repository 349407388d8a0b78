//! `bothy replay`: a transcript comes into a server through its API, and what cannot be taken is named.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use std::path::Path;

use bothy_testkit::{TestFolder, both_databases, sqlite_folder};
use serde_json::{Value, json};
use support::TestServer;
use support::process::{Said, bothy, run, run_with_input};

/// A transcript of our own: two channels, a thread, an answer, and one person who is only in one.
fn transcript() -> Value {
    json!({
        "people": [
            { "handle": "kim", "display_name": "Kim" },
            { "handle": "toni", "display_name": "Toni" },
        ],
        "channels": [
            { "name": "general", "members": ["kim", "toni"] },
            { "name": "private", "members": ["kim"] },
        ],
        "messages": [
            { "channel": "general", "author": "kim", "content": "When do we meet?", "key": "q" },
            { "channel": "general", "author": "toni", "content": "At nine.", "thread": "q" },
            { "channel": "general", "author": "kim", "content": "Fine.", "thread": "q" },
            { "channel": "private", "author": "kim", "content": "The code is 4711." },
            { "channel": "general", "author": "toni", "content": "Yes", "reply_to": "q" },
            { "channel": "general", "author": "toni", "content": "Yes" },
        ],
    })
}

struct Files {
    folder: TestFolder,
}

impl Files {
    fn new(token: &str) -> Self {
        let folder = sqlite_folder();
        std::fs::write(folder.path().join("owner.token"), format!("{token}\n")).unwrap();
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, content: &Value) {
        std::fs::write(self.path().join(name), content.to_string()).unwrap();
    }

    /// Runs the program beside the server of this process.
    async fn replay(&self, server: &TestServer, arguments: &[&str]) -> Said {
        let mut command = bothy(self.path());
        command.arg("replay").args(arguments).args(["--server", &server.url(), "--token-file", "owner.token"]);
        tokio::task::spawn_blocking(move || run(&mut command)).await.unwrap()
    }

    fn kept(&self) -> Value {
        serde_json::from_str(&std::fs::read_to_string(self.path().join("people.json")).unwrap()).unwrap()
    }
}

both_databases! {
    async fn a_transcript_is_loaded_as_the_people_in_it(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let files = Files::new(&world.robin.token);
        files.write("transcript.json", &transcript());
        let said = files.replay(&server, &["transcript.json", "--out", "people.json", "--json"]).await;
        assert_eq!(said.code, Some(0), "{said:?}");
        let summary: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(summary, json!({ "complete": true, "people": 2, "channels": 2, "messages": 6, "refused": [] }));
        assert!(said.err.contains("replay: 6 of 6 messages"), "{said:?}");

        let kept = files.kept();
        let token = |index: usize| kept["people"][index]["session_token"].as_str().unwrap();
        let thread = |index: usize| kept["messages"][index]["thread_id"].as_str().unwrap();
        let (kim, toni) = (server.http().token(token(0)), server.http().token(token(1)));
        let messages = toni.get(&format!("/threads/{}/messages", thread(1))).await.expect(200).json();
        let contents: Vec<_> = messages["items"].as_array().unwrap().iter().map(|message| &message["content_md"]).collect();
        assert_eq!(contents, ["At nine.", "Fine."]);
        let authors: Vec<_> = messages["items"].as_array().unwrap().iter().map(|message| &message["author"]["handle"]).collect();
        assert_eq!(authors, ["toni", "kim"]);
        assert_eq!(messages["items"][0]["origin"], "human");
        let private = format!("/threads/{}/messages", thread(3));
        kim.get(&private).await.expect(200);
        toni.get(&private).await.expect_problem(404, "not_found");
        server.stop().await;
    }

    async fn a_second_run_goes_on_and_posts_nothing_twice(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let files = Files::new(&world.robin.token);
        let mut transcript = transcript();
        files.write("transcript.json", &transcript);
        let first = files.replay(&server, &["transcript.json", "--out", "people.json"]).await;
        assert_eq!(first.code, Some(0), "{first:?}");
        let before = files.kept();
        let more = json!({ "channel": "general", "author": "kim", "content": "Thanks", "thread": "q" });
        transcript["messages"].as_array_mut().unwrap().push(more);
        files.write("transcript.json", &transcript);
        let second = files.replay(&server, &["transcript.json", "--out", "people.json"]).await;
        assert_eq!(second.code, Some(0), "{second:?}");
        let after = files.kept();
        for index in 0..6 {
            assert_eq!(before["messages"][index], after["messages"][index]);
        }
        assert_eq!(after["messages"].as_array().unwrap().len(), 7);
        let kim = server.http().token(after["people"][0]["session_token"].as_str().unwrap());
        let thread = after["messages"][6]["thread_id"].as_str().unwrap();
        let messages = kim.get(&format!("/threads/{thread}/messages")).await.expect(200).json();
        assert_eq!(messages["items"].as_array().unwrap().len(), 3);
        server.stop().await;
    }

    async fn what_cannot_be_taken_is_named_and_the_rest_is_loaded(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let files = Files::new(&world.robin.token);
        files.write("transcript.json", &json!({
            "people": [{ "handle": "kim" }, { "handle": "alex" }, { "handle": "no handle" }, { "handle": "robin" }],
            "channels": [{ "name": "general", "members": ["kim", "ghost"] }, { "name": " " }],
            "messages": [
                { "channel": "general", "author": "ghost", "content": "boo" },
                { "channel": "nowhere", "author": "kim", "content": "hello?" },
                { "channel": "general", "author": "kim", "content": "  " },
                { "channel": "general", "author": "kim", "content": "answer", "reply_to": "nothing" },
                { "channel": "general", "author": "kim", "content": "here", "colour": "red" },
                { "channel": "general", "author": "robin", "content": "I am the owner." },
                { "channel": "general", "author": "kim", "content": "The only good one of mine." },
            ],
        }));
        let said = files.replay(&server, &["transcript.json", "--json"]).await;
        assert_eq!(said.code, Some(1), "{said:?}");
        let summary: Value = serde_json::from_str(&said.out).unwrap();
        let mut refused: Vec<_> = summary["refused"].as_array().unwrap().iter().map(|one| one["at"].as_str().unwrap()).collect();
        refused.sort_unstable();
        assert_eq!(
            refused,
            [
                "/channels/0/members/1",
                "/channels/1",
                "/messages/0/author",
                "/messages/1/channel",
                "/messages/2",
                "/messages/3/reply_to",
                "/messages/4/colour",
                "/people/1",
                "/people/2/handle",
            ]
        );
        assert_eq!((&summary["people"], &summary["channels"], &summary["messages"]), (&json!(2), &json!(1), &json!(2)));
        assert!(refused.iter().all(|at| said.err.contains(at)), "{said:?}");
        assert!(said.err.lines().last().unwrap().contains("9 elements were not taken"), "{said:?}");
        server.stop().await;
    }

    async fn an_environment_of_the_benchmark_is_loaded_without_its_direct_messages(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let files = Files::new(&world.robin.token);
        files.write("environment.json", &json!({
            "slack": {
                "users": ["Kim", "Toni"],
                "channels": ["general", "private"],
                "user_channels": { "Kim": ["general", "private"], "Toni": ["general"] },
                "user_inbox": { "Kim": [{ "sender": "Toni", "recipient": "Kim", "body": "psst" }] },
                "channel_inbox": { "general": [{ "sender": "Toni", "recipient": "general", "body": "Hello." }],
                                   "private": [{ "sender": "Kim", "recipient": "private", "body": "The code is 4711." }] },
            },
        }));
        let said = files.replay(&server, &["environment.json", "--format", "agentdojo-slack", "--json"]).await;
        assert_eq!(said.code, Some(1), "{said:?}");
        let summary: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!((&summary["people"], &summary["channels"], &summary["messages"]), (&json!(2), &json!(2), &json!(2)));
        assert_eq!(summary["refused"].as_array().unwrap().len(), 1);
        assert_eq!(summary["refused"][0]["at"], "/slack/user_inbox/Kim/0");
        server.stop().await;
    }

    async fn a_token_that_does_not_count_is_said_to_be_that(db: TestDb) {
        let server = TestServer::start(&db).await;
        let files = Files::new("bothy_ses_nobody");
        files.write("transcript.json", &transcript());
        let said = files.replay(&server, &["transcript.json"]).await;
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.lines().last().unwrap().contains("session of an owner"), "{said:?}");
        server.stop().await;
    }
}

#[test]
fn standard_input_and_files_that_are_no_transcript() {
    let files = Files::new("bothy_ses_example");
    let replay = ["replay", "-", "--server", "http://127.0.0.1:9", "--token-file", "owner.token"];
    let said = run_with_input(bothy(files.path()).args(replay), "{\n  \"people\": [}\n");
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("line 2"), "{said:?}");
    let said = run(bothy(files.path()).args([
        "replay",
        "gone.json",
        "--server",
        "http://127.0.0.1:9",
        "--token-file",
        "owner.token",
    ]));
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("cannot read gone.json"), "{said:?}");
}
