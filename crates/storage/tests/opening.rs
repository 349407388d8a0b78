//! Opening, migrating and refusing.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod common;

use std::fs;
use std::path::PathBuf;

use bothy_storage::{Database, DatabaseUrl, MIGRATIONS, Migrate, Migration, OpenError, OpenOptions};
use bothy_testkit::both_databases;

use common::*;

static EDITED: &[Migration] =
    &[Migration { version: 1, name: "items", text: "CREATE TABLE items (\n  id UUID PRIMARY KEY\n);" }, SCHEMA[1]];
static BROKEN: &[Migration] = &[
    SCHEMA[0],
    SCHEMA[1],
    Migration {
        version: 3,
        name: "broken",
        text: "CREATE TABLE half (\n  id UUID\n);\nCREATE TABLE items (\n  id UUID\n);",
    },
];
static FIXED: &[Migration] =
    &[SCHEMA[0], SCHEMA[1], Migration { version: 3, name: "fixed", text: "CREATE TABLE half (\n  id UUID\n);" }];

fn with(db: &TestDb, migrations: &'static [Migration]) -> OpenOptions {
    OpenOptions { migrations, ..options(db) }
}

/// Opens it and lets go of it.
async fn touch(options: &OpenOptions) {
    Database::open(options).await.unwrap().close().await;
}

both_databases! {
    async fn migrations_run_once(db: TestDb) {
        touch(&with(&db, &SCHEMA[..1])).await;
        let database = open(&db).await;
        add_committed(&database, 1, "Lotse").await;
        database.close().await;
        assert_eq!(stored(&open(&db).await).await, ["Lotse"]);
    }

    async fn the_real_schema_can_be_migrated_twice(db: TestDb) {
        touch(&with(&db, MIGRATIONS)).await;
        touch(&with(&db, MIGRATIONS)).await;
        touch(&OpenOptions { migrate: Migrate::Check, ..with(&db, MIGRATIONS) }).await;
    }

    async fn checking_changes_nothing(db: TestDb) {
        let check = OpenOptions { migrate: Migrate::Check, ..options(&db) };
        assert!(matches!(refused(&check).await, OpenError::PendingMigrations { count: 2, .. }));
        touch(&with(&db, &SCHEMA[..1])).await;
        assert!(matches!(refused(&check).await, OpenError::PendingMigrations { count: 1, .. }));
        touch(&options(&db)).await;
        touch(&check).await;
    }

    async fn newer_and_edited_schemas_are_refused(db: TestDb) {
        touch(&options(&db)).await;
        let error = refused(&with(&db, &SCHEMA[..1])).await;
        assert!(matches!(error, OpenError::NewerSchema { found: 2, known: 1 }), "{error}");
        let error = refused(&with(&db, EDITED)).await;
        assert!(matches!(error, OpenError::ChecksumMismatch { .. }), "{error}");
    }

    async fn a_failed_migration_leaves_nothing(db: TestDb) {
        touch(&options(&db)).await;
        let error = refused(&with(&db, BROKEN)).await;
        assert!(matches!(&error, OpenError::MigrationFailed { migration, .. } if migration == "0003_broken"), "{error}");
        touch(&with(&db, FIXED)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_that_start_together_migrate_once() {
    let db = TestDb::postgres().await;
    let options = with(&db, MIGRATIONS);
    let nodes = futures::future::join_all((0..8).map(|_| Database::open(&options))).await;
    assert!(nodes.iter().all(Result::is_ok));
}

#[tokio::test]
async fn a_second_process_is_refused() {
    let db = TestDb::sqlite();
    let database = open(&db).await;
    assert!(matches!(refused(&options(&db)).await, OpenError::InUse { .. }));
    drop(database);
    open(&db).await;
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_refused() {
    // Root may write everywhere but here.
    let mut places = vec![PathBuf::from("/sys/bothy")];
    let db = TestDb::sqlite();
    let TestDb::Sqlite { folder } = &db else { panic!("not SQLite") };
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o555)).unwrap();
    if fs::write(closed.join("probe"), "").is_err() {
        places.push(closed);
    }
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    places.push(file);
    for place in places {
        let error = refused(&OpenOptions::new(DatabaseUrl::sqlite(&place))).await;
        assert!(matches!(error, OpenError::Folder { .. }), "{error}");
        assert!(error.to_string().contains(place.to_str().unwrap()), "{error}");
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let db = TestDb::sqlite();
    let TestDb::Sqlite { folder } = &db else { panic!("not SQLite") };
    fs::write(folder.path().join("bothy.db"), "This is not a database. ".repeat(100)).unwrap();
    let error = refused(&options(&db)).await;
    assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn servers_that_cannot_be_used_are_refused() {
    let options = |url: &str| OpenOptions::new(url.parse().unwrap());
    let error = refused(&options("postgres://robin:secret@127.0.0.1:1/bothy")).await;
    assert!(matches!(error, OpenError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("127.0.0.1:1/bothy") && !error.to_string().contains("secret"), "{error}");
    let error = refused(&options("postgres://127.0.0.1:1/bothy?sslmode=require")).await;
    assert!(matches!(error, OpenError::TlsUnsupported), "{error}");
    let db = TestDb::postgres().await;
    let error = refused(&options(&db.url().replace('?', "_missing?"))).await;
    assert!(matches!(error, OpenError::Refused { .. }), "{error}");
}
