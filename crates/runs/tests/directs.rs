//! Agents in direct messages: whom they admit, what starts them, and that one direct message knows
//! nothing of another. `c24_`, `c77_`: the cases of that number.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use bothy_domain::ids::{ChannelId, RunId, ThreadId};
use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use serde_json::{Value, json};
use support::{Answer, World};

const UNKNOWN: &str = "0190a000-0000-7000-8000-000000000000";

statements! {
    POLICY = "UPDATE agents SET dm_policy = $2 WHERE principal_id = $1";
    SESSION = "SELECT agent_session_id FROM runs WHERE id = $1";
}

/// A direct message that was opened.
#[derive(Clone, Copy)]
struct Direct {
    channel: ChannelId,
    main: ThreadId,
}

impl World {
    async fn policy(&self, agent: &str, policy: &str) {
        self.execute(&POLICY, params![self.id(agent), policy]).await;
    }

    async fn try_open(&self, who: &str, others: &[&str]) -> Answer {
        let others: Vec<_> = others.iter().map(|other| self.id(other)).collect();
        self.post(who, "/dms", json!({ "participant_ids": others })).await
    }

    async fn open(&self, who: &str, others: &[&str]) -> Direct {
        let answer = self.try_open(who, others).await.expect(200);
        Direct {
            channel: answer.text("channel_id").parse().unwrap(),
            main: answer.text("main_thread_id").parse().unwrap(),
        }
    }

    async fn session_of(&self, run: RunId) -> Option<uuid::Uuid> {
        let reader = self.database.reader().await.unwrap();
        reader.one(&SESSION, params![run]).await.unwrap().get("agent_session_id").unwrap()
    }
}

fn said_in(context: &Value) -> Vec<String> {
    let elements = context["thread_context"].as_array().unwrap();
    elements.iter().map(|one| one["content_md"].as_str().unwrap().to_owned()).collect()
}

both_databases! {
    async fn in_a_direct_message_every_message_of_the_person_starts_its_agent(db: TestDb) {
        let world = World::new(&db).await;
        let direct = world.open("writer", &["lotse"]).await;
        let run = world.ask("writer", direct.main, "good morning").await;
        assert!(world.session_of(run).await.is_some(), "it is the agent's own place");
        let token = world.start("lotse", run).await;
        let more = world.say("writer", direct.main, "one thing more").await;
        assert_eq!(more.runs(), 0, "a follow-up");
        assert_eq!(world.events("lotse", "agent.followup").await.len(), 1);
        let path = format!("/threads/{}/messages", direct.main);
        world.bound("lotse", "POST", &path, &token, Some(json!({ "content_md": "good morning" }))).await.expect(201);
        world.finish("lotse", run).await;
        // What was not absorbed starts the next run, in the same thread.
        let runs = world.thread_runs(direct.main).await;
        assert_eq!(runs.iter().map(|run| run.2).collect::<Vec<_>>().last(), Some(&more.id));
        // Others do not get in.
        world.get("alex", &format!("/threads/{}", direct.main)).await.expect(404);
        world.get("robin", &format!("/channels/{}", direct.channel)).await.expect(404);
    }

    async fn a_larger_direct_message_calls_agents_by_mention(db: TestDb) {
        let world = World::new(&db).await;
        let direct = world.open("alex", &["sam", "lotse"]).await;
        assert_eq!(world.say("alex", direct.main, "hello Sam").await.runs(), 0);
        assert_eq!(world.say("sam", direct.main, "@texter who is not here").await.runs(), 0);
        let run = world.ask("sam", direct.main, "@lotse what do you think?").await;
        assert!(world.session_of(run).await.is_none(), "it is a guest");
        let context = world.get("lotse", &format!("/runs/{run}/context")).await.expect(200).body;
        assert_eq!(said_in(&context), ["hello Sam", "@texter who is not here"]);
        let trust: Vec<_> = context["thread_context"].as_array().unwrap().iter().map(|one| one["trust"].as_str().unwrap()).collect();
        assert_eq!(trust, ["unverified", "trigger"], "here nobody holds trigger; Sam is whom it works for");
    }

    async fn triggerers_are_the_people_who_may_instruct_the_agent_somewhere(db: TestDb) {
        let mut world = World::new(&db).await;
        world.policy("lotse", "triggerers").await;
        let refused = world.try_open("writer", &["lotse"]).await.expect(422);
        let unknown = world.post("writer", "/dms", json!({ "participant_ids": [UNKNOWN] })).await.expect(422);
        assert_eq!(refused.comparable(), unknown.comparable());
        world.try_open("texter", &["lotse"]).await.expect(422);
        // Owners instruct everywhere, Alex in the space, Sam in one channel.
        for who in ["robin", "alex", "sam"] {
            let direct = world.open(who, &["lotse"]).await;
            world.ask(who, direct.main, "hello").await;
        }
        // Right where the agent does not work is no right to instruct it.
        let marketing = world.places.marketing;
        world.grant("w-m", "writer", marketing, None, "trigger").await;
        world.try_open("writer", &["lotse"]).await.expect(422);

        // Whoever loses it is answered no more, and their run ends.
        let direct = world.open("sam", &["lotse"]).await;
        world.revoke("sam", "sam").await;
        let after = world.say("sam", direct.main, "@lotse still there?").await;
        assert_eq!((after.runs(), after.notices()), (0, vec!["agent_not_allowed"]));
        let runs = world.thread_runs(direct.main).await;
        assert_eq!(runs.iter().map(|run| run.1.as_str()).collect::<Vec<_>>(), ["cancelled"]);
    }

    async fn an_agent_that_admits_nobody_is_not_called_into_a_direct_message(db: TestDb) {
        let world = World::new(&db).await;
        let direct = world.open("alex", &["lotse"]).await;
        world.policy("lotse", "nobody").await;
        world.try_open("sam", &["lotse"]).await.expect(422);
        world.try_open("robin", &["lotse"]).await.expect(422);
        assert_eq!(world.open("alex", &["lotse"]).await.channel, direct.channel, "what is open stays");
        let said = world.say("alex", direct.main, "@lotse hello").await;
        assert_eq!((said.runs(), said.notices()), (0, vec!["agent_not_allowed"]));
    }

    async fn c24_in_a_run_only_direct_messages_of_its_person_are_there(db: TestDb) {
        let world = World::new(&db).await;
        let [own, foreign] = [world.open("sam", &["lotse"]).await, world.open("alex", &["lotse"]).await];
        world.say("alex", foreign.main, "the Geheimplan").await;
        let run = world.ask("sam", world.places.thread, "@lotse what do others say?").await;
        let token = world.start("lotse", run).await;
        let listed = world.bound("lotse", "GET", "/me/dms", &token, None).await.expect(200);
        assert_eq!(listed.body["items"].as_array().unwrap().len(), 1);
        assert_eq!(listed.body["items"][0]["channel_id"], own.channel.to_string());
        let outside = world.get("lotse", "/me/dms").await.expect(200);
        assert_eq!(outside.body["items"].as_array().unwrap().len(), 2, "its own business outside of a run");
        let said = Some(json!({ "content_md": "x" }));
        for (method, path, id, body) in [
            ("GET", "/channels/{}", foreign.channel.to_string(), None),
            ("GET", "/channels/{}/threads", foreign.channel.to_string(), None),
            ("GET", "/threads/{}", foreign.main.to_string(), None),
            ("GET", "/threads/{}/messages", foreign.main.to_string(), None),
            ("POST", "/threads/{}/messages", foreign.main.to_string(), said),
        ] {
            let hidden = world.bound("lotse", method, &path.replace("{}", &id), &token, body.clone()).await.expect(404);
            let unknown = world.bound("lotse", method, &path.replace("{}", UNKNOWN), &token, body).await.expect(404);
            assert_eq!(hidden.comparable(), unknown.comparable(), "{method} {path}");
        }
        world.bound("lotse", "GET", &format!("/threads/{}", own.main), &token, None).await.expect(200);

        // Nor does it carry anything to where its person cannot look.
        let without = json!({ "participant_ids": [world.id("alex"), world.id("writer")] });
        let refused = world.bound("lotse", "POST", "/dms", &token, Some(without)).await.expect(403);
        assert_eq!(refused.text("reason"), "acting_for_insufficient");
        let with = json!({ "participant_ids": [world.id("sam"), world.id("alex")] });
        world.bound("lotse", "POST", "/dms", &token, Some(with)).await.expect(200);
    }

    async fn c77_every_direct_message_has_a_session_and_a_history_of_its_own(db: TestDb) {
        let world = World::new(&db).await;
        let [one, two] = [world.open("alex", &["lotse"]).await, world.open("sam", &["lotse"]).await];
        let mut asked = Vec::new();
        for (who, thread) in [("alex", one.main), ("sam", two.main), ("alex", world.places.thread), ("sam", world.places.thread)] {
            let said = world.say(who, thread, &format!("@lotse {who} asks in {thread}")).await;
            if said.runs() == 1 {
                asked.push((who, thread, said.run()));
            }
        }
        // In the thread, Sam waits behind the run of Alex.
        assert_eq!(asked.len(), 3);
        let mut sessions = Vec::new();
        for (who, thread, run) in &asked {
            let context = world.get("lotse", &format!("/runs/{run}/context")).await.expect(200).body;
            assert_eq!(context["trigger_message"]["content_md"], format!("@lotse {who} asks in {thread}"));
            assert_eq!(said_in(&context), Vec::<String>::new());
            sessions.push(world.session_of(*run).await.unwrap());
        }
        sessions.sort_unstable();
        sessions.dedup();
        assert_eq!(sessions.len(), 3, "one session for each");
        for (who, thread, run) in &asked {
            world.start("lotse", *run).await;
            world.finish("lotse", *run).await;
            let said = world.say(who, *thread, "and now?").await;
            if *thread != world.places.thread {
                let context = world.get("lotse", &format!("/runs/{}/context", said.run())).await.expect(200).body;
                let others: Vec<_> = said_in(&context).into_iter().filter(|text| !text.contains(&thread.to_string())).collect();
                assert!(others.is_empty(), "{others:?}");
            }
        }
    }
}
