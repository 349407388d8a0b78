//! Channels: create, list, read, rename, archive, put an agent in charge.

use bothy_authz::Touched;
use bothy_domain::action::{Action, actions};
use bothy_domain::event::EventKind;
use bothy_domain::ids::{ChannelId, Id, PrincipalId, SpaceId, ThreadId};
use bothy_domain::names::name_key;
use bothy_domain::problem::Problem;
use bothy_domain::trigger::{RespondTo, Switches};
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{Reader, UnitOfWork, work};
use uuid::Uuid;

use crate::chat::{changed_meanwhile, gone, name_at};
use crate::store::{channels as store, threads};
use crate::{ChannelFacts, Chat, Egress, NewThread, SpaceChannelKind, ThreadKind};

/// The switches of a channel that nobody has set: agents answer when they are mentioned, and in
/// threads; each answer in the main thread gets a thread of its own.
const DEFAULT_SWITCHES: Switches = Switches {
    respond_to: RespondTo::Mention,
    respond_in_threads: true,
    allow_mentioned_agents: true,
    auto_thread: true,
};

const NAME_TAKEN: &str = "another channel of the space has this name";

/// A channel and the thread that it begins with.
pub(crate) type WithMain = (ChannelFacts, Option<ThreadId>);

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
        let (id, name, allowed) = (self.ids.next(), name.as_str(), &allowed);
        transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                allowed.takes_effect(uow).await?;
                self.open_space(uow, space).await?;
                let new = store::NewChannel {
                    id,
                    space,
                    kind: kind.kind(),
                    name,
                    name_key: &name_key(name),
                    switches: DEFAULT_SWITCHES,
                    history_backfill_limit: self.default_backfill_limit(),
                    egress: Egress::Confirm,
                    now: self.clock.now(),
                };
                store::insert(uow, &new).await.or_conflict(store::NAME_INDEX, NAME_TAKEN)?;
                let main = match kind {
                    SpaceChannelKind::Forum => None,
                    SpaceChannelKind::Text => Some(self.insert_main_thread(uow, space, id, allowed).await?),
                };
                self.record(uow, allowed.actor(), Action::ChannelCreate, id.cast(), None).await?;
                self.tell_channel(uow, EventKind::ChannelCreated, Some(space), id).await?;
                Ok((channel(uow, id).await?, main))
            })
        })
        .await
    }

    /// The main thread comes with its channel, so nobody is told of it on its own.
    async fn insert_main_thread(
        &self,
        uow: &UnitOfWork,
        space: SpaceId,
        channel: ChannelId,
        allowed: &Allowed<actions::ChannelCreate>,
    ) -> Result<ThreadId, Problem> {
        let id = self.ids.next();
        let main = NewThread {
            channel,
            space: Some(space),
            kind: ThreadKind::Main,
            parent_message: None,
            title: None,
            created_by: allowed.actor().principal,
        };
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
        let ids: Vec<ChannelId> = shown.items.iter().map(|channel| channel.id).collect();
        let main = threads::main_ids(&reader, &ids).await.or_problem()?;
        Ok(shown.map(|channel| {
            let main = main.get(&channel.id).copied();
            (channel, main)
        }))
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
                self.changing_rights(uow).await?;
                allowed.judged_in(uow).await?;
                if store::set_archived(uow, id, archived.then(|| self.clock.now())).await? {
                    let space = channel(uow, id).await?.space;
                    let detail = ("archived", archived.to_string());
                    self.record(uow, allowed.actor(), Action::ChannelArchive, id.cast(), Some(detail)).await?;
                    self.tell_channel(uow, EventKind::ChannelUpdated, space, id).await?;
                    self.rights_changed(uow, Touched::Channel(id)).await?;
                }
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
                self.changing_rights(uow).await?;
                allowed.judged_in(uow).await?;
                self.require_agent(uow, operator).await?;
                store::set_operator(uow, id, operator).await?;
                let found = with_main(uow, id).await?;
                self.record_operator(uow, allowed.actor(), Action::ChannelOperatorSet, id.cast(), operator).await?;
                self.tell_channel(uow, EventKind::ChannelUpdated, found.0.space, id).await?;
                self.rights_changed(uow, Touched::Channel(id)).await?;
                Ok(found)
            })
        })
        .await
    }

    /// What is known of a channel; not judged.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn channel(&self, reader: &Reader, id: ChannelId) -> Result<Option<ChannelFacts>, Problem> {
        store::by_id(reader, id).await.or_problem()
    }

    fn default_backfill_limit(&self) -> u32 {
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
