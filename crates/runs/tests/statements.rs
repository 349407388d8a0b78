//! Every statement is understood by both engines.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

use bothy_agents::Agents;
use bothy_runs::Runs;
use bothy_storage::{Database, OpenOptions, prepare_all};
use bothy_testkit::both_databases;

both_databases! {
    async fn every_statement_prepares(db: TestDb) {
        let database = Database::open(&OpenOptions { checkout: bothy_testkit::PATIENCE, ..OpenOptions::new(db.url().parse().unwrap()) }).await.unwrap();
        let statements = [Agents::statements(), Runs::statements()].concat();
        assert!(statements.len() > 40);
        let failures = prepare_all(&database, &statements).await;
        assert!(failures.is_ok(), "{failures:?}");
    }
}
