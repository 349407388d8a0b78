//! The world of chapter 00 is as that chapter says.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use bothy_testkit::both_databases;
use support::TestServer;

both_databases! {
    async fn everybody_sees_what_the_grants_say(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let channels = [
            world.allgemein.id,
            world.eskalation.id,
            world.projekt_a.id,
            world.werkzeuge.id,
            world.kampagne.id,
        ];
        let seen = async |client: &bothy_sdk::Client| {
            let mut seen = Vec::new();
            for channel in channels {
                match client.get_channel(channel).await {
                    Ok(_) => seen.push(true),
                    Err(error) if error.is("not_found") => seen.push(false),
                    Err(error) => panic!("{error}"),
                }
            }
            seen
        };
        assert_eq!(seen(&world.robin.client).await, [true; 5]);
        assert_eq!(seen(&world.alex.client).await, [true, true, false, false, false]);
        assert_eq!(seen(&world.sam.client).await, [true, false, false, false, false]);
        assert_eq!(seen(&world.writer.client).await, [true, false, false, false, false]);
        assert_eq!(seen(&world.lotse.client).await, [true, true, false, false, false]);
        assert_eq!(seen(&world.texter.client).await, [true, false, false, false, false]);
        assert_eq!(seen(&world.runner.client).await, [false; 5]);
        server.stop().await;
    }
}
