//! One message to a thousand connections of the gateway of one node: how long until a client has it, and
//! how much memory a connection takes in the server. The clients share the machine with the server.

use std::time::{Duration, Instant};

use bothy::world::{World, test_password};
use bothy_sdk::Client;
use bothy_testkit::{TestDb, sqlite_folder};
use futures::future::join_all;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::process::Serving;
use crate::support::{Http, Socket};

const CONNECTIONS: usize = 1_000;
const MESSAGES: usize = 50;

/// The resident memory of a process in KiB.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

async fn measure(db: &TestDb, folder: &std::path::Path) -> Value {
    let serving = Serving::node(db, folder, &["gateway.max_connections_per_principal=2000"], "makes another");
    let anonymous = Client::anonymous(&serving.url()).unwrap();
    let world = World::build(&anonymous, &serving.setup_code(), &test_password).await.unwrap();
    let robin = Http::new(&serving.url()).token(&world.robin.token);
    let messages = format!("/threads/{}/messages", world.allgemein.main);
    robin.post(&messages, json!({ "content_md": "a first one" })).await.expect(201);
    let before = resident(serving.id());
    let url = serving.url();
    let mut sockets = Vec::new();
    while sockets.len() < CONNECTIONS {
        let batch = (0..50).map(|_| Socket::open(&url, &world.alex.token));
        sockets.extend(join_all(batch).await);
    }
    let memory = (resident(serving.id()) - before) as f64 / CONNECTIONS as f64;
    let (tell, mut told) = mpsc::unbounded_channel();
    for mut socket in sockets {
        let tell = tell.clone();
        tokio::spawn(async move {
            for _ in 0..MESSAGES {
                socket.event("message.created").await;
                tell.send(Instant::now()).unwrap();
            }
        });
    }
    let mut times: Vec<Duration> = Vec::new();
    for number in 0..MESSAGES {
        let begun = Instant::now();
        robin
            .post(&messages, json!({ "content_md": format!("message {number} of an ordinary length") }))
            .await
            .expect(201);
        for _ in 0..CONNECTIONS {
            times.push(told.recv().await.unwrap().duration_since(begun));
        }
    }
    times.sort_unstable();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_micros() as u64;
    json!({ "connections": CONNECTIONS, "median_us": at(0.5), "p99_us": at(0.99), "max_us": at(1.0), "kib_a_connection": memory })
}

/// Runs it on both databases.
pub(crate) async fn run() -> Value {
    let mut figures = serde_json::Map::new();
    for (engine, db) in [("sqlite", TestDb::sqlite()), ("postgres", TestDb::postgres().await)] {
        let folder = sqlite_folder();
        let figure = measure(&db, folder.path()).await;
        println!(
            "{engine:9} gateway, {CONNECTIONS} connections       median {:>6} us, p99 {:>6} us, {:.1} KiB a connection",
            figure["median_us"],
            figure["p99_us"],
            figure["kib_a_connection"].as_f64().unwrap()
        );
        figures.insert(engine.to_owned(), figure);
    }
    figures.into()
}
