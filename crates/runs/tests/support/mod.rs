//! The world of these tests: all modules on one database behind the real chain, with the people,
//! agents and places of chapter 00. The tree and the grants are written as rows; what is said and
//! done goes over HTTP with real tokens.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

#[path = "../../../identity/tests/support/ground.rs"]
mod ground;
mod send;
mod sql;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bothy_agents::{Agents, AgentsDeps};
use bothy_authz::{Authz, RightsChanged, Touched, TreeFacts};
use bothy_chat::{Chat, DirectAdmission};
use bothy_domain::action::ResourceKind as Kind;
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{ChannelId, GrantId, MessageId, PrincipalId, RunId, SpaceId, ThreadId};
use bothy_identity::{ActingForSource, Identity, NewPrincipal, NewToken, TokenUse};
use bothy_messaging::{MessageWritten, Messaging};
use bothy_platform::audit::AuditLog;
use bothy_platform::authorize::Locate;
use bothy_platform::clock::{Clock, ManualClock};
use bothy_platform::entropy::IdSource;
use bothy_platform::events::EventLog;
use bothy_platform::http::Locators;
use bothy_platform::keys::KeyRing;
use bothy_platform::paging::PageLimits;
use bothy_runs::{RunSettings, Runs, RunsDeps};
use bothy_storage::{Database, params};
use bothy_testkit::TestDb;
use ground::settle::settle;
use ground::{Ground, sender};
use serde_json::{Value, json};

pub use send::{Answer, Sender};
pub use sql::Places;

/// The modules and the world.
pub struct World {
    pub database: Database,
    pub clock: ManualClock,
    pub ids: IdSource,
    pub authz: Arc<Authz>,
    pub identity: Arc<Identity>,
    pub agents: Arc<Agents>,
    pub runs: Arc<Runs>,
    pub audit: AuditLog,
    pub events: EventLog,
    pub sender: Sender,
    pub places: Places,
    who: HashMap<&'static str, PrincipalId>,
    tokens: HashMap<&'static str, String>,
    grants: HashMap<&'static str, GrantId>,
    kept: Vec<Arc<dyn std::any::Any + Send + Sync>>,
}

impl World {
    pub async fn new(db: &TestDb) -> Self {
        Self::with(db, |_| {}).await
    }

    pub async fn with(db: &TestDb, change: impl FnOnce(&mut RunSettings)) -> Self {
        let ground = Ground::new(db, 11, |_| {}).await;
        let keys =
            KeyRing::open(ground.database.clone(), ground.shared.clone(), ground.entropy.clone(), &ground.secret)
                .await
                .unwrap();
        let Ground { database, clock, shared, ids, config, instance, audit, events, authz, identity, .. } = &ground;
        let chat = Arc::new(Chat::new(bothy_chat::Parts {
            database: database.clone(),
            instance: instance.id(),
            clock: shared.clone(),
            ids: ids.clone(),
            config: config.clone(),
            audit: audit.clone(),
            events: events.clone(),
            authz: authz.clone(),
            identity: identity.clone(),
        }));
        let messaging = Arc::new(Messaging::new(bothy_messaging::Parts {
            database: database.clone(),
            clock: shared.clone(),
            ids: ids.clone(),
            config: config.clone(),
            audit: audit.clone(),
            events: events.clone(),
            authz: authz.clone(),
            identity: identity.clone(),
            chat: chat.clone(),
        }));
        let agents = Agents::new(AgentsDeps {
            database: database.clone(),
            identity: identity.clone(),
            audit: audit.clone(),
            events: events.clone(),
            clock: shared.clone(),
            ids: ids.clone(),
            pages: PageLimits::from(&**config),
            commands_max: config.agent.max_commands.to_usize(),
        });
        let mut settings = RunSettings::from(&**config);
        change(&mut settings);
        let runs = Runs::new(RunsDeps {
            database: database.clone(),
            identity: identity.clone(),
            authz: authz.clone(),
            chat: chat.clone(),
            messaging: messaging.clone(),
            agents: agents.clone(),
            audit: audit.clone(),
            events: events.clone(),
            keys,
            instance: instance.id(),
            clock: shared.clone(),
            ids: ids.clone(),
            settings,
        });
        authz.set_tree_facts(&(chat.clone() as Arc<dyn TreeFacts>));
        authz.set_rights_changed(&(runs.clone() as Arc<dyn RightsChanged>));
        chat.set_direct_admission(&(runs.clone() as Arc<dyn DirectAdmission>));
        identity.set_acting_for_source(&(runs.clone() as Arc<dyn ActingForSource>));
        messaging.set_message_written(&(runs.clone() as Arc<dyn MessageWritten>));
        let locators = Locators::default()
            .with(&[Kind::Instance, Kind::Space, Kind::Channel, Kind::Thread], chat.clone() as Arc<dyn Locate>)
            .with(&[Kind::Message], messaging.clone())
            .with(&[Kind::Agent, Kind::App], agents.clone())
            .with(&[Kind::Run], runs.clone());
        let table = chat.routes().and(messaging.routes()).and(agents.routes()).and(runs.routes());
        let mut services = ground.services(identity.clone(), locators);
        services.watch = runs.clone();
        let sender = Sender::new(sender(table, services));
        ground.sequence_events();
        let mut world = Self {
            database: database.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            authz: authz.clone(),
            identity: identity.clone(),
            agents,
            runs,
            audit: audit.clone(),
            events: events.clone(),
            sender,
            places: Places::default(),
            who: HashMap::new(),
            tokens: HashMap::new(),
            grants: HashMap::new(),
            kept: vec![chat, messaging],
        };
        world.populate().await;
        world
    }

    async fn populate(&mut self) {
        use PrincipalKind::{Agent, App, Person};
        for (kind, handle) in [
            (Person, "robin"),
            (Person, "alex"),
            (Person, "sam"),
            (Person, "writer"),
            (Agent, "lotse"),
            (Agent, "texter"),
            (App, "feed"),
        ] {
            self.principal(kind, handle).await;
        }
        self.places = sql::tree(self).await;
        let Places { support, marketing, allgemein, .. } = self.places;
        sql::own(self, self.id("robin")).await;
        self.grant("G-1", "alex", support, None, "trigger").await;
        self.grant("sam", "sam", support, Some(allgemein), "trigger").await;
        self.grant("writer", "writer", support, Some(allgemein), "write").await;
        self.grant("G-5", "lotse", support, None, "write").await;
        self.grant("texter", "texter", support, Some(allgemein), "write").await;
        self.grant("texter-m", "texter", marketing, None, "write").await;
        self.grant("feed", "feed", support, None, "write").await;
    }

    async fn principal(&mut self, kind: PrincipalKind, handle: &'static str) {
        let unit = self.database.begin().await.unwrap();
        let new = NewPrincipal {
            kind,
            handle,
            display_name: handle,
            status: PrincipalStatus::Active,
            requires_binding: false,
        };
        let id = self.identity.create_principal(&unit, new).await.unwrap();
        sql::account(&unit, kind, id).await;
        let token_use = match kind {
            PrincipalKind::Person => TokenUse::Personal,
            PrincipalKind::Agent => TokenUse::Agent,
            PrincipalKind::App => TokenUse::App,
        };
        let token = NewToken { token_use, principal: id, name: "test", created_by: id, expires_at: None };
        let issued = self.identity.issue_token(&unit, token).await.unwrap();
        unit.commit().await.unwrap();
        self.who.insert(handle, id);
        self.tokens.insert(handle, issued.secret);
    }

    /// The id of somebody.
    pub fn id(&self, handle: &str) -> PrincipalId {
        self.who[handle]
    }

    /// The token of somebody.
    pub fn token(&self, handle: &str) -> &str {
        &self.tokens[handle]
    }

    /// Gives rights under a name by which they can be taken back.
    pub async fn grant(
        &mut self,
        name: &'static str,
        who: &str,
        space: SpaceId,
        channel: Option<ChannelId>,
        level: &str,
    ) {
        let id: GrantId = self.ids.next();
        let who = self.id(who);
        let unit = self.database.begin().await.unwrap();
        let kind = if channel.is_some() { "channel" } else { "space" };
        unit.execute(&sql::GRANT, params![id, who, kind, space, channel, level, self.clock.now()]).await.unwrap();
        self.authz.changed(&unit, Touched::Principals(vec![who])).await.unwrap();
        unit.commit().await.unwrap();
        self.grants.insert(name, id);
    }

    /// Takes rights back, as `revokeGrant` does.
    pub async fn revoke(&self, name: &str, who: &str) {
        let unit = self.database.begin().await.unwrap();
        unit.execute(&sql::REVOKE, params![self.grants[name], self.clock.now()]).await.unwrap();
        self.authz.changed(&unit, Touched::Principals(vec![self.id(who)])).await.unwrap();
        unit.commit().await.unwrap();
    }

    /// Takes rights back without anybody being told, as if the change and a message crossed.
    pub async fn revoke_silently(&self, name: &str) {
        let unit = self.database.begin().await.unwrap();
        unit.execute(&sql::REVOKE, params![self.grants[name], self.clock.now()]).await.unwrap();
        sql::bump(&unit, self.clock.now()).await;
        unit.commit().await.unwrap();
    }

    /// Shuts somebody out.
    pub async fn disable(&self, who: &str) {
        let unit = self.database.begin().await.unwrap();
        self.identity.set_status(&unit, self.id(who), PrincipalStatus::Disabled).await.unwrap();
        unit.commit().await.unwrap();
    }

    /// Runs one statement of the test.
    pub async fn execute(&self, statement: &'static bothy_storage::Statement, params: &[bothy_storage::Value]) {
        let unit = self.database.begin().await.unwrap();
        unit.execute(statement, params).await.unwrap();
        unit.commit().await.unwrap();
    }

    pub async fn get(&self, who: &str, path: &str) -> Answer {
        self.sender.send("GET", path, Some(self.token(who)), &[], None).await
    }

    pub async fn post(&self, who: &str, path: &str, body: Value) -> Answer {
        self.sender.send("POST", path, Some(self.token(who)), &[], Some(body)).await
    }

    pub async fn post_empty(&self, who: &str, path: &str) -> Answer {
        self.sender.send("POST", path, Some(self.token(who)), &[], None).await
    }

    pub async fn patch(&self, who: &str, path: &str, body: Value) -> Answer {
        self.sender.send("PATCH", path, Some(self.token(who)), &[], Some(body)).await
    }

    /// A request of an agent in its run.
    pub async fn bound(&self, who: &str, method: &str, path: &str, token: &str, body: Option<Value>) -> Answer {
        self.sender.send(method, path, Some(self.token(who)), &[("invocation-token", token)], body).await
    }

    /// Posts a message that must be taken.
    pub async fn say(&self, who: &str, thread: ThreadId, text: &str) -> Said {
        let body = json!({ "content_md": text });
        let answer = self.post(who, &format!("/threads/{thread}/messages"), body).await.expect(201);
        self.clock.advance(Duration::from_millis(5));
        Said { id: answer.text("message_id").parse().unwrap(), answer: answer.body }
    }

    /// The one run that a message starts.
    pub async fn ask(&self, who: &str, thread: ThreadId, text: &str) -> RunId {
        self.say(who, thread, text).await.run()
    }

    /// What Lotse reads of a run.
    pub async fn context(&self, run: RunId) -> Value {
        self.get("lotse", &format!("/runs/{run}/context")).await.expect(200).body
    }

    /// What polls without waiting bring, batch by batch.
    pub async fn poll(&self, agent: &str) -> Vec<Value> {
        self.settle().await;
        let mut events = Vec::new();
        let mut path = "/agent/events".to_owned();
        loop {
            let body = self.get(agent, &path).await.expect(200).body;
            let batch = body["items"].as_array().unwrap();
            if batch.is_empty() {
                return events;
            }
            events.extend(batch.iter().cloned());
            path = format!("/agent/events?cursor={}", body["cursor"]);
        }
    }

    /// The events of a poll of one kind.
    pub async fn events(&self, agent: &str, kind: &str) -> Vec<Value> {
        let mut events = self.poll(agent).await;
        events.retain(|event| event["kind"] == kind);
        events
    }

    /// The invocation token of a run that waits for its agent.
    pub async fn invocation_token(&self, agent: &str, run: RunId) -> String {
        let invocations = self.events(agent, "agent.invocation").await;
        let found = invocations.iter().find(|event| event["run_id"] == run.to_string());
        found.expect("an invocation of the run")["invocation_token"].as_str().unwrap().to_owned()
    }

    /// Polls and starts a run.
    pub async fn start(&self, agent: &str, run: RunId) -> String {
        let token = self.invocation_token(agent, run).await;
        let body = json!({ "invocation_token": token });
        self.post(agent, &format!("/runs/{run}/start"), body).await.expect(200);
        token
    }

    pub async fn finish(&self, agent: &str, run: RunId) {
        self.post(agent, &format!("/runs/{run}/finish"), json!({ "outcome": "completed" })).await.expect(200);
    }

    /// Acknowledges everything that there is.
    pub async fn ack_all(&self, agent: &str) {
        self.settle().await;
        let reader = self.database.reader().await.unwrap();
        let cursor = self.events.head(&reader).await.unwrap();
        drop(reader);
        self.post(agent, "/agent/events/ack", json!({ "cursor": cursor })).await.expect(200);
    }

    /// The state of a run, and why it ended.
    pub async fn state(&self, run: RunId) -> (String, Option<String>) {
        sql::state(self, run).await
    }

    /// The runs of a thread, oldest first, by trigger: state and message.
    pub async fn thread_runs(&self, thread: ThreadId) -> Vec<(RunId, String, MessageId, PrincipalId)> {
        sql::runs_of(self, thread).await
    }

    /// Lets time pass until a task has ended. It gets a while without any, to end by itself.
    pub async fn pass_time_until<T>(&self, task: tokio::task::JoinHandle<T>) -> T {
        for _ in 0..250 {
            if !task.is_finished() {
                sql::pause().await;
            }
        }
        while !task.is_finished() {
            self.clock.advance(Duration::from_secs(5));
            sql::pause().await;
        }
        task.await.unwrap()
    }

    /// Lets the event log give positions to everything that was committed.
    pub async fn settle(&self) {
        settle(&self.database).await;
    }
}

/// A message that was taken.
pub struct Said {
    pub id: MessageId,
    pub answer: Value,
}

impl Said {
    /// The one run that it started.
    pub fn run(&self) -> RunId {
        let runs = self.answer["run_ids"].as_array().unwrap_or_else(|| panic!("no run in {}", self.answer));
        assert_eq!(runs.len(), 1, "{}", self.answer);
        runs[0].as_str().unwrap().parse().unwrap()
    }

    /// How many runs it started.
    pub fn runs(&self) -> usize {
        self.answer["run_ids"].as_array().map_or(0, Vec::len)
    }

    /// The codes of the notices for the author.
    pub fn notices(&self) -> Vec<&str> {
        let notices = self.answer["notices"].as_array();
        notices.map_or_else(Vec::new, |notices| notices.iter().map(|one| one["code"].as_str().unwrap()).collect())
    }
}
