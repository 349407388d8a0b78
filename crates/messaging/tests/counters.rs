//! Unread messages and mentions against a full recount (C59, C107): thousands of random operations,
//! and after every few of them the lists of everybody are compared with what a plain model counts
//! anew from all that was ever said. `BOTHY_COUNTER_STEPS` sets how many on each database.

#![allow(missing_docs, unreachable_pub, reason = "the parts of a test")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

#[path = "counters/model.rs"]
mod model;
mod support;

use bothy_testkit::{TestDb, both_databases};
use model::Model;
use serde_json::json;
use support::World;

/// On SQLite and on PostgreSQL, together ten thousand.
const STEPS: [u64; 2] = [7_000, 3_000];
const CHECK_EVERY: u64 = 20;

#[allow(clippy::disallowed_methods, reason = "the switch that makes the test longer")]
fn steps(db: &TestDb) -> u64 {
    let usual = if db.is_postgres() { STEPS[1] } else { STEPS[0] };
    std::env::var("BOTHY_COUNTER_STEPS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

both_databases! {
    async fn c107_counters_equal_a_full_recount(db: TestDb) {
        let world = World::with(&db, |config| {
            config.message = serde_json::from_value(json!({ "unread_count_max": 10_000 })).unwrap();
        }).await;
        let seed = if db.is_postgres() { 0x5eed_0002 } else { 0x5eed_0001 };
        let mut model = Model::new(world, seed).await;
        for step in 1..=steps(&db) {
            model.step().await;
            if step % CHECK_EVERY == 0 {
                model.check().await;
            }
        }
        // Otherwise it has tried nothing.
        for name in ["say", "edit", "delete", "mark", "change level", "archive", "unarchive", "open", "close", "reopen", "move"] {
            assert!(model.done.get(name).is_some_and(|times| *times > 5), "{name}: {:?}", model.done);
        }
    }
}
