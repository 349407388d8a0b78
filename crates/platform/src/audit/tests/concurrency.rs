use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bothy_domain::policy::Reason;
use bothy_testkit::both_databases;
use futures::future::join_all;

use super::support::{Node, denial, id};
use crate::clock::ManualClock;
use crate::tests_support::{open, within};

const WRITERS: u128 = 16;
const DENIALS: u128 = 100;

/// Seals, signs and verifies until told to stop. Returns how often.
async fn watch(node: Arc<Node>, stop: Arc<AtomicBool>) -> u32 {
    let mut rounds = 0;
    while !stop.load(Ordering::Relaxed) {
        node.log.close_windows(&node.database).await.unwrap();
        node.seal().await;
        node.sealer.checkpoint_once(&node.database).await.unwrap();
        let report = node.verify(None).await;
        assert_eq!(report.fault, None);
        rounds += 1;
        tokio::task::yield_now().await;
    }
    rounds
}

both_databases! {
    /// C94: from an empty table, two handles, both of which seal.
    async fn two_nodes_make_one_chain(db: TestDb) {
        let clock = ManualClock::default();
        let database = open(&db).await;
        let other = if db.is_postgres() { open(&db).await } else { database.clone() };
        let nodes = [Arc::new(Node::new(&database, &clock, 1).await), Arc::new(Node::new(&other, &clock, 2).await)];
        let stop = Arc::new(AtomicBool::new(false));
        let watchers: Vec<_> =
            nodes.iter().map(|node| tokio::spawn(watch(Arc::clone(node), Arc::clone(&stop)))).collect();
        let mut writers = Vec::new();
        for (side, node) in (0..).zip(&nodes) {
            for writer in 0..WRITERS {
                let node = Arc::clone(node);
                writers.push(tokio::spawn(async move {
                    for number in 0..DENIALS {
                        let target = ((side * WRITERS) + writer) * DENIALS + number;
                        node.deny(&denial(id(writer), id(target), None, Reason::NoGrant)).await;
                        node.deny(&denial(id(7), id(7), None, Reason::NoGrant)).await;
                    }
                }));
            }
        }
        for writer in within(join_all(writers)).await {
            writer.unwrap();
        }
        stop.store(true, Ordering::Relaxed);
        for watcher in join_all(watchers).await {
            assert!(watcher.unwrap() > 0);
        }
        clock.advance(Duration::from_secs(60));
        nodes[1].log.close_windows(&database).await.unwrap();
        nodes[0].seal().await;
        let report = nodes[1].verify(None).await;
        let entries = nodes[0].entries().await;
        // The hot key is two entries.
        let written = 2 * WRITERS * DENIALS + 2;
        assert_eq!((report.fault, report.unsealed), (None, 0));
        assert_eq!(report.verified, i64::try_from(written).unwrap());
        assert_eq!(entries.len(), usize::try_from(written).unwrap());
        assert_eq!(entries.iter().map(|entry| entry.count).sum::<i64>(), i64::try_from(4 * WRITERS * DENIALS).unwrap());
    }

    /// Of entries that become visible late, none is lost and none is sealed twice.
    async fn an_entry_that_is_committed_late_is_sealed_late(db: TestDb) {
        if !db.is_postgres() {
            // SQLite has one writer: nothing is written while a unit of work is open.
            return;
        }
        let node = Node::new(&open(&db).await, &ManualClock::default(), 1).await;
        let late = node.database.begin().await.unwrap();
        node.log.record(&late, &denial(id(1), id(1), None, Reason::NoGrant)).await.unwrap();
        node.deny(&denial(id(1), id(2), None, Reason::NoGrant)).await;
        assert_eq!(node.seal().await, 1);
        late.commit().await.unwrap();
        assert_eq!(node.seal().await, 1);
        let places: Vec<_> = node.entries().await.iter().map(|entry| entry.position).collect();
        assert_eq!(places, [Some(2), Some(1)]);
        assert!(node.verify(None).await.is_intact());
    }
}
