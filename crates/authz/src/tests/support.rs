//! A world without identity and chat: principals and direct messages in memory, grants and rights
//! versions in the database.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bothy_domain::actor::{ActingFor, Actor, Credential, PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{ChannelId, GrantId, GroupId, PrincipalId, SpaceId};
use bothy_domain::policy::{Capabilities, GrantTarget, Level, Path, Place, Rights};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::audit::AuditLog;
use bothy_platform::authorize::{Authorizer, Judge};
use bothy_platform::clock::ManualClock;
use bothy_platform::config::{Config, Server};
use bothy_platform::entropy::{IdSource, SeededEntropy, SharedEntropy};
use bothy_platform::events::EventLog;
use bothy_platform::failure::transact;
use bothy_platform::instance::Instance;
use bothy_platform::keys::InstanceSecret;
use bothy_storage::{Database, OpenOptions, Reader, work};
use bothy_testkit::TestDb;
use futures::future::BoxFuture;
use uuid::Uuid;

use crate::grants::Grant;
use crate::subject::Subject;
use crate::{Authz, Operators, Parts, PrincipalFact, PrincipalFacts, Touched, TreeFacts, store};

pub(super) const SUPPORT: SpaceId = SpaceId::from_uuid(Uuid::from_u128(0x51));
pub(super) const ALLGEMEIN: ChannelId = ChannelId::from_uuid(Uuid::from_u128(0xc1));
pub(super) const WRITE: Rights = Rights { level: Level::Write, capabilities: Capabilities::NONE };
pub(super) const TRIGGER: Rights = Rights { level: Level::Trigger, capabilities: Capabilities::NONE };

pub(super) async fn open(db: &TestDb) -> Database {
    Database::open(&OpenOptions { checkout: bothy_testkit::PATIENCE, ..OpenOptions::new(db.url().parse().unwrap()) })
        .await
        .unwrap()
}

pub(super) const fn principal(number: u128) -> PrincipalId {
    PrincipalId::from_uuid(Uuid::from_u128(number))
}

pub(super) const fn group(number: u128) -> GroupId {
    GroupId::from_uuid(Uuid::from_u128(number))
}

pub(super) const fn channel() -> GrantTarget {
    GrantTarget::Channel(SUPPORT, ALLGEMEIN)
}

pub(super) const fn channel_path() -> Path {
    Path::of(Place::Channel(SUPPORT, ALLGEMEIN))
}

/// Principals and direct messages, in memory.
#[derive(Default)]
pub(super) struct Facts {
    people: Mutex<BTreeMap<PrincipalId, PrincipalFact>>,
    directs: Mutex<Vec<(PrincipalId, ChannelId)>>,
    asked: AtomicUsize,
    /// What is archived.
    pub(super) archived: Mutex<Vec<GrantTarget>>,
    /// Who operates everything that is asked about.
    pub(super) operators: Mutex<Operators>,
    /// Whether the next look-ups fail.
    pub(super) fails: AtomicBool,
    /// Runs once, in the middle of the next look-up.
    pub(super) meanwhile: Mutex<Option<BoxFuture<'static, ()>>>,
}

impl Facts {
    pub(super) fn set(&self, id: PrincipalId, kind: PrincipalKind) {
        let fact = PrincipalFact { id, kind, status: PrincipalStatus::Active, owner: false, groups: Vec::new() };
        self.people.lock().unwrap().insert(id, fact);
    }

    pub(super) fn edit(&self, id: PrincipalId, edit: impl FnOnce(&mut PrincipalFact)) {
        edit(self.people.lock().unwrap().get_mut(&id).unwrap());
    }

    pub(super) fn direct(&self, id: PrincipalId, channel: ChannelId) {
        self.directs.lock().unwrap().push((id, channel));
    }

    /// How often principals were looked up so far.
    pub(super) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl PrincipalFacts for Facts {
    fn facts<'a>(
        &'a self,
        _: &'a Reader,
        ids: &'a [PrincipalId],
    ) -> BoxFuture<'a, Result<Vec<PrincipalFact>, Problem>> {
        Box::pin(async move {
            self.asked.fetch_add(1, Ordering::Relaxed);
            if self.fails.load(Ordering::Relaxed) {
                return Err(Problem::unavailable("the source failed"));
            }
            let found = {
                let people = self.people.lock().unwrap();
                ids.iter().filter_map(|id| people.get(id).cloned()).collect()
            };
            let meanwhile = self.meanwhile.lock().unwrap().take();
            if let Some(meanwhile) = meanwhile {
                meanwhile.await;
            }
            Ok(found)
        })
    }

    fn members<'a>(
        &'a self,
        _: &'a Reader,
        group: GroupId,
    ) -> BoxFuture<'a, Result<Option<Vec<PrincipalId>>, Problem>> {
        Box::pin(async move {
            let people = self.people.lock().unwrap();
            Ok(Some(people.values().filter(|fact| fact.groups.contains(&group)).map(|fact| fact.id).collect()))
        })
    }

    fn owners<'a>(&'a self, _: &'a Reader) -> BoxFuture<'a, Result<Vec<PrincipalId>, Problem>> {
        let people = self.people.lock().unwrap();
        let owners = people.values().filter(|fact| fact.owner).map(|fact| fact.id).collect();
        Box::pin(async move { Ok(owners) })
    }
}

impl TreeFacts for Facts {
    fn directs_of<'a>(
        &'a self,
        _: &'a Reader,
        principal: PrincipalId,
    ) -> BoxFuture<'a, Result<Vec<ChannelId>, Problem>> {
        Box::pin(async move {
            let directs = self.directs.lock().unwrap();
            Ok(directs.iter().filter(|(id, _)| *id == principal).map(|(_, channel)| *channel).collect())
        })
    }

    fn path_of<'a>(&'a self, _: &'a Reader, target: GrantTarget) -> BoxFuture<'a, Result<Option<Path>, Problem>> {
        let archived = self.archived.lock().unwrap().contains(&target);
        Box::pin(async move { Ok(Some(Path { archived, ..Path::of(crate::locate::place(target)) })) })
    }

    fn operators_of<'a>(&'a self, _: &'a Reader, _: GrantTarget) -> BoxFuture<'a, Result<Operators, Problem>> {
        let operators = self.operators.lock().unwrap().clone();
        Box::pin(async move { Ok(operators) })
    }
}

/// One node on a database.
pub(super) struct World {
    pub(super) database: Database,
    pub(super) clock: ManualClock,
    pub(super) facts: Arc<Facts>,
    pub(super) authz: Arc<Authz>,
    pub(super) events: EventLog,
    ids: IdSource,
}

impl World {
    pub(super) async fn new(db: &TestDb) -> Self {
        let clock = ManualClock::default();
        Self::node(open(db).await, clock, Arc::default(), 1).await
    }

    /// Another process on the same database: its own cache, the same principals.
    pub(super) async fn second_node(&self, db: &TestDb) -> Self {
        let database = if db.is_postgres() { open(db).await } else { self.database.clone() };
        Self::node(database, self.clock.clone(), Arc::clone(&self.facts), 2).await
    }

    async fn node(database: Database, clock: ManualClock, facts: Arc<Facts>, seed: u64) -> Self {
        let shared: bothy_platform::clock::SharedClock = Arc::new(clock.clone());
        let entropy: SharedEntropy = Arc::new(SeededEntropy::new(seed));
        let ids = IdSource::new(Arc::clone(&shared), Arc::clone(&entropy));
        let secret = bothy_platform::config::Secret::new("a secret of the tests that nobody can guess");
        let server = Server { secret: Some(secret), ..Server::default() };
        let secret = InstanceSecret::load_or_create(&server, &*entropy).unwrap();
        Instance::open(&database, Arc::clone(&shared), entropy, &ids, &secret).await.unwrap();
        let events = EventLog::open(database.clone(), Arc::clone(&shared)).await.unwrap();
        let authz = Arc::new(Authz::new(Parts {
            database: database.clone(),
            audit: AuditLog::new(Arc::clone(&shared), ids.clone()),
            events: events.clone(),
            clock: shared,
            ids: ids.clone(),
            config: Arc::new(Config::default()),
        }));
        let principals: Arc<dyn PrincipalFacts> = Arc::clone(&facts) as _;
        let tree: Arc<dyn TreeFacts> = Arc::clone(&facts) as _;
        authz.set_principal_facts(&principals);
        authz.set_tree_facts(&tree);
        Self { database, clock, facts, authz, events, ids }
    }

    /// Gives a grant and tells authz, as the use case does.
    pub(super) async fn grant(
        &self,
        subject: Subject,
        target: GrantTarget,
        rights: Rights,
        lasts: Option<Duration>,
    ) -> GrantId {
        let now = bothy_platform::clock::Clock::now(&self.clock);
        let grant = &Grant {
            id: self.ids.next(),
            subject,
            target,
            rights,
            expires_at: lasts.map(|lasts| now.plus(lasts)),
            created_by: principal(0),
            created_at: now,
        };
        transact(&self.database, |unit| {
            work(async move {
                self.authz.hold(unit).await?;
                store::insert_grant(unit, grant).await?;
                let touched = self.touched(subject);
                self.authz.changed(unit, Touched::Principals(touched)).await?;
                Ok(())
            })
        })
        .await
        .unwrap();
        grant.id
    }

    pub(super) async fn revoke(&self, grant: GrantId) {
        let now = bothy_platform::clock::Clock::now(&self.clock);
        transact(&self.database, |unit| {
            work(async move {
                self.authz.hold(unit).await?;
                let subject = store::revoke_grant(unit, grant, principal(0), now).await?.unwrap();
                self.authz.changed(unit, Touched::Principals(self.touched(subject))).await?;
                Ok(())
            })
        })
        .await
        .unwrap();
    }

    pub(super) async fn changed(&self, touched: Touched) {
        let touched = &touched;
        transact(&self.database, |unit| work(async move { Ok(self.authz.changed(unit, touched.clone()).await?) }))
            .await
            .unwrap();
    }

    pub(super) async fn reader(&self) -> Reader {
        self.database.reader().await.unwrap()
    }

    pub(super) async fn version(&self) -> i64 {
        bothy_platform::instance::rights_version(&self.reader().await).await.unwrap()
    }

    /// The level of a principal on the channel, through the whole of authz.
    pub(super) async fn level(&self, id: PrincipalId, ownership: bool) -> Level {
        let reader = self.reader().await;
        let snapshot = self.authz.snapshot(&reader, id, ownership).await.unwrap();
        snapshot.rights_on(&channel_path(), self.now()).level
    }

    pub(super) fn now(&self) -> Timestamp {
        bothy_platform::clock::Clock::now(&self.clock)
    }

    pub(super) async fn judge(&self, actor: &Actor) -> Judge {
        self.authz.judge(&self.reader().await, actor).await.unwrap()
    }

    fn touched(&self, subject: Subject) -> Vec<PrincipalId> {
        match subject {
            Subject::Principal(id) => vec![id],
            Subject::Group(id) => {
                let people = self.facts.people.lock().unwrap();
                people.values().filter(|fact| fact.groups.contains(&id)).map(|fact| fact.id).collect()
            }
        }
    }
}

/// A caller with an API token, or with a session when it is a person.
pub(super) fn actor(id: PrincipalId, kind: PrincipalKind, version: i64, acting_for: ActingFor) -> Actor {
    let credential = match kind {
        PrincipalKind::Person => {
            Credential::Session { id: bothy_domain::ids::Id::from_uuid(Uuid::from_u128(7)), confirmed: false }
        }
        PrincipalKind::Agent | PrincipalKind::App => {
            Credential::ApiToken { id: bothy_domain::ids::Id::from_uuid(Uuid::from_u128(8)) }
        }
    };
    Actor { principal: id, kind, credential, rights_version: version, acting_for, requires_binding: false }
}
