//! An adapter of the SDK against a real server: one answer whatever breaks, and a stop when asked.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use std::time::Duration;

use bothy::world::World;
use bothy_domain::ids::{RunId, ThreadId};
use bothy_sdk::wire::{NewMessage, RunView};
use bothy_sdk::{Adapter, Answer, Failure};
use bothy_testkit::both_databases;
use support::{Http, TestServer};

/// Alex asks Lotse; the thread that the question opened, and the run.
async fn ask(world: &World) -> (ThreadId, RunId) {
    let question = NewMessage { content_md: "@lotse what is new?", ..NewMessage::default() };
    let posted = world.alex.client.create_message(world.allgemein.main, &question).await.unwrap();
    (posted.opened_thread_id.unwrap(), posted.run_ids[0])
}

async fn answers(world: &World, thread: ThreadId) -> Vec<String> {
    let messages = world.alex.client.list_thread_messages(thread).await.unwrap();
    messages.into_iter().filter(|message| message.author.handle == "lotse").map(|message| message.content_md).collect()
}

/// Waits until the run is in this state.
async fn until(world: &World, run: RunId, state: &str) -> RunView {
    loop {
        let run = world.alex.client.get_run(run).await.unwrap();
        if run.state == state {
            return run;
        }
        assert!(matches!(run.state.as_str(), "queued" | "running"), "{run:?}");
        tokio::task::yield_now().await;
    }
}

/// Polls until the invocation comes, as an adapter that crashes right after: on PostgreSQL an event
/// can be polled shortly after its commit, not with it.
async fn taken(world: &World, run: RunId) {
    loop {
        let polled = world.lotse.client.poll_agent_events(None, Duration::ZERO).await.unwrap();
        if polled.items.iter().any(|event| event.run_id == Some(run) && event.invocation_token.is_some()) {
            return;
        }
        tokio::task::yield_now().await;
    }
}

/// How many requests the agent has left, after this one.
async fn budget(agent: &Http) -> u64 {
    let answer = agent.get("/agent/events?wait=0").await.expect(200);
    let standing = answer.header("ratelimit").unwrap();
    standing.split(';').find_map(|part| part.trim().strip_prefix("r=")).unwrap().parse().unwrap()
}

both_databases! {
    async fn what_was_polled_and_not_acknowledged_comes_again_and_is_answered_once(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let (thread, run) = ask(&world).await;
        // A first adapter takes it and is gone before it starts.
        taken(&world, run).await;
        let adapter = Adapter::new(world.lotse.client.clone());
        let handler = async |_, _| Ok(Answer::text("Nothing.").in_session("lotse-1"));
        assert_eq!(adapter.round(handler).await.unwrap(), 1);
        assert_eq!(adapter.round(handler).await.unwrap(), 0);
        assert_eq!(answers(&world, thread).await, ["Nothing."]);
        assert_eq!(until(&world, run, "completed").await.end_reason.as_deref(), Some("completed"));
        server.stop().await;
    }

    async fn a_run_that_a_crash_lost_ends_by_its_lease_although_the_agent_lives(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let (thread, run) = ask(&world).await;
        let adapter = Adapter::new(world.lotse.client.clone());
        // It posts its answer and is gone before it ends the run.
        let handler = async |_, run: bothy_sdk::Run| {
            run.reply("Half.").await?;
            std::future::pending::<Result<Answer, Failure>>().await
        };
        let posted = async { while answers(&world, thread).await.is_empty() { tokio::task::yield_now().await } };
        adapter.run(handler, posted).await.unwrap();
        until(&world, run, "running").await;
        world.lotse.client.agent_heartbeat(&[]).await.unwrap();
        server.pass(server.app.modules().config.agent.lease_timeout.get() + Duration::from_secs(2));
        let lost = until(&world, run, "failed").await;
        assert_eq!(lost.end_reason.as_deref(), Some("agent_lost"));
        assert_eq!(answers(&world, thread).await, ["Half."]);
        server.stop().await;
    }

    async fn a_handler_that_fails_leaves_a_failed_run_with_its_class(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let (thread, run) = ask(&world).await;
        taken(&world, run).await;
        let handler = async |_, _| Err(Failure::Class("model_error".to_owned()));
        assert_eq!(Adapter::new(world.lotse.client.clone()).round(handler).await.unwrap(), 1);
        assert_eq!(until(&world, run, "failed").await.error_class.as_deref(), Some("model_error"));
        assert!(answers(&world, thread).await.is_empty());
        server.stop().await;
    }

    async fn a_run_that_its_person_cancels_is_given_up(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let (thread, run) = ask(&world).await;
        let handler = async |_, _| {
            world.alex.client.cancel_run(run).await.unwrap();
            std::future::pending::<Result<Answer, Failure>>().await
        };
        let cancelled = async { drop(until(&world, run, "cancelled").await) };
        Adapter::new(world.lotse.client.clone()).run(handler, cancelled).await.unwrap();
        assert!(answers(&world, thread).await.is_empty());
        server.stop().await;
    }

    async fn an_adapter_whose_token_was_taken_away_ends(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let stranger = world.lotse.client.with_token("bothy_agt_nobody").unwrap();
        let handler = async |_, _| Ok(Answer::text("never"));
        let error = Adapter::new(stranger).run(handler, std::future::pending()).await.unwrap_err();
        assert!(error.is("unauthenticated"), "{error}");
        server.stop().await;
    }

    async fn a_server_that_stops_does_not_wait_for_those_who_wait(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        // An agent without any rights: nothing happens that it could be told of.
        let runner = server.http().token(&world.runner.token);
        let mut left = budget(&runner).await;
        let poll = runner.clone();
        let polling = tokio::spawn(async move { poll.get("/agent/events?wait=30").await });
        // It has arrived when it was taken from the budget beside the request that looks.
        loop {
            let now = budget(&runner).await;
            if now + 1 < left {
                break;
            }
            left = now;
        }
        server.stop().await;
        let told = polling.await.unwrap().expect_problem(503, "unavailable");
        assert_eq!(told.header("retry-after"), Some("1"));
    }
}
