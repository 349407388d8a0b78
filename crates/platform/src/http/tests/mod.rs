//! The chain of chapter 04 over a small module with fakes for identity, authz and the locators.

mod chain;
mod credentials;
mod input;

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body as HttpBody, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use bothy_domain::action::{ResourceKind, actions};
use bothy_domain::actor::{ActingFor, Actor, Credential, PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{AnyId, ChannelId, Id, PrincipalId, SpaceId};
use bothy_domain::policy::{
    Capabilities, GrantFact, GrantTarget, Level, Path, Place, Resource, Rights, Snapshot, SnapshotFacts,
};
use bothy_domain::problem::Problem;
use bothy_storage::{Database, Reader};
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
use crate::authorize::{Authenticator, Authorizer, Judge, Locate};
use crate::clock::{ManualClock, SharedClock};
use crate::entropy::{IdSource, SeededEntropy};

pub(super) const VISIBLE: u128 = 11;
pub(super) const HIDDEN: u128 = 12;
pub(super) const UNKNOWN: u128 = 13;

fn id<K>(number: u128) -> Id<K> {
    Id::from_uuid(Uuid::from_u128(number))
}

pub(super) fn channel_path(number: u128) -> String {
    format!("/api/v1/channels/{}", Uuid::from_u128(number))
}

struct FakeIdentity;

impl Authenticator for FakeIdentity {
    fn authenticate<'a>(&'a self, _: &'a Reader, credentials: &'a Credentials) -> BoxFuture<'a, Result<Actor, Problem>> {
        async move {
            if credentials.token.as_deref() != Some("alex") {
                return Err(Problem::new(bothy_domain::problem::ProblemCode::Unauthenticated));
            }
            Ok(Actor {
                principal: id(101),
                kind: PrincipalKind::Person,
                credential: Credential::Session { id: id(1), confirmed: true },
                rights_version: 1,
                acting_for: ActingFor::Absent,
                requires_binding: false,
            })
        }
        .boxed()
    }
}

struct FakeAuthz(SharedClock);

impl Authorizer for FakeAuthz {
    fn judge<'a>(&'a self, _: &'a Reader, actor: &'a Actor) -> BoxFuture<'a, Result<Judge, Problem>> {
        let everything = Rights { level: Level::Trigger, capabilities: Capabilities::ALL };
        let own = Snapshot::new(SnapshotFacts {
            principal: actor.principal,
            kind: actor.kind,
            status: PrincipalStatus::Active,
            owner: false,
            grants: vec![GrantFact {
                target: GrantTarget::Channel(id(1), id(VISIBLE)),
                rights: everything,
                expires_at: None,
            }],
            directs: Vec::new(),
        });
        async move { Ok(Judge::new(*actor, Arc::new(own), None, self.0.now())) }.boxed()
    }
}

struct FakeTree;

impl Locate for FakeTree {
    fn locate<'a>(&'a self, _: &'a Reader, kind: ResourceKind, named: AnyId) -> BoxFuture<'a, Result<Option<Resource>, Problem>> {
        async move {
            if named == id::<bothy_domain::ids::kind::Any>(UNKNOWN) {
                return Ok(None);
            }
            let space: SpaceId = id(1);
            let channel: ChannelId = named.cast();
            Ok(Some(Resource::new(kind, named, Path::of(Place::Channel(space, channel)))))
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

async fn update_note(allowed: Allowed<actions::ChannelUpdate>, _: Arc<Notes>, Body(note): Body<Note>) -> Result<Json<Note>, Problem> {
    allowed.require_version(3)?;
    Ok(Json::new(note))
}

async fn create_thread(_: Allowed<actions::ThreadCreate>, _: Arc<Notes>, Body(note): Body<Note>) -> Result<Created<Note>, Problem> {
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
    _guard: TestDb,
}

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
        let clock = Arc::new(ManualClock::default());
        let shared: SharedClock = clock.clone();
        let ids = IdSource::new(shared.clone(), Arc::new(SeededEntropy::new(7)));
        let database = crate::tests_support::open(&db).await;
        let audit = AuditLog::new(shared.clone(), ids.clone());
        let mut routes = Routes::new(Arc::new(Notes { clock: shared.clone() }));
        routes.add(get("getChannel", "/channels/{channel_id}", "Read"), read_note);
        routes.add(patch("updateChannel", "/channels/{channel_id}", "Change"), update_note);
        routes.add(post("createThread", "/channels/{channel_id}/threads", "Open"), create_thread);
        routes.add(post("archiveChannel", "/channels/{channel_id}/archive", "Archive"), archive);
        routes.add_open(get("slow", "/slow", "Waits"), slow);
        let services = Services {
            database: database.clone(),
            authenticator: Arc::new(FakeIdentity),
            authorizer: Arc::new(FakeAuthz(shared.clone())),
            locators: Locators::default().with(&[ResourceKind::Channel], Arc::new(FakeTree)),
            audit: audit.clone(),
            clock: shared,
            ids,
            limits: HttpLimits {
                max_body_bytes: 1024,
                max_url_bytes: 512,
                body_timeout: Duration::from_secs(5),
                request_timeout: Duration::from_secs(30),
            },
        };
        let router = routes.into_table().into_router(Arc::new(services));
        Self { router, clock, database, audit, _guard: db }
    }

    pub(super) async fn send(&self, request: Request<HttpBody>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, 1 << 20).await.unwrap();
        let body = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).unwrap() };
        Answer { status: parts.status, headers: parts.headers, body }
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

pub(super) fn alex() -> PrincipalId {
    id(101)
}
