//! What the tests of several modules need.

use std::sync::Arc;
use std::time::Duration;

use bothy_storage::{Database, OpenOptions};
use bothy_testkit::TestDb;

use crate::clock::{SharedClock, SystemClock, timeout};

/// Opens a test's database; opening it twice gives two nodes on PostgreSQL.
pub(crate) async fn open(db: &TestDb) -> Database {
    Database::open(&OpenOptions { checkout: bothy_testkit::PATIENCE, ..OpenOptions::new(db.url().parse().unwrap()) })
        .await
        .unwrap()
}

/// Waits for something that should come at once, for real time, so that a defect fails a test and
/// does not hang it.
pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    let clock: SharedClock = Arc::new(SystemClock);
    timeout(&clock, Duration::from_secs(60), future).await.expect("in time")
}
