//! What a message starts (chapter 06 section 1), through the hook of the unit of work that writes it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use bothy_authz::Touched;
use bothy_domain::ids::{ChannelId, MessageId, ThreadId};
use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use serde_json::json;
use support::World;

statements! {
    SWITCHES = "UPDATE channels SET respond_to = $2, respond_in_threads = $3, allow_mentioned_agents = $4, auto_thread = $5 WHERE id = $1";
    ARCHIVE = "UPDATE channels SET archived_at = 1 WHERE id = $1";
    REFUSALS = "SELECT COUNT(*) AS n FROM audit_events WHERE action = 'agent.invoke' AND effect = 'deny' AND actor_id = $1";
    DM =
        "INSERT INTO channels (id, kind, respond_to, respond_in_threads, allow_mentioned_agents, auto_thread, \
         history_backfill_limit, egress, dm_key, created_at, version) \
         VALUES ($1, 'dm', 'mention', TRUE, FALSE, TRUE, 50, 'confirm', $2, 0, 1)";
    MAIN =
        "INSERT INTO threads (id, channel_id, kind, created_by, created_at, next_seq, version) VALUES ($1, $2, 'main', $3, 0, 1, 1)";
    TAKES_PART = "INSERT INTO dm_participants (channel_id, principal_id) VALUES ($1, $2)";
    POLICY = "UPDATE agents SET dm_policy = $2 WHERE principal_id = $1";
    SESSION_OF = "SELECT agent_session_id FROM runs WHERE id = $1";
}

/// A direct message and its thread.
async fn direct(world: &World, participants: &[&str]) -> ThreadId {
    let (channel, thread): (ChannelId, ThreadId) = (world.ids.next(), world.ids.next());
    world.execute(&DM, params![channel, thread.uuid().as_bytes().to_vec()]).await;
    world.execute(&MAIN, params![thread, channel, world.id(participants[0])]).await;
    let ids: Vec<_> = participants.iter().map(|who| world.id(who)).collect();
    let unit = world.database.begin().await.unwrap();
    for id in &ids {
        unit.execute(&TAKES_PART, params![channel, id]).await.unwrap();
    }
    world.authz.changed(&unit, Touched::Principals(ids)).await.unwrap();
    unit.commit().await.unwrap();
    thread
}

both_databases! {
    async fn in_a_direct_message_the_one_agent_answers_everything(db: TestDb) {
        let world = World::new(&db).await;
        let (alex, writer) = (direct(&world, &["alex", "lotse"]).await, direct(&world, &["writer", "lotse"]).await);
        let runs = [world.ask("alex", alex, "hello").await, world.ask("writer", writer, "hello").await];
        let mut sessions = Vec::new();
        for event in world.events("lotse", "agent.invocation").await {
            assert!(runs.iter().any(|run| event["run_id"] == json!(run)));
            assert!(event.get("space_id").is_none());
            sessions.push(event["session"]["agent_session_id"].clone());
        }
        // Each conversation has a memory of its own (C77).
        assert_eq!(sessions.len(), 2);
        assert_ne!(sessions[0], sessions[1]);
        let context = world.get("lotse", &format!("/runs/{}/context", runs[0])).await.expect(200).body;
        assert_eq!(context["trigger_message"]["trust"], json!("trigger"));

        world.execute(&POLICY, params![world.id("lotse"), "nobody"]).await;
        let closed = direct(&world, &["sam", "lotse"]).await;
        assert_eq!(world.say("sam", closed, "hello").await.runs(), 0);
        assert_eq!(world.say("sam", closed, "@lotse hello").await.notices(), ["agent_not_allowed"]);
    }

    async fn in_a_larger_direct_message_agents_answer_when_mentioned(db: TestDb) {
        let world = World::new(&db).await;
        let thread = direct(&world, &["alex", "sam", "lotse", "texter"]).await;
        assert_eq!(world.say("alex", thread, "hello").await.runs(), 0);
        assert_eq!(world.say("alex", thread, "@texter hello").await.runs(), 1);
    }

    async fn a_mention_in_the_main_thread_opens_a_thread(db: TestDb) {
        let world = World::new(&db).await;
        let said = world.say("alex", world.places.main, "@lotse please look").await;
        let run = said.run();
        let opened: ThreadId = said.answer["opened_thread_id"].as_str().unwrap().parse().unwrap();
        assert_ne!(opened, world.places.main);
        let runs = world.thread_runs(opened).await;
        assert_eq!(runs, [(run, "queued".to_owned(), said.id, world.id("alex"))]);
        // Without a mention the operator stays silent there.
        assert_eq!(world.say("alex", world.places.main, "good morning").await.runs(), 0);
    }

    async fn one_thread_holds_all_agents_of_a_message(db: TestDb) {
        let world = World::new(&db).await;
        let said = world.say("alex", world.places.main, "@texter and @lotse, both of you; @texter first").await;
        assert_eq!(said.runs(), 2);
        let opened: ThreadId = said.answer["opened_thread_id"].as_str().unwrap().parse().unwrap();
        assert_eq!(world.thread_runs(opened).await.len(), 2);
        assert_eq!(world.thread_runs(world.places.main).await.len(), 0);
    }

    async fn without_auto_thread_the_run_belongs_to_the_main_thread(db: TestDb) {
        let world = World::new(&db).await;
        world.execute(&SWITCHES, params![world.places.allgemein, "every_message", true, true, false]).await;
        let said = world.say("alex", world.places.main, "anybody?").await;
        said.run();
        assert!(said.answer.get("opened_thread_id").is_none());
        assert_eq!(world.thread_runs(world.places.main).await.len(), 1);
    }

    async fn the_operator_has_a_session_and_a_guest_has_none(db: TestDb) {
        let world = World::new(&db).await;
        let operator = world.ask("alex", world.places.thread, "hello").await;
        let guest = world.ask("sam", world.places.thread, "@texter hello").await;
        let reader = world.database.reader().await.unwrap();
        let mut sessions = Vec::new();
        for run in [operator, guest] {
            let row = reader.one(&SESSION_OF, params![run]).await.unwrap();
            sessions.push(row.get::<Option<uuid::Uuid>>("agent_session_id").unwrap());
        }
        assert!(sessions[0].is_some() && sessions[1].is_none());
    }

    async fn what_no_person_wrote_starts_nothing(db: TestDb) {
        let world = World::new(&db).await;
        for who in ["lotse", "texter", "feed"] {
            assert_eq!(world.say(who, world.places.thread, "@lotse @texter go").await.runs(), 0, "{who}");
        }
        assert!(world.thread_runs(world.places.thread).await.is_empty());
    }

    async fn who_may_not_instruct_is_told_alone_and_the_attempt_is_recorded(db: TestDb) {
        let world = World::new(&db).await;
        let said = world.say("writer", world.places.thread, "@lotse @texter do it").await;
        assert_eq!(said.runs(), 0);
        assert_eq!(said.notices(), ["agent_not_allowed", "agent_not_allowed"]);
        let reader = world.database.reader().await.unwrap();
        let row = reader.one(&REFUSALS, params![world.id("writer")]).await.unwrap();
        assert_eq!(row.get::<i64>("n").unwrap(), 2);
        // Not asked by name: not a word.
        assert!(world.say("writer", world.places.thread, "just talking").await.notices().is_empty());
        // Nobody but the author hears of it.
        world.settle().await;
        assert!(world.events("lotse", "notice.created").await.is_empty());
    }

    async fn an_owner_instructs_without_a_grant(db: TestDb) {
        let world = World::new(&db).await;
        let mut world = world;
        let support = world.places.support;
        // With a token ownership does not let Robin post, so Robin gets write; trigger comes from
        // ownership alone.
        world.grant("robin", "robin", support, None, "write").await;
        world.ask("robin", world.places.thread, "hello").await;
    }

    async fn a_mentioned_agent_without_rights_here_is_no_candidate(db: TestDb) {
        let mut world = World::new(&db).await;
        let eskalation = world.places.eskalation;
        let thread = world.thread(eskalation, None).await;
        // Texter cannot read Eskalation: the mention stays text and tells nothing.
        let said = world.say("alex", thread, "@texter hello").await;
        assert!(said.notices().is_empty());
        // With read alone it can be mentioned, but cannot work.
        let support = world.places.support;
        world.grant("t", "texter", support, Some(eskalation), "read").await;
        let said = world.say("alex", thread, "@texter hello").await;
        assert_eq!((said.runs(), said.notices()), (0, vec!["agent_unavailable"]));
    }

    async fn switches_hold_agents_back(db: TestDb) {
        let world = World::new(&db).await;
        let (channel, thread) = (world.places.allgemein, world.places.thread);
        world.execute(&SWITCHES, params![channel, "mention", false, false, true]).await;
        assert_eq!(world.say("alex", thread, "hello").await.runs(), 0);
        let said = world.say("alex", thread, "@texter hello").await;
        assert_eq!((said.runs(), said.notices()), (0, vec!["agents_not_admitted"]));
        assert_eq!(world.say("alex", thread, "@lotse hello").await.runs(), 1);
        world.execute(&SWITCHES, params![channel, "off", true, true, true]).await;
        let said = world.say("sam", thread, "@lotse hello").await;
        assert_eq!((said.runs(), said.notices()), (0, vec!["agents_not_admitted"]));
    }

    async fn a_message_starts_at_most_so_many_agents(db: TestDb) {
        let world = World::with(&db, |settings| settings.max_invocations = 1).await;
        let said = world.say("alex", world.places.thread, "@lotse @texter hello").await;
        assert_eq!((said.runs(), said.notices()), (1, vec!["too_many_agents"]));
    }

    async fn an_archived_channel_starts_nothing(db: TestDb) {
        let world = World::new(&db).await;
        world.execute(&ARCHIVE, params![world.places.allgemein]).await;
        let path = format!("/threads/{}/messages", world.places.thread);
        world.post("alex", &path, json!({ "content_md": "@lotse hello" })).await.expect(403);
        assert!(world.thread_runs(world.places.thread).await.is_empty());
    }

    async fn parallel_mentions_make_one_run_and_lose_none(db: TestDb) {
        let world = std::sync::Arc::new(World::new(&db).await);
        let thread = world.places.thread;
        let posts = (0..20).map(|number| {
            let world = world.clone();
            tokio::spawn(async move {
                let who = if number % 2 == 0 { "alex" } else { "sam" };
                world.say(who, thread, "@lotse @lotse again").await.id
            })
        });
        let mut said: Vec<MessageId> = Vec::new();
        for post in posts.collect::<Vec<_>>() {
            said.push(post.await.unwrap());
        }
        // One active run; every other message is a follow-up or waits, and gets its turn.
        let mut answered = std::collections::BTreeSet::new();
        for _ in 0..said.len() {
            let runs = world.thread_runs(thread).await;
            let active: Vec<_> = runs.iter().filter(|run| run.1 == "queued").collect();
            let Some((run, _, trigger, _)) = active.first() else { break };
            assert_eq!(active.len(), 1);
            assert!(answered.insert(*trigger));
            world.start("lotse", *run).await;
            world.finish("lotse", *run).await;
        }
        assert_eq!(answered.len(), said.len());
    }
}
