mod rights;
mod setup;

use std::sync::Arc;

use bothy_storage::{Database, prepare_all};
use bothy_testkit::both_databases;

use super::{Instance, InstanceError, store};
use crate::clock::ManualClock;
use crate::entropy::{IdSource, SeededEntropy, SharedEntropy};
use crate::keys::InstanceSecret;
use crate::tests_support::open;

fn secret(letter: char) -> InstanceSecret {
    InstanceSecret::new(letter.to_string().repeat(32).as_bytes()).unwrap()
}

async fn start(database: &Database, clock: &ManualClock, seed: u64) -> Result<Instance, InstanceError> {
    let entropy: SharedEntropy = Arc::new(SeededEntropy::new(seed));
    let clock = Arc::new(clock.clone());
    let ids = IdSource::new(clock.clone(), entropy.clone());
    Instance::open(database, clock, entropy, &ids, &secret('a')).await
}

both_databases! {
    async fn every_statement_is_understood(db: TestDb) {
        assert_eq!(format!("{:?}", prepare_all(&open(&db).await, store::STATEMENTS).await), "Ok(())");
    }

    async fn the_first_start_makes_the_instance_and_later_ones_find_it(db: TestDb) {
        let database = open(&db).await;
        let clock = ManualClock::default();
        let first = start(&database, &clock, 1).await.unwrap();
        let second = start(&database, &clock, 2).await.unwrap();
        assert_eq!(first.id(), second.id());
        let reader = database.reader().await.unwrap();
        let info = first.info(&reader).await.unwrap();
        assert_eq!((info.id, info.name.as_str(), info.set_up_at), (first.id(), "Bothy", None));
        assert!(!first.is_set_up(&reader).await.unwrap());
    }

    async fn nodes_that_start_at_once_agree(db: TestDb) {
        let database = open(&db).await;
        let clock = ManualClock::default();
        let starts = (0..8).map(|seed| start(&database, &clock, seed));
        let instances = futures::future::try_join_all(starts).await.unwrap();
        assert!(instances.iter().all(|instance| instance.id() == instances[0].id()));
    }

    async fn a_foreign_secret_is_refused(db: TestDb) {
        let database = open(&db).await;
        start(&database, &ManualClock::default(), 1).await.unwrap();
        let entropy: SharedEntropy = Arc::new(SeededEntropy::new(2));
        let clock = Arc::new(ManualClock::default());
        let ids = IdSource::new(clock.clone(), entropy.clone());
        let error = Instance::open(&database, clock, entropy, &ids, &secret('b')).await.unwrap_err();
        assert!(error.to_string().starts_with("the instance secret does not belong to this database"), "{error}");
    }

    async fn an_instance_can_be_renamed(db: TestDb) {
        let database = open(&db).await;
        let instance = start(&database, &ManualClock::default(), 1).await.unwrap();
        let unit = database.begin().await.unwrap();
        instance.rename(&unit, "Example").await.unwrap();
        unit.commit().await.unwrap();
        assert_eq!(instance.info(&database.reader().await.unwrap()).await.unwrap().name, "Example");
    }
}
