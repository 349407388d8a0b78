//! Runs in threads that are moved. `c14_`: the case of that number.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use bothy_authz::Touched;
use bothy_domain::ids::{ChannelId, RunId, ThreadId};
use bothy_domain::policy::scope;
use bothy_platform::clock::Clock;
use bothy_platform::events::AudienceFilter;
use bothy_storage::{params, statements};
use bothy_testkit::{TestDb, both_databases};
use serde_json::{Value, json};
use support::World;

const UNKNOWN: &str = "0190a000-0000-7000-8000-000000000000";

statements! {
    CAPABILITIES = "UPDATE grants SET capabilities = 7 WHERE principal_id = $1";
}

/// A channel with its main thread.
#[derive(Clone, Copy)]
struct Place {
    channel: ChannelId,
    main: ThreadId,
}

/// The world with Robin who manages both spaces, and two channels of Marketing that nobody else sees.
async fn world(db: &TestDb) -> (World, Place, Place) {
    let mut world = World::new(db).await;
    let (support, marketing) = (world.places.support, world.places.marketing);
    world.grant("r-s", "robin", support, None, "trigger").await;
    world.grant("r-m", "robin", marketing, None, "trigger").await;
    let robin = world.id("robin");
    world.execute(&CAPABILITIES, params![robin]).await;
    let unit = world.database.begin().await.unwrap();
    world.authz.changed(&unit, Touched::Principals(vec![robin])).await.unwrap();
    unit.commit().await.unwrap();
    let secret = channel(&world, "Geheimsache").await;
    let private = channel(&world, "Vertraulich").await;
    (world, secret, private)
}

async fn channel(world: &World, name: &str) -> Place {
    let path = format!("/spaces/{}/channels", world.places.marketing);
    let made = world.post("robin", &path, json!({ "kind": "text", "name": name })).await.expect(201);
    Place { channel: made.text("channel_id").parse().unwrap(), main: made.text("main_thread_id").parse().unwrap() }
}

/// Lets Lotse work in a channel of Marketing.
async fn admit(world: &mut World, place: Place) {
    let marketing = world.places.marketing;
    world.grant("l-p", "lotse", marketing, Some(place.channel), "write").await;
}

/// A thread that Robin opens from a message of the main thread, and the run that its first message
/// starts, if there is an operator.
async fn talk(world: &World, place: Place, text: &str) -> (ThreadId, String, Option<RunId>) {
    let parent = world.say("robin", place.main, text).await;
    let path = format!("/channels/{}/threads", place.channel);
    let body = json!({ "parent_message_id": parent.id, "content_md": "the first word inside" });
    let opened = world.post("robin", &path, body).await.expect(201);
    world.clock.advance(std::time::Duration::from_millis(5));
    let run = opened.body["run_ids"][0].as_str().map(|run| run.parse().unwrap());
    (opened.text("thread_id").parse().unwrap(), parent.id.to_string(), run)
}

async fn move_to(world: &World, thread: ThreadId, channel: ChannelId) {
    let body = json!({ "channel_id": channel });
    world.post("robin", &format!("/threads/{thread}/move"), body).await.expect(200);
    world.clock.advance(std::time::Duration::from_millis(5));
}

/// Everything that somebody is told in events now.
async fn told(world: &World, who: &str) -> String {
    world.settle().await;
    let reader = world.database.reader().await.unwrap();
    let rights = world.authz.snapshot(&reader, world.id(who), true).await.unwrap();
    let scope = scope(&rights, None, world.clock.now());
    let filter = AudienceFilter { principal: world.id(who), scope: &scope };
    let page = world.events.read_for(&reader, 0, 100_000, filter).await.unwrap();
    let ids = page.events.iter().filter(|event| event.event.thread.is_some()).map(|event| {
        let event = event.event;
        format!("{:?}", [event.channel.map(|id| id.to_string()), event.space.map(|id| id.to_string())])
    });
    ids.collect()
}

both_databases! {
    async fn c14_the_first_run_after_a_move_learns_nothing_of_the_channel_before(db: TestDb) {
        let (world, secret, _) = world(&db).await;
        world.say("robin", secret.main, "the Geheimplan of the main thread").await;
        let (thread, parent, _) = talk(&world, secret, "the Geheimplan that it began with").await;
        world.say("robin", secret.main, "more of the Geheimplan").await;
        move_to(&world, thread, world.places.allgemein).await;

        let run = world.ask("alex", thread, "@lotse what is this about?").await;
        let token = world.start("lotse", run).await;
        let context = world.bound("lotse", "GET", &format!("/runs/{run}/context"), &token, None).await.expect(200);
        let inside: Vec<&str> = context.body["thread_context"].as_array().unwrap().iter().map(|one| one["content_md"].as_str().unwrap()).collect();
        assert_eq!(inside, ["the first word inside", ""], "the thread itself came along, with the line of the move");
        let mut answers = vec![context];
        for path in ["", "/messages", "/runs"] {
            answers.push(world.bound("lotse", "GET", &format!("/threads/{thread}{path}"), &token, None).await.expect(200));
            answers.push(world.get("alex", &format!("/threads/{thread}{path}")).await.expect(200));
        }
        answers.push(world.get("lotse", "/agent/events").await.expect(200));
        let shown: String = answers.iter().map(|answer| String::from_utf8_lossy(&answer.bytes).into_owned()).collect();
        let marketing = world.places.marketing.to_string();
        let secrets = [secret.channel.to_string(), secret.main.to_string(), marketing, parent, "Geheim".to_owned(), "Marketing".to_owned()];
        for word in &secrets {
            assert!(!shown.contains(word), "{word} in {shown}");
        }
        for who in ["alex", "sam", "lotse"] {
            let told = told(&world, who).await;
            assert!(secrets.iter().all(|word| !told.contains(word)), "{who}: {told}");
        }
    }

    async fn c14_a_move_out_of_sight_ends_the_run_and_what_it_may_read(db: TestDb) {
        let (mut world, _, private) = world(&db).await;
        admit(&mut world, private).await;
        let parent = world.say("robin", world.places.main, "a topic").await;
        let path = format!("/channels/{}/threads", world.places.allgemein);
        let opened = world.post("robin", &path, json!({ "parent_message_id": parent.id })).await.expect(201);
        let thread: ThreadId = opened.text("thread_id").parse().unwrap();
        let asked = world.say("sam", thread, "@lotse please").await;
        let run = asked.run();
        let token = world.start("lotse", run).await;
        world.bound("lotse", "GET", &format!("/runs/{run}/context"), &token, None).await.expect(200);
        move_to(&world, thread, private.channel).await;

        assert_eq!(world.events("lotse", "run.cancel_requested").await.len(), 1);
        assert_eq!(world.state(run).await.0, "running", "the agent may still end it in order");
        for (path, unknown) in [
            (format!("/runs/{run}/context"), format!("/runs/{UNKNOWN}/context")),
            (format!("/threads/{thread}"), format!("/threads/{UNKNOWN}")),
            (format!("/threads/{thread}/messages"), format!("/threads/{UNKNOWN}/messages")),
            (format!("/messages/{}", asked.id), format!("/messages/{UNKNOWN}")),
        ] {
            let hidden = world.bound("lotse", "GET", &path, &token, None).await.expect(404);
            let nowhere = world.bound("lotse", "GET", &unknown, &token, None).await.expect(404);
            assert_eq!(hidden.comparable(), nowhere.comparable(), "{path}");
        }
        for path in [format!("/threads/{thread}"), format!("/threads/{thread}/messages"), format!("/threads/{thread}/runs"), format!("/messages/{}", asked.id), format!("/runs/{run}")] {
            world.get("sam", &path).await.expect(404);
        }
        let told = told(&world, "sam").await;
        let secrets = [private.channel.to_string(), world.places.marketing.to_string()];
        assert!(secrets.iter().all(|word| !told.contains(word)), "{told}");
        // Who reads there has it all, with a line that says nothing more than that it was moved.
        let listed = world.get("robin", &format!("/threads/{thread}/messages")).await.expect(200).body;
        let line = listed["items"].as_array().unwrap().last().unwrap();
        assert_eq!((&line["system_code"], &line["content_md"]), (&Value::from("thread.moved"), &Value::from("")));
        world.get("lotse", &format!("/threads/{thread}")).await.expect(200);
        world.finish("lotse", run).await;
    }

    async fn a_move_out_of_the_agents_sight_ends_its_run_at_once(db: TestDb) {
        let (mut world, secret, private) = world(&db).await;
        admit(&mut world, private).await;
        let allgemein = Place { channel: world.places.allgemein, main: world.places.main };
        let (thread, _, run) = talk(&world, allgemein, "a topic").await;
        let run = run.unwrap();
        world.start("lotse", run).await;
        // Where both may work it goes on.
        move_to(&world, thread, private.channel).await;
        assert_eq!(world.state(run).await.0, "running");
        assert!(world.events("lotse", "run.cancel_requested").await.is_empty());
        move_to(&world, thread, secret.channel).await;
        assert_eq!(world.state(run).await.0, "cancelled");
        world.get("lotse", &format!("/threads/{thread}")).await.expect(404);
    }
}
