//! Revocation races (chapter 03 sections 5 and 9): once taking a right away has answered on one node,
//! the very next request on another is denied, while readers keep the caches warm and requests are
//! under way. `BOTHY_RACES` says how many races of each kind; 100 otherwise.

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

use bothy::world::World;
use bothy_domain::time::Timestamp;
use bothy_platform::clock::{Clock, ManualClock};
use bothy_testkit::{TestDb, both_databases};
use futures::future::{BoxFuture, join_all};
use reqwest::Method;
use serde_json::Value;
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

/// Two nodes over one PostgreSQL, or one over SQLite.
pub struct Nodes {
    pub first: TestServer,
    second: Option<TestServer>,
    pub world: World,
    pub robin: Http,
}

impl Nodes {
    async fn start(db: &TestDb) -> Self {
        let first = TestServer::start(db).await;
        let world = first.world().await;
        let second = if db.is_postgres() { Some(first.another(db).await) } else { None };
        let robin = first.http().token(&world.robin.token);
        Self { first, second, world, robin }
    }

    fn second(&self) -> &TestServer {
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
    async fn ask(&self, node: &TestServer, question: &Question) -> bool {
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

async fn allowed(node: &TestServer, question: &Question) -> bool {
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
    std::env::var("BOTHY_RACES").ok().map_or(100, |number| number.parse().expect("BOTHY_RACES is a number"))
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
        for kind in kinds::all(&nodes).await {
            let door = Door::Keeping { clock: nodes.first.clock.clone(), kept: Mutex::new(None) };
            let stale = race(&nodes, &*kind, &door).await;
            assert!(stale >= NEXT, "{}: {stale} stale answers were seen", kind.name());
        }
        nodes.stop().await;
    });
}
