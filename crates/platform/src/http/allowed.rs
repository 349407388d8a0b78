use std::marker::PhantomData;
use std::sync::{Arc, Mutex, OnceLock};

use axum::http::{HeaderMap, Method, header};
use bothy_domain::action::{Action, ActionType, ResourceKind};
use bothy_domain::actor::{ActingFor, Actor};
use bothy_domain::audit::{AuditActor, AuditEntry, Effect};
use bothy_domain::ids::{AnyId, Id};
use bothy_domain::policy::{Decision, Denial, Mode, Outcome, Reason, Resource, Scope};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_storage::UnitOfWork;
use hyper::upgrade::OnUpgrade;

use super::chain::Services;
use super::idempotency::Claim;
use super::output::etag;
use crate::authorize::Judge;
use crate::serve::Peer;

/// The members of a path, as matched.
#[derive(Debug, Clone, Default)]
pub(super) struct PathMembers(pub(super) Vec<(String, String)>);

impl PathMembers {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn id<K>(&self, name: &str) -> Result<Id<K>, Problem> {
        self.text(name).and_then(|text| text.parse().ok()).ok_or_else(|| {
            Problem::invalid(format!("/path/{name}"), "not an id: expected a UUID in lower case with hyphens")
        })
    }
}

/// What a handler may know of its request beside its input.
#[derive(Debug, Default)]
pub(super) struct RequestFacts {
    pub(super) path: PathMembers,
    pub(super) method: Method,
    pub(super) headers: HeaderMap,
    /// The other end of the connection.
    pub(super) peer: Option<Peer>,
    /// The connection itself, when it can become something else.
    pub(super) upgrade: Mutex<Option<OnUpgrade>>,
    pub(super) claim: Option<Claim>,
    /// Why a unit of work refused the request. It is audited when the unit is gone.
    pub(super) refused: OnceLock<Denial>,
}

/// The proof that the caller may do `A` on the target that the path names. Only the door makes it,
/// it cannot be copied, and the use case takes it by value: what has no proof does not compile.
///
/// ```compile_fail
/// use bothy_domain::action::actions::MessageRead;
/// use bothy_platform::http::{Json, Routes, get};
///
/// async fn unguarded(_: std::sync::Arc<()>, _: ()) -> Result<Json<()>, bothy_domain::problem::Problem> {
///     Ok(Json::new(()))
/// }
/// let mut routes = Routes::new(std::sync::Arc::new(()));
/// routes.add(get("getMessage", "/messages/{message_id}", "Read a message"), unguarded);
/// ```
pub struct Allowed<A: ActionType> {
    judge: Judge,
    resource: Resource,
    request: Arc<RequestFacts>,
    services: Arc<Services>,
    action: PhantomData<fn() -> A>,
}

impl<A: ActionType> std::fmt::Debug for Allowed<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Allowed").field("action", &A::ACTION.as_str()).field("resource", &self.resource).finish()
    }
}

impl<A: ActionType> Allowed<A> {
    pub(super) fn new(judge: Judge, resource: Resource, request: Arc<RequestFacts>, services: Arc<Services>) -> Self {
        Self { judge, resource, request, services, action: PhantomData }
    }

    /// Who acts.
    pub const fn actor(&self) -> &Actor {
        self.judge.actor()
    }

    /// The rights of the caller at the moment of the request.
    pub const fn judge(&self) -> &Judge {
        &self.judge
    }

    /// The target. For operations on collections it names the collection.
    pub const fn resource(&self) -> &Resource {
        &self.resource
    }

    pub(super) fn services(&self) -> &Services {
        &self.services
    }

    pub(super) fn method(&self) -> &Method {
        &self.request.method
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        &self.request.headers
    }

    pub(super) fn peer(&self) -> Option<Peer> {
        self.request.peer
    }

    /// The connection of the request, once.
    pub(super) fn take_upgrade(&self) -> Option<OnUpgrade> {
        self.request.upgrade.lock().ok()?.take()
    }

    /// The target's id, as the kind that the operation is about.
    pub const fn id<K>(&self) -> Id<K> {
        self.resource.id.cast()
    }

    /// Another id in the path.
    ///
    /// # Errors
    /// `validation_failed` when it is not an id.
    pub fn path_id<K>(&self, name: &str) -> Result<Id<K>, Problem> {
        self.request.path.id(name)
    }

    /// Another text in the path.
    ///
    /// # Errors
    /// `not_found` when the template has no such member.
    pub fn path_text(&self, name: &str) -> Result<&str, Problem> {
        self.request.path.text(name).ok_or(Problem::new(ProblemCode::NotFound))
    }

    /// Holds the request to the version that its `If-Match` names (chapter 04 section 4).
    ///
    /// # Errors
    /// `conflict` when there is no `If-Match` or it names another version.
    pub fn require_version(&self, current: i64) -> Result<(), Problem> {
        let mut values = self.request.headers.get_all(header::IF_MATCH).iter();
        match (values.next(), values.next()) {
            (Some(value), None) if value.as_bytes() == etag(current).as_bytes() => Ok(()),
            (None, _) => Err(Problem::conflict("send `If-Match` with the `ETag` that you read")),
            _ => Err(Problem::conflict("it was changed since you read it")),
        }
    }

    /// Judges the request once more by the rights that a unit of work sees (AZ-10), with the target as
    /// it is there: rights hold still until the unit ends. For administration, whose units change
    /// rights themselves; call it after [`lock_instance`](crate::instance::lock_instance) there, and
    /// otherwise first. Returns the judge that counts in the unit.
    ///
    /// # Errors
    /// The denial, audited after the unit, as the door would answer it; the unit must be rolled back.
    pub async fn judged_in(&self, unit: &UnitOfWork) -> Result<Judge, Problem> {
        let Some(judge) = self.services.authorizer.judge_again(unit, self.actor()).await? else {
            return Ok(self.judge.clone());
        };
        let resource = match self.resource.kind {
            ResourceKind::Instance | ResourceKind::Own | ResourceKind::Audit => Some(self.resource),
            // A whole collection.
            _ if self.resource.id.uuid().is_nil() => Some(self.resource),
            kind => self.services.locators.locate(unit, kind, self.resource.id).await?,
        };
        match judge.decide(A::ACTION, resource.as_ref(), Mode::Request) {
            Decision::Allow => Ok(judge),
            Decision::Deny(denial) => Err(self.refuse(denial)),
        }
    }

    /// Refuses the request from inside of a unit of work, which must be rolled back. The denial is
    /// audited afterwards: its record must not be lost with the unit.
    #[must_use]
    pub fn refuse(&self, denial: Denial) -> Problem {
        problem_of(*self.request.refused.get_or_init(|| denial))
    }

    /// Ties the idempotency key of the request, if it has one, to the unit of work that has its
    /// effects (chapter 04 section 4): they are committed together with the note that the request
    /// took effect, so that a repetition never has them twice, also when the node dies before the
    /// answer is kept. Call it once, in the unit that creates.
    ///
    /// # Errors
    /// `unavailable` when a repetition has taken over, or the database fails; the unit must then be
    /// rolled back.
    pub async fn takes_effect(&self, unit: &UnitOfWork) -> Result<(), Problem> {
        match &self.request.claim {
            Some(claim) => claim.takes_effect(unit, self.services.clock.now()).await,
            None => Ok(()),
        }
    }

    /// What a list of `B` may show.
    ///
    /// # Errors
    /// The denial, audited.
    pub async fn scope<B: ActionType>(&self) -> Result<Scope, Problem> {
        match self.judge.scope(B::ACTION) {
            Ok(scope) => Ok(scope),
            Err(denial) => Err(deny(&self.services, self.judge.actor(), B::ACTION, None, None, denial).await),
        }
    }

    /// Decides about a second target of the same request, such as the goal of a move. `None` is a
    /// target that does not exist.
    ///
    /// # Errors
    /// The denial, audited, as the door would answer it.
    pub async fn also<B: ActionType>(&self, resource: Option<&Resource>) -> Result<Allowed<B>, Problem> {
        let resource = admit(&self.services, &self.judge, B::ACTION, resource, None).await?;
        Ok(Allowed::new(self.judge.clone(), resource, Arc::clone(&self.request), Arc::clone(&self.services)))
    }
}

/// A handler that anybody may call, signed in or not: health, setup and login.
#[derive(Debug)]
pub struct Anyone {
    pub(super) request: Arc<RequestFacts>,
}

impl Anyone {
    /// Another text in the path.
    ///
    /// # Errors
    /// `not_found` when the template has no such member.
    pub fn path_text(&self, name: &str) -> Result<&str, Problem> {
        self.request.path.text(name).ok_or(Problem::new(ProblemCode::NotFound))
    }
}

/// Decides in request mode; a denial is audited and becomes its problem.
pub(super) async fn admit(
    services: &Services,
    judge: &Judge,
    action: Action,
    resource: Option<&Resource>,
    named: Option<AnyId>,
) -> Result<Resource, Problem> {
    match (judge.decide(action, resource, Mode::Request), resource) {
        (Decision::Allow, Some(resource)) => Ok(*resource),
        // `decide` never allows what does not exist; if it did, the answer would still be the 404.
        (Decision::Allow, None) => Err(Problem::new(ProblemCode::NotFound)),
        (Decision::Deny(denial), resource) => Err(deny(services, judge.actor(), action, resource, named, denial).await),
    }
}

/// Audits a denial and makes its problem. When the record fails, the request fails with it.
pub(super) async fn deny(
    services: &Services,
    actor: &Actor,
    action: Action,
    resource: Option<&Resource>,
    named: Option<AnyId>,
    denial: Denial,
) -> Problem {
    let entry = AuditEntry::denial(actor, action, resource, named, denial.reason);
    if let Err(error) = services.audit.record_alone(&services.database, &entry).await {
        return Problem::unavailable(error);
    }
    if let (ActingFor::Bound(binding), Reason::ActingForInsufficient) = (&actor.acting_for, denial.reason) {
        services.watch.stopped(binding, action);
    }
    problem_of(denial)
}

/// Audits that somebody who cannot be told apart was refused (C97), without what was shown, and gives
/// the refusal back. However much a stranger tries, it stays one entry a window for each action (C99).
pub(super) async fn turn_away(services: &Services, action: Action, refusal: Problem) -> Problem {
    let entry = AuditEntry {
        actor: AuditActor::Anonymous,
        action,
        effect: Effect::Deny,
        reason: Some(Reason::NotLive),
        resource_kind: action.row().resource.as_str(),
        resource_id: None,
        run: None,
        acting_for: None,
        details: vec![("at", "credentials".to_owned())],
    };
    match services.audit.record_alone(&services.database, &entry).await {
        Ok(_) => refusal,
        Err(error) => Problem::unavailable(error),
    }
}

/// The public form of a denial (chapter 03 section 3, AF-11).
fn problem_of(denial: Denial) -> Problem {
    match denial.outcome {
        Outcome::Unauthenticated => Problem::new(ProblemCode::Unauthenticated),
        Outcome::NotFound => Problem::new(ProblemCode::NotFound),
        Outcome::Forbidden => Problem::new(ProblemCode::Forbidden).with_reason(denial.reason.as_str()),
        Outcome::InvocationTokenInvalid => {
            Problem::new(ProblemCode::InvocationTokenInvalid).with_reason(denial.reason.as_str())
        }
        Outcome::InvocationTokenRequired => Problem::new(ProblemCode::InvocationTokenRequired),
    }
}
