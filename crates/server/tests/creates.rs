//! Chapter 04 section 4: every guarded operation that makes something takes an `Idempotency-Key`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use bothy_testkit::both_databases;
use reqwest::Method;
use support::TestServer;

both_databases! {
    async fn every_operation_that_makes_something_takes_an_idempotency_key(db: TestDb) {
        let server = TestServer::start(&db).await;
        let operations = server.app.modules().operations();
        let guarded = operations.iter().filter(|operation| operation.method == Method::POST && operation.action.is_some());
        let (making, other): (Vec<_>, Vec<_>) = guarded.partition(|operation| operation.status == 201);
        assert!(making.len() >= 10, "there are operations that make something");
        let without: Vec<_> = making.iter().filter(|operation| !operation.creates).map(|operation| operation.id).collect();
        assert!(without.is_empty(), "without an idempotency key: {without:?}");
        let needless: Vec<_> = other.iter().filter(|operation| operation.creates).map(|operation| operation.id).collect();
        assert!(needless.is_empty(), "with a key, but they make nothing: {needless:?}");
        server.stop().await;
    }
}
