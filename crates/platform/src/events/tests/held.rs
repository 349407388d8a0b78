//! Transactions that are held open while others commit (chapter 05 section 4, case C82): nothing is lost
//! and nothing is told twice, on two nodes with sixteen writers each. `BOTHY_EVENTS` raises how many
//! events are written; a million takes some minutes.

use std::collections::BTreeSet;
use std::time::Duration;

use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::MessageId;
use bothy_storage::{Database, params, statements};
use bothy_testkit::TestDb;
use uuid::Uuid;

use super::node;
use crate::entropy::{Entropy, SeededEntropy};
use crate::events::EventLog;
use crate::tests_support::open;

statements! {
    /// What a reader with the drawn number as its cursor sees.
    DRAWN = "SELECT entry, message_id FROM events WHERE entry > $1 ORDER BY entry LIMIT 1000";
}

const WRITERS: usize = 16;
const EVENTS_A_UNIT: usize = 5;
/// How long a unit is held open at most.
const HELD: u64 = 200;

#[allow(clippy::disallowed_methods, reason = "how much a run by hand does")]
fn events() -> usize {
    std::env::var("BOTHY_EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000)
}

#[allow(clippy::disallowed_methods, reason = "transactions of a database overlap in real time only")]
async fn hold(entropy: &SeededEntropy) {
    let mut random = [0; 8];
    entropy.fill(&mut random);
    tokio::time::sleep(Duration::from_millis(u64::from_le_bytes(random) % (HELD + 1))).await;
}

async fn write(database: Database, log: EventLog, numbers: Vec<u128>, seed: u64) {
    let entropy = SeededEntropy::new(seed);
    for chunk in numbers.chunks(EVENTS_A_UNIT) {
        let unit = database.begin().await.unwrap();
        let told: Vec<NewEvent> = chunk
            .iter()
            .map(|number| NewEvent {
                message: Some(MessageId::from_uuid(Uuid::from_u128(*number))),
                ..NewEvent::new(EventKind::MessageCreated, Audience::Instance)
            })
            .collect();
        log.append(&unit, &told).await.unwrap();
        hold(&entropy).await;
        unit.commit().await.unwrap();
    }
}

/// Follows the log by its positions until it has seen so many events.
async fn follow(database: Database, log: EventLog, expected: usize) -> Vec<u128> {
    let mut woken = log.subscribe();
    let (mut cursor, mut seen) = (0, Vec::new());
    while seen.len() < expected {
        let page = log.read_after(&database.reader().await.unwrap(), cursor, 500).await.unwrap();
        assert!(page.events.iter().all(|event| event.position > cursor), "positions ascend");
        cursor = page.cursor;
        seen.extend(page.events.iter().map(|event| event.event.message.unwrap().uuid().as_u128()));
        if !page.more && seen.len() < expected {
            woken.changed().await.unwrap();
        }
    }
    seen
}

/// Reads with the drawn number as its cursor, as fast as it can, until it is told to stop.
async fn follow_drawn(database: Database, stop: tokio::sync::watch::Receiver<bool>) -> usize {
    let (mut cursor, mut seen) = (0_i64, 0);
    loop {
        let stopping = *stop.borrow();
        let rows = database.reader().await.unwrap().all(&DRAWN, params![cursor]).await.unwrap();
        seen += rows.len();
        if let Some(row) = rows.last() {
            cursor = row.get("entry").unwrap();
        }
        if rows.is_empty() && stopping {
            return seen;
        }
        tokio::task::yield_now().await;
    }
}

#[test]
fn c82_transactions_that_are_held_open_lose_nothing_where_a_drawn_number_does() {
    bothy_testkit::run(async {
        let db = TestDb::postgres().await;
        let (first, second) = (open(&db).await, open(&db).await);
        let (here, there) = (node(&first).await, node(&second).await);
        let running: Vec<_> =
            [here.clone(), there.clone()].into_iter().map(|log| tokio::spawn(async move { log.run().await })).collect();
        let expected = events();
        let all: Vec<u128> = (1..=expected as u128).collect();
        let (stop, stopping) = tokio::sync::watch::channel(false);
        let drawn = tokio::spawn(follow_drawn(first.clone(), stopping));
        let followers = [
            tokio::spawn(follow(first.clone(), here.clone(), expected)),
            tokio::spawn(follow(second.clone(), there.clone(), expected)),
        ];
        let share = all.len().div_ceil(2 * WRITERS);
        let writers: Vec<_> = all
            .chunks(share)
            .zip(0_u64..)
            .map(|(numbers, seed)| {
                let (database, log) = if seed % 2 == 0 { (&first, &here) } else { (&second, &there) };
                tokio::spawn(write(database.clone(), log.clone(), numbers.to_vec(), seed))
            })
            .collect();
        for writer in writers {
            writer.await.unwrap();
        }
        let mut orders = Vec::new();
        for follower in followers {
            let seen = follower.await.unwrap();
            assert_eq!(seen.len(), expected, "each once");
            assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), expected, "none twice");
            orders.push(seen);
        }
        assert_eq!(orders[0], orders[1], "every node tells them in one order");
        stop.send_replace(true);
        let drawn = drawn.await.unwrap();
        assert!(drawn < expected, "a cursor on the drawn number has lost none of {expected}: the test proves nothing");
        running.iter().for_each(tokio::task::JoinHandle::abort);
    });
}
