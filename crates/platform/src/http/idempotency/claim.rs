use std::time::Duration;

use bothy_domain::ids::AnyId;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::time::Timestamp;
use bothy_storage::UnitOfWork;

use super::{Asked, store};
use crate::failure::OrProblem;

/// The right to execute a request with a key. Whoever takes over an expired claim gets another id,
/// so that a request that comes back from a long pause finds that it has lost its claim.
#[derive(Debug, Clone, Copy)]
pub(in crate::http) struct Claim {
    slot: [u8; 32],
    id: AnyId,
    ttl: Duration,
}

impl Claim {
    pub(super) const fn new(asked: &Asked, id: AnyId, ttl: Duration) -> Self {
        Self { slot: asked.slot, id, ttl }
    }

    pub(super) const fn id(&self) -> AnyId {
        self.id
    }

    pub(super) const fn slot(&self) -> &[u8; 32] {
        &self.slot
    }

    /// Ties the claim to a unit of work: the effects are committed together with the note that they
    /// were, and only while nobody has taken the claim over.
    ///
    /// # Errors
    /// `unavailable` when the claim is lost; the unit must then be rolled back.
    pub(in crate::http) async fn takes_effect(&self, unit: &UnitOfWork, now: Timestamp) -> Result<(), Problem> {
        if store::take_effect(unit, self, now.plus(self.ttl)).await.or_problem()? {
            Ok(())
        } else {
            Err(Problem::new(ProblemCode::Unavailable))
        }
    }
}
