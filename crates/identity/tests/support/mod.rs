//! A server of authz and identity on one database, asked as clients ask it.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

mod ground;

use std::sync::Arc;
use std::time::Duration;

use bothy_authz::{Authz, Operators, TreeFacts};
use bothy_domain::action::ResourceKind;
use bothy_domain::ids::{AnyId, ChannelId, InstanceId, PrincipalId, SpaceId};
use bothy_domain::policy::{GrantTarget, Path, Place, Resource};
use bothy_domain::problem::Problem;
use bothy_identity::Identity;
use bothy_platform::audit::AuditLog;
use bothy_platform::authorize::Locate;
use bothy_platform::clock::ManualClock;
use bothy_platform::config::Config;
use bothy_platform::entropy::SharedEntropy;
use bothy_platform::http::Locators;
use bothy_platform::instance::Instance;
use bothy_storage::{Database, Reader};
use bothy_testkit::TestDb;
use futures::future::BoxFuture;
use ground::{Ground, Send, has_null, open, sender};
use http::{HeaderMap, Method, Request, header};
use serde_json::{Value, json};
use uuid::Uuid;

pub const PASSWORD: &str = "a password of twelve";
pub const SUPPORT: SpaceId = SpaceId::from_uuid(Uuid::from_u128(0x51));
pub const ALLGEMEIN: ChannelId = ChannelId::from_uuid(Uuid::from_u128(0xc1));

/// One process on a database.
pub struct Server {
    pub database: Database,
    pub clock: ManualClock,
    pub identity: Arc<Identity>,
    pub authz: Arc<Authz>,
    pub instance: Instance,
    pub audit: AuditLog,
    pub entropy: SharedEntropy,
    tree: Arc<Tree>,
    send: Arc<Send>,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Answer {
    /// The answer, which must have this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.body);
        self
    }

    #[track_caller]
    pub fn text(&self, name: &str) -> &str {
        self.body[name].as_str().unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    /// The code of a problem, and its reason or the pointer of its first wrong field.
    pub fn problem(&self) -> (&str, &str) {
        let detail = self.body["reason"].as_str().or(self.body["errors"][0]["pointer"].as_str());
        (self.text("code"), detail.unwrap_or_default())
    }

    pub fn items(&self) -> &[Value] {
        self.body["items"].as_array().unwrap()
    }
}

impl Server {
    pub async fn new(db: &TestDb) -> Self {
        Self::on(open(db).await, ManualClock::default(), 1, |_| {}).await
    }

    /// Another process on the same database.
    pub async fn second(&self, db: &TestDb) -> Self {
        let database = if db.is_postgres() { open(db).await } else { self.database.clone() };
        Self::on(database, self.clock.clone(), 2, |_| {}).await
    }

    pub async fn on(database: Database, clock: ManualClock, seed: u64, change: impl FnOnce(&mut Config)) -> Self {
        let ground = Ground::on(database, clock, seed, change).await;
        let Ground { database, clock, entropy, instance, audit, authz, identity, .. } = &ground;
        let tree = Arc::new(Tree { instance: instance.id() });
        authz.set_tree_facts(&(Arc::clone(&tree) as Arc<dyn TreeFacts>));
        let kinds = [ResourceKind::Person, ResourceKind::Group, ResourceKind::LoginSession, ResourceKind::Token];
        let locators = Locators::default()
            .with(&kinds, identity.clone() as Arc<dyn Locate>)
            .with(&[ResourceKind::Grant], authz.clone() as Arc<dyn Locate>)
            .with(
                &[ResourceKind::Instance, ResourceKind::Space, ResourceKind::Channel],
                Arc::clone(&tree) as Arc<dyn Locate>,
            );
        let send = sender(identity.routes().and(authz.routes()), ground.services(identity.clone(), locators));
        Self {
            database: database.clone(),
            clock: clock.clone(),
            identity: identity.clone(),
            authz: authz.clone(),
            instance: instance.clone(),
            audit: audit.clone(),
            entropy: entropy.clone(),
            tree,
            send,
        }
    }

    /// Sends a request with headers of the test's own.
    pub async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)], body: Option<&Value>) -> Answer {
        let mut request = Request::builder().method(method).uri(format!("/api/v1{path}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let request = request.body(body.map(Value::to_string).unwrap_or_default()).unwrap();
        let (status, headers, bytes) = (self.send)(request).await;
        let body = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).unwrap() };
        assert!(bytes.is_empty() || !has_null(&body), "null in {body}");
        Answer { status: status.as_u16(), headers, body }
    }

    /// Sends a request with a bearer token; without one for the empty text.
    pub async fn ask(&self, token: &str, method: Method, path: &str, body: Option<Value>) -> Answer {
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str())];
        let headers = if token.is_empty() { &headers[..0] } else { &headers[..] };
        self.send(method, path, headers, body.as_ref()).await
    }

    pub async fn get(&self, token: &str, path: &str) -> Answer {
        self.ask(token, Method::GET, path, None).await
    }

    pub async fn post(&self, token: &str, path: &str, body: Value) -> Answer {
        self.ask(token, Method::POST, path, Some(body)).await
    }

    pub async fn act(&self, token: &str, method: Method, path: &str) -> Answer {
        self.ask(token, method, path, None).await
    }

    /// Sets the instance up; the session of Robin, its first owner.
    pub async fn setup(&self) -> Member {
        let code = self.instance.issue_setup_code(&self.database, Duration::from_secs(3600)).await.unwrap();
        let answer = self.post("", "/setup", setup_body(code.expose())).await.expect(201);
        Member::of(&answer)
    }

    /// Invites a person who accepts at once.
    pub async fn member(&self, owner: &Member, handle: &str) -> Member {
        let body = json!({ "email": format!("{handle}@example.com"), "handle": handle, "display_name": handle });
        let invite = self.post(&owner.token, "/invites", body).await.expect(201);
        let body = json!({ "code": invite.text("code"), "password": PASSWORD });
        Member::of(&self.post("", "/invites/accept", body).await.expect(201))
    }

    pub async fn login(&self, handle: &str) -> Answer {
        let body = json!({ "email": format!("{handle}@example.com"), "password": PASSWORD });
        self.post("", "/sessions", body).await
    }

    /// The newest entries of the audit log as `action effect reason`.
    pub async fn audited(&self, limit: u32) -> Vec<String> {
        let reader = self.database.reader().await.unwrap();
        let filter = bothy_platform::audit::AuditFilter::newest(limit);
        let entries = self.audit.list(&reader, &filter).await.unwrap();
        entries
            .into_iter()
            .map(|entry| {
                let reason = entry.reason.unwrap_or_default();
                format!("{} {} {} {reason}", entry.actor_kind, entry.action, entry.effect.as_str()).trim().to_owned()
            })
            .collect()
    }
}

pub fn setup_body(code: &str) -> Value {
    json!({
        "setup_code": code, "email": "robin@example.com", "handle": "robin", "display_name": "Robin", "password": PASSWORD,
    })
}

/// A person who is signed in.
#[derive(Debug, Clone)]
pub struct Member {
    pub id: PrincipalId,
    pub token: String,
    pub session: String,
}

impl Member {
    pub fn of(signed_in: &Answer) -> Self {
        Self {
            id: signed_in.body["person"]["person_id"].as_str().unwrap().parse().unwrap(),
            token: signed_in.text("token").to_owned(),
            session: signed_in.body["session"]["session_id"].as_str().unwrap().to_owned(),
        }
    }
}

/// Space Support with channel Allgemein, and nothing else.
struct Tree {
    instance: InstanceId,
}

impl Tree {
    fn path(&self, kind: ResourceKind, id: AnyId) -> Option<Path> {
        let place = match kind {
            ResourceKind::Instance if id == self.instance.cast() => Place::Instance,
            ResourceKind::Space if id == SUPPORT.cast() => Place::Space(SUPPORT),
            ResourceKind::Channel if id == ALLGEMEIN.cast() => Place::Channel(SUPPORT, ALLGEMEIN),
            _ => return None,
        };
        Some(Path::of(place))
    }
}

impl Locate for Tree {
    fn locate<'a>(
        &'a self,
        _: &'a Reader,
        kind: ResourceKind,
        id: AnyId,
    ) -> BoxFuture<'a, Result<Option<Resource>, Problem>> {
        Box::pin(async move { Ok(self.path(kind, id).map(|path| Resource::new(kind, id, path))) })
    }
}

impl TreeFacts for Tree {
    fn directs_of<'a>(&'a self, _: &'a Reader, _: PrincipalId) -> BoxFuture<'a, Result<Vec<ChannelId>, Problem>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn path_of<'a>(&'a self, _: &'a Reader, target: GrantTarget) -> BoxFuture<'a, Result<Option<Path>, Problem>> {
        Box::pin(async move {
            Ok(Some(Path::of(match target {
                GrantTarget::Instance => Place::Instance,
                GrantTarget::Space(space) => Place::Space(space),
                GrantTarget::Channel(space, channel) => Place::Channel(space, channel),
            })))
        })
    }

    fn operators_of<'a>(&'a self, _: &'a Reader, _: GrantTarget) -> BoxFuture<'a, Result<Operators, Problem>> {
        Box::pin(async { Ok(Operators::default()) })
    }
}
