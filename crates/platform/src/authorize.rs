//! The ports between the door of the server and those who know: who is calling, what stands where,
//! and what may be done. `identity`, the feature crates and `authz` implement them; `server` wires.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bothy_domain::action::{Action, ResourceKind};
use bothy_domain::actor::{Actor, Binding};
use bothy_domain::ids::{AnyId, PrincipalId};
use bothy_domain::policy::{Decision, Denial, Judgement, Mode, Resource, Scope, Snapshot, decide, decide_scope};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, UnitOfWork};
use futures::future::BoxFuture;

use crate::http::Credentials;

/// Says who is calling (implemented by identity). One database round trip.
pub trait Authenticator: Send + Sync {
    /// The caller behind the credentials.
    ///
    /// # Errors
    /// `unauthenticated` when nothing that was shown counts; `unavailable` when a source fails,
    /// never a caller without its binding (AF-3).
    fn authenticate<'a>(
        &'a self,
        reader: &'a Reader,
        credentials: &'a Credentials,
    ) -> BoxFuture<'a, Result<Actor, Problem>>;
}

/// Loads what a request needs to be judged (implemented by authz).
pub trait Authorizer: Send + Sync {
    /// A judge for this caller, with the rights of exactly the moment of authentication (AZ-7).
    ///
    /// # Errors
    /// `unavailable` when a source fails; never a weaker or stronger judge.
    fn judge<'a>(&'a self, reader: &'a Reader, actor: &'a Actor) -> BoxFuture<'a, Result<Judge, Problem>>;

    /// Lets rights hold still until the unit of work ends, and makes a judge of the rights that the
    /// unit sees when they have moved since the caller was authenticated; `None` when they have not
    /// (AZ-10).
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    fn judge_again<'a>(
        &'a self,
        unit: &'a UnitOfWork,
        actor: &'a Actor,
    ) -> BoxFuture<'a, Result<Option<Judge>, Problem>>;
}

/// Says who of some people may instruct agents in a channel (implemented by authz, RC-9).
pub trait TriggerHolders: Send + Sync {
    /// Those of `people` who are active people with effective level `trigger` on the channel,
    /// ascending and without duplicates. Writes nothing. In a direct message nobody.
    ///
    /// # Errors
    /// An error is an error, never "has trigger"; a resource that is no channel is `internal_error`.
    fn with_trigger<'a>(
        &'a self,
        reader: &'a Reader,
        channel: &'a Resource,
        people: &'a [PrincipalId],
    ) -> BoxFuture<'a, Result<Vec<PrincipalId>, Problem>>;
}

/// Is told how agents use what binds them to people (implemented by runs). Nothing of it waits, and nothing
/// changes an answer or when it comes.
pub trait BindingWatch: Send + Sync {
    /// An action of a run, which its agent alone may do, was stopped because of the person whom it works
    /// for (AF-23).
    fn stopped(&self, binding: &Binding, action: Action);

    /// An agent that may act without a run did so (AF-22).
    fn unbound(&self, agent: PrincipalId);
}

/// Finds the row behind an id (implemented by the crate that owns the kind).
pub trait Locate: Send + Sync {
    /// The resource, or `None` when there is no such row. Visibility is judged afterwards.
    ///
    /// # Errors
    /// `unavailable` when the source fails.
    fn locate<'a>(
        &'a self,
        reader: &'a Reader,
        kind: ResourceKind,
        id: AnyId,
    ) -> BoxFuture<'a, Result<Option<Resource>, Problem>>;
}

/// Remembers for one request what was allowed, so that an answer can be held back that nobody
/// allowed (chapter 03 section 7).
#[derive(Debug, Clone, Default)]
pub struct CheckLog(Arc<CheckLogState>);

#[derive(Debug, Default)]
struct CheckLogState {
    /// One bit for each action, so that recording allocates nothing (AZ-7).
    allowed: [AtomicU64; Action::ALL.len().div_ceil(WORD)],
    scoped: AtomicBool,
}

/// How many actions one word remembers.
const WORD: usize = 64;

/// The word and the bit of an action.
const fn place(action: Action) -> (usize, u64) {
    (action as usize / WORD, 1 << (action as usize % WORD))
}

impl CheckLog {
    fn record(&self, action: Action) {
        let (word, bit) = place(action);
        if let Some(word) = self.0.allowed.get(word) {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    fn record_scope(&self, action: Action) {
        self.0.scoped.store(true, Ordering::Relaxed);
        self.record(action);
    }

    /// Whether the action was allowed at least once.
    pub fn allows(&self, action: Action) -> bool {
        let (word, bit) = place(action);
        self.0.allowed.get(word).is_some_and(|word| word.load(Ordering::Relaxed) & bit != 0)
    }

    /// Whether the request restricted a list by scope.
    pub fn used_scope(&self) -> bool {
        self.0.scoped.load(Ordering::Relaxed)
    }
}

/// The rights of one caller at one moment. Deciding needs no I/O and allocates nothing.
#[derive(Debug, Clone)]
pub struct Judge {
    actor: Actor,
    own: Arc<Snapshot>,
    person: Option<Arc<Snapshot>>,
    now: Timestamp,
    log: CheckLog,
}

impl Judge {
    /// A judge over snapshots of one rights version. Made by authz.
    pub fn new(actor: Actor, own: Arc<Snapshot>, person: Option<Arc<Snapshot>>, now: Timestamp) -> Self {
        Self { actor, own, person, now, log: CheckLog::default() }
    }

    /// The same rights at another moment, with a check log of its own: what is delivered over a long
    /// time is judged by the time of each delivery, so that a grant expires without any write (AZ-3).
    #[must_use]
    pub fn at(&self, now: Timestamp) -> Self {
        Self { now, log: CheckLog::default(), ..self.clone() }
    }

    /// Whom it judges.
    pub const fn actor(&self) -> &Actor {
        &self.actor
    }

    /// The caller's own rights.
    pub fn own(&self) -> &Snapshot {
        &self.own
    }

    /// The moment of judgement.
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// What was allowed so far.
    pub const fn log(&self) -> &CheckLog {
        &self.log
    }

    /// Decides, and records an allow of a request in the check log. Auditing a denial is the duty
    /// of the door ([`crate::http::Allowed`]).
    pub fn decide(&self, action: Action, resource: Option<&Resource>, mode: Mode) -> Decision {
        let decision = decide(&self.judgement(action, resource, mode));
        if mode == Mode::Request && decision.is_allow() {
            self.log.record(action);
        }
        decision
    }

    /// Checks one element of a list once more (chapter 03 section 6). A denial is a defect of the
    /// list's query: it is logged without ids, and the caller drops the element.
    pub fn keeps(&self, action: Action, resource: &Resource) -> bool {
        let keeps = decide(&self.judgement(action, Some(resource), Mode::Filter)).is_allow();
        if !keeps {
            tracing::error!(
                action = action.as_str(),
                resource_kind = resource.kind.as_str(),
                reason = "filter_mismatch",
                "bothy.authz.errors"
            );
        }
        keeps
    }

    /// What a list may show, recorded in the check log.
    ///
    /// # Errors
    /// The denial when the caller may not list at all.
    pub fn scope(&self, action: Action) -> Result<Scope, Denial> {
        let scope = decide_scope(&self.judgement(action, None, Mode::Filter))?;
        self.log.record_scope(action);
        Ok(scope)
    }

    /// What may be delivered to the caller's consumer: its own grants, without the binding (AF-14).
    ///
    /// # Errors
    /// The denial when the caller is not active.
    pub fn delivery_scope(&self, action: Action) -> Result<Scope, Denial> {
        decide_scope(&self.judgement(action, None, Mode::Delivery))
    }

    fn judgement<'a>(&'a self, action: Action, resource: Option<&'a Resource>, mode: Mode) -> Judgement<'a> {
        Judgement {
            actor: &self.actor,
            own: &self.own,
            person: self.person.as_deref(),
            action,
            resource,
            mode,
            now: self.now,
        }
    }
}
