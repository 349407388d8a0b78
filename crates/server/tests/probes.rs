//! What anybody may ask: whether the server is up, whether it can work, and what its API is.

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
    async fn up_and_ready(db: TestDb) {
        let server = TestServer::start(&db).await;
        for path in ["/healthz", "/readyz"] {
            let answer = server.http().get(path).await.expect(200);
            assert_eq!(answer.text("/status"), "ok");
            let answer = server.http().send(Method::POST, path, None).await.expect_problem(405, "method_not_allowed");
            assert_eq!(answer.header("allow"), Some("GET, HEAD"));
        }
        server.client().ready().await.unwrap();
        server.stop().await;
    }

    async fn the_description_is_served_as_it_is_generated(db: TestDb) {
        let server = TestServer::start(&db).await;
        let answer = server.http().get("/openapi.json").await.expect(200);
        assert_eq!(answer.json(), server.app.modules().openapi());
        assert_eq!(answer.json()["openapi"], "3.1.0");
        server.stop().await;
    }

    async fn an_address_that_does_not_exist(db: TestDb) {
        let server = TestServer::start(&db).await;
        server.http().get("/nothing").await.expect_problem(404, "not_found");
        server.http().get("/healthz/deeper").await.expect_problem(404, "not_found");
        server.stop().await;
    }
}

#[test]
fn the_committed_description_is_the_generated_one() {
    bothy_testkit::run(async {
        let generated = bothy::wiring::openapi().await.unwrap();
        let committed = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi.json");
        let committed = std::fs::read_to_string(committed).expect("openapi.json: write it with `cargo xtask generate`");
        let committed: serde_json::Value = serde_json::from_str(&committed).unwrap();
        assert!(
            committed == generated,
            "openapi.json is not what the routes say: run `cargo xtask generate` and commit it"
        );
    });
}
