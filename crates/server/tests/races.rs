//! Revocation races (chapter 03 sections 5 and 9): once taking a right away has answered on one node,
//! the very next request on another is denied, while readers keep the caches warm and requests are
//! under way. On PostgreSQL the nodes are two processes. `BOTHY_RACES` says how many races of each kind;
//! 600 otherwise.

#![allow(missing_docs, unreachable_pub, reason = "the parts of a test")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

#[path = "races/kinds.rs"]
mod kinds;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use bothy::world::{World, test_password};
use bothy_domain::time::Timestamp;
use bothy_platform::clock::{Clock, ManualClock};
use bothy_sdk::Client;
use bothy_testkit::{TestDb, TestFolder, both_databases, sqlite_folder};
use futures::future::{BoxFuture, join_all};
use reqwest::Method;
use serde_json::Value;
use support::process::Serving;
use support::{Answer, Http, TestServer};

/// How many readers ask at the same time.
const READERS: usize = 2;
/// How many requests come right after a right was taken, and after all readers are done.
const NEXT: usize = 2;

/// One right: how it is given and taken on the first node.
pub trait Kind: Send + Sync {
    fn name(&self) -> &'static str;
    /// Gives the right, and says what may be asked with it.
    fn give<'a>(&'a self, at: &'a Nodes) -> BoxFuture<'a, Question>;
    fn take<'a>(&'a self, at: &'a Nodes, question: &'a Question) -> BoxFuture<'a, ()>;
    /// What must be the same right after the right was taken and when everybody is done.
    fn trace<'a>(&'a self, _: &'a Nodes) -> BoxFuture<'a, Option<Value>> {
        Box::pin(async { None })
    }
}

/// A request that needs the right.
pub struct Question {
    pub http: Http,
    pub method: Method,
    pub path: String,
    pub body: Option<Value>,
    /// The answer without the right: status, and reason for a 403.
    pub denied: (u16, Option<&'static str>),
    /// What the right hangs on.
    pub of: String,
}

/// A server of a race.
pub enum Node {
    /// In this process, under a clock that the test moves.
    Here(TestServer),
    /// A process of its own, under the clock of the machine.
    Process { serving: Serving, folder: TestFolder },
}

impl Node {
    fn url(&self) -> String {
        match self {
            Self::Here(server) => server.url(),
            Self::Process { serving, .. } => serving.url(),
        }
    }

    pub fn http(&self) -> Http {
        Http::new(&self.url())
    }

    fn pass(&self, time: Duration) {
        if let Self::Here(server) = self {
            server.pass(time);
        }
    }

    async fn stop(self) {
        match self {
            Self::Here(server) => server.stop().await,
            Self::Process { serving, folder } => {
                drop(serving);
                drop(folder);
            }
        }
    }
}

/// Two processes over one PostgreSQL, or one server over SQLite.
pub struct Nodes {
    pub first: Node,
    second: Option<Node>,
    pub world: World,
    pub robin: Http,
}

impl Nodes {
    async fn start(db: &TestDb) -> Self {
        if !db.is_postgres() {
            let server = TestServer::start(db).await;
            let world = server.world().await;
            return Self::of(Node::Here(server), None, world);
        }
        let process = |until| {
            let folder = sqlite_folder();
            // What the owner confirms at the beginning counts for as long as the races take.
            let serving = Serving::node(db, folder.path(), &["auth.step_up_ttl=1d"], until);
            (serving, folder)
        };
        let (serving, folder) = process("makes another");
        let anonymous = Client::anonymous(&serving.url()).unwrap();
        let world = World::build(&anonymous, &serving.setup_code(), &test_password).await.unwrap();
        let first = Node::Process { serving, folder };
        let (serving, folder) = process("Data folder");
        Self::of(first, Some(Node::Process { serving, folder }), world)
    }

    fn of(first: Node, second: Option<Node>, world: World) -> Self {
        let robin = first.http().token(&world.robin.token);
        Self { first, second, world, robin }
    }

    fn second(&self) -> &Node {
        self.second.as_ref().unwrap_or(&self.first)
    }

    async fn stop(self) {
        self.first.stop().await;
        if let Some(second) = self.second {
            second.stop().await;
        }
    }
}

/// The way to the second node.
enum Door {
    Straight,
    /// What a cache without a version would do: an answer that was good is good for another second.
    Keeping {
        clock: ManualClock,
        kept: Mutex<Option<(Timestamp, String)>>,
    },
}

impl Door {
    async fn ask(&self, node: &Node, question: &Question) -> bool {
        let Self::Keeping { clock, kept } = self else { return allowed(node, question).await };
        let fresh = |(until, path): &(Timestamp, String)| *until > clock.now() && *path == question.path;
        if kept.lock().unwrap().as_ref().is_some_and(fresh) {
            return true;
        }
        let allowed = allowed(node, question).await;
        if allowed {
            *kept.lock().unwrap() = Some((clock.now().plus(Duration::from_secs(1)), question.path.clone()));
        }
        allowed
    }
}

async fn allowed(node: &Node, question: &Question) -> bool {
    let body = question.body.as_ref().map(|body| ("application/json", serde_json::to_vec(body).unwrap()));
    let answer: Answer = question.http.at(&node.url()).send(question.method.clone(), &question.path, body).await;
    if answer.status.is_success() {
        return true;
    }
    let (status, reason) = question.denied;
    assert_eq!(answer.status.as_u16(), status, "{} {answer:?}", question.path);
    assert_eq!(answer.json()["reason"].as_str(), reason, "{} {answer:?}", question.path);
    false
}

/// How far the clock goes with each race: far enough for budgets to fill again, and for everything
/// that lasts for a time to last.
const TICK: Duration = Duration::from_millis(5);

/// One race; says how many answers were stale.
async fn race(nodes: &Nodes, kind: &dyn Kind, door: &Door) -> usize {
    let question = kind.give(nodes).await;
    let (first, second) = (&nodes.first, nodes.second());
    assert!(allowed(first, &question).await, "{}: given, but not here", kind.name());
    assert!(door.ask(second, &question).await, "{}: given, but not there", kind.name());
    let (taken, stale) = (AtomicBool::new(false), AtomicUsize::new(0));
    let ask = async |late: bool| {
        if door.ask(second, &question).await && late {
            stale.fetch_add(1, SeqCst);
        }
    };
    let readers = join_all((0..READERS).map(async |_| {
        loop {
            let late = taken.load(SeqCst);
            ask(late).await;
            if late {
                return;
            }
            tokio::task::yield_now().await;
        }
    }));
    let take = async {
        kind.take(nodes, &question).await;
        taken.store(true, SeqCst);
        let trace = kind.trace(nodes).await;
        join_all((0..NEXT).map(|_| ask(true))).await;
        trace
    };
    let (_, trace) = futures::join!(readers, take);
    // A reader that began before the change must not have put the old rights back.
    for _ in 0..NEXT {
        ask(true).await;
    }
    let same = trace == kind.trace(nodes).await;
    stale.load(SeqCst) + usize::from(!same)
}

#[allow(clippy::disallowed_methods, reason = "says how long a test runs, not how the product works")]
fn races() -> usize {
    std::env::var("BOTHY_RACES").ok().map_or(600, |number| number.parse().expect("BOTHY_RACES is a number"))
}

both_databases! {
    async fn no_answer_is_stale_after_a_right_was_taken(db: TestDb) {
        let nodes = Nodes::start(&db).await;
        let kinds = kinds::all(&nodes).await;
        for kind in &kinds {
            for number in 0..races() {
                let stale = race(&nodes, &**kind, &Door::Straight).await;
                assert_eq!(stale, 0, "{}: stale answers in race {number}", kind.name());
                nodes.first.pass(TICK);
            }
        }
        nodes.stop().await;
    }
}

/// The races have teeth: with a cache that keeps what was allowed for a second, each kind is caught.
#[test]
fn a_cache_without_a_version_is_caught() {
    bothy_testkit::run(async {
        let nodes = Nodes::start(&TestDb::sqlite()).await;
        let Node::Here(server) = &nodes.first else { panic!("one server, in this process") };
        for kind in kinds::all(&nodes).await {
            let door = Door::Keeping { clock: server.clock.clone(), kept: Mutex::new(None) };
            let stale = race(&nodes, &*kind, &door).await;
            assert!(stale >= NEXT, "{}: {stale} stale answers were seen", kind.name());
        }
        nodes.stop().await;
    });
}
