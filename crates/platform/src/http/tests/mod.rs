//! The chain of chapter 04 over a small module with fakes for identity, authz and the locators.

mod chain;
mod credentials;
mod idempotency;
mod input;
mod limits;

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body as HttpBody, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use bothy_domain::action::{Action, ResourceKind, actions};
use bothy_domain::actor::{ActingFor, Actor, Binding, Credential, PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{AnyId, ChannelId, Id, PrincipalId, SpaceId, kind};
use bothy_domain::policy::{
    Capabilities, GrantFact, GrantTarget, Level, Path, Place, Resource, Rights, Snapshot, SnapshotFacts,
};
use bothy_domain::problem::Problem;
use bothy_storage::{Database, Reader, UnitOfWork};
use bothy_testkit::TestDb;
use futures::FutureExt;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower::ServiceExt;
use uuid::Uuid;

use super::*;
use crate::audit::AuditLog;
use crate::authorize::{Authenticator, Authorizer, BindingWatch, Judge, Locate};
use crate::clock::{Clock as _, ManualClock, SharedClock};
use crate::config::Config;
use crate::entropy::{IdSource, SeededEntropy, SharedEntropy};
use crate::keys::InstanceSecret;

pub(super) const VISIBLE: u128 = 11;
pub(super) const HIDDEN: u128 = 12;
pub(super) const UNKNOWN: u128 = 13;
pub(super) const OTHER: u128 = 14;

fn id<K>(number: u128) -> Id<K> {
    Id::from_uuid(Uuid::from_u128(number))
}

pub(super) fn channel_path(number: u128) -> String {
    format!("/api/v1/channels/{}", Uuid::from_u128(number))
}

pub(super) fn alex() -> PrincipalId {
    id(101)
}

pub(super) fn sam() -> PrincipalId {
    id(102)
}

pub(super) fn lotse() -> PrincipalId {
    id(103)
}

/// Knows people and agents by the first word of their token; `robin` was disabled.
struct FakeIdentity;

impl Authenticator for FakeIdentity {
    fn authenticate<'a>(
        &'a self,
        _: &'a Reader,
        credentials: &'a Credentials,
    ) -> BoxFuture<'a, Result<Actor, Problem>> {
        async move {
            let name = credentials.token.as_deref().and_then(|token| token.split('-').next());
            let (principal, kind) = match name {
                Some("alex") => (alex(), PrincipalKind::Person),
                Some("sam") => (sam(), PrincipalKind::Person),
                Some("lotse") => (lotse(), PrincipalKind::Agent),
                Some("robin") => (id(104), PrincipalKind::Person),
                _ => return Err(Problem::new(bothy_domain::problem::ProblemCode::Unauthenticated)),
            };
            let bound =
                |person, run| ActingFor::Bound(Binding { person, run: id(run), thread: id(800), token: id(run) });
            Ok(Actor {
                principal,
                kind,
                credential: Credential::Session { id: id(1), confirmed: true },
                rights_version: 1,
                acting_for: match credentials.invocation_tokens.first().map(Vec::as_slice) {
                    Some(b"run-of-alex") => bound(alex(), 901),
                    Some(b"run-of-sam") => bound(sam(), 902),
                    _ => ActingFor::Absent,
                },
                requires_binding: false,
            })
        }
        .boxed()
    }
}

/// What changes in the course of a test, and is the same for all nodes.
#[derive(Default)]
pub(super) struct World {
    /// Who has lost all rights.
    pub(super) revoked: Mutex<HashSet<PrincipalId>>,
    /// The threads that exist.
    pub(super) threads: Mutex<HashSet<AnyId>>,
}

/// Nobody looks at how agents use what binds them.
struct Unwatched;

impl BindingWatch for Unwatched {
    fn stopped(&self, _: &Binding, _: Action) {}
    fn unbound(&self, _: PrincipalId) {}
}

struct FakeAuthz {
    clock: SharedClock,
    world: Arc<World>,
}

impl FakeAuthz {
    fn snapshot(&self, principal: PrincipalId, kind: PrincipalKind) -> Arc<Snapshot> {
        let everything = Rights { level: Level::Trigger, capabilities: Capabilities::ALL };
        let revoked = self.world.revoked.lock().unwrap().contains(&principal);
        let grants = [VISIBLE, OTHER].into_iter().filter(|_| !revoked).map(|channel| GrantFact {
            target: GrantTarget::Channel(id(1), id(channel)),
            rights: everything,
            expires_at: None,
        });
        let status = if principal == id(104) { PrincipalStatus::Disabled } else { PrincipalStatus::Active };
        Arc::new(Snapshot::new(SnapshotFacts {
            principal,
            kind,
            status,
            owner: false,
            grants: grants.collect(),
            directs: Vec::new(),
        }))
    }
}

impl Authorizer for FakeAuthz {
    fn judge<'a>(&'a self, _: &'a Reader, actor: &'a Actor) -> BoxFuture<'a, Result<Judge, Problem>> {
        let own = self.snapshot(actor.principal, actor.kind);
        let person = actor.acting_for.binding().map(|binding| self.snapshot(binding.person, PrincipalKind::Person));
        async move { Ok(Judge::new(*actor, own, person, self.clock.now())) }.boxed()
    }

    fn judge_again<'a>(&'a self, _: &'a UnitOfWork, _: &'a Actor) -> BoxFuture<'a, Result<Option<Judge>, Problem>> {
        async move { Ok(None) }.boxed()
    }
}

struct FakeTree(Arc<World>);

impl Locate for FakeTree {
    fn locate<'a>(
        &'a self,
        _: &'a Reader,
        kind: ResourceKind,
        named: AnyId,
    ) -> BoxFuture<'a, Result<Option<Resource>, Problem>> {
        async move {
            let space: SpaceId = id(1);
            let channel: ChannelId = match kind {
                ResourceKind::Thread => id(VISIBLE),
                _ => named.cast(),
            };
            let exists = match kind {
                ResourceKind::Thread => self.0.threads.lock().unwrap().contains(&named),
                _ => named != id::<kind::Any>(UNKNOWN),
            };
            Ok(exists.then(|| Resource::new(kind, named, Path::of(Place::Channel(space, channel)))))
        }
        .boxed()
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Note {
    /// Some text.
    pub(super) text: String,
    /// Some number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) count: Option<u32>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Window {
    #[expect(dead_code, reason = "only its parsing is under test")]
    limit: Option<u32>,
}

pub(super) struct Notes {
    clock: SharedClock,
}

async fn read_note(_: Allowed<actions::ChannelRead>, _: Arc<Notes>, _: Query<Window>) -> Result<Json<Note>, Problem> {
    Ok(Json::new(Note { text: "read".into(), count: None }).with_version(3))
}

async fn update_note(
    allowed: Allowed<actions::ChannelUpdate>,
    _: Arc<Notes>,
    Body(note): Body<Note>,
) -> Result<Json<Note>, Problem> {
    allowed.require_version(3)?;
    Ok(Json::new(note))
}

async fn create_thread(
    _: Allowed<actions::ThreadCreate>,
    _: Arc<Notes>,
    Body(note): Body<Note>,
) -> Result<Created<Note>, Problem> {
    Ok(Created::new(note))
}

async fn archive(_: Allowed<actions::ChannelArchive>, _: Arc<Notes>, (): ()) -> Result<NoContent, Problem> {
    panic!("a defect with secret text");
}

async fn slow(_: Anyone, notes: Arc<Notes>, (): ()) -> Result<NoContent, Problem> {
    crate::clock::sleep(&notes.clock, Duration::from_secs(3600)).await;
    Ok(NoContent)
}

pub(super) struct Door {
    router: axum::Router,
    pub(super) clock: Arc<ManualClock>,
    pub(super) database: Database,
    pub(super) audit: AuditLog,
    pub(super) services: Arc<Services>,
    pub(super) world: Arc<World>,
    pub(super) maker: Arc<idempotency::Maker>,
    db: Arc<TestDb>,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
}

impl Answer {
    pub(super) fn code(&self) -> &str {
        self.body.get("code").and_then(Value::as_str).unwrap_or_default()
    }

    /// Everything that a caller can compare, without what differs by design.
    pub(super) fn comparable(mut self) -> (StatusCode, String, String) {
        self.headers.remove("correlation-id");
        // Each request leaves one less.
        self.headers.remove("ratelimit");
        // The length of the body follows the path in `instance`, which has the length of the request's.
        if let Some(body) = self.body.as_object_mut() {
            body.remove("correlation_id");
            body.remove("instance");
        }
        (self.status, format!("{:?}", self.headers), self.body.to_string())
    }
}

impl Door {
    pub(super) async fn open(db: TestDb) -> Self {
        Self::open_with(db, &Config::default()).await
    }

    pub(super) async fn open_with(db: TestDb, config: &Config) -> Self {
        let database = crate::tests_support::open(&db).await;
        Self::on(Arc::new(db), database, config, Arc::default(), Arc::default(), Arc::default())
    }

    /// Another node over the same database.
    pub(super) async fn twin(&self, config: &Config) -> Self {
        let database =
            if self.db.is_postgres() { crate::tests_support::open(&self.db).await } else { self.database.clone() };
        let (clock, world, maker) = (self.clock.clone(), self.world.clone(), self.maker.clone());
        Self::on(self.db.clone(), database, config, clock, world, maker)
    }

    fn on(
        db: Arc<TestDb>,
        database: Database,
        config: &Config,
        clock: Arc<ManualClock>,
        world: Arc<World>,
        maker: Arc<idempotency::Maker>,
    ) -> Self {
        static NODES: AtomicU64 = AtomicU64::new(7);
        let shared: SharedClock = clock.clone();
        let entropy: SharedEntropy = Arc::new(SeededEntropy::new(NODES.fetch_add(1, Ordering::Relaxed)));
        let ids = IdSource::new(shared.clone(), entropy.clone());
        let audit = AuditLog::new(shared.clone(), ids.clone());
        let mut routes = Routes::new(Arc::new(Notes { clock: shared.clone() }));
        routes.add(get("getChannel", "/channels/{channel_id}", "Read"), read_note);
        routes.add(patch("updateChannel", "/channels/{channel_id}", "Change"), update_note);
        routes.add(post("createThread", "/channels/{channel_id}/threads", "Open"), create_thread);
        routes.add(post("archiveChannel", "/channels/{channel_id}/archive", "Archive"), archive);
        routes.add_open(get("slow", "/slow", "Waits"), slow);
        let table = routes.into_table().and(limits::table()).and(idempotency::table(idempotency::Notebook {
            database: database.clone(),
            ids: ids.clone(),
            world: world.clone(),
            maker: maker.clone(),
        }));
        let secret = InstanceSecret::new(&[7; 32]).unwrap();
        let services = Arc::new(Services {
            database: database.clone(),
            authenticator: Arc::new(FakeIdentity),
            authorizer: Arc::new(FakeAuthz { clock: shared.clone(), world: world.clone() }),
            locators: Locators::default()
                .with(&[ResourceKind::Channel, ResourceKind::Thread], Arc::new(FakeTree(world.clone()))),
            audit: audit.clone(),
            clock: shared.clone(),
            ids,
            limits: HttpLimits {
                max_body_bytes: 1024,
                max_url_bytes: 512,
                body_timeout: Duration::from_secs(5),
                request_timeout: config.http.request_timeout.get(),
            },
            rates: RateLimits::new(config, shared),
            idempotency: Idempotency::new(config, &secret, entropy),
            watch: Arc::new(Unwatched),
        });
        let router = table.into_router(services.clone());
        Self { router, clock, database, audit, services, world, maker, db }
    }

    pub(super) async fn send(&self, request: Request<HttpBody>) -> Answer {
        send_to(self.router.clone(), request).await
    }

    pub(super) async fn json(&self, method: &str, path: &str, body: &str) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("authorization", "Bearer alex")
            .header("content-type", "application/json")
            .body(HttpBody::from(body.to_owned()))
            .unwrap();
        self.send(request).await
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        let request =
            Request::builder().uri(path).header("authorization", "Bearer alex").body(HttpBody::empty()).unwrap();
        self.send(request).await
    }
}

async fn send_to(router: axum::Router, request: Request<HttpBody>) -> Answer {
    let response = router.oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, 1 << 20).await.unwrap();
    let body = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).unwrap() };
    Answer { status: parts.status, headers: parts.headers, body }
}
