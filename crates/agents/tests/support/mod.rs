//! Agents, identity and authz on one database behind the real chain, with Robin who owns the
//! instance and has just confirmed the password.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use std::sync::Arc;
use std::time::Duration;

use bothy_agents::{Agents, AgentsDeps};
use bothy_authz::{Authz, PrincipalFacts, TreeFacts};
use bothy_chat::Chat;
use bothy_domain::action::ResourceKind as Kind;
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::ids::PrincipalId;
use bothy_identity::{Identity, NewPrincipal, NewToken, TokenUse};
use bothy_platform::audit::AuditLog;
use bothy_platform::clock::{ManualClock, SharedClock};
use bothy_platform::config::Config;
use bothy_platform::entropy::{IdSource, SeededEntropy, SharedEntropy};
use bothy_platform::events::EventLog;
use bothy_platform::http::{HttpLimits, Idempotency, Locators, RateLimits, Services};
use bothy_platform::instance::Instance;
use bothy_platform::keys::InstanceSecret;
use bothy_platform::paging::PageLimits;
use bothy_storage::{Database, OpenOptions};
use bothy_testkit::TestDb;
use futures::future::BoxFuture;
use http::{HeaderMap, Request, StatusCode, header};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

type Send = dyn Fn(Request<String>) -> BoxFuture<'static, (StatusCode, HeaderMap, Vec<u8>)> + Sync + std::marker::Send;

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
        let mut config = Config::default();
        let many = ["public_auth", "read", "write", "admin", "agent_runtime"]
            .iter()
            .flat_map(|class| [(*class).to_owned(), format!("{class}_burst")])
            .map(|key| (key, json!(100_000)));
        config.rate = serde_json::from_value(Value::Object(many.collect())).unwrap();
        let config = Arc::new(config);
        let database = Database::open(&OpenOptions::new(db.url().parse().unwrap())).await.unwrap();
        let clock = ManualClock::default();
        let shared: SharedClock = Arc::new(clock.clone());
        let entropy: SharedEntropy = Arc::new(SeededEntropy::new(5));
        let ids = IdSource::new(shared.clone(), entropy.clone());
        let secret = InstanceSecret::new(&[5; 64]).unwrap();
        let instance = Instance::open(&database, shared.clone(), entropy.clone(), &ids, &secret).await.unwrap();
        let audit = AuditLog::new(shared.clone(), ids.clone());
        let events = EventLog::open(database.clone(), shared.clone()).await.unwrap();
        let authz = Arc::new(Authz::new(bothy_authz::Parts {
            database: database.clone(),
            audit: audit.clone(),
            events: events.clone(),
            clock: shared.clone(),
            ids: ids.clone(),
            config: config.clone(),
        }));
        let identity = Arc::new(Identity::new(bothy_identity::Parts {
            database: database.clone(),
            authz: authz.clone(),
            instance: instance.clone(),
            audit: audit.clone(),
            events: events.clone(),
            clock: shared.clone(),
            ids: ids.clone(),
            entropy: entropy.clone(),
            config: config.clone(),
        }));
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
            pages: PageLimits::from(&*config),
        });
        authz.set_principal_facts(&(identity.clone() as Arc<dyn PrincipalFacts>));
        authz.set_tree_facts(&(chat.clone() as Arc<dyn TreeFacts>));
        let services = Arc::new(Services {
            database: database.clone(),
            authenticator: identity.clone(),
            authorizer: authz,
            locators: Locators::default().with(&[Kind::Agent, Kind::App], agents.clone()),
            audit: audit.clone(),
            clock: shared.clone(),
            ids: ids.clone(),
            limits: HttpLimits {
                max_body_bytes: 1 << 20,
                max_url_bytes: 8192,
                body_timeout: Duration::from_secs(30),
                request_timeout: Duration::from_secs(3600),
            },
            rates: RateLimits::new(&config, shared),
            idempotency: Idempotency::new(&config, &secret, entropy),
        });
        let router = identity.routes().and(agents.routes()).into_router(services);
        let send: Arc<Send> = Arc::new(move |request| {
            let router = router.clone();
            Box::pin(async move {
                let (parts, body) = router.oneshot(request).await.unwrap().into_parts();
                (parts.status, parts.headers, body.collect().await.unwrap().to_bytes().to_vec())
            })
        });
        let code = instance.issue_setup_code(&database, Duration::from_secs(3600)).await.unwrap();
        let mut world =
            Self { database, clock, ids, identity, agents, events, audit, robin: String::new(), chat, send };
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
