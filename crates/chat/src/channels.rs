//! Channels: create, list, read, rename, archive, put an agent in charge.

use bothy_domain::action::{Action, actions};
use bothy_domain::event::EventKind;
use bothy_domain::ids::{ChannelId, Id, PrincipalId, SpaceId, ThreadId};
use bothy_domain::names::name_key;
use bothy_domain::policy::Scope;
use bothy_domain::problem::Problem;
use bothy_domain::trigger::{RespondTo, Switches};
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{Reader, UnitOfWork, work};
use uuid::Uuid;

use crate::chat::{changed_meanwhile, gone, name_at};
use crate::store::{channels as store, threads};
use crate::{ChannelFacts, Chat, Egress, NewThread, SpaceChannelKind, ThreadKind, WithMain, Within};

/// The switches of a channel that nobody has set: agents answer when they are mentioned, and in
/// threads; each answer in the main thread gets a thread of its own.
pub(crate) const DEFAULT_SWITCHES: Switches = Switches {
    respond_to: RespondTo::Mention,
    respond_in_threads: true,
    allow_mentioned_agents: true,
    auto_thread: true,
};

const NAME_TAKEN: &str = "another channel of the space has this name";

impl Chat {
    /// Makes a channel in a space; a text channel gets its main thread at once.
    ///
    /// # Errors
    /// `validation_failed` for a name that cannot be taken, `conflict` for one that is taken in the
    /// space or when the space is archived.
    pub(crate) async fn create_channel(
        &self,
        allowed: Allowed<actions::ChannelCreate>,
        kind: SpaceChannelKind,
        name: &str,
    ) -> Result<WithMain, Problem> {
        let name = name_at("/name", name)?;
        let space: SpaceId = allowed.id();
        let key = name_key(&name);
        let (id, name, name_key, allowed) = (self.ids.next(), name.as_str(), key.as_str(), &allowed);
        transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                allowed.takes_effect(uow).await?;
                self.open_space(uow, space).await?;
                let new = store::NewChannel {
                    id,
                    kind: kind.kind(),
                    place: store::NewPlace::Space { space, name, name_key },
                    switches: DEFAULT_SWITCHES,
                    history_backfill_limit: self.default_backfill_limit(),
                    egress: Egress::Confirm,
                    now: self.clock.now(),
                };
                store::insert(uow, &new).await.or_conflict(store::NAME_INDEX, NAME_TAKEN)?;
                let by = allowed.actor().principal;
                let main = match kind {
                    SpaceChannelKind::Forum => None,
                    SpaceChannelKind::Text => Some(self.insert_main_thread(uow, Some(space), id, by).await?),
                };
                self.record(uow, allowed.actor(), Action::ChannelCreate, id.cast(), None).await?;
                self.tell_channel(uow, EventKind::ChannelCreated, Some(space), id).await?;
                Ok((channel(uow, id).await?, main))
            })
        })
        .await
    }

    /// The main thread comes with its channel, so nobody is told of it on its own.
    pub(crate) async fn insert_main_thread(
        &self,
        uow: &UnitOfWork,
        space: Option<SpaceId>,
        channel: ChannelId,
        created_by: PrincipalId,
    ) -> Result<ThreadId, Problem> {
        let id = self.ids.next();
        let kind = ThreadKind::Main;
        let main = NewThread { channel, space, kind, parent_message: None, title: None, created_by };
        threads::insert(uow, id, &main, self.clock.now()).await.or_problem()?;
        Ok(id)
    }

    /// The channels of a space that the caller can see, in the order in which they were made.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub(crate) async fn list_space_channels(
        &self,
        allowed: Allowed<actions::SpaceRead>,
        paging: &Paging,
    ) -> Result<Page<WithMain>, Problem> {
        let scope = allowed.scope::<actions::ChannelRead>().await?;
        let after = paging.after_id()?.unwrap_or(Id::from_uuid(Uuid::nil()));
        let reader = self.reader().await?;
        let found = store::of_space(&reader, &scope, allowed.id(), after, paging.fetch()).await.or_problem()?;
        let shown = page(found, paging.limit, |last| Cursor::id(last.id))
            .retain(|channel| allowed.judge().keeps(Action::ChannelRead, &channel.resource()));
        Ok(Page { items: with_mains(&reader, shown.items).await?, next_cursor: shown.next_cursor })
    }

    /// One channel.
    ///
    /// # Errors
    /// `not_found` when it went away meanwhile.
    pub(crate) async fn get_channel(&self, allowed: Allowed<actions::ChannelRead>) -> Result<WithMain, Problem> {
        with_main(&self.reader().await?, allowed.id()).await
    }

    /// Renames a channel. The request must name the version that it read.
    ///
    /// # Errors
    /// `conflict` when it has another version or the name is taken, `validation_failed` for a name
    /// that cannot be taken.
    pub(crate) async fn update_channel(
        &self,
        allowed: Allowed<actions::ChannelUpdate>,
        name: Option<&str>,
    ) -> Result<WithMain, Problem> {
        let name = name.map(|name| name_at("/name", name)).transpose()?;
        let (id, name, allowed) = (allowed.id(), name.as_deref(), &allowed);
        transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                let current = channel(uow, id).await?;
                allowed.require_version(current.version)?;
                if current.space.is_none() {
                    return Err(Problem::conflict("a direct message has no name").into());
                }
                if let Some(name) = name.filter(|name| current.name.as_deref() != Some(*name)) {
                    if !store::rename(uow, id, current.version, name, &name_key(name))
                        .await
                        .or_conflict(store::NAME_INDEX, NAME_TAKEN)?
                    {
                        return Err(changed_meanwhile().into());
                    }
                    self.record(uow, allowed.actor(), Action::ChannelUpdate, id.cast(), None).await?;
                    self.tell_channel(uow, EventKind::ChannelUpdated, current.space, id).await?;
                }
                Ok(with_main(uow, id).await?)
            })
        })
        .await
    }

    /// Archives a channel (AZ-5), or brings it back. Doing it again changes nothing.
    ///
    /// # Errors
    /// `not_found` when it went away meanwhile.
    pub(crate) async fn archive_channel(
        &self,
        allowed: Allowed<actions::ChannelArchive>,
        archived: bool,
    ) -> Result<WithMain, Problem> {
        let (id, allowed) = (allowed.id(), &allowed);
        transact(&self.database, |uow| {
            work(async move {
                self.set_archived(uow, allowed, Within::Channel(id), archived).await?;
                Ok(with_main(uow, id).await?)
            })
        })
        .await
    }

    /// Puts an agent in charge of a channel, or leaves that to its space.
    ///
    /// # Errors
    /// `validation_failed` when there is no such active agent.
    pub(crate) async fn set_channel_operator(
        &self,
        allowed: Allowed<actions::ChannelOperatorSet>,
        operator: Option<PrincipalId>,
    ) -> Result<WithMain, Problem> {
        let (id, allowed) = (allowed.id(), &allowed);
        transact(&self.database, |uow| {
            work(async move {
                self.set_operator_of(uow, allowed, Within::Channel(id), operator).await?;
                Ok(with_main(uow, id).await?)
            })
        })
        .await
    }

    /// The channels of all spaces that a scope shows, by id; no direct messages.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn visible_channels(
        &self,
        reader: &Reader,
        scope: &Scope,
        after: Option<ChannelId>,
        limit: i64,
    ) -> Result<Vec<WithMain>, Problem> {
        let after = after.unwrap_or(Id::from_uuid(Uuid::nil()));
        with_mains(reader, store::in_scope(reader, scope, after, limit).await.or_problem()?).await
    }

    /// Those of the channels that exist, in no certain order; not judged.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn channels(&self, reader: &Reader, ids: &[ChannelId]) -> Result<Vec<WithMain>, Problem> {
        with_mains(reader, store::by_ids(reader, ids).await.or_problem()?).await
    }

    /// What is known of a channel; not judged.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn channel(&self, reader: &Reader, id: ChannelId) -> Result<Option<ChannelFacts>, Problem> {
        store::by_id(reader, id).await.or_problem()
    }

    pub(crate) fn default_backfill_limit(&self) -> u32 {
        let limits = &self.config.channel;
        let limit = limits.history_backfill_limit_default.get().min(limits.history_backfill_limit_max.get());
        u32::try_from(limit).unwrap_or(u32::MAX)
    }
}

async fn channel(reader: &Reader, id: ChannelId) -> Result<ChannelFacts, Problem> {
    store::by_id(reader, id).await.or_problem()?.ok_or_else(gone)
}

async fn with_main(reader: &Reader, id: ChannelId) -> Result<WithMain, Problem> {
    let found = channel(reader, id).await?;
    let main = threads::main_ids(reader, &[id]).await.or_problem()?;
    Ok((found, main.get(&id).copied()))
}

/// Channels with their main threads, one query however many there are.
async fn with_mains(reader: &Reader, channels: Vec<ChannelFacts>) -> Result<Vec<WithMain>, Problem> {
    let ids: Vec<ChannelId> = channels.iter().map(|channel| channel.id).collect();
    let main = threads::main_ids(reader, &ids).await.or_problem()?;
    Ok(channels
        .into_iter()
        .map(|channel| {
            let main = main.get(&channel.id).copied();
            (channel, main)
        })
        .collect())
}
