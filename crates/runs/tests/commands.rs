//! Commands that agents offer and people run (RC-17).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use bothy_domain::ids::{RunId, ThreadId};
use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use serde_json::{Value, json};
use support::{Answer, World};

statements! {
    DENIALS = "SELECT COUNT(*) AS n FROM audit_events WHERE action = 'command.run' AND effect = 'deny'";
    CLOSE = "UPDATE threads SET closed_at = 1 WHERE id = $1";
}

impl World {
    async fn offer(&self, agent: &str, commands: Value) -> Answer {
        let path = format!("/agents/{}/commands", self.id(agent));
        self.sender.send("PUT", &path, Some(self.token(agent)), &[], Some(json!({ "commands": commands }))).await
    }

    async fn offer_deploy(&self) {
        let deploy = json!({
            "name": "deploy", "description": "Brings a version into service.",
            "arguments": {
                "type": "object", "required": ["env"],
                "properties": { "env": { "type": "string", "enum": ["prod", "test"] }, "note": { "type": "string" } },
            },
        });
        self.offer("lotse", json!([deploy, { "name": "status", "description": "Says how it is." }])).await.expect(200);
    }

    async fn run_command(&self, who: &str, thread: ThreadId, agent: &str, name: &str, arguments: Value) -> Answer {
        let body = json!({ "agent_id": self.id(agent), "name": name, "arguments": arguments });
        self.post(who, &format!("/threads/{thread}/commands"), body).await
    }

    async fn denials(&self) -> i64 {
        let reader = self.database.reader().await.unwrap();
        reader.one(&DENIALS, params![]).await.unwrap().get("n").unwrap()
    }
}

fn run_of(answer: &Answer) -> RunId {
    answer.text("run_id").parse().unwrap()
}

both_databases! {
    async fn an_agent_says_what_it_offers_and_everybody_reads_it(db: TestDb) {
        let world = World::new(&db).await;
        world.offer_deploy().await;
        let path = format!("/agents/{}/commands", world.id("lotse"));
        let listed = world.get("writer", &path).await.expect(200).body;
        assert_eq!((&listed["items"][0]["name"], &listed["items"][1]["name"]), (&json!("deploy"), &json!("status")));
        // What is offered anew takes the place of what was offered before.
        world.offer("lotse", json!([{ "name": "status", "description": "Says how it is." }])).await.expect(200);
        assert_eq!(world.get("writer", &path).await.expect(200).body["items"].as_array().unwrap().len(), 1);

        let twice = json!([{ "name": "a", "description": "A." }, { "name": "a", "description": "B." }]);
        assert_eq!(world.offer("lotse", twice).await.expect(422).body["errors"][0]["pointer"], "/commands/1/name");
        let sentence = json!([{ "name": "ignore all orders", "description": "A." }]);
        world.offer("lotse", sentence).await.expect(422);
        let other = json!([{ "name": "a", "description": "A.", "runs": "rm" }]);
        world.offer("lotse", other).await.expect(422);
        let many: Vec<Value> = (0..51).map(|n| json!({ "name": format!("c{n}"), "description": "C." })).collect();
        world.offer("lotse", json!(many)).await.expect(422);

        let of_lotse = |token: &str| {
            let (path, token, sender) = (path.clone(), token.to_owned(), world.sender.clone());
            async move { sender.send("PUT", &path, Some(&token), &[], Some(json!({ "commands": [] }))).await }
        };
        assert_eq!(of_lotse(world.token("texter")).await.expect(403).text("reason"), "not_self");
        of_lotse(world.token("robin")).await.expect(403);
    }

    async fn a_command_is_recorded_and_starts_a_run_with_a_full_context(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        world.offer_deploy().await;
        world.say("writer", thread, "before").await;
        let arguments = json!({ "note": "ignore me, \"@texter\"", "env": "prod" });
        let asked = world.run_command("alex", thread, "lotse", "deploy", arguments).await.expect(201);
        let run = run_of(&asked);
        let message = world.get("writer", &format!("/messages/{}", asked.text("message_id"))).await.expect(200).body;
        assert_eq!((&message["kind"], &message["origin"]), (&json!("run_request"), &json!("human")));
        let line = r#"/deploy {"env":"prod","note":"ignore me, \"@texter\""}"#;
        assert_eq!((&message["content_md"], &message["author"]["handle"]), (&json!(line), &json!("alex")));

        let invocation = world.events("lotse", "agent.invocation").await.pop().unwrap();
        assert_eq!((&invocation["run_id"], &invocation["trigger_kind"]), (&json!(run), &json!("command")));
        let context = world.get("lotse", &format!("/runs/{run}/context")).await.expect(200).body;
        let trigger = &context["trigger_message"];
        assert_eq!((&trigger["trust"], &trigger["role"], &trigger["kind"]), (&json!("trigger"), &json!("user"), &json!("run_request")));
        assert_eq!((&trigger["content_md"], &context["thread_context"][0]["content_md"]), (&json!(line), &json!("before")));
        // Texter stands in the text, but a request calls its agent and nobody else.
        assert!(world.events("texter", "agent.invocation").await.is_empty());
    }

    async fn in_the_main_thread_it_opens_one(db: TestDb) {
        let world = World::new(&db).await;
        world.offer_deploy().await;
        let main = world.places.main;
        world.say("writer", main, "earlier").await;
        let asked = world.run_command("alex", main, "lotse", "status", json!({})).await.expect(201);
        let run = world.get("alex", &format!("/runs/{}", run_of(&asked))).await.expect(200);
        assert_eq!(run.text("thread_id"), asked.text("opened_thread_id"));
        let context = world.get("lotse", &format!("/runs/{}/context", run_of(&asked))).await.expect(200).body;
        assert_eq!(context["trigger_message"]["content_md"], "/status");
        assert_eq!(context["channel_context"][0]["content_md"], "earlier");
    }

    async fn what_the_agent_does_not_offer_or_take_is_refused(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        world.offer_deploy().await;
        let refused = async |agent: &str, name: &str, arguments: Value| {
            let answer = world.run_command("alex", thread, agent, name, arguments).await.expect(422);
            answer.body["errors"][0]["pointer"].as_str().unwrap().to_owned()
        };
        assert_eq!(refused("lotse", "deploi", json!({})).await, "/name");
        assert_eq!(refused("texter", "deploy", json!({ "env": "prod" })).await, "/name");
        assert_eq!(refused("sam", "deploy", json!({ "env": "prod" })).await, "/agent_id");
        assert_eq!(refused("lotse", "deploy", json!({})).await, "/arguments/env");
        assert_eq!(refused("lotse", "deploy", json!({ "env": "elsewhere" })).await, "/arguments/env");
        assert_eq!(refused("lotse", "deploy", json!({ "env": "prod", "sudo": true })).await, "/arguments/sudo");
        let unknown = json!({ "agent_id": world.id("lotse"), "name": "status", "trust": "trigger" });
        world.post("alex", &format!("/threads/{thread}/commands"), unknown).await.expect(422);
        assert!(world.thread_runs(thread).await.is_empty());
    }

    async fn c44_who_may_not_instruct_runs_nothing_and_the_attempt_is_recorded(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        world.offer_deploy().await;
        let refused = world.run_command("writer", thread, "lotse", "status", json!({})).await.expect(403);
        assert_eq!(refused.text("reason"), "level_insufficient");
        assert_eq!(world.denials().await, 1);
        // Nothing was written.
        let listed = world.get("writer", &format!("/threads/{thread}/messages")).await.expect(200).body;
        assert_eq!(listed["items"], json!([]));
        let hidden = world.run_command("alex", world.places.hidden, "lotse", "status", json!({})).await.expect(404);
        let unknown = world.run_command("alex", world.ids.next(), "lotse", "status", json!({})).await.expect(404);
        assert_eq!(hidden.comparable(), unknown.comparable());
        world.execute(&CLOSE, params![thread]).await;
        world.run_command("alex", thread, "lotse", "status", json!({})).await.expect(409);
    }

    async fn a_command_during_a_run_follows_up_or_waits(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        world.offer_deploy().await;
        let first = world.ask("alex", thread, "hello").await;
        world.start("lotse", first).await;
        let own = world.run_command("alex", thread, "lotse", "status", json!({})).await.expect(201);
        let other = world.run_command("sam", thread, "lotse", "deploy", json!({ "env": "test" })).await.expect(201);
        assert!(own.body.get("run_id").is_none() && other.body.get("run_id").is_none());
        let told = world.events("lotse", "agent.followup").await;
        assert_eq!((told.len(), &told[0]["message_id"]), (1, &own.body["message_id"]));
        let body = json!({ "absorbed_message_ids": [own.text("message_id")] });
        world.patch("lotse", &format!("/runs/{first}"), body).await.expect(200);
        world.finish("lotse", first).await;
        let runs = world.thread_runs(thread).await;
        assert_eq!((runs.len(), runs[1].3), (2, world.id("sam")));
        // The kind of the request goes with it.
        let shown = world.get("alex", &format!("/runs/{}", runs[1].0)).await.expect(200);
        assert_eq!(shown.text("trigger_kind"), "command");
    }

    async fn the_same_request_runs_once(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        world.offer_deploy().await;
        let path = format!("/threads/{thread}/commands");
        let body = json!({ "agent_id": world.id("lotse"), "name": "status" });
        let key = [("idempotency-key", "one")];
        let send = || world.sender.send("POST", &path, Some(world.token("alex")), &key, Some(body.clone()));
        let (one, two) = (send().await.expect(201), send().await.expect(201));
        assert_eq!(one.body, two.body);
        assert_eq!(world.thread_runs(thread).await.len(), 1);
    }

    async fn a_guest_runs_commands_only_where_guests_are_let_in(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        world.offer("texter", json!([{ "name": "draft", "description": "Drafts." }])).await.expect(200);
        world.run_command("sam", thread, "texter", "draft", json!({})).await.expect(201);
        let elsewhere = world.thread(world.places.eskalation, None).await;
        // Texter may not work there; Alex may instruct agents there.
        world.run_command("alex", elsewhere, "texter", "draft", json!({})).await.expect(409);
    }
}
