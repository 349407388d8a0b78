//! What a member with few channels pays for a request in a small instance and in a large one, on both
//! databases: the cost must not grow with what others have. The large one has its channels in a space
//! that the member does not see, and its messages hold the word that the member looks for.

use std::time::{Duration, Instant};

use bothy::world::World;
use bothy_domain::ids::SpaceId;
use bothy_storage::{UnitOfWork, params, statements};
use bothy_testkit::TestDb;
use serde_json::{Map, Value, json};

use crate::context::{statements_of, times};
use crate::support::{Http, Socket, TestServer};

/// Channels and messages of others.
const SIZES: [(i64, i64); 2] = [(10, 10_000), (10_000, 1_000_000)];
/// What the member's own thread has.
const OWN: usize = 200;
const WAKE_UPS: usize = 300;

/// Rows by the thousand: every one is made by the database from its number. All ids are newer than those
/// that the server gives.
macro_rules! numbered {
    ($into:literal, $columns:literal, sqlite $of_sqlite:literal, postgres $of_postgres:literal, $count:literal) => {
        (
            concat!(
                "INSERT INTO ",
                $into,
                " (",
                $columns,
                ") WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ",
                $count,
                ") SELECT ",
                $of_sqlite,
                " FROM n"
            ),
            concat!(
                "INSERT INTO ",
                $into,
                " (",
                $columns,
                ") SELECT ",
                $of_postgres,
                " FROM generate_series(1, ",
                $count,
                ") AS n(i)"
            ),
        )
    };
}

const CHANNEL_ROWS: (&str, &str) = numbered!(
    "channels",
    "id, space_id, kind, name, name_key, respond_to, respond_in_threads, allow_mentioned_agents, auto_thread, history_backfill_limit, egress, created_at, version",
    sqlite "unhex(printf('fc%030x', i)), $1, 'text', 'c' || i, 'c' || i, 'mention', 1, 1, 0, 50, 'confirm', 1, 1",
    postgres "CAST('fc' || lpad(to_hex(i), 30, '0') AS UUID), CAST($1 AS UUID), 'text', 'c' || i, 'c' || i, 'mention', true, true, false, 50, 'confirm', 1, 1",
    "$2"
);
const THREAD_ROWS: (&str, &str) = numbered!(
    "threads",
    "id, channel_id, kind, created_by, created_at, next_seq, version",
    sqlite "unhex(printf('fd%030x', i)), unhex(printf('fc%030x', i)), 'main', $1, 1, $3, 1",
    postgres "CAST('fd' || lpad(to_hex(i), 30, '0') AS UUID), CAST('fc' || lpad(to_hex(i), 30, '0') AS UUID), 'main', CAST($1 AS UUID), 1, CAST($3 AS BIGINT), 1",
    "$2"
);
const MESSAGE_ROWS: (&str, &str) = numbered!(
    "messages",
    "id, thread_id, thread_seq, author_id, origin, kind, content_md, created_at, version",
    sqlite "unhex(printf('fe%030x', i)), unhex(printf('fd%030x', 1 + (i - 1) % $3)), 1 + (i - 1) / $3, $1, 'human', 'text', 'The report of the day, of an ordinary length.', 1, 1",
    postgres "CAST('fe' || lpad(to_hex(i), 30, '0') AS UUID), CAST('fd' || lpad(to_hex(1 + (i - 1) % $3), 30, '0') AS UUID), 1 + (i - 1) / $3, CAST($1 AS UUID), 'human', 'text', 'The report of the day, of an ordinary length.', 1, 1",
    "$2"
);
const DOCUMENT_ROWS: (&str, &str) = numbered!(
    "search_documents",
    "message_id, folded",
    sqlite "unhex(printf('fe%030x', i)), ' the report of the day of an ordinary length '",
    postgres "CAST('fe' || lpad(to_hex(i), 30, '0') AS UUID), ' the report of the day of an ordinary length '",
    "$1"
);
const TERM_ROWS: (&str, &str) = numbered!(
    "search_terms",
    "term, message_id, channel_id",
    sqlite "'report', unhex(printf('fe%030x', i)), unhex(printf('fc%030x', 1 + (i - 1) % $2))",
    postgres "'report', CAST('fe' || lpad(to_hex(i), 30, '0') AS UUID), CAST('fc' || lpad(to_hex(1 + (i - 1) % $2), 30, '0') AS UUID)",
    "$1"
);

statements! {
    CHANNELS = { sqlite: CHANNEL_ROWS.0, postgres: CHANNEL_ROWS.1 };
    THREADS = { sqlite: THREAD_ROWS.0, postgres: THREAD_ROWS.1 };
    MESSAGES = { sqlite: MESSAGE_ROWS.0, postgres: MESSAGE_ROWS.1 };
    DOCUMENTS = { sqlite: DOCUMENT_ROWS.0, postgres: DOCUMENT_ROWS.1 };
    TERMS = { sqlite: TERM_ROWS.0, postgres: TERM_ROWS.1 };
    ANALYZE = "ANALYZE";
}

/// Fills a space that the member does not see.
async fn fill(unit: &UnitOfWork, space: SpaceId, world: &World, (channels, messages): (i64, i64)) {
    let author = world.robin.id;
    unit.execute(&CHANNELS, params![space, channels]).await.unwrap();
    unit.execute(&THREADS, params![author, channels, messages / channels + 1]).await.unwrap();
    unit.execute(&MESSAGES, params![author, messages, channels]).await.unwrap();
    unit.execute(&DOCUMENTS, params![messages]).await.unwrap();
    unit.execute(&TERMS, params![messages, channels]).await.unwrap();
    unit.execute(&ANALYZE, params![]).await.unwrap();
}

/// Median and 99th percentile in microseconds, and how many statements a request takes.
struct Measured {
    name: &'static str,
    times: (u64, u64),
    statements: Option<u64>,
}

/// An instance of a size, and its member.
struct Instance {
    server: TestServer,
    world: World,
    sam: Http,
    main: String,
}

impl Instance {
    async fn of(db: &TestDb, size: (i64, i64)) -> Self {
        let server = TestServer::start(db).await;
        let world = server.world().await;
        let http = Http::new(&server.url());
        let (robin, sam) = (http.token(&world.robin.token), http.token(&world.sam.token));
        let space = robin.post("/spaces", json!({ "name": "Load" })).await.expect(201).text("/space_id");
        let unit = server.app.modules().database.begin().await.unwrap();
        fill(&unit, space.parse().unwrap(), &world, size).await;
        unit.commit().await.unwrap();
        let main = format!("/threads/{}/messages", world.allgemein.main);
        for number in 0..OWN {
            let word = if number % 10 == 0 { "report" } else { "note" };
            let said = json!({ "content_md": format!("The {word} {number}, of an ordinary length.") });
            sam.post(&main, said).await.expect(201);
        }
        Self { server, world, sam, main }
    }

    async fn measure(&self) -> Vec<Measured> {
        let list = format!("{}?limit=50", self.main);
        let said = json!({ "content_md": "One more, of an ordinary length." });
        let poll = self.wake_a_poll().await;
        let gateway = self.wake_the_gateway().await;
        let get = async |name: &'static str, path: &str| {
            self.measured(name, async || drop(self.sam.get(path).await.expect(200))).await
        };
        vec![
            get("listThreadMessages", &list).await,
            get("getSnapshot", "/snapshot").await,
            get("searchMessages", "/search/messages?q=report%20").await,
            get("searchMessages, beginning", "/search/messages?q=repo").await,
            self.measured("createMessage", async || drop(self.sam.post(&self.main, said.clone()).await.expect(201)))
                .await,
            Measured { name: "wake-up of a poll", times: poll, statements: None },
            Measured { name: "wake-up of the gateway", times: gateway, statements: None },
        ]
    }

    async fn measured(&self, name: &'static str, request: impl AsyncFn()) -> Measured {
        let statements = Some(statements_of(&self.server, &request).await);
        Measured { name, times: times(&request).await, statements }
    }

    /// From the request that writes a message until a client of the gateway has it.
    async fn wake_the_gateway(&self) -> (u64, u64) {
        self.server.settle().await;
        let mut alex = Socket::open(&self.server.url(), &self.world.alex.token).await;
        let mut times = Vec::new();
        for number in 0..WAKE_UPS {
            let begun = Instant::now();
            self.sam.post(&self.main, json!({ "content_md": format!("Wake up {number}.") })).await.expect(201);
            alex.event("message.created").await;
            times.push(begun.elapsed());
        }
        crate::context::quantiles(times)
    }

    /// From the request that mentions an agent until its waiting poll has the invocation.
    async fn wake_a_poll(&self) -> (u64, u64) {
        let http = Http::new(&self.server.url());
        let (lotse, alex) = (http.token(&self.world.lotse.token), http.token(&self.world.alex.token));
        let mut times: Vec<Duration> = Vec::new();
        let mut cursor = String::new();
        for number in 0..WAKE_UPS / 10 {
            let asked = json!({ "content_md": format!("@lotse question {number}") });
            let ask = async {
                tokio::task::yield_now().await;
                let begun = Instant::now();
                alex.post(&self.main, asked.clone()).await.expect(201);
                begun
            };
            let told = async {
                let mut cursor = cursor.clone();
                loop {
                    let polled = lotse.get(&format!("/agent/events?wait=5{cursor}")).await.expect(200).json();
                    cursor = format!("&cursor={}", polled["cursor"]);
                    if let Some(event) = invocation(&polled) {
                        return (Instant::now(), event, cursor);
                    }
                }
            };
            let (begun, (told, event, next)) = futures::join!(ask, told);
            times.push(told - begun);
            cursor = next;
            let (run, token) = (text(&event, "run_id"), text(&event, "invocation_token"));
            lotse.post(&format!("/runs/{run}/start"), json!({ "invocation_token": token })).await.expect(200);
            let inside = lotse.invocation(&token);
            inside.post(&format!("/runs/{run}/finish"), json!({ "outcome": "completed" })).await.expect(200);
        }
        crate::context::quantiles(times)
    }
}

fn invocation(polled: &Value) -> Option<Value> {
    polled["items"].as_array().unwrap().iter().find(|event| event["kind"] == "agent.invocation").cloned()
}

fn text(event: &Value, member: &str) -> String {
    event[member].as_str().unwrap().to_owned()
}

/// Runs it on both databases.
pub(crate) async fn run() -> Value {
    let mut figures = Map::new();
    for engine in ["sqlite", "postgres"] {
        let mut measured = Vec::new();
        for size in SIZES {
            let db = if engine == "sqlite" { TestDb::sqlite() } else { TestDb::postgres().await };
            let instance = Instance::of(&db, size).await;
            measured.push(instance.measure().await);
            instance.server.stop().await;
        }
        let mut of_engine = Map::new();
        for (small, large) in measured[0].iter().zip(&measured[1]) {
            assert_eq!(small.statements, large.statements, "{}: statements grow with the instance", small.name);
            let (name, statements, ratio) = (small.name, small.statements, large.times.0 as f64 / small.times.0 as f64);
            let (small, large) = (small.times, large.times);
            println!(
                "{engine:9} {name:26} small p50 {:>6} us, p99 {:>6} us, large p50 {:>6} us, p99 {:>6} us, ratio {ratio:.2}, {} statements",
                small.0,
                small.1,
                large.0,
                large.1,
                statements.map_or_else(|| "-".to_owned(), |count| count.to_string())
            );
            let figure = json!({
                "small_p50_us": small.0, "small_p99_us": small.1, "large_p50_us": large.0, "large_p99_us": large.1,
                "ratio": ratio, "statements": statements,
            });
            of_engine.insert(name.to_owned(), figure);
        }
        figures.insert(engine.to_owned(), of_engine.into());
    }
    figures.into()
}
