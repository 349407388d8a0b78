//! `bothy import`: exports come into a server through its API, once, and what is not taken is named.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use bothy_testkit::{TestFolder, both_databases, sqlite_folder};
use serde_json::{Value, json};
use support::process::{Said, bothy, run};
use support::{Http, TestServer};

/// How many messages an import has that is cut off.
const MANY: usize = 3_000;

struct Files(TestFolder);

impl Files {
    fn new(token: &str) -> Self {
        let folder = sqlite_folder();
        std::fs::write(folder.path().join("me.token"), format!("{token}\n")).unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn command(&self, server: &TestServer, arguments: &[&str]) -> Command {
        let mut command = bothy(self.path());
        command.arg("import").args(arguments).args(["--server", &server.url(), "--token-file", "me.token"]);
        command
    }

    /// Runs the program beside the server of this process.
    async fn import(&self, server: &TestServer, arguments: &[&str]) -> Said {
        let mut command = self.command(server, arguments);
        tokio::task::spawn_blocking(move || run(&mut command)).await.unwrap()
    }
}

/// A small export of Slack: two channels, a thread, a bot, an edit, a deletion, a file and reactions that
/// have no place here, a private channel and direct messages.
fn export() -> Vec<(&'static str, Value)> {
    vec![
        (
            "users.json",
            json!([
                { "id": "U1", "name": "sam.b", "profile": { "real_name": "Sam B", "email": "Alex@Example.com" } },
                { "id": "U2", "name": "gone", "profile": { "real_name": "Former Colleague" } },
            ]),
        ),
        ("channels.json", json!([{ "id": "C1", "name": "general" }, { "id": "C2", "name": "random" }])),
        ("groups.json", json!([{ "id": "G1", "name": "board" }])),
        ("dms.json", json!([{ "id": "D1", "members": ["U1", "U2"] }])),
        (
            "general/2020-01-01.json",
            json!([
                { "type": "message", "subtype": "channel_join", "user": "U1", "text": "<@U1> has joined", "ts": "1577880000.000100" },
                { "type": "message", "user": "U1", "text": "Who has *the plan*, <@U2>?", "ts": "1577880001.000100", "thread_ts": "1577880001.000100",
                  "edited": { "user": "U1", "ts": "1577880009.000000" }, "reactions": [{ "name": "eyes", "users": ["U2"], "count": 1 }] },
                { "type": "message", "user": "U2", "text": "Here it is", "ts": "1577880002.000100", "thread_ts": "1577880001.000100",
                  "files": [{ "id": "F1", "name": "plan.pdf" }] },
                { "type": "message", "subtype": "bot_message", "username": "Build &amp; Co", "text": "done: <https://example.com/1|log>", "ts": "1577880003.000100" },
            ]),
        ),
        (
            "general/2020-01-02.json",
            json!([
                { "type": "message", "subtype": "tombstone", "user": "USLACKBOT", "text": "This message was deleted.", "ts": "1577966400.000100", "thread_ts": "1577966400.000100" },
                { "type": "message", "user": "U1", "text": "under a deleted one", "ts": "1577966401.000100", "thread_ts": "1577966400.000100" },
                { "type": "message", "user": "U1", "text": "an orphan", "ts": "1577966402.000100", "thread_ts": "1500000000.000100" },
                { "type": "message", "user": "U1", "text": "from the future", "ts": "9577966402.000100" },
            ]),
        ),
        (
            "random/2020-01-01.json",
            json!([
                { "type": "message", "user": "U2", "text": "lunch at `12:30`?", "ts": "1577880005.000100" },
            ]),
        ),
        (
            "board/2020-01-01.json",
            json!([{ "type": "message", "user": "U1", "text": "a secret", "ts": "1577880005.000100" }]),
        ),
    ]
}

async fn messages(http: &Http, thread: &str) -> Vec<Value> {
    let answer = http.get(&format!("/threads/{thread}/messages")).await.expect(200).json();
    answer["items"].as_array().unwrap().clone()
}

/// The channels of a space by name, each with its main thread.
async fn mains(http: &Http, space: &str) -> Vec<(String, String)> {
    let spaces = http.get("/spaces").await.expect(200).json();
    let Some(space) = spaces["items"].as_array().unwrap().iter().find(|one| one["name"] == space).cloned() else {
        return Vec::new();
    };
    let path = format!("/spaces/{}/channels", space["space_id"].as_str().unwrap());
    let channels = http.get(&path).await.expect(200).json();
    let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    channels["items"].as_array().unwrap().iter().map(|one| (text(one, "name"), text(one, "main_thread_id"))).collect()
}

/// How many messages the first channel of the import has.
async fn taken(http: &Http) -> usize {
    let Some((_, main)) = mains(http, "Import").await.into_iter().next() else { return 0 };
    let newest = http.get(&format!("/threads/{main}/messages?order=desc&limit=1")).await.expect(200).json();
    newest["items"][0]["thread_seq"].as_u64().unwrap_or_default() as usize
}

fn contents(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|one| one["content_md"].as_str().unwrap()).collect()
}

fn left(report: &Value) -> Vec<(String, String)> {
    let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let place = |one: &Value| format!("{}:{}", text(one, "file"), one["at"]);
    report["left"].as_array().unwrap().iter().map(|one| (place(one), text(one, "what"))).collect()
}

both_databases! {
    async fn a_slack_export_is_taken_once_and_what_is_not_taken_is_named(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let robin = server.http().token(&world.robin.token);
        let files = Files::new(&world.robin.token);
        for (name, content) in export() {
            files.write(&format!("export/{name}"), &content.to_string());
        }
        let said = files.import(&server, &["export", "--space", "Slack", "--report", "report.json"]).await;
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains("import: general: 7 of 7 messages"), "{said:?}");
        assert!(said.out.contains("6 messages taken"), "{said:?}");
        let report: Value = serde_json::from_str(&std::fs::read_to_string(files.path().join("report.json")).unwrap()).unwrap();
        assert_eq!((&report["taken"], &report["known"], &report["complete"]), (&json!(6), &json!(0), &json!(false)));
        let expected = [
            ("groups.json:0", "a private channel"),
            ("dms.json:0", "a direct message"),
            ("general/2020-01-01.json:0", "a line of the system (channel_join)"),
            ("general/2020-01-01.json:1", "a reaction"),
            ("general/2020-01-01.json:2", "a file"),
            ("general/2020-01-02.json:2", "a message that the server refuses (parent_unknown)"),
            ("general/2020-01-02.json:3", "a message that the server refuses (time_in_the_future)"),
        ].map(|(place, what)| (place.to_owned(), what.to_owned()));
        assert_eq!(left(&report), expected);

        let mains = mains(&robin, "Slack").await;
        assert_eq!(mains.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["general", "random"]);
        let general = messages(&robin, &mains[0].1).await;
        assert_eq!(contents(&general), ["Who has **the plan**, @Former Colleague?", "done: [log](https://example.com/1)", ""]);
        assert_eq!(general[0]["created_at"], "2020-01-01T12:00:01.000100Z");
        assert_eq!(general[0]["edited_at"], "2020-01-01T12:00:09.000000Z");
        assert_eq!(general[0]["origin"], "import");
        // Found by the address, whatever its capitals; a name that nobody has here stays a name.
        assert_eq!(general[0]["author"]["handle"], "alex");
        assert_eq!(general[1]["imported_author"], "Build & Co");
        assert!(general[2]["deleted_at"].is_string());
        let channel = general[0]["channel_id"].as_str().unwrap();
        let threads = robin.get(&format!("/channels/{channel}/threads")).await.expect(200).json();
        let opened: Vec<&Value> = threads["items"].as_array().unwrap().iter().filter(|one| one["kind"] == "thread").collect();
        assert_eq!(opened.len(), 2);
        assert_eq!(opened[0]["parent_message_id"], general[0]["message_id"]);
        let replies = messages(&robin, opened[0]["thread_id"].as_str().unwrap()).await;
        assert_eq!((contents(&replies), &replies[0]["imported_author"]), (vec!["Here it is"], &json!("Former Colleague")));
        let found = robin.get("/search/messages?q=%22the%20plan%22").await.expect(200).json();
        assert_eq!(found["items"][0]["message"]["message_id"], general[0]["message_id"]);

        // Once more: nothing is there twice.
        let again = files.import(&server, &["export", "--space", "Slack", "--json"]).await;
        let report: Value = serde_json::from_str(&again.out).unwrap();
        assert_eq!((&report["taken"], &report["known"]), (&json!(0), &json!(6)));
        assert_eq!(messages(&robin, &mains[0].1).await, general);
        server.stop().await;
    }

    async fn an_import_that_broke_off_goes_on_and_a_zip_file_is_the_same(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let robin = server.http().token(&world.robin.token);
        let files = Files::new(&world.robin.token);
        // What a run that was killed between two requests leaves: the first messages of one channel.
        for (name, content) in export().into_iter().filter(|(name, _)| !name.contains("2020-01-02") && !name.starts_with("random")) {
            files.write(&format!("half/{name}"), &content.to_string());
        }
        let half = files.import(&server, &["half", "--json"]).await;
        assert_eq!(half.code, Some(0), "{half:?}");
        let report: Value = serde_json::from_str(&half.out).unwrap();
        assert_eq!((&report["taken"], &report["complete"]), (&json!(3), &json!(true)));

        let mut zip = zip::ZipWriter::new(std::fs::File::create(files.path().join("export.zip")).unwrap());
        for (name, content) in export() {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(content.to_string().as_bytes()).unwrap();
        }
        zip.finish().unwrap();
        let whole = files.import(&server, &["export.zip", "--json", "--include-private"]).await;
        let report: Value = serde_json::from_str(&whole.out).unwrap();
        assert_eq!((&report["taken"], &report["known"], &report["channels"]), (&json!(4), &json!(3), &json!(3)), "{whole:?}");
        let mains = mains(&robin, "Import").await;
        assert_eq!(mains.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["general", "random", "board"]);
        assert_eq!(contents(&messages(&robin, &mains[2].1).await), ["a secret"]);
        server.stop().await;
    }

    /// Killed in the middle again and again, an import that is run once more takes the rest: every message
    /// once, in the order of the export.
    async fn an_import_that_is_killed_loses_and_doubles_nothing(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let robin = server.http().token(&world.robin.token);
        let files = Files::new(&world.robin.token);
        let said = |number: usize| json!({ "type": "message", "user": "U1", "text": format!("message {number}"), "ts": format!("{}.000100", 1_577_880_000 + number) });
        for (name, content) in [
            ("users.json", json!([{ "id": "U1", "name": "sam.b", "profile": { "real_name": "Sam B" } }])),
            ("channels.json", json!([{ "id": "C1", "name": "general" }])),
            ("general/2020-01-01.json", Value::from((0..MANY).map(said).collect::<Vec<_>>())),
        ] {
            files.write(&format!("export/{name}"), &content.to_string());
        }
        let mut cut = 0;
        for least in [1, MANY / 3, MANY / 2] {
            let mut child = files.command(&server, &["export"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            while taken(&robin).await < least && child.try_wait().unwrap().is_none() {
                tokio::task::yield_now().await;
            }
            child.kill().unwrap();
            cut += usize::from(!child.wait().unwrap().success());
        }
        assert!(cut > 0, "no import was cut off");
        let whole = files.import(&server, &["export", "--json"]).await;
        let report: Value = serde_json::from_str(&whole.out).unwrap();
        assert_eq!(report["taken"].as_u64().unwrap() + report["known"].as_u64().unwrap(), MANY as u64, "{whole:?}");
        assert_eq!(taken(&robin).await, MANY);
        let (main, mut read, mut cursor) = (mains(&robin, "Import").await.remove(0).1, Vec::new(), String::new());
        loop {
            let page = robin.get(&format!("/threads/{main}/messages?limit=200{cursor}")).await.expect(200).json();
            read.extend(page["items"].as_array().unwrap().iter().map(|one| one["content_md"].as_str().unwrap().to_owned()));
            let Some(next) = page["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(read, (0..MANY).map(|number| format!("message {number}")).collect::<Vec<_>>());
        server.stop().await;
    }

    async fn json_lines_are_taken_into_a_channel_that_is_named(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let robin = server.http().token(&world.robin.token);
        let files = Files::new(&world.robin.token);
        let line = |key: &str, text: &str, more: Value| {
            let mut line = json!({ "type": "message", "channel": "old", "key": key, "content_md": text, "created_at": "2019-05-01T08:00:00Z" });
            line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            line.to_string()
        };
        let lines = [
            json!({ "type": "person", "id": "u1", "name": "Alex", "email": "alex@example.com" }).to_string(),
            line("a", "first", json!({ "author": "u1", "edited_at": "2019-05-01T09:00:00Z",
                "revisions": [{ "content_md": "frist", "replaced_at": "2019-05-01T09:00:00Z" }] })),
            "broken".to_owned(),
            line("b", "reply", json!({ "author_name": "Kim", "parent": "a" })),
            line("c", &"long ".repeat(20_000), json!({ "author": "u1" })),
        ];
        files.write("history.jsonl", &lines.join("\n"));
        let map = format!("old={}", world.allgemein.id);
        let said = files.import(&server, &["history.jsonl", "--channel-map", &map, "--json"]).await;
        assert_eq!(said.code, Some(1), "{said:?}");
        let report: Value = serde_json::from_str(&said.out).unwrap();
        let expected = [
            ("history.jsonl:3", "a line that is not JSON"),
            ("history.jsonl:5", "a message that the server refuses (content_invalid)"),
        ].map(|(place, what)| (place.to_owned(), what.to_owned()));
        assert_eq!((report["taken"].as_u64(), left(&report)), (Some(2), expected.to_vec()));
        let found = robin.get("/search/messages?q=first").await.expect(200).json();
        let message = found["items"][0]["message"]["message_id"].as_str().unwrap();
        let revisions = robin.get(&format!("/messages/{message}/revisions")).await.expect(200).json();
        assert_eq!(revisions["items"][0]["content_md"], "frist");
        server.stop().await;
    }

    async fn whoever_may_not_import_is_refused_and_nothing_is_written(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let files = Files::new(&world.alex.token);
        files.write("history.jsonl", &json!({ "type": "message", "channel": "old", "key": "a", "author_name": "Kim", "content_md": "hi",
            "created_at": "2019-05-01T08:00:00Z" }).to_string());
        let map = format!("old={}", world.allgemein.id);
        let said = files.import(&server, &["history.jsonl", "--channel-map", &map]).await;
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains("stopped at history.jsonl:1"), "{said:?}");
        let found = server.http().token(&world.alex.token).get("/search/messages?q=hi").await.expect(200).json();
        assert_eq!(found["items"], json!([]));
        for arguments in [&["missing.jsonl"][..], &["history.jsonl", "--channel-map", "old"], &["."]] {
            let said = files.import(&server, arguments).await;
            assert_eq!(said.code, Some(1), "{arguments:?}: {said:?}");
        }
        server.stop().await;
    }
}
