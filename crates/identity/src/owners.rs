//! Who owns the instance.

use bothy_authz::Touched;
use bothy_domain::action::{Action, actions};
use bothy_domain::actor::PrincipalStatus;
use bothy_domain::audit::AuditEntry;
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_platform::failure::{Failure, transact};
use bothy_platform::http::Allowed;
use bothy_storage::work;

use crate::people::shown;
use crate::store::people;
use crate::{Identity, PersonView};

impl Identity {
    /// Makes a person an owner.
    ///
    /// # Errors
    /// `conflict` when the person is not active.
    pub(crate) async fn add_owner(&self, allowed: Allowed<actions::OwnerAdd>) -> Result<PersonView, Problem> {
        let id: PrincipalId = allowed.id();
        let allowed = &allowed;
        let entry = &AuditEntry::done(allowed.actor(), Action::OwnerAdd, Some(id.cast()));
        let person = transact(&self.parts.database, |unit| {
            work(async move {
                self.parts.authz.hold(unit).await?;
                allowed.judged_in(unit).await?;
                let person = self.person(unit, id).await?;
                if person.status != PrincipalStatus::Active {
                    return Err(Failure::from(Problem::conflict("only an active person can be an owner")));
                }
                if !person.owner {
                    people::insert_owner(unit, id, self.parts.clock.now()).await?;
                    self.parts.audit.record(unit, entry).await?;
                    self.parts.authz.changed(unit, Touched::Principals(vec![id])).await?;
                    self.announce(unit, id).await?;
                }
                Ok(self.person(unit, id).await?)
            })
        })
        .await?;
        Ok(shown(allowed, person))
    }

    /// Takes ownership from a person.
    ///
    /// # Errors
    /// `conflict` for the last active owner, also when several leave at once.
    pub(crate) async fn remove_owner(&self, allowed: Allowed<actions::OwnerRemove>) -> Result<(), Problem> {
        let id: PrincipalId = allowed.id();
        let allowed = &allowed;
        let entry = &AuditEntry::done(allowed.actor(), Action::OwnerRemove, Some(id.cast()));
        transact(&self.parts.database, |unit| {
            work(async move {
                self.parts.authz.hold(unit).await?;
                allowed.judged_in(unit).await?;
                let person = self.person(unit, id).await?;
                if person.owner {
                    self.keep_an_owner(unit, &person).await?;
                    people::delete_owner(unit, id).await?;
                    self.parts.audit.record(unit, entry).await?;
                    self.parts.authz.changed(unit, Touched::Principals(vec![id])).await?;
                    self.announce(unit, id).await?;
                }
                Ok(())
            })
        })
        .await
    }
}
