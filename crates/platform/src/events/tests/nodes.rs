//! What a plain sequence loses and the log does not (chapter 05 section 4, case C82).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::{MessageId, ThreadId};
use bothy_storage::{Database, UnitOfWork, params, statements};
use bothy_testkit::{TestDb, both_databases};
use uuid::Uuid;

use super::{append, event, node, numbers};
use crate::clock::ManualClock;
use crate::events::EventLog;
use crate::tests_support::{open, within};

statements! {
    /// What a reader with a plain sequence as its cursor would see.
    PLAIN = "SELECT entry FROM events WHERE entry > $1 ORDER BY entry";
    /// Locks a thread and takes the next number in it, as writing a message does.
    NEXT_IN_THREAD = "INSERT INTO audit_pending (aggregate_key, window_ends_at, entry_json, count) VALUES ($1, 0, '', 1) \
        ON CONFLICT (aggregate_key) DO UPDATE SET count = audit_pending.count + 1 RETURNING count";
}

async fn plain(database: &Database, cursor: i64) -> Vec<i64> {
    let rows = database.reader().await.unwrap().all(&PLAIN, params![cursor]).await.unwrap();
    rows.iter().map(|row| row.get("entry").unwrap()).collect()
}

#[test]
fn a_transaction_that_is_held_open_loses_nothing_on_postgresql() {
    bothy_testkit::run(async {
        let db = TestDb::postgres().await;
        let (first, second) = (open(&db).await, open(&db).await);
        let (here, there) = (node(&first).await, node(&second).await);
        let held = first.begin().await.unwrap();
        here.append(&held, &[event(1)]).await.unwrap();
        append(&second, &there, &[event(2)]).await;
        there.sequence().await.unwrap();
        // A reader that goes by the drawn number sees the second event and moves on past the first.
        assert_eq!(plain(&second, 0).await, [2]);
        let page = there.read_after(&second.reader().await.unwrap(), 0, 10).await.unwrap();
        assert_eq!(page.events.len(), 1);
        held.commit().await.unwrap();
        assert!(plain(&second, 2).await.is_empty(), "the plain cursor has lost it");
        here.sequence().await.unwrap();
        assert_eq!(numbers(&second, &there, page.cursor).await, [1]);
        assert_eq!(numbers(&second, &there, 0).await, [2, 1]);
    });
}

#[test]
fn what_a_dead_node_committed_is_numbered_by_another_on_its_timer() {
    bothy_testkit::run(async {
        let db = TestDb::postgres().await;
        let (first, second) = (open(&db).await, open(&db).await);
        let dead = node(&first).await;
        let clock = ManualClock::default();
        let alive = EventLog::open(second.clone(), Arc::new(clock.clone())).await.unwrap();
        let running = {
            let alive = alive.clone();
            tokio::spawn(async move { alive.run().await })
        };
        let mut woken = alive.subscribe();
        // Neither the own commit nor a notification tells the node that lives.
        append(&first, &dead, &[event(1)]).await;
        let seen = async {
            while *woken.borrow_and_update() < 1 {
                clock.until_sleepers(1).await;
                clock.advance(Duration::from_secs(2));
                tokio::task::yield_now().await;
            }
        };
        within(seen).await;
        assert_eq!(numbers(&second, &alive, 0).await, [1]);
        running.abort();
    });
}

#[test]
fn nodes_tell_each_other() {
    bothy_testkit::run(async {
        let db = TestDb::postgres().await;
        let (first, second) = (open(&db).await, open(&db).await);
        let (here, there) = (node(&first).await, node(&second).await);
        let running: Vec<_> =
            [here.clone(), there.clone()].into_iter().map(|log| tokio::spawn(async move { log.run().await })).collect();
        let mut woken = there.subscribe();
        for number in 1..=5 {
            append(&first, &here, &[event(number)]).await;
            let seen = async { woken.wait_for(|head| u128::try_from(*head).unwrap() >= number).await.map(drop) };
            within(seen).await.unwrap();
        }
        assert_eq!(numbers(&second, &there, 0).await, [1, 2, 3, 4, 5]);
        running.iter().for_each(tokio::task::JoinHandle::abort);
    });
}

const WRITERS: u128 = 16;
const UNITS: u128 = 12;
const THREADS: u128 = 5;

/// An event whose message id says which number it has in its thread.
async fn write(unit: &UnitOfWork, log: &EventLog, thread: u128) {
    let row = unit.returning_one(&NEXT_IN_THREAD, params![thread.to_be_bytes()]).await.unwrap();
    let number: i64 = row.get("count").unwrap();
    let told = NewEvent {
        thread: Some(ThreadId::from_uuid(Uuid::from_u128(thread))),
        message: Some(MessageId::from_uuid(Uuid::from_u128(number.try_into().unwrap()))),
        ..NewEvent::new(EventKind::MessageCreated, Audience::Instance)
    };
    log.append(unit, &[told]).await.unwrap();
}

/// Every third unit is rolled back.
async fn writer(database: Database, log: EventLog, writer: u128) {
    for number in 0..UNITS {
        let unit = database.begin().await.unwrap();
        write(&unit, &log, (writer + number) % THREADS).await;
        tokio::task::yield_now().await;
        if number % 3 == 2 {
            drop(unit);
        } else {
            unit.commit().await.unwrap();
        }
    }
}

/// Follows the log by its wake-ups until it has seen `expected` events.
async fn follow(database: Database, log: EventLog, expected: usize) -> Vec<(i64, u128, u128)> {
    let mut woken = log.subscribe();
    let mut cursor = 0;
    let mut seen = Vec::new();
    while seen.len() < expected {
        let page = log.read_after(&database.reader().await.unwrap(), cursor, 7).await.unwrap();
        cursor = page.cursor;
        seen.extend(page.events.iter().map(|event| {
            let (thread, message) = (event.event.thread.unwrap(), event.event.message.unwrap());
            (event.position, thread.uuid().as_u128(), message.uuid().as_u128())
        }));
        if !page.more && seen.len() < expected {
            woken.changed().await.unwrap();
        }
    }
    seen
}

both_databases! {
    async fn many_writers_lose_and_double_nothing_and_threads_keep_their_order(db: TestDb) {
        let first = open(&db).await;
        // SQLite has one node.
        let second = if db.is_postgres() { open(&db).await } else { first.clone() };
        let here = node(&first).await;
        let there = if db.is_postgres() { node(&second).await } else { here.clone() };
        let running: Vec<_> = [here.clone(), there.clone()].into_iter().map(|log| tokio::spawn(async move { log.run().await })).collect();
        let expected = usize::try_from(2 * WRITERS * UNITS * 2 / 3).unwrap();
        let followers = [
            tokio::spawn(follow(first.clone(), here.clone(), expected)),
            tokio::spawn(follow(second.clone(), there.clone(), expected)),
        ];
        let writers: Vec<_> = (0..WRITERS)
            .flat_map(|number| [(first.clone(), here.clone(), number), (second.clone(), there.clone(), number + 1)])
            .map(|(database, log, number)| tokio::spawn(writer(database, log, number)))
            .collect();
        for writer in writers {
            writer.await.unwrap();
        }
        for follower in followers {
            let seen = within(follower).await.unwrap();
            assert_eq!(seen.len(), expected);
            assert!(seen.is_sorted_by(|left, right| left.0 < right.0), "positions ascend");
            let mut threads: BTreeMap<u128, Vec<u128>> = BTreeMap::new();
            for (_, thread, number) in seen {
                threads.entry(thread).or_default().push(number);
            }
            for numbers in threads.values() {
                assert_eq!(*numbers, (1..=numbers.len() as u128).collect::<Vec<_>>());
            }
        }
        let page = here.read_after(&first.reader().await.unwrap(), 0, 100_000).await.unwrap();
        assert_eq!(page.events.len(), expected);
        running.iter().for_each(tokio::task::JoinHandle::abort);
    }
}
