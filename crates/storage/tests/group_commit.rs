//! The writer of SQLite.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bothy_storage::{Database, StorageError, UnitOfWork, params, statements};
use tokio::task::JoinHandle;

use common::*;

statements! {
    CLEAR = "DELETE FROM items";
    UNDO_ALL = { sqlite: "ROLLBACK", postgres: "ROLLBACK" };
    SMALL = { sqlite: "PRAGMA max_page_count = 40", postgres: "SELECT 1" };
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_share_commits_and_are_acknowledged_after_them() {
    let db = TestDb::sqlite();
    let database = open(&db).await;
    let start = database.commits().unwrap();
    let done = Arc::new(AtomicU64::new(0));
    let tasks: Vec<_> = (0..64_u128)
        .map(|writer| {
            let (database, done) = (database.clone(), Arc::clone(&done));
            tokio::spawn(async move {
                for number in 0..20_u128 {
                    let name = format!("{writer} {number}");
                    let before = database.commits().unwrap();
                    let unit = database.begin().await.unwrap();
                    add(&unit, writer * 1000 + number, &name).await.unwrap();
                    unit.commit().await.unwrap();
                    assert!(database.commits().unwrap() >= before);
                    // Another connection sees it: the transaction really ended before the answer.
                    assert!(stored(&database).await.contains(&name));
                    done.fetch_add(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let commits = database.commits().unwrap() - start;
    assert_eq!(done.load(Ordering::SeqCst), 1280);
    assert!(commits < 1280 / 2, "{commits} commits for 1280 units of work");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_failed_unit_does_not_harm_its_group() {
    let db = TestDb::sqlite();
    let database = open(&db).await;
    add_committed(&database, 0, "taken").await;
    let tasks: Vec<_> = (1..200_u128)
        .map(|number| {
            let database = database.clone();
            tokio::spawn(async move {
                let unit = database.begin().await?;
                add(&unit, number, &format!("{number:03}")).await?;
                match number % 4 {
                    0 => add(&unit, number + 1000, "taken").await.map(drop),
                    1 => {
                        drop(unit);
                        Ok(())
                    }
                    2 => unit.rollback().await,
                    _ => unit.commit().await,
                }
            })
        })
        .collect();
    for (number, task) in (1..200).zip(tasks) {
        assert_eq!(task.await.unwrap().is_err(), number % 4 == 0, "{number}");
    }
    let expected: Vec<String> = (1..200)
        .filter(|number| number % 4 == 3)
        .map(|number| format!("{number:03}"))
        .chain(["taken".to_owned()])
        .collect();
    assert_eq!(stored(&database).await, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn waiting_units_can_be_cancelled() {
    let db = TestDb::sqlite();
    let database = open(&db).await;
    let holder = database.begin().await.unwrap();
    let waiting: Vec<_> = (0..50)
        .map(|_| {
            let database = database.clone();
            tokio::spawn(async move { database.begin().await.map(drop) })
        })
        .collect();
    pause(50).await;
    for task in waiting.iter().step_by(2) {
        task.abort();
    }
    drop(holder);
    for task in waiting {
        assert!(matches!(task.await, Ok(Ok(())) | Err(_)));
    }
    add_committed(&database, 1, "Lotse").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_busy_writer_is_unavailable_after_a_while() {
    let db = TestDb::sqlite();
    let database =
        Database::open(&bothy_storage::OpenOptions { checkout: std::time::Duration::from_millis(100), ..options(&db) })
            .await
            .unwrap();
    let holder = database.begin().await.unwrap();
    assert!(matches!(database.begin().await, Err(StorageError::Unavailable { .. })));
    add(&holder, 1, "Lotse").await.unwrap();
    holder.commit().await.unwrap();
    add_committed(&database, 2, "Texter").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_full_disk_is_reported_and_loses_nothing_that_was_acknowledged() {
    let db = TestDb::sqlite();
    let database = open(&db).await;
    let unit = database.begin().await.unwrap();
    unit.all(&SMALL, params![]).await.unwrap();
    unit.commit().await.unwrap();
    let tasks: Vec<_> = (0..64_u128)
        .map(|number| {
            let database = database.clone();
            tokio::spawn(async move {
                let unit = database.begin().await?;
                let name = format!("{number:03}{}", "x".repeat(6000));
                add(&unit, number, &name).await?;
                unit.commit().await.map(|()| name)
            })
        })
        .collect();
    let mut acknowledged = Vec::new();
    let mut full = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(name) => acknowledged.push(name),
            Err(error) => {
                assert_eq!(error, StorageError::Full);
                full += 1;
            }
        }
    }
    acknowledged.sort();
    assert!(full > 0 && !acknowledged.is_empty(), "{full} {}", acknowledged.len());
    assert_eq!(stored(&database).await, acknowledged);
    database.close().await;
    assert_eq!(stored(&open(&db).await).await, acknowledged);
}

/// Opens two units in one group: the first one has ended and waits for the commit, the second one
/// holds the writer.
async fn two_in_a_group(database: &Database) -> (JoinHandle<Result<(), StorageError>>, UnitOfWork) {
    loop {
        let before = database.commits();
        let first = database.begin().await.unwrap();
        add(&first, 1, "first").await.unwrap();
        let mut second = Box::pin(database.begin());
        assert!(futures::poll!(&mut second).is_pending());
        let mut commit = Box::pin(first.commit());
        assert!(futures::poll!(&mut commit).is_pending());
        let second = second.await.unwrap();
        // On a slow machine the group may have been committed for its age.
        if database.commits() == before {
            return (tokio::spawn(commit), second);
        }
        commit.await.unwrap();
        second.execute(&CLEAR, params![]).await.unwrap();
        second.commit().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_refusal_waits_until_what_it_rests_on_is_durable() {
    let db = TestDb::sqlite();
    let database = open(&db).await;
    let (first, second) = two_in_a_group(&database).await;
    assert_eq!(names(&second).await, ["first"]);
    pause(50).await;
    assert!(!first.is_finished(), "it must not be acknowledged before its commit");
    assert!(stored(&database).await.is_empty());
    second.rollback().await.unwrap();
    assert_eq!(stored(&database).await, ["first"]);
    first.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn dropping_a_unit_commits_those_before_it() {
    let db = TestDb::sqlite();
    let database = open(&db).await;
    let (first, second) = two_in_a_group(&database).await;
    add(&second, 2, "second").await.unwrap();
    drop(second);
    first.await.unwrap().unwrap();
    assert_eq!(stored(&database).await, ["first"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_lost_group_is_acknowledged_to_nobody() {
    let db = TestDb::sqlite();
    let database = open(&db).await;
    let (first, second) = two_in_a_group(&database).await;
    second.execute(&UNDO_ALL, params![]).await.unwrap();
    second.commit().await.unwrap_err();
    first.await.unwrap().unwrap_err();
    assert!(stored(&database).await.is_empty());
    add_committed(&database, 3, "third").await;
    assert_eq!(stored(&database).await, ["third"]);
}
