//! Calls without the token while an agent works on a run are seen on the run (AF-22).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use bothy_domain::ids::RunId;
use bothy_testkit::both_databases;
use support::World;

async fn counted(world: &World, run: RunId) -> u64 {
    let shown = world.get("alex", &format!("/runs/{run}")).await.expect(200).body;
    shown["unbound_calls"].as_u64().unwrap_or_default()
}

both_databases! {
    async fn af22_calls_without_a_token_are_counted_while_the_agent_works(db: TestDb) {
        let world = World::new(&db).await;
        let look = async |count: usize| {
            for _ in 0..count {
                world.get("lotse", &format!("/channels/{}", world.places.allgemein)).await.expect(200);
            }
        };
        let run = world.ask("alex", world.places.thread, "@lotse look").await;
        // Not working yet, so what it does is its own business.
        look(5).await;
        let token = world.start("lotse", run).await;
        look(3).await;
        assert_eq!(counted(&world, run).await, 0, "nothing is written for a call");
        world.runs.add_all_unbound().await.unwrap();
        assert_eq!(counted(&world, run).await, 3);
        // Where it takes its work no token belongs, and with the token it does what it should.
        world.poll("lotse").await;
        world.bound("lotse", "GET", &format!("/channels/{}", world.places.allgemein), &token, None).await.expect(200);
        // Nor is counted what others do, or what is refused.
        world.get("texter", &format!("/channels/{}", world.places.allgemein)).await.expect(200);
        world.get("lotse", &format!("/channels/{}", world.places.kampagne)).await.expect(404);
        world.runs.add_all_unbound().await.unwrap();
        assert_eq!(counted(&world, run).await, 3);
        look(2).await;
        world.finish("lotse", run).await;
        let all = counted(&world, run).await;
        assert!(all >= 5, "the end adds what was counted: {all}");
        look(4).await;
        world.runs.add_all_unbound().await.unwrap();
        assert_eq!(counted(&world, run).await, all, "a run that has ended is not charged");
    }
}
