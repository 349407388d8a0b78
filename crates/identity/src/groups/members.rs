use bothy_authz::Touched;
use bothy_domain::action::{Action, ResourceKind, actions};
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::audit::AuditEntry;
use bothy_domain::ids::{GroupId, PrincipalId};
use bothy_domain::policy::{Path, Resource};
use bothy_domain::problem::Problem;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{Reader, work};

use super::gone;
use crate::principals::PrincipalRef;
use crate::store::groups as store;
use crate::{Identity, PrincipalView};

impl Identity {
    /// The members of a group.
    ///
    /// # Errors
    /// `validation_failed` for a limit or cursor that is none.
    pub(crate) async fn list_group_members(
        &self,
        allowed: Allowed<actions::GroupRead>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<PrincipalView>, Problem> {
        let paging = Paging::parse(limit, cursor, &*self.parts.config)?;
        let reader = self.parts.database.reader().await.or_problem()?;
        let found = store::members(&reader, allowed.id(), paging.after_id()?, paging.fetch()).await.or_problem()?;
        let keeps = |member: &PrincipalRef| {
            let resource = Resource::new(ResourceKind::Group, member.id.cast(), Path::PATHLESS);
            allowed.judge().keeps(Action::GroupRead, &resource)
        };
        let found = page(found, paging.limit, |member| Cursor::id(member.id));
        Ok(found.retain(keeps).map(PrincipalView::from))
    }

    /// Takes a person into a group, whose grants then reach the person.
    ///
    /// # Errors
    /// `validation_failed` at `/path/principal_id` when that is no person.
    pub(crate) async fn add_group_member(&self, allowed: Allowed<actions::GroupManage>) -> Result<(), Problem> {
        let group: GroupId = allowed.id();
        let person: PrincipalId = allowed.path_id("principal_id")?;
        let allowed = &allowed;
        let entry = &AuditEntry::done(allowed.actor(), Action::GroupManage, Some(group.cast()))
            .with("what", "add_member")
            .with("member_id", person);
        let now = self.parts.clock.now();
        transact(&self.parts.database, |unit| {
            work(async move {
                self.parts.authz.hold(unit).await?;
                allowed.judged_in(unit).await?;
                store::group(unit, group).await?.ok_or_else(gone)?;
                self.require_person(unit, person).await?;
                if store::add_member(unit, group, person, now).await? {
                    self.parts.audit.record(unit, entry).await?;
                    self.parts.authz.changed(unit, Touched::Principals(vec![person])).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Takes a person out of a group. What other grants give the person stays (C32).
    ///
    /// # Errors
    /// `validation_failed` at `/path/principal_id` when that is no id.
    pub(crate) async fn remove_group_member(&self, allowed: Allowed<actions::GroupManage>) -> Result<(), Problem> {
        let group: GroupId = allowed.id();
        let person: PrincipalId = allowed.path_id("principal_id")?;
        let allowed = &allowed;
        let entry = &AuditEntry::done(allowed.actor(), Action::GroupManage, Some(group.cast()))
            .with("what", "remove_member")
            .with("member_id", person);
        transact(&self.parts.database, |unit| {
            work(async move {
                self.parts.authz.hold(unit).await?;
                allowed.judged_in(unit).await?;
                if store::remove_member(unit, group, person).await? {
                    self.parts.audit.record(unit, entry).await?;
                    self.parts.authz.changed(unit, Touched::Principals(vec![person])).await?;
                }
                Ok(())
            })
        })
        .await
    }

    async fn require_person(&self, reader: &Reader, id: PrincipalId) -> Result<(), Problem> {
        let there =
            self.principals(reader, &[id]).await?.iter().any(|principal| {
                principal.kind == PrincipalKind::Person && principal.status != PrincipalStatus::Deleted
            });
        if there { Ok(()) } else { Err(Problem::invalid("/path/principal_id", "is not the id of a person")) }
    }
}
