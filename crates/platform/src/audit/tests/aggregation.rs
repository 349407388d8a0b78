use std::sync::Arc;
use std::time::Duration;

use bothy_domain::audit::{AuditActor, AuditEntry, Effect};
use bothy_domain::policy::Reason;
use bothy_storage::params;
use bothy_testkit::both_databases;
use futures::future::join_all;

use super::store::PENDING;
use super::support::{Node, denial, id};
use crate::clock::ManualClock;
use crate::tests_support::open;

const WINDOW: Duration = Duration::from_secs(60);

fn refused() -> AuditEntry {
    denial(id(1), id(2), Some(id(3)), Reason::NoGrant)
}

async fn counts(node: &Node) -> Vec<i64> {
    node.entries().await.iter().map(|entry| entry.count).collect()
}

async fn close(node: &Node) -> u64 {
    node.log.close_windows(&node.database).await.unwrap()
}

both_databases! {
    async fn equal_denials_are_two_entries_a_window(db: TestDb) {
        let node = Node::new(&open(&db).await, &ManualClock::default(), 1).await;
        let first = node.log.record_alone(&node.database, &refused()).await.unwrap();
        assert_eq!(counts(&node).await, [1]);
        for _ in 0..9 {
            assert_eq!(node.log.record_alone(&node.database, &refused()).await.unwrap(), first);
        }
        assert_eq!(counts(&node).await, [1]);
        node.clock.advance(WINDOW - Duration::from_micros(1));
        assert_eq!(close(&node).await, 0);
        node.clock.advance(Duration::from_micros(1));
        assert_eq!(close(&node).await, 1);
        assert_eq!(close(&node).await, 0);
        let entries = node.entries().await;
        assert_eq!(counts(&node).await, [1, 9]);
        assert_eq!(entries[0].id, first);
        assert_eq!(entries[0].details["token_verdict"], "none");
        assert_eq!(entries[1].details["repeats"], first.to_string());
        assert_eq!((entries[1].run, entries[1].acting_for), (entries[0].run, entries[0].acting_for));
        assert_eq!((&entries[1].reason, entries[1].resource_id), (&entries[0].reason, entries[0].resource_id));
        // Nothing is left of a window in which nothing was repeated.
        node.deny(&refused()).await;
        node.clock.advance(WINDOW);
        assert_eq!(close(&node).await, 1);
        assert_eq!(counts(&node).await, [1, 9, 1]);
    }

    async fn a_window_that_nobody_closed_is_closed_by_the_next_denial(db: TestDb) {
        let node = Node::new(&open(&db).await, &ManualClock::default(), 1).await;
        for _ in 0..3 {
            node.deny(&refused()).await;
        }
        node.clock.advance(WINDOW);
        for _ in 0..4 {
            node.deny(&refused()).await;
        }
        assert_eq!(counts(&node).await, [1, 2, 1]);
        node.clock.advance(WINDOW);
        close(&node).await;
        assert_eq!(counts(&node).await, [1, 2, 1, 3]);
    }

    async fn what_differs_is_counted_apart(db: TestDb) {
        let node = Node::new(&open(&db).await, &ManualClock::default(), 1).await;
        let base = refused();
        let others = [
            base.clone(),
            denial(id(9), id(2), Some(id(3)), Reason::NoGrant),
            denial(id(1), id(9), Some(id(3)), Reason::NoGrant),
            denial(id(1), id(2), Some(id(9)), Reason::NoGrant),
            denial(id(1), id(2), None, Reason::NoGrant),
            denial(id(1), id(2), Some(id(3)), Reason::Archived),
            AuditEntry { action: bothy_domain::action::Action::ChannelUpdate, ..base.clone() },
            AuditEntry { reason: None, ..base.clone() },
        ];
        for entry in others.iter().chain(&others) {
            node.deny(entry).await;
        }
        assert_eq!(counts(&node).await, vec![1; others.len()]);
        node.clock.advance(WINDOW);
        close(&node).await;
        assert_eq!(counts(&node).await, vec![1; 2 * others.len()]);
    }

    async fn what_was_done_is_never_aggregated(db: TestDb) {
        let node = Node::new(&open(&db).await, &ManualClock::default(), 1).await;
        for _ in 0..3 {
            node.deny(&AuditEntry { effect: Effect::Allow, ..refused() }).await;
        }
        assert_eq!(counts(&node).await, [1, 1, 1]);
    }

    /// C99: whatever a stranger asks for, the log grows by two entries a window.
    async fn strangers_cannot_make_the_log_grow(db: TestDb) {
        let node = Node::new(&open(&db).await, &ManualClock::default(), 1).await;
        for number in 0..500 {
            let entry = denial(id(1), id(number), Some(id(number)), Reason::NoGrant);
            node.deny(&AuditEntry { actor: AuditActor::Anonymous, acting_for: None, ..entry }).await;
        }
        node.clock.advance(WINDOW);
        close(&node).await;
        assert_eq!(counts(&node).await, [1, 499]);
        let entries = node.entries().await;
        assert_eq!((entries[0].resource_id, entries[1].resource_id), (Some(id(0)), None));
    }

    async fn a_crash_loses_no_count(db: TestDb) {
        let clock = ManualClock::default();
        let database = open(&db).await;
        let node = Node::new(&database, &clock, 1).await;
        for _ in 0..6 {
            node.deny(&refused()).await;
        }
        // Nothing is closed and nothing is said: the node is gone.
        drop(node);
        database.close().await;
        drop(database);
        clock.advance(WINDOW);
        let node = Node::new(&open(&db).await, &clock, 2).await;
        assert_eq!(counts(&node).await, [1]);
        assert_eq!(close(&node).await, 1);
        assert_eq!(counts(&node).await, [1, 5]);
    }

    async fn counts_are_exact_while_windows_end(db: TestDb) {
        let clock = ManualClock::default();
        let database = open(&db).await;
        let other = if db.is_postgres() { open(&db).await } else { database.clone() };
        let nodes = [Arc::new(Node::new(&database, &clock, 1).await), Arc::new(Node::new(&other, &clock, 2).await)];
        let writers = (0..16_u128).map(|number| {
            let node = Arc::clone(&nodes[usize::from(number % 2 == 0)]);
            tokio::spawn(async move {
                for _ in 0..60 {
                    node.deny(&denial(id(1), id(number % 3), None, Reason::NoGrant)).await;
                }
            })
        });
        let writers: Vec<_> = writers.collect();
        let closer = Arc::clone(&nodes[0]);
        let closing = tokio::spawn(async move {
            for _ in 0..40 {
                closer.clock.advance(Duration::from_secs(25));
                close(&closer).await;
                tokio::task::yield_now().await;
            }
        });
        for writer in join_all(writers).await {
            writer.unwrap();
        }
        closing.await.unwrap();
        clock.advance(WINDOW);
        close(&nodes[1]).await;
        let entries = nodes[0].entries().await;
        assert_eq!(entries.iter().map(|entry| entry.count).sum::<i64>(), 16 * 60);
        for target in 0..3 {
            let own = entries.iter().filter(|entry| entry.resource_id == Some(id(target)));
            let writers = (0..16).filter(|number| number % 3 == target).count();
            assert_eq!(own.map(|entry| entry.count).sum::<i64>(), i64::try_from(writers * 60).unwrap());
        }
        assert!(database.reader().await.unwrap().all(&PENDING, params![]).await.unwrap().is_empty());
        assert!(nodes.iter().all(|node| node.log.gather.is_empty()));
    }

    /// A request that is cancelled at any moment neither blocks its equals nor is it counted twice.
    async fn cancelled_denials_block_nobody(db: TestDb) {
        let node = Arc::new(Node::new(&open(&db).await, &ManualClock::default(), 1).await);
        node.deny(&refused()).await;
        for round in 0..40 {
            let cancelled = {
                let node = Arc::clone(&node);
                tokio::spawn(async move { node.deny(&refused()).await })
            };
            for _ in 0..round % 5 {
                tokio::task::yield_now().await;
            }
            cancelled.abort();
            node.deny(&refused()).await;
        }
        node.clock.advance(WINDOW);
        close(&node).await;
        let counts = counts(&node).await;
        assert_eq!(counts[0], 1);
        assert!((40..=80).contains(&counts[1]), "{counts:?}");
        assert!(node.log.gather.is_empty());
    }
}
