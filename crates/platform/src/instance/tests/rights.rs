use bothy_domain::ids::PrincipalId;
use bothy_domain::time::Timestamp;
use bothy_storage::Database;
use bothy_testkit::both_databases;

use super::start;
use crate::clock::ManualClock;
use crate::instance::{RightsChange, Touched, bump_rights_version, rights_changes, rights_version};
use crate::tests_support::open;

const NOW: Timestamp = Timestamp::from_micros(1_767_225_600_000_000);

fn principal(number: u128) -> PrincipalId {
    PrincipalId::from_uuid(uuid::Uuid::from_u128(number))
}

async fn bump(database: &Database, touched: Touched<'_>) -> i64 {
    let unit = database.begin().await.unwrap();
    let version = bump_rights_version(&unit, touched, NOW).await.unwrap();
    unit.commit().await.unwrap();
    version
}

both_databases! {
    async fn each_change_raises_the_version_and_says_whom_it_touches(db: TestDb) {
        let database = open(&db).await;
        start(&database, &ManualClock::default(), 1).await.unwrap();
        let reader = database.reader().await.unwrap();
        let before = rights_version(&reader).await.unwrap();
        let both = [principal(1), principal(2)];
        assert_eq!(bump(&database, Touched::Principals(&both)).await, before + 1);
        assert_eq!(bump(&database, Touched::Tree).await, before + 2);
        assert_eq!(bump(&database, Touched::Principals(&[])).await, before + 3);
        assert_eq!(rights_version(&reader).await.unwrap(), before + 3);
        let mut changes = rights_changes(&reader, before, 10).await.unwrap();
        changes[..2].sort_by_key(|change| change.principal);
        let change = |version, principal| RightsChange { version: before + version, principal };
        assert_eq!(changes, [change(1, Some(principal(1))), change(1, Some(principal(2))), change(2, None)]);
        assert_eq!(rights_changes(&reader, before + 1, 10).await.unwrap(), [change(2, None)]);
        assert_eq!(rights_changes(&reader, before, 1).await.unwrap().len(), 1);
    }

    async fn what_is_rolled_back_changes_nothing(db: TestDb) {
        let database = open(&db).await;
        start(&database, &ManualClock::default(), 1).await.unwrap();
        let before = rights_version(&database.reader().await.unwrap()).await.unwrap();
        let unit = database.begin().await.unwrap();
        bump_rights_version(&unit, Touched::Tree, NOW).await.unwrap();
        drop(unit);
        let reader = database.reader().await.unwrap();
        assert_eq!(rights_version(&reader).await.unwrap(), before);
        assert!(rights_changes(&reader, 0, 10).await.unwrap().is_empty());
    }

    async fn no_version_is_given_twice(db: TestDb) {
        let database = open(&db).await;
        start(&database, &ManualClock::default(), 1).await.unwrap();
        let mut versions = futures::future::join_all((0..20).map(|_| bump(&database, Touched::Tree))).await;
        versions.sort_unstable();
        versions.dedup();
        assert_eq!(versions.len(), 20);
    }
}
