//! A server of the modules below and beside this one, on one database, with people and agents that
//! are told apart by their handle alone.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

#[path = "../../../identity/tests/support/ground.rs"]
mod ground;

use std::collections::HashMap;
use std::sync::Arc;

use bothy_authz::TreeFacts;
use bothy_chat::Chat;
use bothy_domain::action::ResourceKind;
use bothy_domain::actor::{ActingFor, Actor, Credential, PrincipalKind};
use bothy_domain::event::NewEvent;
use bothy_domain::ids::{ChannelId, Id, PrincipalId, SpaceId};
use bothy_domain::names::skeleton_of;
use bothy_domain::policy::scope;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_platform::authorize::{Authenticator, Locate};
use bothy_platform::clock::Clock;
use bothy_platform::config::Config;
use bothy_platform::events::AudienceFilter;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::{Credentials, Locators, RouteTable};
use bothy_platform::instance::{Touched, bump_rights_version, rights_version};
use bothy_storage::{Reader, Value, params, statements};
use bothy_testkit::TestDb;
use futures::future::BoxFuture;
use ground::settle::settle;
use ground::{Ground, Send, has_null, sender};
use http::{Method, Request, StatusCode, header};
use serde_json::Value as Json;

statements! {
    PRINCIPAL =
        "INSERT INTO principals (id, kind, handle, handle_skeleton, display_name, status, requires_binding, created_at) \
         VALUES ($1, $2, $3, $4, $3, 'active', FALSE, $5)";
    PERSON = "INSERT INTO people (principal_id, email) VALUES ($1, $2)";
    OWNER = "INSERT INTO owners (principal_id, added_at) VALUES ($1, $2)";
    GRANT =
        "INSERT INTO grants (id, principal_id, target_kind, space_id, channel_id, level, capabilities, created_by, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $2, $8)";
    SET_STATUS = "UPDATE principals SET status = $2 WHERE id = $1";
}

/// Bits of [`bothy_domain::policy::Capabilities`].
pub const MODERATE: i64 = 2;
pub const MANAGE: i64 = 4;

/// What the modules of a test stand on, and chat.
pub struct Base {
    pub chat: Arc<Chat>,
    people: Arc<Handles>,
    ground: Ground,
}

impl std::ops::Deref for Base {
    type Target = Ground;

    fn deref(&self) -> &Ground {
        &self.ground
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: StatusCode,
    pub etag: Option<String>,
    pub body: Json,
}

impl Answer {
    /// The text of a member.
    pub fn text(&self, name: &str) -> &str {
        self.body[name].as_str().unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    /// Status and body without what differs from request to request.
    pub fn comparable(mut self) -> (StatusCode, Json) {
        if let Some(members) = self.body.as_object_mut() {
            members.retain(|name, _| name != "instance" && name != "correlation_id");
        }
        (self.status, self.body)
    }

    /// The answer, which must have this status.
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        self
    }
}

/// The base with its operations mounted.
pub struct Server {
    pub base: Arc<Base>,
    send: Arc<Send>,
}

impl Base {
    /// On an empty database, with settings of the test.
    pub async fn new(db: &TestDb, change: impl FnOnce(&mut Config)) -> Arc<Self> {
        let ground = Ground::new(db, 7, change).await;
        let Ground { database, ids, config, audit, events, authz, identity, .. } = &ground;
        let chat = Arc::new(Chat::new(bothy_chat::Parts {
            database: database.clone(),
            instance: ground.instance.id(),
            clock: ground.shared.clone(),
            ids: ids.clone(),
            config: config.clone(),
            audit: audit.clone(),
            events: events.clone(),
            authz: authz.clone(),
            identity: identity.clone(),
        }));
        authz.set_tree_facts(&(chat.clone() as Arc<dyn TreeFacts>));
        ground.sequence_events();
        Arc::new(Self { chat, people: Arc::new(Handles::default()), ground })
    }

    /// Mounts the operations of chat and further ones.
    pub fn serve(self: Arc<Self>, further: RouteTable, message: Option<Arc<dyn Locate>>) -> Server {
        let mut locators = Locators::default().with(
            &[ResourceKind::Instance, ResourceKind::Space, ResourceKind::Channel, ResourceKind::Thread],
            self.chat.clone(),
        );
        if let Some(message) = message {
            locators = locators.with(&[ResourceKind::Message], message);
        }
        let services = self.services(self.people.clone(), locators);
        let send = sender(self.chat.routes().and(further), services);
        Server { base: self, send }
    }

    /// A person, an agent or an app that authenticates with its handle.
    pub async fn principal(&self, kind: PrincipalKind, handle: &str) -> PrincipalId {
        let id = self.ids.next();
        let now = self.clock.now();
        let unit = self.database.begin().await.unwrap();
        unit.execute(&PRINCIPAL, params![id, kind.as_str(), handle, skeleton_of(handle), now]).await.unwrap();
        if kind == PrincipalKind::Person {
            unit.execute(&PERSON, params![id, format!("{handle}@example.com")]).await.unwrap();
        }
        unit.commit().await.unwrap();
        self.people.0.lock().unwrap().insert(handle.to_owned(), (id, kind));
        id
    }

    /// A person who owns the instance.
    pub async fn owner(&self, handle: &str) -> PrincipalId {
        let id = self.principal(PrincipalKind::Person, handle).await;
        let unit = self.database.begin().await.unwrap();
        unit.execute(&OWNER, params![id, self.clock.now()]).await.unwrap();
        bump_rights_version(&unit, Touched::Principals(&[id]), self.clock.now()).await.unwrap();
        unit.commit().await.unwrap();
        id
    }

    /// Gives rights on a space, or on one of its channels.
    pub async fn grant(
        &self,
        who: PrincipalId,
        space: SpaceId,
        channel: Option<ChannelId>,
        level: &str,
        capabilities: i64,
    ) {
        let kind = if channel.is_some() { "channel" } else { "space" };
        let unit = self.database.begin().await.unwrap();
        let id: Id<()> = self.ids.next();
        let params = params![id, who, kind, space, channel, level, capabilities, self.clock.now()];
        unit.execute(&GRANT, params).await.unwrap();
        bump_rights_version(&unit, Touched::Principals(&[who]), self.clock.now()).await.unwrap();
        unit.commit().await.unwrap();
    }

    /// Shuts a principal out.
    pub async fn disable(&self, who: PrincipalId) {
        let unit = self.database.begin().await.unwrap();
        unit.execute(&SET_STATUS, params![who, "disabled"]).await.unwrap();
        bump_rights_version(&unit, Touched::Principals(&[who]), self.clock.now()).await.unwrap();
        unit.commit().await.unwrap();
    }

    /// The events that somebody is told now, by the rights of this moment.
    pub async fn events_for(&self, who: PrincipalId) -> Vec<NewEvent> {
        settle(&self.database).await;
        let reader = self.database.reader().await.unwrap();
        let rights = self.authz.snapshot(&reader, who, true).await.unwrap();
        let scope = scope(&rights, None, self.clock.now());
        let filter = AudienceFilter { principal: who, scope: &scope };
        let page = self.events.read_for(&reader, 0, 100_000, filter).await.unwrap();
        page.events.into_iter().map(|event| event.event).collect()
    }

    /// One number of a statement of the test.
    pub async fn number(&self, statement: &'static bothy_storage::Statement, params: &[Value]) -> i64 {
        self.database.reader().await.unwrap().one(statement, params).await.unwrap().get("n").unwrap()
    }
}

impl Server {
    /// Sends a request as somebody, with an `If-Match` if there is one.
    pub async fn send(
        &self,
        who: &str,
        method: Method,
        path: &str,
        body: Option<&Json>,
        if_match: Option<&str>,
    ) -> Answer {
        let headers: Vec<_> = if_match.map(|tag| (header::IF_MATCH, tag)).into_iter().collect();
        self.send_with(who, method, path, body, &headers).await
    }

    /// Sends a request as somebody, with further headers.
    pub async fn send_with(
        &self,
        who: &str,
        method: Method,
        path: &str,
        body: Option<&Json>,
        further: &[(header::HeaderName, &str)],
    ) -> Answer {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("/api/v1{path}"))
            .header(header::AUTHORIZATION, format!("Bearer {who}"));
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        for (name, value) in further {
            request = request.header(name, *value);
        }
        let request = request.body(body.map(Json::to_string).unwrap_or_default()).unwrap();
        let (status, headers, bytes) = (self.send)(request).await;
        let body = if bytes.is_empty() { Json::Null } else { serde_json::from_slice(&bytes).unwrap() };
        assert!(!has_null(&body) || bytes.is_empty(), "null in {body}");
        let etag = headers.get(header::ETAG).map(|tag| tag.to_str().unwrap().to_owned());
        Answer { status, etag, body }
    }

    pub async fn get(&self, who: &str, path: &str) -> Answer {
        self.send(who, Method::GET, path, None, None).await
    }

    pub async fn post(&self, who: &str, path: &str, body: Json) -> Answer {
        self.send(who, Method::POST, path, Some(&body), None).await
    }

    pub async fn post_empty(&self, who: &str, path: &str) -> Answer {
        self.send(who, Method::POST, path, None, None).await
    }

    pub async fn put(&self, who: &str, path: &str, body: Json) -> Answer {
        self.send(who, Method::PUT, path, Some(&body), None).await
    }

    pub async fn patch(&self, who: &str, path: &str, body: Json, if_match: Option<&str>) -> Answer {
        self.send(who, Method::PATCH, path, Some(&body), if_match).await
    }

    /// All items of a list, page by page. Every page but the last is full.
    pub async fn walk(&self, who: &str, path: &str, limit: usize) -> Vec<Json> {
        let separator = if path.contains('?') { '&' } else { '?' };
        let mut items = Vec::new();
        let mut next: Option<String> = None;
        loop {
            let cursor = next.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
            let page = self.get(who, &format!("{path}{separator}limit={limit}{cursor}")).await.expect(200).body;
            let found = page["items"].as_array().unwrap();
            items.extend(found.iter().cloned());
            next = page["next_cursor"].as_str().map(str::to_owned);
            if next.is_none() {
                return items;
            }
            assert_eq!(found.len(), limit, "a page that is not the last is full");
        }
    }
}

/// Takes a handle for a token. People come in a confirmed session.
#[derive(Default)]
struct Handles(std::sync::Mutex<HashMap<String, (PrincipalId, PrincipalKind)>>);

impl Authenticator for Handles {
    fn authenticate<'a>(
        &'a self,
        reader: &'a Reader,
        credentials: &'a Credentials,
    ) -> BoxFuture<'a, Result<Actor, Problem>> {
        Box::pin(async move {
            let handle = credentials.token.clone().unwrap_or_default();
            let known = self.0.lock().unwrap().get(&handle).copied();
            let (principal, kind) = known.ok_or(Problem::new(ProblemCode::Unauthenticated))?;
            let credential = match kind {
                PrincipalKind::Person => Credential::Session { id: Id::from_uuid(principal.uuid()), confirmed: true },
                _ => Credential::ApiToken { id: Id::from_uuid(principal.uuid()) },
            };
            Ok(Actor {
                principal,
                kind,
                credential,
                rights_version: rights_version(reader).await.or_problem()?,
                acting_for: ActingFor::Absent,
                requires_binding: false,
            })
        })
    }
}

/// The id in a member of an answer.
pub fn id<K>(answer: &Answer, name: &str) -> Id<K> {
    answer.text(name).parse().unwrap()
}
