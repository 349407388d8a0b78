use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::{MessageId, PrincipalId, RunId, SpaceId, ThreadId};
use bothy_storage::{params, prepare_all, statements};
use bothy_testkit::both_databases;
use futures::FutureExt;
use uuid::Uuid;

use super::{append, channel, event, node, numbers};
use crate::events::{Page, store};
use crate::tests_support::{open, within};

statements! {
    /// What a newer version of the server may write.
    FROM_THE_FUTURE = "UPDATE events SET kind = 'weather.changed' WHERE position = $1";
}

both_databases! {
    async fn every_statement_is_understood(db: TestDb) {
        assert_eq!(format!("{:?}", prepare_all(&open(&db).await, store::STATEMENTS).await), "Ok(())");
    }

    async fn an_event_is_read_as_it_was_written(db: TestDb) {
        let database = open(&db).await;
        let log = node(&database).await;
        let space = SpaceId::from_uuid(Uuid::from_u128(2));
        let full = NewEvent {
            space: Some(space),
            channel: Some(channel(3)),
            thread: Some(ThreadId::from_uuid(Uuid::from_u128(4))),
            message: Some(MessageId::from_uuid(Uuid::from_u128(5))),
            run: Some(RunId::from_uuid(Uuid::from_u128(6))),
            ..NewEvent::new(EventKind::MessageCreated, Audience::Channel(channel(3)))
        };
        let own = NewEvent::new(EventKind::NoticeCreated, Audience::Principal(PrincipalId::from_uuid(Uuid::from_u128(7))));
        append(&database, &log, &[full, own, event(1)]).await;
        log.sequence().await.unwrap();
        let reader = database.reader().await.unwrap();
        let page = log.read_after(&reader, 0, 10).await.unwrap();
        assert_eq!(page.events.iter().map(|event| event.event).collect::<Vec<_>>(), [full, own, event(1)]);
        assert_eq!(page.events.iter().map(|event| event.position).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(log.head(&reader).await.unwrap(), 3);
        assert_eq!((page.cursor, page.more), (3, false));
    }

    async fn pages_join_without_gap_or_overlap(db: TestDb) {
        let database = open(&db).await;
        let log = node(&database).await;
        for first in [1, 4, 7] {
            append(&database, &log, &[event(first), event(first + 1), event(first + 2)]).await;
        }
        log.sequence().await.unwrap();
        let reader = database.reader().await.unwrap();
        for limit in 1..=10 {
            let mut cursor = 0;
            let mut seen = Vec::new();
            loop {
                let page = log.read_after(&reader, cursor, limit).await.unwrap();
                seen.extend(page.events.iter().map(|event| event.position));
                cursor = page.cursor;
                if !page.more {
                    break;
                }
            }
            assert_eq!(seen, (1..=9).collect::<Vec<_>>());
            assert_eq!(cursor, 9);
        }
        let nothing = Page { events: Vec::new(), cursor: 9, more: false };
        assert_eq!(log.read_after(&reader, 9, 5).await.unwrap(), nothing);
        assert_eq!(log.read_after(&reader, 99, 5).await.unwrap(), Page { cursor: 99, ..nothing });
    }

    async fn what_is_rolled_back_leaves_neither_event_nor_gap(db: TestDb) {
        let database = open(&db).await;
        let log = node(&database).await;
        let mut woken = log.subscribe();
        let unit = database.begin().await.unwrap();
        log.append(&unit, &[event(1), event(2)]).await.unwrap();
        drop(unit);
        append(&database, &log, &[]).await;
        log.sequence().await.unwrap();
        assert!(woken.changed().now_or_never().is_none());
        append(&database, &log, &[event(3)]).await;
        log.sequence().await.unwrap();
        assert_eq!(*woken.borrow_and_update(), 1);
        assert_eq!(numbers(&database, &log, 0).await, [3]);
    }

    async fn readers_are_woken_after_the_commit(db: TestDb) {
        let database = open(&db).await;
        let log = node(&database).await;
        let running = { let log = log.clone(); tokio::spawn(async move { log.run().await }) };
        let mut woken = log.subscribe();
        let unit = database.begin().await.unwrap();
        log.append(&unit, &[event(1)]).await.unwrap();
        assert!(!woken.has_changed().unwrap());
        unit.commit().await.unwrap();
        within(woken.changed()).await.unwrap();
        assert_eq!(*woken.borrow(), 1);
        assert_eq!(numbers(&database, &log, 0).await, [1]);
        running.abort();
    }

    async fn a_log_that_is_opened_again_goes_on(db: TestDb) {
        let database = open(&db).await;
        let log = node(&database).await;
        append(&database, &log, &[event(1)]).await;
        log.sequence().await.unwrap();
        let again = node(&database).await;
        assert_eq!(*again.subscribe().borrow(), 1);
        append(&database, &again, &[event(2)]).await;
        again.sequence().await.unwrap();
        assert_eq!(numbers(&database, &log, 0).await, [1, 2]);
        assert_eq!(format!("{again:?}"), "EventLog(head 2)");
    }

    async fn events_of_a_newer_version_are_passed_over(db: TestDb) {
        let database = open(&db).await;
        let log = node(&database).await;
        append(&database, &log, &[event(1), event(2), event(3)]).await;
        log.sequence().await.unwrap();
        let unit = database.begin().await.unwrap();
        unit.execute(&FROM_THE_FUTURE, params![2_i64]).await.unwrap();
        unit.commit().await.unwrap();
        assert_eq!(numbers(&database, &log, 0).await, [1, 3]);
        let page = log.read_after(&database.reader().await.unwrap(), 1, 1).await.unwrap();
        assert_eq!((page.events.len(), page.cursor, page.more), (0, 2, true));
    }
}
