//! Requests that live longer than one moment: what waits is let in again, and a connection asks again
//! in the name of who opened it.

use std::fmt;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Method, Request, header};
use bothy_domain::action::ActionType;
use bothy_domain::policy::Scope;
use bothy_domain::problem::Problem;
use bytes::Bytes;
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

use super::allowed::Allowed;
use super::credentials::{Credentials, INVOCATION_TOKEN};
use super::router::BASE_PATH;
use crate::authorize::Judge;
use crate::failure::OrProblem as _;
use crate::serve::Peer;

/// The header by which a trusted proxy names its client.
const FORWARDED_FOR: &str = "x-forwarded-for";

impl<A: ActionType> Allowed<A> {
    /// Who is calling and what they may do by now, for a request that has waited: everything that was
    /// shown is looked at anew, the binding to a run too.
    ///
    /// # Errors
    /// `unauthenticated` when the credential does not count any more.
    pub async fn judged_again(&self) -> Result<Judge, Problem> {
        let services = self.services();
        let credentials = Credentials::of(self.headers(), self.method())?;
        let reader = services.database.reader().await.or_problem()?;
        let actor = services.authenticator.authenticate(&reader, &credentials).await?;
        services.authorizer.judge(&reader, &actor).await
    }

    /// What a list of `B` may show by a judge of [`judged_again`](Self::judged_again).
    ///
    /// # Errors
    /// The denial; it is audited when the handler ends with it.
    pub fn scope_again<B: ActionType>(&self, judge: &Judge) -> Result<Scope, Problem> {
        judge.scope(B::ACTION).map_err(|denial| self.refuse(denial))
    }

    /// The caller, to ask again in its name.
    ///
    /// # Errors
    /// `unauthenticated` when the request shows no credential that can be shown again.
    pub fn caller(&self) -> Result<Caller, Problem> {
        let credentials = Credentials::of(self.headers(), self.method())?;
        let token = credentials.token.ok_or_else(super::credentials::unauthenticated)?;
        let mut authorization =
            HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| super::credentials::unauthenticated())?;
        authorization.set_sensitive(true);
        Ok(Caller {
            authorization,
            forwarded: self.headers().get_all(FORWARDED_FOR).iter().cloned().collect(),
            peer: self.peer(),
        })
    }
}

/// Who opened a connection: the credential and the address that its requests count for.
#[derive(Clone)]
pub struct Caller {
    authorization: HeaderValue,
    forwarded: Vec<HeaderValue>,
    peer: Option<Peer>,
}

impl fmt::Debug for Caller {
    /// Without the credential, which must reach no log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("peer", &self.peer).finish_non_exhaustive()
    }
}

/// An operation to be called from inside of the server.
#[derive(Debug, Clone)]
pub struct Call {
    /// The method.
    pub method: Method,
    /// The path below the base path, made of fixed texts and ids.
    pub path: String,
    /// The JSON body.
    pub body: Vec<u8>,
    /// The value of `Invocation-Token`, if there is one.
    pub invocation_token: Option<String>,
}

/// What an operation answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// The JSON body; empty when there is none.
    pub body: Bytes,
}

/// The operations of this server, called from inside of it: through the same door as every request,
/// with the same limits, checks and problems.
#[derive(Debug)]
pub struct Operations(Router);

impl Operations {
    /// The operations behind a router.
    pub const fn new(router: Router) -> Self {
        Self(router)
    }

    /// Calls one in the name of a caller.
    ///
    /// # Errors
    /// `validation_failed` when something of the call cannot be part of a request; what the operation
    /// itself refuses is an answer.
    pub async fn call(&self, caller: &Caller, call: Call) -> Result<Answered, Problem> {
        let mut request = Request::builder()
            .method(call.method)
            .uri(format!("{BASE_PATH}{}", call.path))
            .header(header::AUTHORIZATION, &caller.authorization);
        for value in &caller.forwarded {
            request = request.header(FORWARDED_FOR, value);
        }
        if let Some(token) = &call.invocation_token {
            let mut token = HeaderValue::from_bytes(token.as_bytes())
                .map_err(|_| Problem::invalid("/invocation_token", "is no header value"))?;
            token.set_sensitive(true);
            request = request.header(INVOCATION_TOKEN, token);
        }
        if !call.body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let mut request = request.body(Body::from(call.body)).map_err(Problem::internal)?;
        if let Some(peer) = caller.peer {
            request.extensions_mut().insert(peer);
        }
        let response = match self.0.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.map_err(Problem::internal)?.to_bytes();
        Ok(Answered { status, body })
    }
}
