//! `getRunContext` bound in threads of 10, 1,000 and 100,000 messages with the default limits, beside a
//! route that does nothing, on both databases: what it costs must not grow with the thread.

use std::time::{Duration, Instant};

use bothy_domain::ids::{MessageId, ThreadId};
use bothy_storage::{params, statements};
use bothy_testkit::TestDb;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Http, TestServer};

const LENGTHS: [i64; 3] = [10, 1_000, 100_000];
const TIME: Duration = Duration::from_secs(3);

statements! {
    INSERT =
        "INSERT INTO messages (id, thread_id, thread_seq, author_id, origin, kind, content_md, created_at, version) \
         VALUES ($1, $2, $3, $4, 'human', 'text', 'A message before the question, of an ordinary length.', 1, 1)";
    NEXT = "UPDATE threads SET next_seq = $2 WHERE id = $1";
}

/// A run in a thread with so many messages: the agent inside of it, and the path of its context.
async fn run_in(server: &TestServer, world: &bothy::world::World, length: i64) -> (Http, String) {
    let http = Http::new(&server.url());
    let (robin, alex, lotse) =
        (http.token(&world.robin.token), http.token(&world.alex.token), http.token(&world.lotse.token));
    let parent = json!({ "content_md": "A topic." });
    let parent = robin.post(&format!("/threads/{}/messages", world.allgemein.main), parent).await.expect(201);
    let thread = json!({ "parent_message_id": parent.text("/message_id") });
    let thread = robin.post(&format!("/channels/{}/threads", world.allgemein.id), thread).await.expect(201);
    let thread: ThreadId = thread.text("/thread_id").parse().unwrap();
    let unit = server.app.modules().database.begin().await.unwrap();
    for seq in 1..=length {
        let id = MessageId::from_uuid(Uuid::from_u128(
            (1 << 100) + (u128::from(length.unsigned_abs()) << 40) + u128::from(seq.unsigned_abs()),
        ));
        unit.execute(&INSERT, params![id, thread, seq, world.sam.id]).await.unwrap();
    }
    unit.execute(&NEXT, params![thread, length + 1]).await.unwrap();
    unit.commit().await.unwrap();
    let asked = json!({ "content_md": "@lotse what do we know?" });
    let run = alex.post(&format!("/threads/{thread}/messages"), asked).await.expect(201).text("/run_ids/0");
    let token = lotse.post_empty(&format!("/runs/{run}/token")).await.expect(200).text("/invocation_token");
    lotse.post(&format!("/runs/{run}/start"), json!({ "invocation_token": token })).await.expect(200);
    (lotse.invocation(&token), format!("/runs/{run}/context"))
}

/// Median and 99th percentile in microseconds, one request after the other.
pub(crate) async fn times(request: impl AsyncFn()) -> (u64, u64) {
    let (started, mut times) = (Instant::now(), Vec::new());
    while started.elapsed() < TIME {
        let begun = Instant::now();
        request().await;
        times.push(begun.elapsed());
    }
    quantiles(times)
}

/// How many statements a request takes. Work in the background only adds: the least of several counts.
pub(crate) async fn statements_of(server: &TestServer, request: impl AsyncFn()) -> u64 {
    let database = &server.app.modules().database;
    let mut least = u64::MAX;
    for _ in 0..200 {
        let before = database.statements();
        request().await;
        least = least.min(database.statements() - before);
    }
    least
}

/// Median and 99th percentile in microseconds.
pub(crate) fn quantiles(mut times: Vec<Duration>) -> (u64, u64) {
    times.sort_unstable();
    let at = |share: usize| u64::try_from(times[(times.len() - 1) * share / 100].as_micros()).unwrap();
    (at(50), at(99))
}

/// Runs it on both databases.
pub(crate) async fn run() -> Value {
    let mut figures = serde_json::Map::new();
    for (engine, db) in [("sqlite", TestDb::sqlite()), ("postgres", TestDb::postgres().await)] {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let http = Http::new(&server.url());
        let noop = times(async || drop(http.get("/healthz").await.expect(200))).await;
        println!("{engine:9} no-op route                   p50 {:>6} us, p99 {:>6} us", noop.0, noop.1);
        let mut measured = serde_json::Map::new();
        measured.insert("noop".to_owned(), json!({ "p50_us": noop.0, "p99_us": noop.1 }));
        for length in LENGTHS {
            let (bound, path) = run_in(&server, &world, length).await;
            let context = times(async || drop(bound.get(&path).await.expect(200))).await;
            let queries = statements_of(&server, async || drop(bound.get(&path).await.expect(200))).await;
            println!(
                "{engine:9} context of {length:>7} messages   p50 {:>6} us, p99 {:>6} us, {queries} statements",
                context.0, context.1
            );
            measured
                .insert(length.to_string(), json!({ "p50_us": context.0, "p99_us": context.1, "statements": queries }));
        }
        figures.insert(engine.to_owned(), measured.into());
        server.stop().await;
    }
    figures.into()
}
