use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::{ChannelId, PrincipalId, SpaceId};
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_platform::instance::{Touched as Recorded, bump_rights_version, lock_instance};
use bothy_storage::UnitOfWork;

use crate::Authz;

/// Whose rights a change concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touched {
    /// These principals.
    Principals(Vec<PrincipalId>),
    /// Whoever reaches a space. Nobody's snapshot changes, because the archive and operators are
    /// read with each target, but runs there may lose their ground.
    Space(SpaceId),
    /// Whoever reaches a channel; otherwise like [`Touched::Space`].
    Channel(ChannelId),
}

impl Authz {
    /// Begins a change of rights: until the unit of work ends, no other one changes rights or
    /// counts on a state that this one changes.
    ///
    /// Call it before anything that the change depends on is read: who is in a group that gets a
    /// grant, how many owners are left. Without it, two changes that each look right could together
    /// leave a principal untouched that both concern.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn hold(&self, unit: &UnitOfWork) -> Result<(), Problem> {
        lock_instance(unit).await.or_problem()
    }

    /// Tells everybody in this unit of work that rights changed: the rights version moves on, the
    /// snapshots of those touched are forgotten at the next request in every process (AZ-7, AZ-8),
    /// they are told with `rights.changed`, and runs that lost their ground are asked to stop.
    ///
    /// Whoever changes anything that a decision depends on calls this after the change.
    ///
    /// # Errors
    /// `unavailable` when the database fails; the change must then not be committed.
    pub async fn changed(&self, unit: &UnitOfWork, touched: Touched) -> Result<(), Problem> {
        let principals = match &touched {
            Touched::Principals(principals) => principals.as_slice(),
            Touched::Space(_) | Touched::Channel(_) => &[],
        };
        self.gained(unit, principals).await?;
        match self.ports.rights_changed()? {
            Some(hook) => hook.rights_changed(unit, &touched).await,
            None => Ok(()),
        }
    }

    /// Like [`Authz::changed`] for a change that only gives something to these principals, such as a
    /// new direct message: no run loses its ground by it, so none is looked at.
    ///
    /// # Errors
    /// As [`Authz::changed`].
    pub async fn gained(&self, unit: &UnitOfWork, principals: &[PrincipalId]) -> Result<(), Problem> {
        let recorded = if principals.is_empty() { Recorded::Tree } else { Recorded::Principals(principals) };
        bump_rights_version(unit, recorded, self.parts.clock.now()).await.or_problem()?;
        let events: Vec<NewEvent> = principals
            .iter()
            .map(|principal| NewEvent {
                subject: Some(principal.cast()),
                ..NewEvent::new(EventKind::RightsChanged, Audience::Principal(*principal))
            })
            .collect();
        self.parts.events.append(unit, &events).await.or_problem()
    }
}
