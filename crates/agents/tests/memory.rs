//! Sessions of agents in threads, and how far they have read.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use std::sync::Arc;

use bothy_agents::SessionReference;
use bothy_domain::ids::{ChannelId, PrincipalId, SpaceId, ThreadId};
use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use support::World;

statements! {
    SPACE = "INSERT INTO spaces (id, name, name_key, created_at, version) VALUES ($1, 'Support', 'support', 0, 1)";
    CHANNEL =
        "INSERT INTO channels (id, space_id, kind, name, name_key, respond_to, respond_in_threads, allow_mentioned_agents, \
         auto_thread, history_backfill_limit, egress, created_at, version) \
         VALUES ($1, $2, 'text', 'Allgemein', 'allgemein', 'mention', TRUE, TRUE, TRUE, 50, 'confirm', 0, 1)";
    THREAD =
        "INSERT INTO threads (id, channel_id, kind, created_by, created_at, next_seq, version) VALUES ($1, $2, 'thread', $3, 0, 1, 1)";
}

async fn thread(world: &World, by: PrincipalId) -> ThreadId {
    let (space, channel, thread): (SpaceId, ChannelId, ThreadId) =
        (world.ids.next(), world.ids.next(), world.ids.next());
    let unit = world.database.begin().await.unwrap();
    unit.execute(&SPACE, params![space]).await.unwrap();
    unit.execute(&CHANNEL, params![channel, space]).await.unwrap();
    unit.execute(&THREAD, params![thread, channel, by]).await.unwrap();
    unit.commit().await.unwrap();
    thread
}

both_databases! {
    async fn a_thread_has_one_current_session_of_an_agent(db: TestDb) {
        let world = Arc::new(World::new(&db).await);
        let agent = world.agent("lotse").await;
        let thread = thread(&world, agent).await;
        let asked = (0..8).map(|_| {
            let world = world.clone();
            tokio::spawn(async move {
                let unit = world.database.begin().await.unwrap();
                let session = world.agents.current_session(&unit, thread, agent).await.unwrap();
                unit.commit().await.unwrap();
                session.id
            })
        });
        let mut ids = Vec::new();
        for one in asked.collect::<Vec<_>>() {
            ids.push(one.await.unwrap());
        }
        ids.dedup();
        assert_eq!(ids.len(), 1);
        let reader = world.database.reader().await.unwrap();
        let fresh = world.agents.session(&reader, ids[0]).await.unwrap().unwrap();
        assert!(fresh.is_current && !fresh.started && fresh.reference.is_none());
        drop(reader);

        let unit = world.database.begin().await.unwrap();
        let reference = SessionReference::new("runtime-1").unwrap();
        let reported = world.agents.report(&unit, ids[0], &reference).await.unwrap();
        unit.commit().await.unwrap();
        assert!(reported.started);
        assert_eq!(reported.reference.as_deref(), Some("runtime-1"));
    }

    async fn a_consumer_begins_at_the_end_of_the_log_and_never_goes_back(db: TestDb) {
        let world = World::new(&db).await;
        let agent = world.agent("lotse").await;
        let reader = world.database.reader().await.unwrap();
        let begin = world.agents.cursor(&reader, agent).await.unwrap();
        assert!(begin <= world.events.head(&reader).await.unwrap());
        drop(reader);
        for (asked, before, after) in [(begin + 5, begin, begin + 5), (begin + 2, begin + 5, begin + 5)] {
            let unit = world.database.begin().await.unwrap();
            assert_eq!(world.agents.advance(&unit, agent, asked).await.unwrap(), before);
            unit.commit().await.unwrap();
            let reader = world.database.reader().await.unwrap();
            assert_eq!(world.agents.cursor(&reader, agent).await.unwrap(), after);
        }
        // A person has no consumer.
        let reader = world.database.reader().await.unwrap();
        assert!(world.agents.cursor(&reader, world.ids.next()).await.is_err());
        drop(reader);
        let unit = world.database.begin().await.unwrap();
        world.agents.seen(&unit, agent).await.unwrap();
        unit.commit().await.unwrap();
    }
}

#[test]
fn a_reference_is_one_visible_word() {
    for good in ["a", "session/2026-01-31#4", &"x".repeat(SessionReference::MAX_LEN)] {
        assert_eq!(SessionReference::new(good).unwrap().as_str(), good);
    }
    for bad in ["", " ", "two words", "tab\t", "newline\n", "ü", "\u{0}", &"x".repeat(SessionReference::MAX_LEN + 1)] {
        assert!(SessionReference::new(bad).is_err(), "{bad:?}");
    }
}
