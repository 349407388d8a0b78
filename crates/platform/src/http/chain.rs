use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequestParts, OriginalUri, RawPathParams, Request};
use axum::http::Response;
use axum::http::request::Parts;
use bothy_domain::action::{Action, ActionType, BindingMode, RateClass, ResourceKind};
use bothy_domain::actor::{ActingFor, Actor, PrincipalKind};
use bothy_domain::ids::{AnyId, Id, kind};
use bothy_domain::policy::{Path, Place, Resource};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_storage::{Database, Reader};
use futures::FutureExt;

use super::allowed::{Allowed, Anyone, PathMembers, RequestFacts, admit, deny, turn_away};
use super::call::{Content, Start, call, execute, start};
use super::correlation::CorrelationId;
use super::credentials::Credentials;
use super::idempotency::{Asked, Idempotency, key_of};
use super::input::Input;
use super::limits::{Payer, RateLimits, Standing};
use super::locators::Locators;
use super::output::Output;
use super::{Operation, body, problem};
use crate::audit::AuditLog;
use crate::authorize::{Authenticator, Authorizer, BindingWatch, CheckLog, Judge};
use crate::clock::{SharedClock, timeout};
use crate::entropy::IdSource;

/// Limits on everything that a stranger can make grow.
#[derive(Debug, Clone, Copy)]
pub struct HttpLimits {
    /// Largest body in bytes (`http.max_body_bytes`).
    pub max_body_bytes: u64,
    /// Longest path and query in bytes (`http.max_url_bytes`).
    pub max_url_bytes: usize,
    /// How long a body may take to arrive (`http.body_timeout`).
    pub body_timeout: Duration,
    /// How long a request may take (`http.request_timeout`).
    pub request_timeout: Duration,
}

/// What the door needs of the rest of the server.
#[allow(missing_debug_implementations)]
pub struct Services {
    /// The database.
    pub database: Database,
    /// Who is calling.
    pub authenticator: Arc<dyn Authenticator>,
    /// What may be done.
    pub authorizer: Arc<dyn Authorizer>,
    /// What stands where.
    pub locators: Locators,
    /// Where denials are recorded.
    pub audit: AuditLog,
    /// The time.
    pub clock: SharedClock,
    /// Ids and randomness.
    pub ids: IdSource,
    /// The limits.
    pub limits: HttpLimits,
    /// The budgets of callers.
    pub rates: RateLimits,
    /// The answers that are kept for requests that are sent again.
    pub idempotency: Idempotency,
    /// Is told how agents use what binds them.
    pub watch: Arc<dyn BindingWatch>,
}

/// What the answer and the access log say of a request beside its status.
#[derive(Debug, Clone, Copy)]
pub(super) struct AccessFacts {
    pub(super) operation: &'static str,
    pub(super) principal_kind: Option<PrincipalKind>,
    /// The budget that the request was taken from.
    pub(super) standing: Option<Standing>,
}

impl AccessFacts {
    const fn of(operation: &Operation) -> Self {
        Self { operation: operation.id, principal_kind: None, standing: None }
    }

    /// Takes the request from a budget.
    fn pay(&mut self, services: &Services, class: RateClass, payer: Payer) -> Result<(), Problem> {
        let standing = services.rates.take(class, payer);
        self.standing = Some(standing);
        standing.check()
    }
}

/// A request that was let in, before its input was read.
pub(super) struct Admitted {
    pub(super) judge: Judge,
    pub(super) resource: Resource,
}

/// Runs a guarded operation through the whole chain.
pub(super) async fn guarded<A, M, I, O, F, Fut>(
    services: Arc<Services>,
    module: Arc<M>,
    operation: Arc<Operation>,
    handler: F,
    request: Request,
) -> Response<Body>
where
    A: ActionType,
    M: Send + Sync + 'static,
    I: Input,
    O: Output,
    F: Fn(Allowed<A>, Arc<M>, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, Problem>> + Send + 'static,
{
    let mut facts = AccessFacts::of(&operation);
    let (mut parts, body) = request.into_parts();
    let correlation = correlation_of(&parts, &services);
    let instance = full_path(&parts);
    let client = services.rates.client(&parts.extensions, &parts.headers);
    let peer = parts.extensions.get().copied();
    let upgrade = parts.extensions.remove();
    let work = async {
        let (parts, path) = path_members(parts).await?;
        let arriving =
            Arriving { services: &services, parts: &parts, path: &path, action: A::ACTION, template: operation.path };
        let admitted = arriving
            .enter(|actor| {
                facts.principal_kind = Some(actor.kind);
                facts.pay(&services, operation.rate(A::ACTION), Payer::Principal(actor.principal))
            })
            .await?;
        if is_unbound_call(admitted.judge.actor(), A::ACTION) {
            services.watch.unbound(admitted.judge.actor().principal);
        }
        let body = body::read(body, &parts.headers, &services.limits, &services.clock).await?;
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let key = if operation.creates { key_of(&parts.headers)? } else { None };
        let asked = key.map(|key| Asked::new(admitted.judge.actor(), operation.id, &path, key, (&query, &body)));
        let (claim, admitted) = match &asked {
            None => (None, admitted),
            Some(asked) => match start(&arriving, &operation, asked, admitted).await? {
                Start::Kept(response) => return Ok(response),
                Start::Fresh(claim, admitted) => (Some(claim), *admitted),
            },
        };
        let Parts { method, headers, .. } = parts;
        let content = Content { path, method, headers, peer, upgrade, query, body };
        let call = call(Arc::clone(&services), module, handler, admitted, content, claim);
        match asked.zip(claim) {
            None => call.await,
            Some((asked, claim)) => execute(Arc::clone(&services), Arc::clone(&operation), asked, claim, call).await,
        }
    };
    let mut result = bounded(&services, &operation, work).await;
    // Credentials that do not count are paid for by the address, on whatever route they are tried.
    if result.as_ref().is_err_and(|problem| problem.code() == ProblemCode::Unauthenticated) {
        result = facts.pay(&services, RateClass::PublicAuth, Payer::Address(client)).and(result);
    }
    finish(result, &instance, &correlation, facts)
}

/// Whether an agent acts without a token where one would bind it.
fn is_unbound_call(actor: &Actor, action: Action) -> bool {
    let row = action.row();
    let binds = row.in_tree() && row.binding != BindingMode::Unbound;
    binds && actor.kind == PrincipalKind::Agent && actor.acting_for == ActingFor::Absent
}

/// Runs an operation that anybody may call.
pub(super) async fn open<M, I, O, F, Fut>(
    services: Arc<Services>,
    module: Arc<M>,
    operation: Arc<Operation>,
    handler: F,
    request: Request,
) -> Response<Body>
where
    M: Send + Sync + 'static,
    I: Input,
    O: Output,
    F: Fn(Anyone, Arc<M>, I) -> Fut + Send + Sync,
    Fut: Future<Output = Result<O, Problem>> + Send,
{
    let mut facts = AccessFacts::of(&operation);
    let (parts, body) = request.into_parts();
    let correlation = correlation_of(&parts, &services);
    let instance = full_path(&parts);
    let client = services.rates.client(&parts.extensions, &parts.headers);
    let work = async {
        facts.pay(&services, RateClass::PublicAuth, Payer::Address(client))?;
        let (mut parts, path) = path_members(parts).await?;
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let headers = std::mem::take(&mut parts.headers);
        let bytes = body::read(body, &headers, &services.limits, &services.clock).await?;
        let input = I::parse(&query, &headers, &bytes)?;
        let request = Arc::new(RequestFacts { path, headers, ..RequestFacts::default() });
        handler(Anyone { request }, module, input).await?.encode()
    };
    let result = bounded(&services, &operation, work).await;
    finish(result, &instance, &correlation, facts)
}

/// A request before the door.
pub(super) struct Arriving<'a> {
    pub(super) services: &'a Services,
    pub(super) parts: &'a Parts,
    pub(super) path: &'a PathMembers,
    pub(super) action: Action,
    pub(super) template: &'static str,
}

impl Arriving<'_> {
    /// Authenticates, lets `pay` take the request from the caller's budget, locates and decides, in
    /// this order and before anything else of the request is looked at.
    pub(super) async fn enter(
        &self,
        pay: impl FnOnce(&Actor) -> Result<(), Problem> + Send,
    ) -> Result<Admitted, Problem> {
        let Self { services, action, .. } = *self;
        let (judge, target) = match self.look(pay).await {
            Err(problem) if problem.code() == ProblemCode::Unauthenticated => {
                return Err(turn_away(services, action, problem).await);
            }
            looked => looked?,
        };
        let resource = match target {
            Target::Collection(resource) => {
                if let Err(denial) = judge.scope(action) {
                    return Err(deny(services, judge.actor(), action, None, None, denial).await);
                }
                resource
            }
            Target::One(named, resource) => admit(services, &judge, action, resource.as_ref(), named).await?,
        };
        Ok(Admitted { judge, resource })
    }

    /// Who is calling, and what the path names. The reader is given back before anything is judged,
    /// because a denial needs a unit of work.
    async fn look(&self, pay: impl FnOnce(&Actor) -> Result<(), Problem> + Send) -> Result<(Judge, Target), Problem> {
        let Self { services, parts, path, action, template } = *self;
        let credentials = Credentials::of(&parts.headers, &parts.method)?;
        let reader = services.database.reader().await.map_err(Problem::unavailable)?;
        let actor = services.authenticator.authenticate(&reader, &credentials).await?;
        pay(&actor)?;
        let judge = services.authorizer.judge(&reader, &actor).await?;
        let target = locate(services, &reader, &judge, path, action, template).await?;
        Ok((judge, target))
    }
}

enum Target {
    /// A list of what stands in the channel tree: judged by scope.
    Collection(Resource),
    /// One resource, or an id that names none.
    One(Option<AnyId>, Option<Resource>),
}

async fn locate(
    services: &Services,
    reader: &Reader,
    judge: &Judge,
    path: &PathMembers,
    action: Action,
    template: &str,
) -> Result<Target, Problem> {
    let row = action.row();
    let own: AnyId = judge.actor().principal.cast();
    match row.resource {
        ResourceKind::Instance => {
            Ok(Target::One(None, Some(Resource::new(row.resource, nil(), Path::of(Place::Instance)))))
        }
        ResourceKind::Own => Ok(Target::One(None, Some(Resource::new(row.resource, own, Path::PATHLESS)))),
        kind => {
            let parameter = kind.path_parameter().filter(|name| names(template, name));
            let Some(parameter) = parameter else {
                let everything = Resource::new(kind, nil(), Path::PATHLESS);
                return Ok(if row.in_tree() {
                    Target::Collection(everything)
                } else {
                    Target::One(None, Some(everything))
                });
            };
            let id: AnyId = path.id(parameter)?;
            let resource = match kind {
                ResourceKind::GrantTarget => grant_target(services, reader, path, id).await?,
                _ => services.locators.locate(reader, kind, id).await?,
            };
            Ok(Target::One(Some(id), resource))
        }
    }
}

/// A grant target is named by kind and id: `/access/{target_kind}/{target_id}/grants`.
async fn grant_target(
    services: &Services,
    reader: &Reader,
    path: &PathMembers,
    id: AnyId,
) -> Result<Option<Resource>, Problem> {
    let kind = match path.text("target_kind") {
        Some("instance") => ResourceKind::Instance,
        Some("space") => ResourceKind::Space,
        Some("channel") => ResourceKind::Channel,
        _ => return Err(Problem::invalid("/path/target_kind", "must be instance, space or channel")),
    };
    services.locators.locate(reader, kind, id).await
}

fn names(template: &str, parameter: &str) -> bool {
    template
        .split('/')
        .any(|segment| segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) == Some(parameter))
}

fn nil() -> Id<kind::Any> {
    Id::from_uuid(uuid::Uuid::nil())
}

/// The proof of the check (chapter 03 section 7).
pub(super) fn prove(action: Action, log: &CheckLog) -> Result<(), Problem> {
    if log.allows(action) {
        Ok(())
    } else {
        Err(Problem::internal(format!("answer without a recorded allow of {}", action.as_str())))
    }
}

async fn path_members(mut parts: Parts) -> Result<(Parts, PathMembers), Problem> {
    let members = RawPathParams::from_request_parts(&mut parts, &())
        .await
        .map_err(|_| Problem::invalid("/path", "is not valid UTF-8"))?;
    let members = members.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Ok((parts, PathMembers(members)))
}

/// Bounds the time of a request and turns a panic into a plain 500.
pub(super) async fn bounded(
    services: &Services,
    operation: &Operation,
    work: impl Future<Output = Result<Response<Body>, Problem>> + Send,
) -> Result<Response<Body>, Problem> {
    let work = AssertUnwindSafe(work).catch_unwind();
    let outcome = if operation.waits {
        work.await
    } else {
        timeout(&services.clock, services.limits.request_timeout, work)
            .await
            .map_err(|_| Problem::unavailable("the request took too long"))?
    };
    outcome.unwrap_or_else(|_| Err(Problem::internal("a handler panicked")))
}

fn finish(
    result: Result<Response<Body>, Problem>,
    instance: &str,
    correlation: &CorrelationId,
    facts: AccessFacts,
) -> Response<Body> {
    let mut response = match result {
        Ok(response) => response,
        Err(found) => problem::respond(&found, Some(instance), correlation),
    };
    response.extensions_mut().insert(facts);
    response
}

fn correlation_of(parts: &Parts, services: &Services) -> CorrelationId {
    match parts.extensions.get::<CorrelationId>() {
        Some(correlation) => correlation.clone(),
        None => CorrelationId::of(&parts.headers, &services.ids),
    }
}

/// The answer of the router itself for an address or a method that does not exist.
pub(super) fn router_problem(code: ProblemCode, correlation: &CorrelationId) -> Response<Body> {
    problem::respond(&Problem::new(code), None, correlation)
}

/// The path as it was sent: below the base path the router shows handlers only the rest.
fn full_path(parts: &Parts) -> String {
    parts.extensions.get::<OriginalUri>().map_or_else(|| parts.uri.path(), |uri| uri.path()).to_owned()
}
