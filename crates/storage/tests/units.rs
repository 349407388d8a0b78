//! Units of work and readers.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod common;

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bothy_storage::{Database, Engine, Reader, RetryHint, StorageError, UnitOfWork, params, statements, work};
use bothy_testkit::both_databases;

use common::*;

statements! {
    SLOW = {
        sqlite: "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3000000)
                 SELECT CAST(COUNT(*) AS TEXT) AS done FROM n",
        postgres: "SELECT CAST(pg_sleep(20) AS TEXT) AS done",
    };
}

/// An error of a use case, as the crates above have them.
#[derive(Debug, PartialEq)]
enum Refusal {
    Taken,
    Storage(StorageError),
}

impl From<StorageError> for Refusal {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

impl RetryHint for Refusal {
    fn is_retryable(&self) -> bool {
        matches!(self, Self::Storage(error) if error.is_retryable())
    }
}

fn send<T: Send>(value: T) -> T {
    value
}

/// What handlers hold across awaits and share between joined futures.
const fn shared<T: Send + Sync>() {}
const _: () = {
    shared::<Database>();
    shared::<Reader>();
    shared::<UnitOfWork>();
};

fn counter() -> (Arc<AtomicU32>, impl Fn() -> u32) {
    let counter = Arc::new(AtomicU32::new(0));
    let read = Arc::clone(&counter);
    (counter, move || read.load(Ordering::SeqCst))
}

fn raise(counter: &AtomicU32) {
    counter.fetch_add(1, Ordering::SeqCst);
}

both_databases! {
    async fn a_commit_keeps_and_shows(db: TestDb) {
        let database = open(&db).await;
        assert_eq!(database.engine(), if db.is_postgres() { Engine::Postgres } else { Engine::Sqlite });
        database.ping().await.unwrap();
        let unit = database.begin().await.unwrap();
        add(&unit, 1, "Lotse").await.unwrap();
        assert_eq!(names(&unit).await, ["Lotse"]);
        assert!(stored(&database).await.is_empty(), "nobody else sees it before the commit");
        unit.commit().await.unwrap();
        assert_eq!(stored(&database).await, ["Lotse"]);
    }

    async fn dropping_rolls_back(db: TestDb) {
        let database = open(&db).await;
        for _ in 0..20 {
            let unit = database.begin().await.unwrap();
            add(&unit, 1, "Lotse").await.unwrap();
            drop(unit);
        }
        let unit = database.begin().await.unwrap();
        assert!(names(&unit).await.is_empty());
        assert!(stored(&database).await.is_empty());
    }

    async fn cancelling_rolls_back(db: TestDb) {
        let database = open(&db).await;
        cut_short(300, async {
            let unit = database.begin().await.unwrap();
            add(&unit, 1, "Lotse").await.unwrap();
            if db.is_postgres() {
                unit.all(&SLOW, params![]).await.unwrap();
            } else {
                pending::<()>().await;
            }
        })
        .await;
        // Neither rows nor locks are left.
        add_committed(&database, 1, "Texter").await;
        assert_eq!(stored(&database).await, ["Texter"]);
        for _ in 0..20 {
            assert_eq!(names(&database.begin().await.unwrap()).await, ["Texter"]);
        }
    }

    async fn a_failed_statement_fails_the_unit(db: TestDb) {
        let database = open(&db).await;
        add_committed(&database, 1, "Lotse").await;
        let (ran, count) = counter();
        let unit = database.begin().await.unwrap();
        unit.on_commit(move || raise(&ran));
        add(&unit, 2, "Texter").await.unwrap();
        add(&unit, 3, "Lotse").await.unwrap_err();
        assert_eq!(add(&unit, 4, "Runner").await, Err(StorageError::Aborted));
        assert!(matches!(unit.all(&NAMES, params![]).await, Err(StorageError::Aborted)));
        assert_eq!(unit.commit().await, Err(StorageError::Aborted));
        assert_eq!(stored(&database).await, ["Lotse"]);
        assert_eq!(count(), 0);
    }

    async fn hooks_follow_a_commit_only(db: TestDb) {
        let database = open(&db).await;
        let (ran, count) = counter();
        let hook = |unit: &UnitOfWork| {
            let ran = Arc::clone(&ran);
            unit.on_commit(move || raise(&ran));
        };
        let unit = database.begin().await.unwrap();
        hook(&unit);
        drop(unit);
        let unit = database.begin().await.unwrap();
        hook(&unit);
        unit.rollback().await.unwrap();
        assert_eq!(count(), 0);
        let unit = database.begin().await.unwrap();
        hook(&unit);
        hook(&unit);
        unit.on_commit(|| panic!("a hook that panics harms nobody"));
        add(&unit, 1, "Lotse").await.unwrap();
        assert_eq!(count(), 0);
        unit.commit().await.unwrap();
        assert_eq!(count(), 2);
        add_committed(&database, 2, "Texter").await;
    }

    async fn a_commit_whose_caller_is_cancelled_is_whole(db: TestDb) {
        let database = open(&db).await;
        let (ran, count) = counter();
        for number in 0..50 {
            let unit = database.begin().await.unwrap();
            add(&unit, number, &format!("name {number}")).await.unwrap();
            let ran = Arc::clone(&ran);
            unit.on_commit(move || raise(&ran));
            // Polled once, then dropped.
            let commit = unit.commit();
            tokio::select! { biased; _ = commit => {}, () = std::future::ready(()) => {} }
        }
        for _ in 0..100 {
            if count() == 50 {
                break;
            }
            pause(20).await;
        }
        assert_eq!(count(), 50);
        assert_eq!(stored(&database).await.len(), 50);
    }

    async fn transact_commits_or_undoes(db: TestDb) {
        let database = open(&db).await;
        let name = &String::from("Lotse");
        let made: Result<u64, Refusal> = database.transact(|unit| work(async move { Ok(add(unit, 1, name).await?) })).await;
        assert_eq!(made, Ok(1));
        let refused: Result<(), Refusal> = database
            .transact(|unit| {
                work(async move {
                    add(unit, 2, "Texter").await?;
                    Err(Refusal::Taken)
                })
            })
            .await;
        assert_eq!(refused, Err(Refusal::Taken));
        assert_eq!(stored(&database).await, ["Lotse"]);
    }

    async fn transact_runs_again_after_a_conflict(db: TestDb) {
        let database = open(&db).await;
        let mut tries = 0;
        let result: Result<(), Refusal> = database
            .transact(|unit| {
                tries += 1;
                let number = tries;
                work(async move {
                    add(unit, number, "Lotse").await?;
                    if number < 4 { Err(StorageError::Retry { statement: "TEST" }.into()) } else { Ok(()) }
                })
            })
            .await;
        assert_eq!((result, tries), (Ok(()), 4));
        assert_eq!(stored(&database).await, ["Lotse"]);
        let mut tries = 0;
        let result: Result<(), StorageError> = database
            .transact(|_| {
                tries += 1;
                work(async { Err(StorageError::Retry { statement: "TEST" }) })
            })
            .await;
        assert!(result.is_err());
        assert_eq!(tries, 6);
    }

    async fn its_future_can_be_spawned(db: TestDb) {
        let database = open(&db).await;
        let name = Arc::new(String::from("Lotse"));
        let task = tokio::spawn(send(async move {
            let reference = &name;
            let number = 1;
            let made = send(database.transact(|unit| {
                work(async move {
                    add(unit, number, reference).await?;
                    let (one, two) = futures::future::join(names(unit), names(unit)).await;
                    assert_eq!(one, two);
                    Ok::<_, Refusal>(one)
                })
            }))
            .await;
            assert_eq!(made, Ok(vec!["Lotse".to_owned()]));
        }));
        task.await.unwrap();
    }

    async fn counters_lose_nothing(db: TestDb) {
        async fn bump(database: Database) {
            for _ in 0..10 {
                let result: Result<(), StorageError> =
                    database
                        .transact(|unit| work(async move { unit.returning_one(&BUMP, params![id(1)]).await.map(drop) }))
                        .await;
                result.unwrap();
            }
        }
        let database = open(&db).await;
        add_committed(&database, 1, "Lotse").await;
        let tasks: Vec<_> = (0..8).map(|_| tokio::spawn(bump(database.clone()))).collect();
        for task in tasks {
            task.await.unwrap();
        }
        let row = database.reader().await.unwrap().one(&RANK, params![id(1)]).await.unwrap();
        assert_eq!(row.get::<i64>("rank"), Ok(81));
    }

    async fn a_consistent_reader_sees_one_snapshot(db: TestDb) {
        let database = open(&db).await;
        let before = database.consistent_reader().await.unwrap();
        let newest = database.reader().await.unwrap();
        assert!(names(&before).await.is_empty());
        add_committed(&database, 1, "Lotse").await;
        assert!(names(&before).await.is_empty());
        assert_eq!(names(&newest).await, ["Lotse"]);
        assert!(before.all_long(&NAMES, vec![]).await.unwrap().is_empty());
        drop(before);
        // Its connection is used again, without the old snapshot.
        for _ in 0..20 {
            assert_eq!(names(&database.consistent_reader().await.unwrap()).await, ["Lotse"]);
            assert_eq!(stored(&database).await, ["Lotse"]);
        }
    }

    async fn a_long_read_leaves_the_workers_alone(db: TestDb) {
        let database = open(&db).await;
        let reader = database.reader().await.unwrap();
        let long = reader.all_long(&SLOW, vec![]);
        let short = async {
            for number in 0..5 {
                add_committed(&database, number, &format!("{number}")).await;
            }
            stored(&database).await.len()
        };
        tokio::select! {
            _ = long => panic!("the long read ended first"),
            count = short => assert_eq!(count, 5),
        }
    }

    async fn closing_refuses_new_work(db: TestDb) {
        let database = open(&db).await;
        add_committed(&database, 1, "Lotse").await;
        database.close().await;
        assert!(matches!(database.begin().await, Err(StorageError::Unavailable { .. })));
        let read = async { database.reader().await?.all(&NAMES, params![]).await };
        assert!(matches!(read.await, Err(StorageError::Unavailable { .. })));
        // The file is free for the next process, and what was committed is in it.
        assert_eq!(stored(&open(&db).await).await, ["Lotse"]);
    }
}
