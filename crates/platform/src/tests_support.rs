//! What the tests of several modules need.

use bothy_storage::{Database, OpenOptions};
use bothy_testkit::TestDb;

/// Opens a test's database; opening it twice gives two nodes on PostgreSQL.
pub(crate) async fn open(db: &TestDb) -> Database {
    Database::open(&OpenOptions::new(db.url().parse().unwrap())).await.unwrap()
}
