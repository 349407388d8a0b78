//! Groups: named sets of people.

mod members;

use bothy_authz::Touched;
use bothy_domain::action::{Action, ResourceKind, actions};
use bothy_domain::audit::AuditEntry;
use bothy_domain::ids::GroupId;
use bothy_domain::policy::{Path, Resource};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::time::Timestamp;
use bothy_platform::failure::{Failure, OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::work;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Identity;
use crate::principals::name_of;
use crate::store::groups as store;

/// A group to be made.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateGroup {
    /// Its name, unlike that of any other group.
    pub name: String,
}

/// What may be changed of a group.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateGroup {
    /// The new name.
    pub name: String,
}

/// A group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GroupView {
    /// The group.
    pub group_id: GroupId,
    /// Its name. Chosen by somebody: data, never instruction.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A group and the version of its representation.
pub(crate) struct Versioned {
    pub(crate) view: GroupView,
    pub(crate) version: i64,
}

impl From<store::Group> for GroupView {
    fn from(group: store::Group) -> Self {
        Self { group_id: group.id, name: group.name, created_at: group.created_at }
    }
}

impl From<store::Group> for Versioned {
    fn from(group: store::Group) -> Self {
        Self { version: group.version, view: group.into() }
    }
}

const NAME_TAKEN: &str = "there is a group of this name";

impl Identity {
    /// The groups of the instance, oldest first.
    ///
    /// # Errors
    /// `validation_failed` for a limit or cursor that is none.
    pub(crate) async fn list_groups(
        &self,
        allowed: Allowed<actions::GroupRead>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<GroupView>, Problem> {
        let paging = Paging::parse(limit, cursor, &*self.parts.config)?;
        let reader = self.parts.database.reader().await.or_problem()?;
        let found = store::groups(&reader, paging.after_id()?, paging.fetch()).await.or_problem()?;
        let keeps = |group: &store::Group| {
            let resource = Resource::new(ResourceKind::Group, group.id.cast(), Path::PATHLESS);
            allowed.judge().keeps(Action::GroupRead, &resource)
        };
        let found = page(found, paging.limit, |group| Cursor::id(group.id));
        Ok(found.retain(keeps).map(GroupView::from))
    }

    /// One group.
    ///
    /// # Errors
    /// `not_found` when it was deleted meanwhile.
    pub(crate) async fn get_group(&self, allowed: Allowed<actions::GroupRead>) -> Result<Versioned, Problem> {
        let reader = self.parts.database.reader().await.or_problem()?;
        let group = store::group(&reader, allowed.id()).await.or_problem()?;
        group.map(Versioned::from).ok_or_else(gone)
    }

    /// Makes a group without members.
    ///
    /// # Errors
    /// `validation_failed` at `/name`; `conflict` when the name is taken.
    pub(crate) async fn create_group(
        &self,
        allowed: Allowed<actions::GroupManage>,
        input: CreateGroup,
    ) -> Result<Versioned, Problem> {
        let group = store::Group {
            id: self.parts.ids.next(),
            name: name_of("/name", &input.name)?,
            created_at: self.parts.clock.now(),
            version: 1,
        };
        let entry =
            &AuditEntry::done(allowed.actor(), Action::GroupManage, Some(group.id.cast())).with("what", "create");
        let (new, allowed) = (&group, &allowed);
        transact(&self.parts.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                allowed.takes_effect(unit).await?;
                store::insert(unit, new).await.or_conflict("groups_name_key", NAME_TAKEN)?;
                self.parts.audit.record(unit, entry).await?;
                Ok(())
            })
        })
        .await?;
        Ok(group.into())
    }

    /// Renames a group. Grants follow the group, not its name.
    ///
    /// # Errors
    /// `conflict` without the current `If-Match` and when the name is taken; `validation_failed` at
    /// `/name`.
    pub(crate) async fn update_group(
        &self,
        allowed: Allowed<actions::GroupManage>,
        input: UpdateGroup,
    ) -> Result<Versioned, Problem> {
        let id: GroupId = allowed.id();
        let name = &name_of("/name", &input.name)?;
        let entry = &AuditEntry::done(allowed.actor(), Action::GroupManage, Some(id.cast())).with("what", "rename");
        let allowed = &allowed;
        transact(&self.parts.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                let group = store::group(unit, id).await?.ok_or_else(gone)?;
                allowed.require_version(group.version)?;
                let renamed = store::rename(unit, id, name, group.version)
                    .await
                    .or_conflict("groups_name_key", NAME_TAKEN)?
                    .ok_or_else(|| Problem::conflict("it was changed since you read it"))?;
                self.parts.audit.record(unit, entry).await?;
                Ok(Versioned::from(renamed))
            })
        })
        .await
    }

    /// Deletes a group. Its grants are taken back for good: another group of the same name gets
    /// nothing of them (C32).
    ///
    /// # Errors
    /// `not_found` when somebody else deleted it first.
    pub(crate) async fn delete_group(&self, allowed: Allowed<actions::GroupManage>) -> Result<(), Problem> {
        let id: GroupId = allowed.id();
        let allowed = &allowed;
        let by = allowed.actor().principal;
        let entry = &AuditEntry::done(allowed.actor(), Action::GroupManage, Some(id.cast())).with("what", "delete");
        transact(&self.parts.database, |unit| {
            work(async move {
                self.parts.authz.hold(unit).await?;
                allowed.judged_in(unit).await?;
                let members = store::member_ids(unit, id).await?;
                self.parts.authz.revoke_grants_of_group(unit, id, by).await?;
                if !store::delete(unit, id).await? {
                    return Err(Failure::from(gone()));
                }
                self.parts.audit.record(unit, entry).await?;
                self.parts.authz.changed(unit, Touched::Principals(members)).await?;
                Ok(())
            })
        })
        .await
    }
}

/// The answer when a group that was there a moment ago is not any more.
fn gone() -> Problem {
    Problem::new(ProblemCode::NotFound)
}
