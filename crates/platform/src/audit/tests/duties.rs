use std::sync::Arc;
use std::time::Duration;

use bothy_domain::policy::Reason;
use bothy_storage::params;
use bothy_testkit::both_databases;
use tokio::sync::oneshot;

use super::store::{SET_COUNT, SET_HEAD};
use super::support::{Node, denial, id};
use crate::audit::{AuditIntervals, Checkpoint, CheckpointError, Span, newest_checkpoint, routes, run};
use crate::clock::ManualClock;
use crate::config;
use crate::tests_support::{open, within};

async fn newest(node: &Node) -> Option<Checkpoint> {
    newest_checkpoint(&node.database.reader().await.unwrap()).await.unwrap()
}

both_databases! {
    async fn entries_are_sealed_in_their_order(db: TestDb) {
        let node = Node::new(&open(&db).await, &ManualClock::default(), 1).await;
        assert_eq!(node.seal().await, 0);
        let empty = node.verify(None).await;
        assert_eq!((empty.fault, empty.verified, empty.unanchored, empty.unsealed), (None, 0, None, 0));
        node.fill(600).await;
        assert_eq!(node.verify(None).await.unsealed, 600);
        assert_eq!(node.seal().await, 600);
        let places: Vec<_> = node.entries().await.iter().map(|entry| entry.position).collect();
        assert_eq!(places, (1..=600).map(Some).collect::<Vec<_>>());
        let report = node.verify(None).await;
        assert_eq!((report.fault, report.verified, report.anchored, report.unsealed), (None, 600, 0, 0));
        assert_eq!(report.unanchored, Some(Span { first: 1, last: 600 }));
    }

    async fn a_checkpoint_anchors_what_is_before_it(db: TestDb) {
        let node = Node::new(&open(&db).await, &ManualClock::default(), 1).await;
        assert_eq!(node.sealer.checkpoint_once(&node.database).await.unwrap(), None);
        assert_eq!(newest(&node).await, None);
        node.fill(10).await;
        node.seal().await;
        let checkpoint = node.checkpoint().await;
        assert_eq!((checkpoint.position, checkpoint.count), (10, 10));
        assert!(checkpoint.is_signed());
        assert_eq!(newest(&node).await.as_ref(), Some(&checkpoint));
        assert_eq!(node.sealer.checkpoint_once(&node.database).await.unwrap(), None);
        node.fill(5).await;
        node.seal().await;
        node.fill(2).await;
        let report = node.verify(Some(&checkpoint)).await;
        assert_eq!((report.fault, report.anchored, report.unsealed), (None, 10, 2));
        assert_eq!(report.unanchored, Some(Span { first: 11, last: 15 }));
        assert_eq!(node.checkpoint().await.position, 15);
        assert_eq!(node.verify(None).await.unanchored, None);
        // It travels as JSON and comes back as it was.
        let text = serde_json::to_string(&checkpoint).unwrap();
        assert_eq!(serde_json::from_str::<Checkpoint>(&text).unwrap(), checkpoint);
        for forged in [
            Checkpoint { position: 11, ..checkpoint.clone() },
            Checkpoint { count: 11, ..checkpoint.clone() },
            Checkpoint { at: checkpoint.at.plus(Duration::from_micros(1)), ..checkpoint.clone() },
            Checkpoint { kid: "other".to_owned(), ..checkpoint.clone() },
        ] {
            assert!(!forged.is_signed());
        }
    }

    async fn what_was_tampered_with_is_not_signed(db: TestDb) {
        let node = Node::new(&open(&db).await, &ManualClock::default(), 1).await;
        node.fill(10).await;
        node.seal().await;
        node.checkpoint().await;
        node.fill(10).await;
        node.seal().await;
        let unit = node.database.begin().await.unwrap();
        unit.execute(&SET_COUNT, params![15, 99]).await.unwrap();
        unit.commit().await.unwrap();
        let refused = node.sealer.checkpoint_once(&node.database).await;
        assert!(matches!(refused, Err(CheckpointError::Broken { position: 14 })), "{refused:?}");
        let unit = node.database.begin().await.unwrap();
        unit.execute(&SET_HEAD, params![5, [0; 32]]).await.unwrap();
        unit.commit().await.unwrap();
        assert!(matches!(node.sealer.checkpoint_once(&node.database).await, Err(CheckpointError::Broken { .. })));
    }

    async fn the_duties_are_done_by_the_clock_and_at_the_stop(db: TestDb) {
        let clock = ManualClock::default();
        let node = Arc::new(Node::new(&open(&db).await, &clock, 1).await);
        let intervals = AuditIntervals::of(&config::Audit::default());
        let (stop, stopped) = oneshot::channel::<()>();
        let running = {
            let node = Arc::clone(&node);
            tokio::spawn(async move {
                run(&node.sealer, &node.database, intervals, async { drop(stopped.await) }).await;
            })
        };
        within(clock.until_sleepers(1)).await;
        let entry = denial(id(1), id(1), None, Reason::NoGrant);
        node.deny(&entry).await;
        node.deny(&entry).await;
        let pass = async |by: Duration| {
            clock.advance(by);
            within(clock.until_sleepers(1)).await;
        };
        pass(intervals.seal).await;
        let signed = newest(&node).await.expect("the first entry is signed at once");
        assert_eq!(signed.position, 1);
        pass(Duration::from_secs(60)).await;
        assert_eq!(node.verify(None).await.verified, 2);
        assert_eq!(newest(&node).await, Some(signed));
        pass(intervals.checkpoint).await;
        assert_eq!(newest(&node).await.map(|newest| newest.position), Some(2));
        node.fill(3).await;
        stop.send(()).unwrap();
        within(running).await.unwrap();
        let report = node.verify(None).await;
        assert_eq!((report.fault, report.verified, report.unanchored, report.unsealed), (None, 5, None, 0));
    }

    async fn the_checkpoint_has_an_address(db: TestDb) {
        let table = routes(open(&db).await);
        let operations: Vec<_> = table.operations().map(|operation| (operation.id, operation.path)).collect();
        assert_eq!(operations, [("getAuditCheckpoint", "/audit/checkpoint")]);
    }
}
