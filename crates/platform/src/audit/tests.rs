mod aggregation;
mod concurrency;
mod duties;
mod export;
mod restore;
mod store;
mod support;
mod tampering;

use std::sync::Arc;
use std::time::Duration;

use bothy_domain::action::Action;
use bothy_domain::actor::PrincipalKind;
use bothy_domain::audit::{AuditActor, AuditEntry, Effect};
use bothy_domain::ids::{AnyId, PrincipalId, RunId};
use bothy_domain::policy::Reason;
use bothy_storage::prepare_all;
use bothy_testkit::both_databases;
use uuid::Uuid;

use super::{AuditFilter, AuditLog, StoredAuditEntry, store as stored};
use crate::clock::{Clock, ManualClock};
use crate::entropy::{IdSource, SeededEntropy};
use crate::tests_support::open;

fn log() -> (ManualClock, AuditLog) {
    let clock = ManualClock::default();
    let shared = Arc::new(clock.clone());
    (clock, AuditLog::new(shared.clone(), IdSource::new(shared, Arc::new(SeededEntropy::new(1)))))
}

fn principal(number: u128) -> PrincipalId {
    PrincipalId::from_uuid(Uuid::from_u128(number))
}

fn entry(actor: AuditActor, effect: Effect) -> AuditEntry {
    AuditEntry { actor, effect, ..AuditEntry::by_server(Action::MessageRead, None, "test") }
}

fn by(number: u128, effect: Effect) -> AuditEntry {
    entry(AuditActor::Principal(PrincipalKind::Agent, principal(number)), effect)
}

fn ids(entries: &[StoredAuditEntry]) -> Vec<Option<PrincipalId>> {
    entries.iter().map(|entry| entry.actor_id).collect()
}

both_databases! {
    async fn every_statement_is_understood(db: TestDb) {
        let database = open(&db).await;
        let (chain, checkpoints) = (stored::chain::STATEMENTS, stored::checkpoints::STATEMENTS);
        for statements in [stored::STATEMENTS, stored::pending::STATEMENTS, chain, checkpoints, store::STATEMENTS] {
            assert_eq!(format!("{:?}", prepare_all(&database, statements).await), "Ok(())");
        }
    }

    async fn an_entry_is_read_as_it_was_written(db: TestDb) {
        let database = open(&db).await;
        let (clock, audit) = log();
        clock.advance(Duration::from_micros(7));
        let mut written = by(1, Effect::Deny).with("b", 2).with("a", "\"\u{1f}\u{e9}");
        written.reason = Some(Reason::NoGrant);
        written.resource_id = Some(AnyId::from_uuid(Uuid::from_u128(3)));
        written.run = Some(RunId::from_uuid(Uuid::from_u128(4)));
        written.acting_for = Some(principal(5));
        let id = audit.record_alone(&database, &written).await.unwrap();
        let reader = database.reader().await.unwrap();
        let entries = audit.list(&reader, &AuditFilter::newest(10)).await.unwrap();
        let [read] = entries.as_slice() else { panic!("one entry") };
        assert_eq!(read.id, id);
        assert_eq!(read.at, clock.now());
        assert_eq!((read.actor_kind.as_str(), read.actor_id), ("agent", Some(principal(1))));
        assert_eq!((read.action.as_str(), read.effect), (Action::MessageRead.as_str(), Effect::Deny));
        assert_eq!(read.reason.as_deref(), Some(Reason::NoGrant.as_str()));
        assert_eq!(read.resource_kind.as_deref(), Some(written.resource_kind));
        assert_eq!((read.resource_id, read.run, read.acting_for), (written.resource_id, written.run, written.acting_for));
        assert_eq!(read.details["a"], "\"\u{1f}\u{e9}");
        assert_eq!((read.details["b"].as_str(), read.details["why"].as_str()), ("2", "test"));
        assert_eq!((read.count, read.position), (1, None));
    }

    async fn actors_that_are_no_principals_have_names(db: TestDb) {
        let database = open(&db).await;
        let (_, audit) = log();
        for actor in [AuditActor::Anonymous, AuditActor::Server] {
            audit.record_alone(&database, &entry(actor, Effect::Deny)).await.unwrap();
        }
        let entries = audit.list(&database.reader().await.unwrap(), &AuditFilter::default()).await.unwrap();
        let kinds: Vec<&str> = entries.iter().map(|entry| entry.actor_kind.as_str()).collect();
        assert_eq!(kinds, ["server", "anonymous"]);
    }

    async fn what_is_rolled_back_is_not_recorded(db: TestDb) {
        let database = open(&db).await;
        let (_, audit) = log();
        let unit = database.begin().await.unwrap();
        audit.record(&unit, &by(1, Effect::Allow)).await.unwrap();
        drop(unit);
        assert!(audit.list(&database.reader().await.unwrap(), &AuditFilter::default()).await.unwrap().is_empty());
        let unit = database.begin().await.unwrap();
        audit.record(&unit, &by(2, Effect::Allow)).await.unwrap();
        unit.commit().await.unwrap();
        let entries = audit.list(&database.reader().await.unwrap(), &AuditFilter::default()).await.unwrap();
        assert_eq!(ids(&entries), [Some(principal(2))]);
    }

    async fn pages_and_filters_go_together(db: TestDb) {
        let database = open(&db).await;
        let (_, audit) = log();
        let run = RunId::from_uuid(Uuid::from_u128(9));
        for number in 1..=6 {
            let effect = if number % 2 == 0 { Effect::Allow } else { Effect::Deny };
            let mut entry = by(number % 3, effect);
            entry.run = (number > 3).then_some(run);
            audit.record_alone(&database, &entry).await.unwrap();
        }
        let reader = database.reader().await.unwrap();
        let list = async |filter: AuditFilter| audit.list(&reader, &filter).await.unwrap();
        let first = list(AuditFilter::newest(4)).await;
        let rest = list(AuditFilter { before: Some(first[3].entry), ..AuditFilter::newest(4) }).await;
        assert_eq!(ids(&first), [0, 2, 1, 0].map(|number| Some(principal(number))));
        assert_eq!(ids(&rest), [2, 1].map(|number| Some(principal(number))));
        let denied = list(AuditFilter { effect: Some(Effect::Deny), ..AuditFilter::newest(9) }).await;
        assert_eq!(ids(&denied), [2, 0, 1].map(|number| Some(principal(number))));
        let of_actor = AuditFilter { actor: Some(principal(1)), ..AuditFilter::newest(9) };
        assert_eq!(list(of_actor).await.len(), 2);
        assert_eq!(list(AuditFilter { effect: Some(Effect::Allow), ..of_actor }).await.len(), 1);
        let of_run = AuditFilter { run: Some(run), ..AuditFilter::newest(9) };
        assert_eq!(ids(&list(of_run).await), [0, 2, 1].map(|number| Some(principal(number))));
        assert_eq!(list(AuditFilter { actor: Some(principal(2)), ..of_run }).await.len(), 1);
        assert_eq!(list(AuditFilter { actor: Some(principal(2)), effect: Some(Effect::Allow), ..of_run }).await.len(), 0);
    }
}
