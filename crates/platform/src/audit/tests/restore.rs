use bothy_storage::{Database, Row, Value, params};
use bothy_testkit::{TestDb, both_databases};
use uuid::Uuid;

use super::store::{ENTRIES, KEYS, RESTORE_ENTRY, RESTORE_KEY, SET_HEAD};
use super::support::Node;
use crate::audit::store::{chain, checkpoints};
use crate::clock::ManualClock;
use crate::tests_support::open;

fn text(row: &Row, column: &str) -> Value {
    row.get::<Option<String>>(column).unwrap().into()
}
fn number(row: &Row, column: &str) -> Value {
    row.get::<Option<i64>>(column).unwrap().into()
}
fn id(row: &Row, column: &str) -> Value {
    row.get::<Option<Uuid>>(column).unwrap().into()
}
fn bytes(row: &Row, column: &str) -> Value {
    row.get::<Option<Vec<u8>>>(column).unwrap().into()
}

/// Copies the log row by row, as a dump that is read in again does.
async fn copy(from: &Database, to: &Database) {
    let reader = from.consistent_reader().await.unwrap();
    let unit = to.begin().await.unwrap();
    for row in reader.all(&KEYS, params![]).await.unwrap() {
        let key = [
            text(&row, "kid"),
            text(&row, "purpose"),
            bytes(&row, "public_key"),
            bytes(&row, "sealed_private_key"),
            number(&row, "created_at"),
        ];
        unit.execute(&RESTORE_KEY, &key).await.unwrap();
    }
    for row in reader.all(&ENTRIES, params![]).await.unwrap() {
        let row = [
            number(&row, "entry"),
            id(&row, "id"),
            number(&row, "position"),
            number(&row, "at"),
            text(&row, "actor_kind"),
            id(&row, "actor_id"),
            text(&row, "action"),
            text(&row, "effect"),
            text(&row, "reason"),
            text(&row, "resource_kind"),
            id(&row, "resource_id"),
            id(&row, "run_id"),
            id(&row, "acting_for_id"),
            text(&row, "details"),
            number(&row, "count"),
            bytes(&row, "previous_hash"),
            bytes(&row, "hash"),
        ];
        unit.execute(&RESTORE_ENTRY, &row).await.unwrap();
    }
    for checkpoint in checkpoints::between(&reader, 0, i64::MAX, 100).await.unwrap() {
        checkpoints::add(&unit, &checkpoint).await.unwrap();
    }
    let head = chain::head(&reader).await.unwrap();
    unit.execute(&SET_HEAD, params![head.position, head.hash]).await.unwrap();
    unit.commit().await.unwrap();
}

both_databases! {
    async fn a_log_goes_on_after_a_restart(db: TestDb) {
        let clock = ManualClock::default();
        let database = open(&db).await;
        let node = Node::new(&database, &clock, 1).await;
        node.fill(300).await;
        node.seal().await;
        let kept = node.checkpoint().await;
        node.fill(10).await;
        drop(node);
        database.close().await;
        drop(database);
        let node = Node::new(&open(&db).await, &clock, 2).await;
        assert_eq!(node.verify(Some(&kept)).await.unsealed, 10);
        assert_eq!(node.seal().await, 10);
        let report = node.verify(Some(&kept)).await;
        assert_eq!((report.fault, report.verified, report.anchored), (None, 310, 300));
        assert_eq!(node.checkpoint().await.kid, kept.kid);
    }

    async fn a_log_survives_a_dump_into_either_engine(db: TestDb) {
        let clock = ManualClock::default();
        let node = Node::new(&open(&db).await, &clock, 1).await;
        node.fill(300).await;
        node.seal().await;
        let kept = node.checkpoint().await;
        node.fill(10).await;
        for target in [TestDb::sqlite(), TestDb::postgres().await] {
            let database = open(&target).await;
            copy(&node.database, &database).await;
            let restored = Node::new(&database, &clock, 2).await;
            let report = restored.verify(Some(&kept)).await;
            assert_eq!((report.fault, report.verified, report.unsealed), (None, 300, 10));
            assert_eq!(restored.seal().await, 10);
            assert_eq!(restored.verify(Some(&kept)).await.verified, 310);
            assert_eq!(restored.checkpoint().await.position, 310);
        }
    }
}
