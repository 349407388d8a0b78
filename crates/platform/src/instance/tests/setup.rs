use std::time::Duration;

use bothy_storage::Database;
use bothy_testkit::both_databases;

use super::start;
use crate::clock::ManualClock;
use crate::instance::{Instance, SetupError};
use crate::tests_support::open;

const HOUR: Duration = Duration::from_secs(3600);

async fn consume(database: &Database, instance: &Instance, code: &str) -> Result<(), SetupError> {
    let unit = database.begin().await?;
    instance.consume_setup_code(&unit, code).await?;
    unit.commit().await?;
    Ok(())
}

both_databases! {
    async fn a_code_makes_one_owner_once(db: TestDb) {
        let database = open(&db).await;
        let instance = start(&database, &ManualClock::default(), 1).await.unwrap();
        let code = instance.issue_setup_code(&database, HOUR).await.unwrap();
        assert_eq!(code.expose().len(), 32);
        consume(&database, &instance, code.expose()).await.unwrap();
        assert!(instance.is_set_up(&database.reader().await.unwrap()).await.unwrap());
        let again = consume(&database, &instance, code.expose()).await.unwrap_err();
        assert!(matches!(again, SetupError::AlreadySetUp));
        let another = instance.issue_setup_code(&database, HOUR).await.unwrap_err();
        assert!(matches!(another, SetupError::AlreadySetUp));
    }

    async fn wrong_old_and_expired_codes_count_for_nothing(db: TestDb) {
        let database = open(&db).await;
        let clock = ManualClock::default();
        let instance = start(&database, &clock, 1).await.unwrap();
        for guess in ["", "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
            assert!(matches!(consume(&database, &instance, guess).await, Err(SetupError::WrongCode)));
        }
        let old = instance.issue_setup_code(&database, HOUR).await.unwrap();
        let new = instance.issue_setup_code(&database, HOUR).await.unwrap();
        assert_ne!(old, new);
        assert!(matches!(consume(&database, &instance, old.expose()).await, Err(SetupError::WrongCode)));
        clock.advance(HOUR);
        assert!(matches!(consume(&database, &instance, new.expose()).await, Err(SetupError::WrongCode)));
        let third = instance.issue_setup_code(&database, HOUR).await.unwrap();
        clock.advance(HOUR - Duration::from_micros(1));
        consume(&database, &instance, third.expose()).await.unwrap();
    }

    async fn a_setup_that_is_not_committed_leaves_the_code(db: TestDb) {
        let database = open(&db).await;
        let instance = start(&database, &ManualClock::default(), 1).await.unwrap();
        let code = instance.issue_setup_code(&database, HOUR).await.unwrap();
        let unit = database.begin().await.unwrap();
        instance.consume_setup_code(&unit, code.expose()).await.unwrap();
        drop(unit);
        assert!(!instance.is_set_up(&database.reader().await.unwrap()).await.unwrap());
        consume(&database, &instance, code.expose()).await.unwrap();
    }

    async fn of_many_that_use_the_code_at_once_one_wins(db: TestDb) {
        let database = open(&db).await;
        let instance = start(&database, &ManualClock::default(), 1).await.unwrap();
        let code = instance.issue_setup_code(&database, HOUR).await.unwrap();
        let tries = (0..8).map(|_| consume(&database, &instance, code.expose()));
        let results = futures::future::join_all(tries).await;
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
        assert_eq!(results.iter().filter(|result| matches!(result, Err(SetupError::AlreadySetUp))).count(), 7);
    }
}
