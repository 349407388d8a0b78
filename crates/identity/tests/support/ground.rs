//! What the tests of identity and of every crate above it stand on: the modules up to identity over
//! one database, and the chain that requests go through. Included by path, because test support that
//! knows features cannot be a crate below them.

#![allow(dead_code, unreachable_pub, reason = "each test suite uses a part of it")]

use std::sync::Arc;
use std::time::Duration;

use bothy_authz::{Authz, PrincipalFacts};
use bothy_domain::action::Action;
use bothy_domain::actor::Binding;
use bothy_domain::ids::PrincipalId;
use bothy_identity::Identity;
use bothy_platform::audit::AuditLog;
use bothy_platform::authorize::{Authenticator, BindingWatch};
use bothy_platform::clock::{ManualClock, SharedClock};
use bothy_platform::config::Config;
use bothy_platform::entropy::{IdSource, SeededEntropy, SharedEntropy};
use bothy_platform::events::EventLog;
use bothy_platform::http::{HttpLimits, Idempotency, Locators, RateLimits, RouteTable, Services};
use bothy_platform::instance::Instance;
use bothy_platform::keys::InstanceSecret;
use bothy_storage::{Database, OpenOptions};
use bothy_testkit::TestDb;
use futures::future::BoxFuture;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

#[path = "settle.rs"]
pub mod settle;

/// Status, headers and body of an answer.
pub type Answered = (StatusCode, HeaderMap, Vec<u8>);

/// Sends a request through the real chain.
pub type Send = dyn Fn(Request<String>) -> BoxFuture<'static, Answered> + Sync + std::marker::Send;

/// The modules up to identity over one database.
pub struct Ground {
    pub database: Database,
    pub clock: ManualClock,
    /// The same clock, as modules take it.
    pub shared: SharedClock,
    pub entropy: SharedEntropy,
    pub ids: IdSource,
    pub config: Arc<Config>,
    pub secret: InstanceSecret,
    pub instance: Instance,
    pub audit: AuditLog,
    pub events: EventLog,
    pub authz: Arc<Authz>,
    pub identity: Arc<Identity>,
}

impl Ground {
    /// On an empty database, with the seed of its randomness and settings of the test.
    pub async fn new(db: &TestDb, seed: u64, change: impl FnOnce(&mut Config)) -> Self {
        Self::on(open(db).await, ManualClock::default(), seed, change).await
    }

    /// On a database that is open already.
    pub async fn on(database: Database, clock: ManualClock, seed: u64, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::default();
        // Tests send more at once than people do.
        let many = ["public_auth", "read", "write", "admin", "agent_runtime"]
            .iter()
            .flat_map(|class| [(*class).to_owned(), format!("{class}_burst")])
            .map(|key| (key, 100_000.into()));
        config.rate = serde_json::from_value(Value::Object(many.collect())).unwrap();
        change(&mut config);
        let config = Arc::new(config);
        let shared: SharedClock = Arc::new(clock.clone());
        let entropy: SharedEntropy = Arc::new(SeededEntropy::new(seed));
        let ids = IdSource::new(shared.clone(), entropy.clone());
        let secret = InstanceSecret::new(&[7; 64]).unwrap();
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
        authz.set_principal_facts(&(identity.clone() as Arc<dyn PrincipalFacts>));
        Self { database, clock, shared, entropy, ids, config, secret, instance, audit, events, authz, identity }
    }

    /// What the chain needs, with those who say who is calling and what stands behind ids.
    pub fn services(&self, authenticator: Arc<dyn Authenticator>, locators: Locators) -> Services {
        Services {
            database: self.database.clone(),
            authenticator,
            authorizer: self.authz.clone(),
            locators,
            audit: self.audit.clone(),
            clock: self.shared.clone(),
            ids: self.ids.clone(),
            rates: RateLimits::new(&self.config, self.shared.clone()),
            idempotency: Idempotency::new(&self.config, &self.secret, self.entropy.clone()),
            watch: Arc::new(Unwatched),
            limits: HttpLimits {
                max_body_bytes: 1 << 20,
                max_url_bytes: 8192,
                body_timeout: Duration::from_secs(30),
                request_timeout: Duration::from_secs(3600),
            },
        }
    }

    /// Gives events their positions, as a server does in the background.
    pub fn sequence_events(&self) {
        let events = self.events.clone();
        tokio::spawn(async move { events.run().await });
    }
}

/// The database of a test.
pub async fn open(db: &TestDb) -> Database {
    Database::open(&OpenOptions { checkout: bothy_testkit::PATIENCE, ..OpenOptions::new(db.url().parse().unwrap()) })
        .await
        .unwrap()
}

/// The way into operations.
pub fn sender(table: RouteTable, services: Services) -> Arc<Send> {
    let router = table.into_router(Arc::new(services));
    Arc::new(move |request| {
        let router = router.clone();
        Box::pin(async move {
            let (parts, body) = router.oneshot(request).await.unwrap().into_parts();
            (parts.status, parts.headers, body.collect().await.unwrap().to_bytes().to_vec())
        })
    })
}

/// Whether a body holds a null, which no answer does.
pub fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

/// Nobody looks at how agents use what binds them.
struct Unwatched;

impl BindingWatch for Unwatched {
    fn stopped(&self, _: &Binding, _: Action) {}
    fn unbound(&self, _: PrincipalId) {}
}
