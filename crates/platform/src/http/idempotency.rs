//! Idempotency keys (chapter 04 section 4): a request that creates and is sent again with its key
//! creates nothing new and gets the answer of the first one.
//!
//! The key stands for one principal, one run or none, one operation and one target. Whoever repeats
//! a request goes through the whole door again first, so that an answer is only given again to
//! somebody who may still have it. While the first request is at work it holds a claim with a lease;
//! a claim whose node died expires, and the request can then be made again. A use case that calls
//! [`Allowed::takes_effect`](super::Allowed::takes_effect) in its unit of work loses even the race
//! between its commit and the storing of its answer safely: what took effect is never done twice.

mod answer;
mod claim;
mod key;
mod seal;
pub(crate) mod store;

use std::time::Duration;

use axum::body::Body;
use axum::http::Response;
use bothy_domain::ids::AnyId;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_storage::{UnitOfWork, work};
use futures::future::{BoxFuture, FutureExt, select};
use tokio::sync::Notify;

use super::chain::Services;
use crate::clock::sleep;
use crate::config::Config;
use crate::entropy::SharedEntropy;
use crate::failure::{OrProblem, transact};
use crate::keys::InstanceSecret;

pub(super) use answer::Answer;
pub(super) use claim::Claim;
pub(super) use key::{Asked, LONGEST_KEY, key_of};
use seal::Sealer;

/// How long a claim outlasts the longest request: clocks of nodes differ, and a process may pause.
const LEASE_MARGIN: Duration = Duration::from_secs(30);
/// How often it is looked whether another node has finished. The own node says so.
pub(super) const POLL: Duration = Duration::from_millis(250);

/// The answers that are kept for requests that are sent again.
#[allow(missing_debug_implementations)]
pub struct Idempotency {
    ttl: Duration,
    sealer: Sealer,
    finished: Notify,
}

/// What is to be done about a request with a key.
pub(super) enum Turn<'a> {
    /// It is the first: it is to be executed.
    Execute(Claim),
    /// It was executed: this was the answer.
    Answered(Answer),
    /// It is being executed: wait, let the caller in again, and ask again.
    Wait(BoxFuture<'a, ()>),
}

impl Idempotency {
    /// Keeps answers for `http.idempotency_ttl`, sealed with the instance secret: they may hold what
    /// is shown only once, such as a token.
    pub fn new(config: &Config, secret: &InstanceSecret, entropy: SharedEntropy) -> Self {
        Self { ttl: config.http.idempotency_ttl.get(), sealer: Sealer::new(secret, entropy), finished: Notify::new() }
    }

    /// Claims the request, or says what became of the one that did before.
    ///
    /// # Errors
    /// `idempotency_conflict` when the key was used for another request, `conflict` when the request
    /// took effect and its answer was lost, `not_found` when what it created was deleted.
    pub(super) async fn turn<'a>(&'a self, services: &Services, asked: &Asked) -> Result<Turn<'a>, Problem> {
        // Before the look, so that whoever finishes right after it is not missed.
        let finished = self.finished.notified();
        let now = services.clock.now();
        let claim = Claim::new(asked, services.ids.next(), self.ttl);
        let lease_until = now.plus(services.limits.request_timeout).plus(LEASE_MARGIN);
        let held = transact(&services.database, |unit| {
            work(async move { Ok(store::claim(unit, asked, claim.id(), now, lease_until).await?) })
        })
        .await?;
        let Some(held) = held else { return Ok(Turn::Execute(claim)) };
        if held.request_hash != asked.request_hash {
            return Err(Problem::new(ProblemCode::IdempotencyConflict));
        }
        match held.status {
            Some(status) => {
                let sealed = held.sealed_answer.ok_or(Problem::new(ProblemCode::NotFound))?;
                let kept = self
                    .sealer
                    .open(asked, &sealed)
                    .ok_or_else(|| Problem::internal("a kept answer cannot be opened"))?;
                Answer::of(status, &kept, held.resource_id).map(Turn::Answered)
            }
            None if held.lease_until > now => {
                let pause = sleep(&services.clock, POLL);
                Ok(Turn::Wait(async move { drop(select(std::pin::pin!(finished), pause).await) }.boxed()))
            }
            None => Err(Problem::conflict("the request took effect, but its answer was lost; read what it was about")),
        }
    }

    /// Keeps the answer of a claimed request when it succeeded, and gives the claim up when not.
    pub(super) async fn finish(
        &self,
        services: &Services,
        asked: &Asked,
        claim: Claim,
        created: Option<&'static str>,
        result: Result<Response<Body>, Problem>,
    ) -> Result<Response<Body>, Problem> {
        let result = match result {
            Ok(response) if response.status().is_success() => {
                let (answer, response) = Answer::take(response, created).await?;
                self.keep(services, asked, claim, &answer).await;
                Ok(response)
            }
            other => {
                self.give_up(services, claim).await;
                other
            }
        };
        self.finished.notify_waiters();
        result
    }

    /// The effect is there, so the caller gets its answer also when it cannot be kept.
    async fn keep(&self, services: &Services, asked: &Asked, claim: Claim, answer: &Answer) {
        let expires_at = services.clock.now().plus(self.ttl);
        let kept = match self.sealer.seal(asked, &answer.kept()) {
            Some(sealed) => {
                let sealed = &sealed;
                transact(&services.database, |unit| {
                    work(async move { Ok(store::keep(unit, &claim, answer, sealed, expires_at).await?) })
                })
                .await
            }
            None => Err(Problem::internal("an answer cannot be sealed")),
        };
        match kept {
            Ok(true) => {}
            Ok(false) => tracing::error!("an answer was not kept: the request took longer than its claim"),
            Err(error) => {
                tracing::error!(%error, cause = error.cause().map(tracing::field::display), "an answer was not kept")
            }
        }
    }

    async fn give_up(&self, services: &Services, claim: Claim) {
        let given_up =
            transact(&services.database, |unit| work(async move { Ok(store::give_up(unit, &claim).await?) })).await;
        if let Err(error) = given_up {
            // It expires with its lease.
            tracing::warn!(%error, "a claim was not given up");
        }
    }
}

/// Forgets the answers that were kept for what created this resource. Whoever empties a resource,
/// such as a message that is deleted, calls it in the same unit of work: the old text is then never
/// given out again, and who asks for it gets `not_found`.
///
/// # Errors
/// `unavailable` when the database fails.
pub async fn forget_answers(unit: &UnitOfWork, resource: AnyId) -> Result<(), Problem> {
    store::forget(unit, resource).await.or_problem()
}
