//! Pools, lost connections and wake-ups.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod common;

use std::time::Duration;

use bothy_storage::{Database, OpenOptions, StorageError, params, statements, work};
use bothy_testkit::both_databases;

use common::*;

statements! {
    SLEEP = { sqlite: "SELECT '' AS done", postgres: "SELECT CAST(pg_sleep(20) AS TEXT) AS done" };
    TERMINATE = {
        sqlite: "SELECT 0 AS count",
        postgres: "SELECT COUNT(pg_terminate_backend(pid)) AS count FROM pg_stat_activity
                   WHERE datname = current_database() AND pid <> pg_backend_pid()",
    };
    BUSY = {
        sqlite: "SELECT 0 AS count",
        postgres: "SELECT COUNT(*) AS count FROM pg_stat_activity
                   WHERE datname = current_database() AND query LIKE '%pg_sleep(20)%' AND state = 'active'
                     AND pid <> pg_backend_pid()",
    };
    JIT = { sqlite: "SELECT 'off' AS jit", postgres: "SELECT current_setting('jit') AS jit" };
    ONE = "SELECT CAST($1 AS BIGINT) AS one";
}

async fn small(db: &TestDb) -> Database {
    let options = OpenOptions { pool: 1, readers: 1, checkout: Duration::from_millis(200), ..options(db) };
    Database::open(&options).await.unwrap()
}

async fn count(database: &Database, statement: &'static bothy_storage::Statement) -> i64 {
    database.reader().await.unwrap().one(statement, params![]).await.unwrap().get("count").unwrap()
}

both_databases! {
    async fn an_exhausted_pool_is_unavailable(db: TestDb) {
        let database = small(&db).await;
        let holder = database.consistent_reader().await.unwrap();
        names(&holder).await;
        let read = async { database.reader().await?.all(&NAMES, params![]).await };
        assert!(matches!(read.await, Err(StorageError::Unavailable { .. })));
        assert!(matches!(database.consistent_reader().await, Err(StorageError::Unavailable { .. })));
        drop(holder);
        stored(&database).await;
        add_committed(&database, 1, "Lotse").await;
    }

    async fn no_statement_is_compiled_first(db: TestDb) {
        let reader = small(&db).await.reader().await.unwrap();
        assert_eq!(reader.one(&JIT, params![]).await.unwrap().get::<String>("jit").unwrap(), "off");
    }

    async fn joined_reads_share_a_connection(db: TestDb) {
        let database = small(&db).await;
        let reader = database.reader().await.unwrap();
        let values: Vec<_> = (0..20_i64).map(|number| [number.into()]).collect();
        let rows = futures::future::join_all(values.iter().map(|value| reader.one(&ONE, value))).await;
        let found: Vec<i64> = rows.into_iter().map(|row| row.unwrap().get("one").unwrap()).collect();
        assert_eq!(found, (0..20).collect::<Vec<_>>());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn lost_connections_are_errors_and_the_pool_recovers() {
    let db = TestDb::postgres().await;
    let (database, operator) = (open(&db).await, open(&db).await);
    add_committed(&database, 1, "Lotse").await;
    let unit = database.begin().await.unwrap();
    let reader = database.reader().await.unwrap();
    add(&unit, 2, "Texter").await.unwrap();
    names(&reader).await;
    assert!(count(&operator, &TERMINATE).await >= 2);
    pause(50).await;
    assert!(matches!(add(&unit, 3, "Runner").await, Err(StorageError::Unavailable { .. })));
    assert!(matches!(reader.all(&NAMES, params![]).await, Err(StorageError::Unavailable { .. })));
    drop((unit, reader));
    for number in 10..30 {
        add_committed(&database, number, &format!("{number}")).await;
    }
    assert_eq!(stored(&database).await.len(), 21);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_abandoned_statement_is_cancelled_and_blocks_nobody() {
    let db = TestDb::postgres().await;
    let (database, operator) = (small(&db).await, open(&db).await);
    cut_short(200, async { database.reader().await.unwrap().all(&SLEEP, params![]).await }).await;
    cut_short(200, async { database.begin().await.unwrap().all(&SLEEP, params![]).await }).await;
    stored(&database).await;
    for _ in 0..100 {
        if count(&operator, &BUSY).await == 0 {
            return;
        }
        pause(20).await;
    }
    panic!("the server still works for nobody");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_unit_with_an_abandoned_statement_cannot_commit() {
    let db = TestDb::postgres().await;
    let database = open(&db).await;
    let unit = database.begin().await.unwrap();
    add(&unit, 1, "Lotse").await.unwrap();
    cut_short(100, unit.all(&SLEEP, params![])).await;
    assert_eq!(unit.commit().await, Err(StorageError::Aborted));
    assert!(stored(&database).await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn deadlocks_are_retried() {
    let db = TestDb::postgres().await;
    let database = open(&db).await;
    add_committed(&database, 1, "Lotse").await;
    add_committed(&database, 2, "Texter").await;
    let bump = |first: u128, second: u128| {
        let database = database.clone();
        tokio::spawn(async move {
            for _ in 0..3 {
                let result: Result<(), StorageError> = database
                    .transact(|unit| {
                        work(async move {
                            unit.returning_one(&BUMP, params![id(first)]).await?;
                            pause(20).await;
                            unit.returning_one(&BUMP, params![id(second)]).await.map(drop)
                        })
                    })
                    .await;
                result.unwrap();
            }
        })
    };
    let (one, two) = (bump(1, 2), bump(2, 1));
    one.await.unwrap();
    two.await.unwrap();
    let row = database.reader().await.unwrap().one(&RANK, params![id(1)]).await.unwrap();
    assert_eq!(row.get::<i64>("rank"), Ok(7));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn wake_ups_arrive_also_after_a_lost_connection() {
    let db = TestDb::postgres().await;
    let (database, operator) = (open(&db).await, open(&db).await);
    let mut listener = database.listen("bothy_events");
    // The first one says that it listens now.
    listener.recv().await;
    database.notify("bothy_events").await.unwrap();
    listener.recv().await;
    cut_short(100, listener.recv()).await;
    database.notify("bothy_other").await.unwrap();
    cut_short(100, listener.recv()).await;
    count(&operator, &TERMINATE).await;
    listener.recv().await;
    operator.notify("bothy_events").await.unwrap();
    listener.recv().await;
}

#[tokio::test]
async fn sqlite_has_nobody_to_wake() {
    let db = TestDb::sqlite();
    let database = open(&db).await;
    let mut listener = database.listen("bothy_events");
    database.notify("bothy_events").await.unwrap();
    cut_short(50, listener.recv()).await;
}
