#![allow(unreachable_pub, dead_code)]
mod support;
#[path = "endpoints/stage.rs"]
mod stage;
use stage::*;
use bothy_testkit::both_databases;
both_databases! {
    async fn scratch(db: TestDb) {
        let stage = Stage::set(&db).await;
        let config = stage.server.app.modules().config.log.clone();
        bothy_platform::telemetry::start(&config, false).unwrap();
        for side in [Side::Open, Side::Hidden] {
            for _ in 0..3 {
            let realm = stage.realm(side);
            realm.answered().await;
            }
        }
    }
}
