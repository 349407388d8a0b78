//! People and their accounts.

use bothy_domain::action::{Action, ActionType, ResourceKind, actions};
use bothy_domain::actor::PrincipalStatus;
use bothy_domain::audit::AuditEntry;
use bothy_domain::ids::PrincipalId;
use bothy_domain::policy::{Path, Resource};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{Reader, UnitOfWork, work};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::store::people::Person;
use crate::store::{people, sessions};
use crate::{Identity, PersonView, email};

/// What an owner may change of an account.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdatePerson {
    /// The new handle. Grants follow the person, not the handle.
    #[serde(default)]
    pub handle: Option<String>,
    /// The new name.
    #[serde(default)]
    pub display_name: Option<String>,
    /// The new e-mail address.
    #[serde(default)]
    pub email: Option<String>,
}

impl Identity {
    /// The people of the instance, oldest account first.
    ///
    /// # Errors
    /// `validation_failed` for a limit or cursor that is none.
    pub(crate) async fn list_people(
        &self,
        allowed: Allowed<actions::PersonRead>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<PersonView>, Problem> {
        let paging = Paging::parse(limit, cursor, &*self.parts.config)?;
        let reader = self.parts.database.reader().await.or_problem()?;
        let found = people::people(&reader, paging.after_id()?, paging.fetch()).await.or_problem()?;
        let keeps = |person: &Person| {
            let resource = Resource::new(ResourceKind::Person, person.id.cast(), Path::PATHLESS);
            allowed.judge().keeps(Action::PersonRead, &resource)
        };
        let found = page(found, paging.limit, |person| Cursor::id(person.id));
        Ok(found.retain(keeps).map(|person| shown(&allowed, person)))
    }

    /// One person.
    ///
    /// # Errors
    /// `not_found` when the account is gone meanwhile.
    pub(crate) async fn get_person(&self, allowed: Allowed<actions::PersonRead>) -> Result<PersonView, Problem> {
        let reader = self.parts.database.reader().await.or_problem()?;
        Ok(shown(&allowed, self.person(&reader, allowed.id()).await?))
    }

    /// Changes an account.
    ///
    /// # Errors
    /// `validation_failed`; `conflict` when the handle or the address is taken.
    pub(crate) async fn update_person(
        &self,
        allowed: Allowed<actions::PersonUpdate>,
        input: UpdatePerson,
    ) -> Result<PersonView, Problem> {
        let id: PrincipalId = allowed.id();
        let address = &input.email.as_deref().map(email::parse).transpose()?;
        let allowed = &allowed;
        let entry = &AuditEntry::done(allowed.actor(), Action::PersonUpdate, Some(id.cast()));
        let input = &input;
        let person = transact(&self.parts.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                self.set_names(unit, id, input.handle.as_deref(), input.display_name.as_deref()).await?;
                if let Some(address) = address {
                    people::set_email(unit, id, address).await.or_conflict("people_email", EMAIL_TAKEN)?;
                }
                self.parts.audit.record(unit, entry).await?;
                Ok(self.person(unit, id).await?)
            })
        })
        .await?;
        Ok(shown(allowed, person))
    }

    /// Shuts a person out: every session ends for good, tokens do not count, runs for the person
    /// are asked to stop.
    ///
    /// # Errors
    /// `conflict` for the last active owner.
    pub(crate) async fn disable_person(&self, allowed: Allowed<actions::PersonDisable>) -> Result<PersonView, Problem> {
        let id: PrincipalId = allowed.id();
        let allowed = &allowed;
        let entry = &AuditEntry::done(allowed.actor(), Action::PersonDisable, Some(id.cast())).with("to", "disabled");
        let person = transact(&self.parts.database, |unit| {
            work(async move {
                self.parts.authz.hold(unit).await?;
                allowed.judged_in(unit).await?;
                let person = self.person(unit, id).await?;
                if person.status == PrincipalStatus::Disabled {
                    return Ok(person);
                }
                self.keep_an_owner(unit, &person).await?;
                self.set_status(unit, id, PrincipalStatus::Disabled).await?;
                sessions::end_of(unit, id, None, self.parts.clock.now()).await?;
                self.parts.audit.record(unit, entry).await?;
                Ok(self.person(unit, id).await?)
            })
        })
        .await?;
        Ok(shown(allowed, person))
    }

    /// Lets a person in again. Ended sessions stay ended; whoever never accepted the invitation is
    /// pending again.
    ///
    /// # Errors
    /// `conflict` when the person was deleted.
    pub(crate) async fn enable_person(&self, allowed: Allowed<actions::PersonDisable>) -> Result<PersonView, Problem> {
        let id: PrincipalId = allowed.id();
        let allowed = &allowed;
        let entry = &AuditEntry::done(allowed.actor(), Action::PersonDisable, Some(id.cast())).with("to", "enabled");
        let person = transact(&self.parts.database, |unit| {
            work(async move {
                self.parts.authz.hold(unit).await?;
                allowed.judged_in(unit).await?;
                let person = self.person(unit, id).await?;
                if matches!(person.status, PrincipalStatus::Active | PrincipalStatus::Pending) {
                    return Ok(person);
                }
                let accepted = people::account(unit, id).await?.is_some_and(|account| account.password_hash.is_some());
                let status = if accepted { PrincipalStatus::Active } else { PrincipalStatus::Pending };
                self.set_status(unit, id, status).await?;
                self.parts.audit.record(unit, entry).await?;
                Ok(self.person(unit, id).await?)
            })
        })
        .await?;
        Ok(shown(allowed, person))
    }

    pub(crate) async fn person(&self, reader: &Reader, id: PrincipalId) -> Result<Person, Problem> {
        people::person(reader, id).await.or_problem()?.ok_or_else(|| Problem::new(ProblemCode::NotFound))
    }

    /// Fails when an instance would be left without an owner who can act. The caller holds rights,
    /// so that of two who leave at once one sees that the other has gone.
    pub(crate) async fn keep_an_owner(&self, unit: &UnitOfWork, leaving: &Person) -> Result<(), Problem> {
        let counts = leaving.owner && leaving.status == PrincipalStatus::Active;
        if counts && people::other_active_owners(unit, leaving.id).await.or_problem()? == 0 {
            return Err(Problem::conflict("this is the last owner who can act"));
        }
        Ok(())
    }
}

pub(crate) const EMAIL_TAKEN: &str = "the e-mail address is taken";

/// A person as the caller may see them.
pub(crate) fn shown<A: ActionType>(allowed: &Allowed<A>, person: Person) -> PersonView {
    let own = person.id == allowed.actor().principal;
    PersonView::of(person, own || allowed.judge().own().is_owner())
}
