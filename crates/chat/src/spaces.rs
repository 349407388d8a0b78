//! Spaces: create, list, read, rename, archive.

use bothy_domain::action::{Action, actions};
use bothy_domain::event::EventKind;
use bothy_domain::ids::{Id, PrincipalId, SpaceId};
use bothy_domain::names::name_key;
use bothy_domain::policy::Scope;
use bothy_domain::problem::Problem;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{Reader, UnitOfWork, work};
use uuid::Uuid;

use crate::chat::{changed_meanwhile, gone, name_at};
use crate::store::spaces as store;
use crate::{Chat, SpaceFacts, Within};

const NAME_TAKEN: &str = "another space has this name";

impl Chat {
    /// Makes a space.
    ///
    /// # Errors
    /// `validation_failed` for a name that cannot be taken, `conflict` for one that is taken.
    pub async fn create_space(
        &self,
        allowed: Allowed<actions::SpaceCreate>,
        name: &str,
    ) -> Result<SpaceFacts, Problem> {
        let name = name_at("/name", name)?;
        let (id, name, allowed) = (self.ids.next(), name.as_str(), &allowed);
        transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                allowed.takes_effect(uow).await?;
                store::insert(uow, id, name, &name_key(name), self.clock.now())
                    .await
                    .or_conflict(store::NAME_INDEX, NAME_TAKEN)?;
                self.record(uow, allowed.actor(), Action::SpaceCreate, id.cast(), None).await?;
                self.tell_space(uow, EventKind::SpaceCreated, id).await?;
                Ok(space(uow, id).await?)
            })
        })
        .await
    }

    /// The spaces that the caller can see, in the order in which they were made.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn list_spaces(
        &self,
        allowed: Allowed<actions::SpaceRead>,
        paging: &Paging,
    ) -> Result<Page<SpaceFacts>, Problem> {
        let scope = allowed.scope::<actions::SpaceRead>().await?;
        let reader = self.reader().await?;
        let found = self.visible_spaces(&reader, &scope, paging.after_id()?, paging.fetch()).await?;
        Ok(page(found, paging.limit, |last| Cursor::id(last.id))
            .retain(|space| allowed.judge().keeps(Action::SpaceRead, &space.resource())))
    }

    /// One space.
    ///
    /// # Errors
    /// `not_found` when it went away meanwhile.
    pub async fn get_space(&self, allowed: Allowed<actions::SpaceRead>) -> Result<SpaceFacts, Problem> {
        space(&self.reader().await?, allowed.id()).await
    }

    /// Renames a space. The request must name the version that it read.
    ///
    /// # Errors
    /// `conflict` when it has another version or the name is taken, `validation_failed` for a name
    /// that cannot be taken.
    pub async fn update_space(
        &self,
        allowed: Allowed<actions::SpaceUpdate>,
        name: Option<&str>,
    ) -> Result<SpaceFacts, Problem> {
        let name = name.map(|name| name_at("/name", name)).transpose()?;
        let (id, name, allowed) = (allowed.id(), name.as_deref(), &allowed);
        transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                let current = space(uow, id).await?;
                allowed.require_version(current.version)?;
                let Some(name) = name.filter(|name| *name != current.name) else { return Ok(current) };
                if !store::rename(uow, id, current.version, name, &name_key(name))
                    .await
                    .or_conflict(store::NAME_INDEX, NAME_TAKEN)?
                {
                    return Err(changed_meanwhile().into());
                }
                self.record(uow, allowed.actor(), Action::SpaceUpdate, id.cast(), None).await?;
                self.tell_space(uow, EventKind::SpaceUpdated, id).await?;
                Ok(space(uow, id).await?)
            })
        })
        .await
    }

    /// Archives a space (AZ-5), or brings it back. Doing it again changes nothing.
    ///
    /// # Errors
    /// `not_found` when it went away meanwhile.
    pub async fn archive_space(
        &self,
        allowed: Allowed<actions::SpaceArchive>,
        archived: bool,
    ) -> Result<SpaceFacts, Problem> {
        let (id, allowed) = (allowed.id(), &allowed);
        transact(&self.database, |uow| {
            work(async move {
                self.set_archived(uow, allowed, Within::Space(id), archived).await?;
                Ok(space(uow, id).await?)
            })
        })
        .await
    }

    /// Puts an agent in charge of a space, or nobody.
    ///
    /// # Errors
    /// `validation_failed` when there is no such active agent.
    pub async fn set_space_operator(
        &self,
        allowed: Allowed<actions::SpaceOperatorSet>,
        operator: Option<PrincipalId>,
    ) -> Result<SpaceFacts, Problem> {
        let (id, allowed) = (allowed.id(), &allowed);
        transact(&self.database, |uow| {
            work(async move {
                self.set_operator_of(uow, allowed, Within::Space(id), operator).await?;
                Ok(space(uow, id).await?)
            })
        })
        .await
    }

    /// The spaces that a scope shows, by id.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn visible_spaces(
        &self,
        reader: &Reader,
        scope: &Scope,
        after: Option<SpaceId>,
        limit: i64,
    ) -> Result<Vec<SpaceFacts>, Problem> {
        let after = after.unwrap_or(Id::from_uuid(Uuid::nil()));
        store::in_scope(reader, scope, after, limit).await.or_problem()
    }

    /// Those of the spaces that exist, in no certain order; not judged.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn spaces(&self, reader: &Reader, ids: &[SpaceId]) -> Result<Vec<SpaceFacts>, Problem> {
        store::by_ids(reader, ids).await.or_problem()
    }

    /// A space in a unit of work, for what is made in it.
    pub(crate) async fn open_space(&self, uow: &UnitOfWork, id: SpaceId) -> Result<SpaceFacts, Problem> {
        let space = space(uow, id).await?;
        match space.archived_at {
            None => Ok(space),
            Some(_) => Err(Problem::conflict("the space is archived")),
        }
    }
}

async fn space(reader: &Reader, id: SpaceId) -> Result<SpaceFacts, Problem> {
    store::by_id(reader, id).await.or_problem()?.ok_or_else(gone)
}
