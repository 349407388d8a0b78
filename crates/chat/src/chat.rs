use std::sync::{Arc, OnceLock, Weak};

use bothy_authz::{Authz, Touched};
use bothy_domain::action::Action;
use bothy_domain::actor::Actor;
use bothy_domain::audit::AuditEntry;
use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::{AnyId, ChannelId, InstanceId, PrincipalId, SpaceId};
use bothy_domain::names::{NameError, display_name};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_identity::Identity;
use bothy_platform::audit::AuditLog;
use bothy_platform::clock::SharedClock;
use bothy_platform::config::Config;
use bothy_platform::entropy::IdSource;
use bothy_platform::events::EventLog;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Database, Reader, Statement, UnitOfWork};

use crate::{DirectAdmission, store};

/// What chat stands on.
#[allow(missing_debug_implementations)]
pub struct Parts {
    /// The database.
    pub database: Database,
    /// The instance, which is the root of every path.
    pub instance: InstanceId,
    /// The time.
    pub clock: SharedClock,
    /// Where ids come from.
    pub ids: IdSource,
    /// The settings.
    pub config: Arc<Config>,
    /// What was done is recorded here.
    pub audit: AuditLog,
    /// What changed is told here.
    pub events: EventLog,
    /// Is told when the tree changes.
    pub authz: Arc<Authz>,
    /// Says who is an agent.
    pub identity: Arc<Identity>,
}

/// Spaces, channels and threads.
#[allow(missing_debug_implementations)]
pub struct Chat {
    pub(crate) database: Database,
    pub(crate) instance: InstanceId,
    pub(crate) clock: SharedClock,
    pub(crate) ids: IdSource,
    pub(crate) config: Arc<Config>,
    pub(crate) identity: Arc<Identity>,
    audit: AuditLog,
    events: EventLog,
    authz: Arc<Authz>,
    admission: OnceLock<Weak<dyn DirectAdmission>>,
}

impl Chat {
    /// The module on its parts.
    pub fn new(parts: Parts) -> Self {
        let Parts { database, instance, clock, ids, config, audit, events, authz, identity } = parts;
        Self { database, instance, clock, ids, config, identity, audit, events, authz, admission: OnceLock::new() }
    }

    /// Connects who knows whether agents admit direct messages (runs). Kept weakly: the wiring of the
    /// server keeps the modules alive, and no module keeps another one alive in a circle.
    pub fn set_direct_admission(&self, admission: &Arc<dyn DirectAdmission>) {
        if self.admission.set(Arc::downgrade(admission)).is_err() {
            tracing::error!("the admission to direct messages was connected twice; the first connection counts");
        }
    }

    /// Whether an agent admits whoever opens a direct message. On an instance without work for agents
    /// none does.
    pub(crate) async fn admits(
        &self,
        uow: &UnitOfWork,
        agent: PrincipalId,
        opener: PrincipalId,
    ) -> Result<bool, Problem> {
        match self.admission.get().map(Weak::upgrade) {
            None => Ok(false),
            Some(Some(admission)) => admission.admits(uow, agent, opener).await,
            Some(None) => Err(Problem::internal("the admission to direct messages is gone")),
        }
    }

    /// Every statement of this crate, for the test that prepares them on both engines.
    pub fn statements() -> Vec<&'static Statement> {
        store::statements()
    }

    /// A reader for the answer to a request.
    pub(crate) async fn reader(&self) -> Result<Reader, Problem> {
        self.database.reader().await.or_problem()
    }

    /// Records what was done, in its unit of work.
    pub(crate) async fn record(
        &self,
        uow: &UnitOfWork,
        actor: &Actor,
        action: Action,
        target: AnyId,
        detail: Option<(&'static str, String)>,
    ) -> Result<(), Problem> {
        let mut entry = AuditEntry::done(actor, action, Some(target));
        entry.details.extend(detail);
        self.audit.record(uow, &entry).await.or_problem().map(drop)
    }

    /// Begins a change of the tree that rights depend on. Called first in its unit of work, before a
    /// row is locked: whoever writes content holds rights still before anything else (AZ-10).
    pub(crate) async fn changing_rights(&self, uow: &UnitOfWork) -> Result<(), Problem> {
        self.authz.hold(uow).await
    }

    /// Tells authz that the tree changed, in the unit of work of the change.
    pub(crate) async fn rights_changed(&self, uow: &UnitOfWork, touched: Touched) -> Result<(), Problem> {
        self.authz.changed(uow, touched).await
    }

    /// Tells authz that these principals got something, in the unit of work of the change.
    pub(crate) async fn rights_gained(&self, uow: &UnitOfWork, principals: &[PrincipalId]) -> Result<(), Problem> {
        self.authz.gained(uow, principals).await
    }

    /// Tells of a change of a space. Whether somebody is told is judged at delivery, by whether the
    /// space can be seen.
    pub(crate) async fn tell_space(&self, uow: &UnitOfWork, kind: EventKind, space: SpaceId) -> Result<(), Problem> {
        let mut event = NewEvent::new(kind, Audience::Instance);
        event.space = Some(space);
        self.tell(uow, event).await
    }

    /// Tells of a change of a channel.
    pub(crate) async fn tell_channel(
        &self,
        uow: &UnitOfWork,
        kind: EventKind,
        space: Option<SpaceId>,
        channel: ChannelId,
    ) -> Result<(), Problem> {
        let mut event = NewEvent::new(kind, Audience::Channel(channel));
        event.space = space;
        event.channel = Some(channel);
        self.tell(uow, event).await
    }

    pub(crate) async fn tell(&self, uow: &UnitOfWork, event: NewEvent) -> Result<(), Problem> {
        self.events.append(uow, &[event]).await.or_problem()
    }
}

/// A name as somebody typed it, in the form that is stored (AZ-11).
pub(crate) fn name_at(pointer: &str, text: &str) -> Result<String, Problem> {
    display_name(text).map_err(|error: NameError| Problem::invalid(pointer, error.to_string()))
}

/// The answer when a target went away between the decision and the read.
pub(crate) fn gone() -> Problem {
    Problem::new(ProblemCode::NotFound)
}

/// The answer when somebody else changed the target in between.
pub(crate) fn changed_meanwhile() -> Problem {
    Problem::conflict("it was changed since you read it")
}
