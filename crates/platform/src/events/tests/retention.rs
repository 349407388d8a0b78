//! Events are kept for a time, and the log says from where on it is whole.

use std::sync::Arc;
use std::time::Duration;

use bothy_testkit::both_databases;

use super::{append, event, numbers};
use crate::clock::{Clock as _, ManualClock};
use crate::events::EventLog;
use crate::tests_support::open;

both_databases! {
    async fn the_oldest_events_go_and_the_floor_says_so(db: TestDb) {
        let database = open(&db).await;
        let clock = ManualClock::default();
        let log = EventLog::open(database.clone(), Arc::new(clock.clone())).await.unwrap();
        let begun = clock.now();
        for number in 1..=4 {
            append(&database, &log, &[event(number)]).await;
            log.sequence().await.unwrap();
            clock.advance(Duration::from_secs(60));
        }
        let floor = async || log.floor(&database.reader().await.unwrap()).await.unwrap();
        assert_eq!(log.retain_since(begun).await.unwrap(), 0);
        assert_eq!(floor().await, 0);
        assert_eq!(log.retain_since(begun.plus(Duration::from_secs(61))).await.unwrap(), 2);
        assert_eq!(floor().await, 2);
        assert_eq!(numbers(&database, &log, 0).await, [3, 4]);
        // Nothing comes back, and what is written afterwards stands behind everything before.
        assert_eq!(log.retain_since(begun).await.unwrap(), 0);
        assert_eq!(log.retain_since(clock.now()).await.unwrap(), 2);
        append(&database, &log, &[event(5)]).await;
        log.sequence().await.unwrap();
        assert_eq!(floor().await, 4);
        assert_eq!(numbers(&database, &log, 4).await, [5]);
    }

    /// A younger event in front keeps an older one behind it: the log is cut at its beginning only.
    async fn the_log_is_cut_at_its_beginning_only(db: TestDb) {
        let database = open(&db).await;
        let clock = ManualClock::default();
        let slow = ManualClock::default();
        let log = EventLog::open(database.clone(), Arc::new(clock.clone())).await.unwrap();
        let behind = EventLog::open(database.clone(), Arc::new(slow.clone())).await.unwrap();
        clock.advance(Duration::from_secs(60));
        append(&database, &log, &[event(1)]).await;
        append(&database, &behind, &[event(2)]).await;
        log.sequence().await.unwrap();
        assert_eq!(log.retain_since(clock.now()).await.unwrap(), 0);
        assert_eq!(numbers(&database, &log, 0).await, [1, 2]);
        // Several nodes may cut at once.
        let later = clock.now().plus(Duration::from_secs(1));
        let (one, two) = tokio::join!(log.retain_since(later), behind.retain_since(later));
        assert_eq!(one.unwrap() + two.unwrap(), 2);
    }
}
