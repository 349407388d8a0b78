//! `getRunContext` bound and `createMessage` over HTTP, beside a route that does nothing, in a server
//! process of its own, with one client and with eight, on both databases.

use std::time::{Duration, Instant};

use bothy::world::{World, test_password};
use bothy_sdk::Client;
use bothy_testkit::{TestDb, sqlite_folder};
use serde_json::{Value, json};

use crate::support::Http;
use crate::support::process::Serving;

const MESSAGES_BEFORE: usize = 60;
const TIME: Duration = Duration::from_secs(4);

struct Bench {
    serving: Serving,
    world: World,
    bound: Http,
    context: String,
}

impl Bench {
    async fn start(db: &TestDb, folder: &std::path::Path) -> Self {
        let serving = Serving::node(db, folder, &[], "makes another");
        let code = serving.setup_code();
        let anonymous = Client::anonymous(&serving.url()).unwrap();
        let world = World::build(&anonymous, &code, &test_password).await.unwrap();
        let http = Http::new(&serving.url());
        let (alex, sam, lotse) =
            (http.token(&world.alex.token), http.token(&world.sam.token), http.token(&world.lotse.token));
        for number in 0..MESSAGES_BEFORE {
            let said = json!({ "content_md": format!("Message {number} before the question, of an ordinary length.") });
            sam.post(&format!("/threads/{}/messages", world.allgemein.main), said).await.expect(201);
        }
        let asked = json!({ "content_md": "@lotse what do we know?" });
        alex.post(&format!("/threads/{}/messages", world.allgemein.main), asked).await.expect(201);
        let (run, token) = invocation(&lotse).await;
        lotse.post(&format!("/runs/{run}/start"), json!({ "invocation_token": token })).await.expect(200);
        Self { serving, world, bound: lotse.invocation(&token), context: format!("/runs/{run}/context") }
    }

    async fn run(&self) -> Value {
        let http = Http::new(&self.serving.url());
        let writer = http.token(&self.world.robin.token);
        let messages = format!("/threads/{}/messages", self.world.kampagne.main);
        let mut figures = serde_json::Map::new();
        for clients in [1_usize, 8] {
            let noop = load(clients, async |_| drop(http.get("/healthz").await.expect(200))).await;
            let context = load(clients, async |_| drop(self.bound.get(&self.context).await.expect(200))).await;
            let create = load(clients, async |number| {
                drop(writer.post(&messages, json!({ "content_md": format!("message {number}") })).await.expect(201));
            })
            .await;
            for (name, figure) in [("noop", noop), ("get_run_context_bound", context), ("create_message", create)] {
                figures.insert(format!("{name}_{clients}"), json!({ "per_second": figure.0, "median_us": figure.1 }));
            }
        }
        figures.into()
    }
}

async fn invocation(lotse: &Http) -> (String, String) {
    loop {
        let polled = lotse.get("/agent/events?wait=5").await.expect(200).json();
        for event in polled["items"].as_array().unwrap() {
            if event["kind"] == "agent.invocation" {
                let text = |member: &str| event[member].as_str().unwrap().to_owned();
                return (text("run_id"), text("invocation_token"));
            }
        }
    }
}

/// Requests a second and the median in microseconds.
async fn load(clients: usize, request: impl AsyncFn(usize)) -> (u64, u64) {
    let started = Instant::now();
    let one = async |client: usize| {
        let mut times = Vec::new();
        while started.elapsed() < TIME {
            let begun = Instant::now();
            request(client * 1_000_000 + times.len()).await;
            times.push(begun.elapsed());
        }
        times
    };
    let mut times: Vec<Duration> =
        futures::future::join_all((0..clients).map(one)).await.into_iter().flatten().collect();
    times.sort_unstable();
    let per_second = times.len() as f64 / started.elapsed().as_secs_f64();
    (per_second as u64, times[times.len() / 2].as_micros() as u64)
}

/// Runs it on both databases.
pub(crate) async fn run() -> Value {
    let mut figures = serde_json::Map::new();
    for (engine, db) in [("sqlite", TestDb::sqlite()), ("postgres", TestDb::postgres().await)] {
        let folder = sqlite_folder();
        let bench = Bench::start(&db, folder.path()).await;
        let measured = bench.run().await;
        for (name, figure) in measured.as_object().unwrap() {
            println!("{engine:9} {name:26} {:>7}/s, median {:>6} us", figure["per_second"], figure["median_us"]);
        }
        figures.insert(engine.to_owned(), measured);
    }
    figures.into()
}
