use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, Response, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::{MethodFilter, MethodRouter, on};
use bothy_domain::action::{ActionType, RateClass};
use bothy_domain::problem::{Problem, ProblemCode};

use super::allowed::{Allowed, Anyone};
use super::chain::{AccessFacts, Services, guarded, open, router_problem};
use super::correlation::{self, CorrelationId};
use super::input::Input;
use super::limits::Payer;
use super::openapi::OperationDoc;
use super::operation::{Operation, OperationInfo};
use super::output::Output;

/// Where the API stands.
pub const BASE_PATH: &str = "/api/v1";

type Mount = Box<dyn FnOnce(Arc<Services>) -> MethodRouter + Send>;

struct Entry {
    info: OperationInfo,
    doc: OperationDoc,
    mount: Mount,
}

/// The operations of one module. `M` is what its handlers work on.
#[allow(missing_debug_implementations)]
pub struct Routes<M> {
    module: Arc<M>,
    entries: Vec<Entry>,
}

impl<M: Send + Sync + 'static> Routes<M> {
    /// No operations yet.
    pub const fn new(module: Arc<M>) -> Self {
        Self { module, entries: Vec::new() }
    }

    /// Adds a guarded operation. The handler's first argument is the proof that its action was
    /// allowed; the action is declared nowhere else.
    ///
    /// ```
    /// use bothy_domain::action::actions::MessageRead;
    /// use bothy_platform::http::{Allowed, Json, Routes, get};
    ///
    /// async fn guarded(
    ///     _: Allowed<MessageRead>,
    ///     _: std::sync::Arc<()>,
    ///     _: (),
    /// ) -> Result<Json<()>, bothy_domain::problem::Problem> {
    ///     Ok(Json::new(()))
    /// }
    /// let mut routes = Routes::new(std::sync::Arc::new(()));
    /// routes.add(get("getMessage", "/messages/{message_id}", "Read a message"), guarded);
    /// ```
    pub fn add<A, I, O, F, Fut>(&mut self, operation: Operation, handler: F)
    where
        A: ActionType,
        I: Input,
        O: Output,
        F: Fn(Allowed<A>, Arc<M>, I) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<O, Problem>> + Send + 'static,
    {
        let module = Arc::clone(&self.module);
        let doc = OperationDoc::of::<I, O>(&operation, Some(A::ACTION));
        let info = OperationInfo::of::<O>(&operation, Some(A::ACTION));
        let operation = Arc::new(operation);
        let mount: Mount = Box::new(move |services| {
            method(&operation.method.clone(), move |request| {
                guarded(Arc::clone(&services), Arc::clone(&module), Arc::clone(&operation), handler.clone(), request)
            })
        });
        self.entries.push(Entry { info, doc, mount });
    }

    /// Adds an operation that anybody may call: health, setup and login.
    pub fn add_open<I, O, F, Fut>(&mut self, operation: Operation, handler: F)
    where
        I: Input,
        O: Output,
        F: Fn(Anyone, Arc<M>, I) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<O, Problem>> + Send + 'static,
    {
        let module = Arc::clone(&self.module);
        let doc = OperationDoc::of::<I, O>(&operation, None);
        let info = OperationInfo::of::<O>(&operation, None);
        let operation = Arc::new(operation);
        let mount: Mount = Box::new(move |services| {
            method(&operation.method.clone(), move |request| {
                open(Arc::clone(&services), Arc::clone(&module), Arc::clone(&operation), handler.clone(), request)
            })
        });
        self.entries.push(Entry { info, doc, mount });
    }

    /// Gives the operations to the table of all modules.
    pub fn into_table(self) -> RouteTable {
        RouteTable { entries: self.entries }
    }
}

fn method<F, Fut>(method: &Method, handler: F) -> MethodRouter
where
    F: Fn(Request) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Response<Body>> + Send + 'static,
{
    // Operations are declared with the five constructors of `operation`, all of which have a filter.
    let filter = MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::TRACE);
    on(filter, handler)
}

/// All operations of the server.
#[allow(missing_debug_implementations)]
#[derive(Default)]
pub struct RouteTable {
    entries: Vec<Entry>,
}

impl RouteTable {
    /// Joins the operations of another module.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.entries.extend(other.entries);
        self
    }

    /// The declarations, for tables and tests.
    pub fn operations(&self) -> impl Iterator<Item = &OperationInfo> {
        self.entries.iter().map(|entry| &entry.info)
    }

    pub(super) fn docs(&self) -> impl Iterator<Item = &OperationDoc> {
        self.entries.iter().map(|entry| &entry.doc)
    }

    /// The router of the API below [`BASE_PATH`], with the answers for addresses and methods that
    /// do not exist, the correlation id, `no-store`, the rate limit and the access log around everything.
    pub fn into_router(self, services: Arc<Services>) -> Router {
        let mut by_path: BTreeMap<&'static str, MethodRouter> = BTreeMap::new();
        for entry in self.entries {
            let mounted = (entry.mount)(Arc::clone(&services));
            let path = entry.info.path;
            let merged = match by_path.remove(path) {
                Some(existing) => existing.merge(mounted),
                None => mounted,
            };
            by_path.insert(path, merged);
        }
        let api = by_path.into_iter().fold(Router::new(), |router, (path, methods)| router.route(path, methods));
        Router::new()
            .nest(BASE_PATH, api)
            .fallback(|request: Request| async move { unrouted(ProblemCode::NotFound, &request) })
            .method_not_allowed_fallback(
                |request: Request| async move { unrouted(ProblemCode::MethodNotAllowed, &request) },
            )
            .layer(from_fn_with_state(services, around))
    }
}

fn unrouted(code: ProblemCode, request: &Request) -> Response<Body> {
    match request.extensions().get::<CorrelationId>() {
        Some(correlation) => router_problem(code, correlation),
        None => Response::new(Body::empty()),
    }
}

/// What surrounds every request, whether or not there is an operation for it.
async fn around(State(services): State<Arc<Services>>, mut request: Request, next: Next) -> Response<Body> {
    let started = services.clock.now();
    let correlation = CorrelationId::of(request.headers(), &services.ids);
    let method = request.method().clone();
    let length = request.uri().path_and_query().map_or(0, |url| url.as_str().len());
    let client = services.rates.client(request.extensions(), request.headers());
    request.extensions_mut().insert(correlation.clone());
    let mut response = if length > services.limits.max_url_bytes {
        router_problem(ProblemCode::PayloadTooLarge, &correlation)
    } else {
        next.run(request).await
    };
    let facts = response.extensions().get::<AccessFacts>().copied();
    // Who was not authenticated is told of the budget that failures are taken from.
    let standing = facts.and_then(|facts| facts.standing);
    let standing = standing.unwrap_or_else(|| services.rates.look(RateClass::PublicAuth, Payer::Address(client)));
    let headers = response.headers_mut();
    standing.write(headers);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Some(value) = correlation.header_value() {
        headers.insert(correlation::HEADER, value);
    }
    tracing::info!(
        method = method.as_str(),
        operation = facts.map_or("none", |facts| facts.operation),
        status = response.status().as_u16(),
        micros = u64::try_from(services.clock.now().since(started).as_micros()).unwrap_or(u64::MAX),
        principal = facts.and_then(|facts| facts.principal_kind).map_or("none", |kind| kind.as_str()),
        correlation_id = %correlation,
        "request"
    );
    response
}
