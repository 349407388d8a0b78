use bothy_domain::action::{Action, actions};
use bothy_domain::audit::AuditEntry;
use bothy_domain::ids::{GrantId, GroupId, PrincipalId};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_storage::{UnitOfWork, work};

use crate::{Authz, Touched, store};

impl Authz {
    /// Takes a grant back, for good. What other grants give stays (C32).
    ///
    /// # Errors
    /// `not_found` when somebody else took it back first.
    pub(crate) async fn revoke_grant(&self, allowed: Allowed<actions::GrantRevoke>) -> Result<(), Problem> {
        let grant: GrantId = allowed.id();
        let allowed = &allowed;
        let by = allowed.actor().principal;
        let now = self.parts.clock.now();
        let entry = &AuditEntry::done(allowed.actor(), Action::GrantRevoke, Some(grant.cast()));
        transact(&self.parts.database, |unit| {
            work(async move {
                self.hold(unit).await?;
                allowed.judged_in(unit).await?;
                let subject = store::revoke_grant(unit, grant, by, now)
                    .await?
                    .ok_or_else(|| Problem::new(ProblemCode::NotFound))?;
                let touched = self.principals_of(unit, subject).await?;
                self.parts.audit.record(unit, entry).await?;
                self.changed(unit, Touched::Principals(touched)).await?;
                Ok(())
            })
        })
        .await
    }

    /// Takes back every grant of a group that is being deleted, for good: a later group of the same
    /// name has another id and gets nothing of it (C32). The caller holds rights, and tells
    /// [`Authz::changed`] about the members.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn revoke_grants_of_group(
        &self,
        unit: &UnitOfWork,
        group: GroupId,
        by: PrincipalId,
    ) -> Result<(), Problem> {
        store::revoke_grants_of_group(unit, group, by, self.parts.clock.now()).await.or_problem()
    }
}
