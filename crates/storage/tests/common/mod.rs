//! A small schema and what the tests do with it.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::time::Duration;

use bothy_storage::{Database, Migration, OpenError, OpenOptions, Reader, UnitOfWork, params, statements};
pub use bothy_testkit::TestDb;
pub use uuid::Uuid;

pub static SCHEMA: &[Migration] = &[
    Migration {
        version: 1,
        name: "items",
        text: "CREATE TABLE items (
  id UUID PRIMARY KEY,
  name TEXT NOT NULL,
  rank BIGINT NOT NULL CONSTRAINT items_rank_check CHECK (rank >= 0),
  done BOOLEAN NOT NULL,
  body BYTEA,
  parent_id UUID REFERENCES items (id)
);
CREATE UNIQUE INDEX items_name ON items (name);
CREATE UNIQUE INDEX items_one_done ON items (rank) WHERE done;
",
    },
    Migration {
        version: 2,
        name: "log",
        text: "CREATE TABLE log (
  entry SERIAL_KEY,
  label TEXT
);
CREATE TABLE pairs (
  a BIGINT NOT NULL,
  b BIGINT NOT NULL,
  PRIMARY KEY (a, b)
);
CREATE TABLE numbers (
  number BIGINT PRIMARY KEY
);
",
    },
];

statements! {
    pub INSERT = "INSERT INTO items (id, name, rank, done, body, parent_id) VALUES ($1, $2, $3, $4, $5, $6)";
    pub NAMES = "SELECT name FROM items ORDER BY name";
    pub COUNT = "SELECT COUNT(*) AS count FROM items";
    pub RENAME = "UPDATE items SET name = $2 WHERE id = $1 RETURNING id, name";
    pub BUMP = "UPDATE items SET rank = rank + 1 WHERE id = $1 RETURNING rank";
    pub RANK = "SELECT rank FROM items WHERE id = $1";
}

/// The options with which tests open their databases.
pub fn options(db: &TestDb) -> OpenOptions {
    OpenOptions {
        migrations: SCHEMA,
        pool: 8,
        readers: 2,
        checkout: bothy_testkit::PATIENCE,
        ..OpenOptions::new(db.url().parse().unwrap())
    }
}

pub async fn open(db: &TestDb) -> Database {
    Database::open(&options(db)).await.unwrap()
}

pub async fn refused(options: &OpenOptions) -> OpenError {
    match Database::open(options).await {
        Ok(_) => panic!("it was opened"),
        Err(error) => {
            assert_eq!(error.to_string().lines().count(), 1, "{error}");
            error
        }
    }
}

pub fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

pub async fn add(unit: &UnitOfWork, number: u128, name: &str) -> Result<u64, bothy_storage::StorageError> {
    unit.execute(&INSERT, params![id(number), name, 1_i64, false, Option::<Vec<u8>>::None, Option::<Uuid>::None]).await
}

pub async fn add_committed(database: &Database, number: u128, name: &str) {
    let unit = database.begin().await.unwrap();
    add(&unit, number, name).await.unwrap();
    unit.commit().await.unwrap();
}

pub async fn names(reader: &Reader) -> Vec<String> {
    reader.all(&NAMES, params![]).await.unwrap().iter().map(|row| row.get("name").unwrap()).collect()
}

pub async fn stored(database: &Database) -> Vec<String> {
    names(&database.reader().await.unwrap()).await
}

#[allow(clippy::disallowed_methods, reason = "waits for real servers and threads")]
pub async fn pause(millis: u64) {
    tokio::time::sleep(Duration::from_millis(millis)).await;
}

/// Drops `work` after a while, in the middle of whatever it does.
#[allow(clippy::disallowed_methods, reason = "cuts real work short")]
pub async fn cut_short<T>(millis: u64, work: impl Future<Output = T>) {
    assert!(tokio::time::timeout(Duration::from_millis(millis), work).await.is_err(), "the work ended too early");
}
