//! `kill -9` of the server in every state of a run, with requests under way: what was acknowledged is
//! there after the restart, nothing is doubled, and every run comes to its end (issue 5, C66, C71).
//! `BOTHY_CRASHES` says how many rounds on each database; 25 otherwise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use std::collections::BTreeSet;

use bothy::world::{World, test_password};
use bothy_sdk::Client;
use bothy_testkit::{TestDb, TestFolder, both_databases, sqlite_folder};
use serde_json::{Value, json};
use support::Http;
use support::process::Serving;

/// Where a run stands when the server dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Queued,
    Delivered,
    Running,
    Waiting,
    Answered,
    Cancelled,
}

const EVERYWHERE: [At; 6] = [At::Queued, At::Delivered, At::Running, At::Waiting, At::Answered, At::Cancelled];

fn serve(db: &TestDb, folder: &TestFolder, until: &str) -> Serving {
    Serving::node(db, folder.path(), &[], until)
}

/// Who acts, at whichever address the server has now.
struct Cast {
    alex: Http,
    sam: Http,
    lotse: Http,
    robin: Http,
}

impl Cast {
    fn at(world: &World, serving: &Serving) -> Self {
        let http = Http::new(&serving.url());
        let token = |token: &str| http.token(token);
        Self {
            alex: token(&world.alex.token),
            sam: token(&world.sam.token),
            lotse: token(&world.lotse.token),
            robin: token(&world.robin.token),
        }
    }

    async fn token(&self, run: &str) -> String {
        self.lotse.post_empty(&format!("/runs/{run}/token")).await.expect(200).text("/invocation_token")
    }

    async fn run(&self, run: &str) -> Value {
        self.robin.get(&format!("/runs/{run}")).await.expect(200).json()
    }

    async fn runs(&self, thread: &str) -> Vec<Value> {
        let path = format!("/threads/{thread}/runs?limit=200");
        self.robin.get(&path).await.expect(200).json()["items"].as_array().unwrap().clone()
    }

    /// A new run of Lotse for Alex in a thread of its own, brought to a state.
    async fn bring(&self, world: &World, at: At) -> (String, String) {
        let said = say(&self.alex, &world.allgemein.main.to_string(), "@lotse please").await.unwrap();
        let text = |pointer: &str| said.pointer(pointer).unwrap().as_str().unwrap().to_owned();
        let (run, thread) = (text("/run_ids/0"), text("/opened_thread_id"));
        if at == At::Queued {
            return (run, thread);
        }
        let token = self.token(&run).await;
        if at == At::Delivered {
            drop(self.lotse.get("/agent/events").await.expect(200));
            return (run, thread);
        }
        let path = |what: &str| format!("/runs/{run}/{what}");
        self.lotse.post(&path("start"), json!({ "invocation_token": token })).await.expect(200);
        match at {
            At::Waiting | At::Answered => {
                self.lotse.post(&path("await-input"), json!({ "question_md": "Which?" })).await.expect(200);
            }
            At::Cancelled => {
                self.alex.post_empty(&path("cancel")).await.expect(200);
            }
            _ => {}
        }
        (run, thread)
    }
}

/// What was acknowledged; a server that dies in between answers nothing.
async fn say(who: &Http, thread: &str, text: &str) -> Option<Value> {
    let (who, path, body) = (who.clone(), format!("/threads/{thread}/messages"), json!({ "content_md": text }));
    tokio::spawn(async move { who.post(&path, body).await.expect(201).json() }).await.ok()
}

fn state(run: &Value) -> &str {
    run["state"].as_str().unwrap()
}

async fn round(db: &TestDb, folder: &TestFolder, world: &World, serving: Serving, number: usize) -> Serving {
    let at = EVERYWHERE[number % EVERYWHERE.len()];
    let cast = Cast::at(world, &serving);
    let (run, thread) = cast.bring(world, at).await;
    let mut said = BTreeSet::new();
    if at == At::Answered {
        let answer = say(&cast.alex, &thread, "The first.").await.unwrap();
        said.insert(answer["message_id"].as_str().unwrap().to_owned());
    }
    let before = cast.run(&run).await;

    // People write on while the server dies.
    let writing: Vec<_> = (0..6)
        .map(|number| {
            let who = if number % 3 == 2 { cast.sam.clone() } else { cast.alex.clone() };
            let thread = thread.clone();
            tokio::spawn(async move { say(&who, &thread, "And this.").await })
        })
        .collect();
    for _ in 0..number % 8 {
        tokio::task::yield_now().await;
    }
    drop(serving);
    for one in writing {
        if let Some(answer) = one.await.unwrap() {
            said.insert(answer["message_id"].as_str().unwrap().to_owned());
        }
    }

    let serving = serve(db, folder, "Data folder");
    let cast = Cast::at(world, &serving);
    let after = cast.run(&run).await;
    // Nothing that is only said changes the state of a run.
    assert_eq!(state(&after), state(&before), "round {number}, {at:?}");
    let messages = format!("/threads/{thread}/messages?limit=200");
    let kept = cast.robin.get(&messages).await.expect(200).json();
    let kept: BTreeSet<String> =
        kept["items"].as_array().unwrap().iter().map(|one| one["message_id"].as_str().unwrap().to_owned()).collect();
    let missing: Vec<_> = said.difference(&kept).collect();
    assert!(missing.is_empty(), "round {number}, {at:?}: acknowledged and lost: {missing:?}");

    end_all(&cast, &run, &thread, at).await;
    // Every message in the thread got its turn, once; the request of the first run lies elsewhere.
    let mut turns: Vec<String> =
        cast.runs(&thread).await.iter().map(|run| run["triggering_message_id"].as_str().unwrap().to_owned()).collect();
    let distinct: BTreeSet<String> = turns.iter().cloned().collect();
    assert_eq!(turns.len(), distinct.len(), "round {number}, {at:?}: answered twice");
    turns.sort();
    let answered = usize::from(matches!(at, At::Answered));
    assert_eq!(turns.len(), kept.len() - answered + 1, "round {number}, {at:?}");
    serving
}

/// The adapter comes back as well: it takes the run up where it was, and then whatever waits.
async fn end_all(cast: &Cast, first: &str, thread: &str, at: At) {
    match at {
        At::Queued | At::Delivered => {
            let token = cast.token(first).await;
            let start = json!({ "invocation_token": token });
            cast.lotse.post(&format!("/runs/{first}/start"), start).await.expect(200);
        }
        At::Answered => {
            let token = cast.token(first).await;
            let resume = json!({ "invocation_token": token });
            cast.lotse.post(&format!("/runs/{first}/resume"), resume).await.expect(200);
        }
        At::Running | At::Waiting | At::Cancelled => {}
    }
    for _ in 0..50 {
        let runs = cast.runs(thread).await;
        let active: Vec<&Value> =
            runs.iter().filter(|run| ["queued", "running", "waiting_input"].contains(&state(run))).collect();
        assert!(active.len() <= 1, "{active:?}");
        let Some(run) = active.first() else { return };
        let path = format!("/runs/{}/finish", run["run_id"].as_str().unwrap());
        cast.lotse.post(&path, json!({ "outcome": "cancelled" })).await.expect(200);
    }
    panic!("runs of {thread} do not end");
}

#[allow(clippy::disallowed_methods, reason = "the switch that makes the test longer")]
fn rounds() -> usize {
    std::env::var("BOTHY_CRASHES").ok().map_or(25, |text| text.parse().unwrap())
}

both_databases! {
    async fn c66_a_killed_server_loses_and_doubles_nothing(db: TestDb) {
        let folder = sqlite_folder();
        let mut serving = serve(&db, &folder, "makes another");
        let anonymous = Client::anonymous(&serving.url()).unwrap();
        let world = World::build(&anonymous, &serving.setup_code(), &test_password).await.unwrap();
        for number in 0..rounds() {
            serving = round(&db, &folder, &world, serving, number).await;
        }
    }
}
