//! The `Invocation-Token` of a request (AF-3, AF-4), with a source of the test's own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bothy_authz::{Authz, Operators, PrincipalFacts, TreeFacts};
use bothy_domain::acting_for::{InvocationClaims, RunBinding};
use bothy_domain::actor::{ActingFor, Actor, Binding, PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{ChannelId, Id, PrincipalId, RunId};
use bothy_domain::policy::{GrantTarget, Path};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::run::RunState;
use bothy_platform::audit::AuditLog;
use bothy_platform::authorize::Authenticator;
use bothy_platform::clock::{ManualClock, SharedClock};
use bothy_platform::config::Config;
use bothy_platform::entropy::{IdSource, SeededEntropy, SharedEntropy};
use bothy_platform::events::EventLog;
use bothy_platform::failure::transact;
use bothy_platform::http::Credentials;
use bothy_platform::instance::{Instance, rights_version};
use bothy_platform::keys::InstanceSecret;
use bothy_storage::{Database, OpenOptions, Reader, work};
use bothy_testkit::{TestDb, both_databases};
use futures::future::BoxFuture;
use uuid::Uuid;

use crate::store::people;
use crate::{ActingForSource, Identity, NewPrincipal, NewToken, Parts, TokenUse};

const GOOD: &str = "header.claims.signature";

/// Takes one token, and says of its run what the test wants.
struct Source {
    claims: Mutex<InvocationClaims>,
    run: Mutex<Option<RunBinding>>,
    fails: Mutex<bool>,
    asked: AtomicUsize,
}

impl ActingForSource for Source {
    fn claims<'a>(&'a self, _: &'a Reader, token: &'a str) -> BoxFuture<'a, Result<Option<InvocationClaims>, Problem>> {
        Box::pin(async move {
            self.asked.fetch_add(1, Ordering::Relaxed);
            Ok((token == GOOD).then(|| *self.claims.lock().unwrap()))
        })
    }

    fn run<'a>(&'a self, _: &'a Reader, run: RunId) -> BoxFuture<'a, Result<Option<RunBinding>, Problem>> {
        Box::pin(async move {
            if *self.fails.lock().unwrap() {
                return Err(Problem::internal("the source failed"));
            }
            Ok((*self.run.lock().unwrap()).filter(|found| found.id == run))
        })
    }
}

struct NoTree;

impl TreeFacts for NoTree {
    fn directs_of<'a>(&'a self, _: &'a Reader, _: PrincipalId) -> BoxFuture<'a, Result<Vec<ChannelId>, Problem>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn path_of<'a>(&'a self, _: &'a Reader, _: GrantTarget) -> BoxFuture<'a, Result<Option<Path>, Problem>> {
        Box::pin(async { Ok(None) })
    }

    fn operators_of<'a>(&'a self, _: &'a Reader, _: GrantTarget) -> BoxFuture<'a, Result<Operators, Problem>> {
        Box::pin(async { Ok(Operators::default()) })
    }
}

struct World {
    database: Database,
    identity: Arc<Identity>,
    source: Arc<Source>,
    agent: PrincipalId,
    agent_token: String,
    app_token: String,
    personal_token: String,
    session: String,
    binding: Binding,
    tree: Arc<dyn TreeFacts>,
}

impl World {
    async fn new(db: &TestDb) -> Self {
        let database = Database::open(&OpenOptions {
            checkout: bothy_testkit::PATIENCE,
            ..OpenOptions::new(db.url().parse().unwrap())
        })
        .await
        .unwrap();
        let clock: SharedClock = Arc::new(ManualClock::default());
        let entropy: SharedEntropy = Arc::new(SeededEntropy::new(1));
        let ids = IdSource::new(Arc::clone(&clock), Arc::clone(&entropy));
        let secret = InstanceSecret::new(&[7; 64]).unwrap();
        let instance =
            Instance::open(&database, Arc::clone(&clock), Arc::clone(&entropy), &ids, &secret).await.unwrap();
        let audit = AuditLog::new(Arc::clone(&clock), ids.clone());
        let events = EventLog::open(database.clone(), Arc::clone(&clock)).await.unwrap();
        let config = Arc::new(Config::default());
        let authz = Arc::new(Authz::new(bothy_authz::Parts {
            database: database.clone(),
            audit: audit.clone(),
            events: events.clone(),
            clock: Arc::clone(&clock),
            ids: ids.clone(),
            config: Arc::clone(&config),
        }));
        let identity = Arc::new(Identity::new(Parts {
            database: database.clone(),
            authz: Arc::clone(&authz),
            instance,
            audit,
            events,
            clock,
            ids,
            entropy,
            config,
        }));
        let tree: Arc<dyn TreeFacts> = Arc::new(NoTree);
        authz.set_principal_facts(&(Arc::clone(&identity) as Arc<dyn PrincipalFacts>));
        authz.set_tree_facts(&tree);
        let (agent, agent_token) = made(&identity, &database, PrincipalKind::Agent, "lotse").await;
        let (_, app_token) = made(&identity, &database, PrincipalKind::App, "feed").await;
        let (person, personal_token) = made(&identity, &database, PrincipalKind::Person, "alex").await;
        let session = transact(&database, |unit| {
            let identity = &identity;
            work(async move {
                people::insert(unit, person, "alex@example.com", None).await?;
                Ok(identity.sign_in(unit, person).await?.token)
            })
        })
        .await
        .unwrap();
        let binding = Binding {
            person,
            run: Id::from_uuid(Uuid::from_u128(1)),
            thread: Id::from_uuid(Uuid::from_u128(2)),
            token: Id::from_uuid(Uuid::from_u128(3)),
        };
        let claims = InvocationClaims {
            agent,
            person,
            run: Some(binding.run),
            thread: Some(binding.thread),
            token: binding.token,
        };
        let run = RunBinding {
            id: binding.run,
            agent,
            triggered_by: person,
            thread: binding.thread,
            state: RunState::Running,
        };
        let source = Arc::new(Source {
            claims: Mutex::new(claims),
            run: Mutex::new(Some(run)),
            fails: Mutex::new(false),
            asked: AtomicUsize::new(0),
        });
        identity.set_acting_for_source(&(Arc::clone(&source) as Arc<dyn ActingForSource>));
        Self { database, identity, source, agent, agent_token, app_token, personal_token, session, binding, tree }
    }

    async fn actor(&self, token: Option<&str>, values: &[&[u8]]) -> Result<Actor, ProblemCode> {
        let credentials = Credentials {
            token: token.map(str::to_owned),
            invocation_tokens: values.iter().map(|value| value.to_vec()).collect(),
        };
        let reader = self.database.reader().await.unwrap();
        self.identity.authenticate(&reader, &credentials).await.map_err(|problem| problem.code())
    }

    async fn acting_for(&self, values: &[&[u8]]) -> ActingFor {
        self.actor(Some(&self.agent_token), values).await.unwrap().acting_for
    }

    fn asked(&self) -> usize {
        self.source.asked.load(Ordering::Relaxed)
    }
}

async fn made(identity: &Identity, database: &Database, kind: PrincipalKind, handle: &str) -> (PrincipalId, String) {
    let token_use = match kind {
        PrincipalKind::Person => TokenUse::Personal,
        PrincipalKind::Agent => TokenUse::Agent,
        PrincipalKind::App => TokenUse::App,
    };
    transact(database, |unit| {
        work(async move {
            let status = PrincipalStatus::Active;
            let new = NewPrincipal { kind, handle, display_name: handle, status, requires_binding: false };
            let principal = identity.create_principal(unit, new).await?;
            let new = NewToken { token_use, principal, name: "adapter", created_by: principal, expires_at: None };
            Ok((principal, identity.issue_token(unit, new).await?.secret))
        })
    })
    .await
    .unwrap()
}

both_databases! {
    async fn without_the_header_there_is_no_binding(db: TestDb) {
        let world = World::new(&db).await;
        let reader = world.database.reader().await.unwrap();
        let version = rights_version(&reader).await.unwrap();
        let actor = world.actor(Some(&world.agent_token), &[]).await.unwrap();
        assert_eq!((actor.principal, actor.kind), (world.agent, PrincipalKind::Agent));
        assert_eq!((actor.acting_for, actor.rights_version), (ActingFor::Absent, version));
        assert_eq!(world.asked(), 0);
    }

    async fn an_agent_with_one_value_is_bound_as_the_source_says(db: TestDb) {
        let world = World::new(&db).await;
        assert_eq!(world.acting_for(&[GOOD.as_bytes()]).await, ActingFor::Bound(world.binding));
        assert_eq!(world.acting_for(&[b"another.token.altogether"]).await, ActingFor::Invalid);
        assert_eq!(world.asked(), 2);
        for state in RunState::ALL {
            world.source.run.lock().unwrap().as_mut().unwrap().state = *state;
            let expected = if state.is_active() {
                ActingFor::Bound(world.binding)
            } else {
                ActingFor::RunInactive(world.binding)
            };
            assert_eq!(world.acting_for(&[GOOD.as_bytes()]).await, expected, "{state}");
        }
        world.source.run.lock().unwrap().take();
        assert_eq!(world.acting_for(&[GOOD.as_bytes()]).await, ActingFor::Invalid);
        world.source.claims.lock().unwrap().run = None;
        assert_eq!(world.acting_for(&[GOOD.as_bytes()]).await, ActingFor::Invalid);
    }

    async fn whoever_is_no_agent_is_invalid_without_a_look(db: TestDb) {
        let world = World::new(&db).await;
        for token in [&world.session, &world.personal_token, &world.app_token] {
            let actor = world.actor(Some(token), &[GOOD.as_bytes()]).await.unwrap();
            assert_eq!(actor.acting_for, ActingFor::Invalid);
        }
        assert_eq!(world.asked(), 0);
    }

    async fn two_values_and_an_empty_one_are_invalid_without_a_look(db: TestDb) {
        let world = World::new(&db).await;
        let good = GOOD.as_bytes();
        for values in [&[good, good][..], &[b""], &[b"  "], &[good, b""], &[b"\xff\xfe"], &[b"", b""]] {
            assert_eq!(world.acting_for(values).await, ActingFor::Invalid);
        }
        assert_eq!(world.asked(), 0);
        // Two values that arrived in one line are one value that is no token.
        let joined = format!("{GOOD}, {GOOD}");
        assert_eq!(world.acting_for(&[joined.as_bytes()]).await, ActingFor::Invalid);
    }

    async fn without_credentials_that_count_there_is_nobody(db: TestDb) {
        let world = World::new(&db).await;
        let wrong = format!("{}x", world.agent_token);
        for token in [None, Some(""), Some("bothy_agt_"), Some(wrong.as_str()), Some(GOOD)] {
            for values in [&[][..], &[GOOD.as_bytes()]] {
                assert_eq!(world.actor(token, values).await.unwrap_err(), ProblemCode::Unauthenticated);
            }
        }
    }

    async fn a_source_that_fails_is_unavailable_and_never_a_caller_without_binding(db: TestDb) {
        let world = World::new(&db).await;
        *world.source.fails.lock().unwrap() = true;
        let problem = world.actor(Some(&world.agent_token), &[GOOD.as_bytes()]).await.unwrap_err();
        assert_eq!(problem, ProblemCode::Unavailable);
        assert_eq!(world.acting_for(&[]).await, ActingFor::Absent);
    }

    async fn only_the_active_authenticate_and_a_request_that_waited_is_asked_again(db: TestDb) {
        let world = World::new(&db).await;
        let waiting = world.actor(Some(&world.agent_token), &[]).await.unwrap();
        let reader = world.database.reader().await.unwrap();
        for status in [PrincipalStatus::Disabled, PrincipalStatus::Pending, PrincipalStatus::Active] {
            let (identity, agent) = (&world.identity, world.agent);
            transact(&world.database, |unit| work(async move { Ok(identity.set_status(unit, agent, status).await?) }))
                .await
                .unwrap();
            let found = world.actor(Some(&world.agent_token), &[]).await;
            let again = world.identity.recheck(&reader, &waiting).await;
            assert_eq!((found.is_ok(), again.is_ok()), (status == PrincipalStatus::Active, status == PrincipalStatus::Active));
        }
        assert!(world.identity.recheck(&reader, &waiting).await.unwrap().rights_version > waiting.rights_version);
        let (identity, agent) = (&world.identity, world.agent);
        let bothy_domain::actor::Credential::ApiToken { id } = waiting.credential else { panic!("an API token") };
        transact(&world.database, |unit| work(async move { Ok(identity.revoke_token(unit, agent, id).await?) }))
            .await
            .unwrap();
        assert_eq!(world.actor(Some(&world.agent_token), &[]).await.unwrap_err(), ProblemCode::Unauthenticated);
        assert!(world.identity.recheck(&reader, &waiting).await.is_err());
        drop(world.tree);
    }
}
