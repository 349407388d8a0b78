use std::sync::{Arc, Mutex};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, Response};
use bothy_domain::action::{Action, ActionType};
use bothy_domain::problem::Problem;
use hyper::upgrade::OnUpgrade;

use super::Operation;
use super::allowed::{Allowed, PathMembers, RequestFacts, admit, deny};
use super::chain::{Admitted, Arriving, Services, bounded, prove};
use super::idempotency::{Answer, Asked, Claim, Turn};
use super::input::Input;
use super::output::Output;
use crate::serve::Peer;

/// What is left of a request that was let in.
pub(super) struct Content {
    pub(super) path: PathMembers,
    pub(super) method: Method,
    pub(super) headers: HeaderMap,
    pub(super) peer: Option<Peer>,
    pub(super) upgrade: Option<OnUpgrade>,
    pub(super) query: String,
    pub(super) body: Bytes,
}

/// What becomes of a request with an idempotency key.
pub(super) enum Start {
    /// It was executed before: its answer.
    Kept(Response<Body>),
    /// It is to be executed.
    Fresh(Claim, Box<Admitted>),
}

/// Parses the input, runs the handler and encodes what it answers.
pub(super) async fn call<A, M, I, O, F, Fut>(
    services: Arc<Services>,
    module: Arc<M>,
    handler: F,
    admitted: Admitted,
    content: Content,
    claim: Option<Claim>,
) -> Result<Response<Body>, Problem>
where
    A: ActionType,
    I: Input,
    O: Output,
    F: Fn(Allowed<A>, Arc<M>, I) -> Fut,
    Fut: Future<Output = Result<O, Problem>>,
{
    let log = admitted.judge.log().clone();
    let Content { path, method, headers, peer, upgrade, query, body } = content;
    let input = I::parse(&query, &headers, &body)?;
    let upgrade = Mutex::new(upgrade);
    let request = Arc::new(RequestFacts { path, method, headers, peer, upgrade, claim, ..RequestFacts::default() });
    let actor = *admitted.judge.actor();
    let allowed = Allowed::new(admitted.judge, admitted.resource, Arc::clone(&request), Arc::clone(&services));
    let output = match (handler(allowed, module, input).await, request.refused.get()) {
        // Refused inside of a unit of work, which is rolled back by now.
        (Err(_), Some(denial)) => {
            return Err(deny(&services, &actor, A::ACTION, Some(&admitted.resource), None, *denial).await);
        }
        (output, _) => output?,
    };
    prove(A::ACTION, &log)?;
    output.encode()
}

/// Claims a request with a key, or finds the answer that it had. Whoever had to wait is let in
/// afresh: rights may have gone in the meantime.
pub(super) async fn start(
    arriving: &Arriving<'_>,
    operation: &Operation,
    asked: &Asked,
    mut admitted: Admitted,
) -> Result<Start, Problem> {
    loop {
        match arriving.services.idempotency.turn(arriving.services, asked).await? {
            Turn::Execute(claim) => return Ok(Start::Fresh(claim, Box::new(admitted))),
            Turn::Wait(pause) => {
                pause.await;
                admitted = arriving.enter(|_| Ok(())).await?;
            }
            Turn::Answered(answer) => {
                if let Some(action) = operation.recheck {
                    recheck(arriving.services, &admitted, action, &answer).await?;
                }
                prove(arriving.action, admitted.judge.log())?;
                return Ok(Start::Kept(answer.into_response()));
            }
        }
    }
}

/// Whether the caller may still have what was created; an answer that does not name it is answered
/// like one about a thing that is gone.
async fn recheck(services: &Services, admitted: &Admitted, action: Action, answer: &Answer) -> Result<(), Problem> {
    let resource = match answer.resource() {
        Some(id) => {
            let reader = services.database.reader().await.map_err(Problem::unavailable)?;
            services.locators.locate(&reader, action.row().resource, id).await?
        }
        None => None,
    };
    admit(services, &admitted.judge, action, resource.as_ref(), answer.resource()).await.map(drop)
}

/// Executes a request that holds a claim. It goes on when the client leaves, so that the client can
/// come back for the answer.
pub(super) async fn execute<Fut>(
    services: Arc<Services>,
    operation: Arc<Operation>,
    asked: Asked,
    claim: Claim,
    work: Fut,
) -> Result<Response<Body>, Problem>
where
    Fut: Future<Output = Result<Response<Body>, Problem>> + Send + 'static,
{
    let executed = tokio::spawn(async move {
        let result = bounded(&services, &operation, work).await;
        services.idempotency.finish(&services, &asked, claim, operation.created_member(), result).await
    });
    executed.await.unwrap_or_else(|_| Err(Problem::unavailable("the server stops")))
}
