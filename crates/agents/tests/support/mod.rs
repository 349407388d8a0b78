//! Agents, identity and authz on one database behind the real chain, with Robin who owns the
//! instance and has just confirmed the password.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

#[path = "../../../identity/tests/support/ground.rs"]
mod ground;

use std::sync::Arc;
use std::time::Duration;

use bothy_agents::{Agents, AgentsDeps};
use bothy_authz::TreeFacts;
use bothy_chat::Chat;
use bothy_domain::action::ResourceKind as Kind;
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::ids::PrincipalId;
use bothy_identity::{Identity, NewPrincipal, NewToken, TokenUse};
use bothy_platform::audit::AuditLog;
use bothy_platform::clock::ManualClock;
use bothy_platform::entropy::IdSource;
use bothy_platform::events::EventLog;
use bothy_platform::http::Locators;
use bothy_platform::paging::PageLimits;
use bothy_storage::Database;
use bothy_testkit::TestDb;
use ground::{Ground, Send, sender};
use http::{Request, StatusCode, header};
use serde_json::{Value, json};

/// The world of a test.
pub struct World {
    pub database: Database,
    pub clock: ManualClock,
    pub ids: IdSource,
    pub identity: Arc<Identity>,
    pub agents: Arc<Agents>,
    pub events: EventLog,
    pub audit: AuditLog,
    pub robin: String,
    chat: Arc<Chat>,
    send: Arc<Send>,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: StatusCode,
    pub etag: Option<String>,
    pub body: Value,
}

impl Answer {
    /// The answer, which must have this status.
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        self
    }

    /// The text of a member.
    pub fn text(&self, name: &str) -> &str {
        self.body[name].as_str().unwrap_or_else(|| panic!("no {name} in {}", self.body))
    }
}

impl World {
    pub async fn new(db: &TestDb) -> Self {
        let ground = Ground::new(db, 5, |_| {}).await;
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
        authz.set_tree_facts(&(chat.clone() as Arc<dyn TreeFacts>));
        let locators = Locators::default().with(&[Kind::Agent, Kind::App], agents.clone());
        let table = identity.routes().and(agents.routes());
        let send = sender(table, ground.services(identity.clone(), locators));
        let code = instance.issue_setup_code(database, Duration::from_secs(3600)).await.unwrap();
        let mut world = Self {
            database: database.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            identity: identity.clone(),
            events: events.clone(),
            audit: audit.clone(),
            agents,
            robin: String::new(),
            chat,
            send,
        };
        let setup = json!({
            "setup_code": code.expose(),
            "handle": "robin",
            "display_name": "Robin",
            "email": "robin@example.com",
            "password": "correct horse battery",
        });
        let session = world.request("POST", "/setup", "", &[], Some(setup)).await;
        assert!(session.status.is_success(), "{}", session.body);
        world.robin = session.text("token").to_owned();
        world
    }

    /// Sends a request; without a token when that is empty.
    pub async fn request(
        &self,
        method: &str,
        path: &str,
        token: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(format!("/api/v1{path}"));
        if !token.is_empty() {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let request = request.body(body.map(|body| body.to_string()).unwrap_or_default()).unwrap();
        let (status, headers, bytes) = (self.send)(request).await;
        let body = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).unwrap() };
        let etag = headers.get(header::ETAG).map(|tag| tag.to_str().unwrap().to_owned());
        Answer { status, etag, body }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &self.robin, &[], None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.request("POST", path, &self.robin, &[], Some(body)).await
    }

    pub async fn post_empty(&self, path: &str) -> Answer {
        self.request("POST", path, &self.robin, &[], None).await
    }

    /// Makes an agent.
    pub async fn agent(&self, handle: &str) -> PrincipalId {
        let made = self.post("/agents", json!({ "handle": handle, "display_name": handle })).await.expect(201);
        made.text("agent_id").parse().unwrap()
    }

    /// A person with a personal token.
    pub async fn person(&self, handle: &str) -> String {
        let unit = self.database.begin().await.unwrap();
        let new = NewPrincipal {
            kind: PrincipalKind::Person,
            handle,
            display_name: handle,
            status: PrincipalStatus::Active,
            requires_binding: false,
        };
        let id = self.identity.create_principal(&unit, new).await.unwrap();
        let token =
            NewToken { token_use: TokenUse::Personal, principal: id, name: "t", created_by: id, expires_at: None };
        let issued = self.identity.issue_token(&unit, token).await.unwrap();
        unit.commit().await.unwrap();
        issued.secret
    }
}
