use bothy_domain::ids::{ChannelId, PrincipalId, SpaceId};
use bothy_domain::policy::{Path, Scope};
use bothy_domain::time::Timestamp;
use bothy_domain::trigger::{RespondTo, Switches};
use bothy_platform::visible::scope_params;
use bothy_platform::visible_channel;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, Value, params, statements};

use super::word;
use crate::facts::{ChannelFacts, channel_path};
use crate::visible_channel_ids;
use crate::words::{ChannelKind, Egress};

/// The columns of [`facts`], over `channels c` and its space `s`.
macro_rules! channel_columns {
    () => {
        "c.id AS channel_id, c.space_id, c.kind AS channel_kind, c.name AS channel_name,\
         c.operator_agent_id AS channel_operator_id, s.operator_agent_id AS space_operator_id,\
         c.respond_to, c.respond_in_threads, c.allow_mentioned_agents, c.auto_thread,\
         c.history_backfill_limit, c.archived_at AS channel_archived_at,\
         s.archived_at AS space_archived_at, c.created_at AS channel_created_at,\
         c.version AS channel_version"
    };
}
pub(super) use channel_columns;

statements! {
    /// One channel.
    CHANNEL_BY_ID = concat!(
        "SELECT ", channel_columns!(), " FROM channels c LEFT JOIN spaces s ON s.id = c.space_id WHERE c.id = $1"
    );
    /// What the path of a channel needs.
    CHANNEL_PATH =
        "SELECT c.space_id, c.archived_at, s.archived_at AS space_archived_at \
         FROM channels c LEFT JOIN spaces s ON s.id = c.space_id WHERE c.id = $1";
    /// The channels of a space that a scope shows.
    CHANNELS_OF_SPACE = concat!(
        "SELECT ", channel_columns!(), " FROM channels c LEFT JOIN spaces s ON s.id = c.space_id",
        " WHERE c.space_id = $4 AND c.id > $5 AND ", visible_channel!("c", "$1", "$2", "$3"),
        " ORDER BY c.id LIMIT $6"
    );
    /// Some channels.
    CHANNELS_BY_ID = concat!(
        "SELECT ", channel_columns!(), " FROM channels c LEFT JOIN spaces s ON s.id = c.space_id",
        " WHERE c.id IN (ID_LIST($1))"
    );
    /// The channels of all spaces that a scope shows.
    CHANNELS_IN_SCOPE = concat!(
        "SELECT ", channel_columns!(), " FROM channels c JOIN spaces s ON s.id = c.space_id",
        " WHERE c.id > $4 AND c.id IN (", visible_channel_ids!("$1", "$2", "$3"), ") ORDER BY c.id LIMIT $5"
    );
    /// The same for whoever sees nearly every channel: they are passed through as they come.
    CHANNELS_IN_WIDE_SCOPE = concat!(
        "SELECT ", channel_columns!(), " FROM channels c JOIN spaces s ON s.id = c.space_id",
        " WHERE c.id > $4 AND ", visible_channel!("c", "$1", "$2", "$3"), " ORDER BY c.id LIMIT $5"
    );
    /// Makes a channel of a space or a direct message, with the defaults of its switches.
    INSERT_CHANNEL =
        "INSERT INTO channels (id, space_id, kind, name, name_key, respond_to, respond_in_threads, \
           allow_mentioned_agents, auto_thread, history_backfill_limit, egress, created_at, dm_key, version) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 1)";
    /// Renames a channel that still has the version that was judged.
    RENAME_CHANNEL =
        "UPDATE channels SET name = $3, name_key = $4, version = version + 1 WHERE id = $1 AND version = $2";
    /// Archives a channel that is not archived.
    ARCHIVE_CHANNEL =
        "UPDATE channels SET archived_at = $2, version = version + 1 WHERE id = $1 AND archived_at IS NULL";
    /// Brings a channel back.
    UNARCHIVE_CHANNEL =
        "UPDATE channels SET archived_at = NULL, version = version + 1 WHERE id = $1 AND archived_at IS NOT NULL";
    /// Puts an agent in charge of a channel, or nobody.
    SET_CHANNEL_OPERATOR = "UPDATE channels SET operator_agent_id = $2, version = version + 1 WHERE id = $1";
}

/// The name of the unique index over the names of channels of a space.
pub(crate) const NAME_INDEX: &str = "channels_space_name";

/// A channel to be made.
pub(crate) struct NewChannel<'a> {
    pub(crate) id: ChannelId,
    pub(crate) kind: ChannelKind,
    pub(crate) place: NewPlace<'a>,
    pub(crate) switches: Switches,
    pub(crate) history_backfill_limit: u32,
    pub(crate) egress: Egress,
    pub(crate) now: Timestamp,
}

/// Where a channel is made.
pub(crate) enum NewPlace<'a> {
    /// In a space, under a name.
    Space { space: SpaceId, name: &'a str, name_key: &'a str },
    /// Outside of every space, for participants that are told apart by a key.
    Direct(&'a [u8]),
}

pub(super) fn facts(row: &Row) -> Result<ChannelFacts, StorageError> {
    let own_operator: Option<PrincipalId> = row.get("channel_operator_id")?;
    let archived_at: Option<Timestamp> = row.get("channel_archived_at")?;
    let space_archived_at: Option<Timestamp> = row.get("space_archived_at")?;
    Ok(ChannelFacts {
        id: row.get("channel_id")?,
        space: row.get("space_id")?,
        kind: word(row, "channel_kind", "a kind of channel", ChannelKind::parse)?,
        name: row.get("channel_name")?,
        own_operator,
        operator: own_operator.or(row.get("space_operator_id")?),
        switches: switches(row)?,
        history_backfill_limit: row.get("history_backfill_limit")?,
        archived_at,
        archived: archived_at.is_some() || space_archived_at.is_some(),
        created_at: row.get("channel_created_at")?,
        version: row.get("channel_version")?,
    })
}

pub(super) fn switches(row: &Row) -> Result<Switches, StorageError> {
    Ok(Switches {
        respond_to: word(row, "respond_to", "a word of respond_to", |text| RespondTo::parse(text).ok())?,
        respond_in_threads: row.get("respond_in_threads")?,
        allow_mentioned_agents: row.get("allow_mentioned_agents")?,
        auto_thread: row.get("auto_thread")?,
    })
}

pub(crate) async fn by_id(reader: &Reader, id: ChannelId) -> Result<Option<ChannelFacts>, StorageError> {
    reader.optional(&CHANNEL_BY_ID, params![id]).await?.as_ref().map(facts).transpose()
}

pub(crate) async fn path(reader: &Reader, id: ChannelId) -> Result<Option<Path>, StorageError> {
    let Some(row) = reader.optional(&CHANNEL_PATH, params![id]).await? else { return Ok(None) };
    path_of(&row, id).map(Some)
}

/// The path of the channel that a row tells the space and the archive of.
pub(super) fn path_of(row: &Row, id: ChannelId) -> Result<Path, StorageError> {
    let archived_at: Option<Timestamp> = row.get("archived_at")?;
    let space_archived_at: Option<Timestamp> = row.get("space_archived_at")?;
    Ok(channel_path(row.get("space_id")?, id, archived_at.is_some() || space_archived_at.is_some()))
}

pub(crate) async fn of_space(
    reader: &Reader,
    scope: &Scope,
    space: SpaceId,
    after: ChannelId,
    limit: i64,
) -> Result<Vec<ChannelFacts>, StorageError> {
    let [wide, spaces, channels] = scope_params(scope);
    let params = [wide, spaces, channels, Value::from(space), Value::from(after), Value::from(limit)];
    reader.all(&CHANNELS_OF_SPACE, &params).await?.iter().map(facts).collect()
}

/// Some channels, in no certain order.
pub(crate) async fn by_ids(reader: &Reader, ids: &[ChannelId]) -> Result<Vec<ChannelFacts>, StorageError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    reader.all(&CHANNELS_BY_ID, params![ids]).await?.iter().map(facts).collect()
}

/// The channels of all spaces that a scope shows, by id.
pub(crate) async fn in_scope(
    reader: &Reader,
    scope: &Scope,
    after: ChannelId,
    limit: i64,
) -> Result<Vec<ChannelFacts>, StorageError> {
    let [wide, spaces, channels] = scope_params(scope);
    let params = [wide, spaces, channels, Value::from(after), Value::from(limit)];
    let statement = if scope.instance_wide { &CHANNELS_IN_WIDE_SCOPE } else { &CHANNELS_IN_SCOPE };
    reader.all(statement, &params).await?.iter().map(facts).collect()
}

pub(crate) async fn insert(uow: &UnitOfWork, new: &NewChannel<'_>) -> Result<(), StorageError> {
    let (space, name, name_key, dm_key) = match new.place {
        NewPlace::Space { space, name, name_key } => (Some(space), Some(name), Some(name_key), None),
        NewPlace::Direct(key) => (None, None, None, Some(key)),
    };
    uow.execute(
        &INSERT_CHANNEL,
        params![
            new.id,
            space,
            new.kind.as_str(),
            name,
            name_key,
            new.switches.respond_to.as_str(),
            new.switches.respond_in_threads,
            new.switches.allow_mentioned_agents,
            new.switches.auto_thread,
            new.history_backfill_limit,
            new.egress.as_str(),
            new.now,
            dm_key
        ],
    )
    .await
    .map(drop)
}

/// Whether the channel still had that version.
pub(crate) async fn rename(
    uow: &UnitOfWork,
    id: ChannelId,
    version: i64,
    name: &str,
    name_key: &str,
) -> Result<bool, StorageError> {
    Ok(uow.execute(&RENAME_CHANNEL, params![id, version, name, name_key]).await? == 1)
}

/// Whether anything changed.
pub(crate) async fn set_archived(
    uow: &UnitOfWork,
    id: ChannelId,
    archived_at: Option<Timestamp>,
) -> Result<bool, StorageError> {
    let changed = match archived_at {
        Some(now) => uow.execute(&ARCHIVE_CHANNEL, params![id, now]).await?,
        None => uow.execute(&UNARCHIVE_CHANNEL, params![id]).await?,
    };
    Ok(changed == 1)
}

pub(crate) async fn set_operator(
    uow: &UnitOfWork,
    id: ChannelId,
    operator: Option<PrincipalId>,
) -> Result<(), StorageError> {
    uow.execute(&SET_CHANNEL_OPERATOR, params![id, operator]).await.map(drop)
}
