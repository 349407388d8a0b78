use std::collections::HashMap;

use bothy_domain::action::ResourceKind;
use bothy_domain::ids::{ChannelId, PrincipalId, ThreadId};
use bothy_domain::policy::{Resource, Scope};
use bothy_domain::time::Timestamp;
use bothy_platform::visible::scope_params;
use bothy_platform::visible_channel;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, Value, params, statements};

use crate::facts::channel_path;

macro_rules! direct_select {
    () => {
        "SELECT c.id AS channel_id, t.id AS thread_id, c.created_at FROM channels c \
         JOIN threads t ON t.channel_id = c.id AND t.kind = 'main'"
    };
}

statements! {
    /// Who takes part in a direct message.
    DIRECT_PARTICIPANTS = "SELECT principal_id FROM dm_participants WHERE channel_id = $1 ORDER BY principal_id";
    /// Who takes part in each of some direct messages.
    PARTICIPANTS_OF_DIRECTS =
        "SELECT channel_id, principal_id FROM dm_participants WHERE channel_id IN (ID_LIST($1)) \
         ORDER BY channel_id, principal_id";
    /// The direct messages that a principal takes part in.
    DIRECTS_OF = "SELECT channel_id FROM dm_participants WHERE principal_id = $1 ORDER BY channel_id";
    /// One direct message.
    DIRECT_BY_ID = concat!(direct_select!(), " WHERE c.id = $1 AND c.kind = 'dm'");
    /// The direct message of a set of participants.
    DIRECT_BY_KEY = concat!(direct_select!(), " WHERE c.dm_key = $1");
    /// The direct messages of a principal that a scope shows.
    DIRECTS_IN_SCOPE = concat!(
        direct_select!(),
        " JOIN dm_participants p ON p.channel_id = c.id",
        " WHERE p.principal_id = $4 AND p.channel_id > $5 AND ", visible_channel!("c", "$1", "$2", "$3"),
        " ORDER BY p.channel_id LIMIT $6"
    );
    /// Adds a participant.
    INSERT_PARTICIPANT = "INSERT INTO dm_participants (channel_id, principal_id) VALUES ($1, $2)";
}

/// A direct message without its participants.
pub(crate) struct DirectRow {
    pub(crate) id: ChannelId,
    pub(crate) main_thread: ThreadId,
    pub(crate) created_at: Timestamp,
}

impl DirectRow {
    fn of(row: &Row) -> Result<Self, StorageError> {
        Ok(Self { id: row.get("channel_id")?, main_thread: row.get("thread_id")?, created_at: row.get("created_at")? })
    }

    /// The channel as a target of decisions. Nobody can archive a direct message.
    pub(crate) const fn resource(&self) -> Resource {
        Resource::new(ResourceKind::Channel, self.id.cast(), channel_path(None, self.id, false))
    }
}

/// What the direct messages of the same participants, given ascending and each once, have in common.
pub(crate) fn key(set: &[PrincipalId]) -> Vec<u8> {
    set.iter().flat_map(|one| *one.uuid().as_bytes()).collect()
}

pub(crate) async fn participants(reader: &Reader, channel: ChannelId) -> Result<Vec<PrincipalId>, StorageError> {
    reader.all(&DIRECT_PARTICIPANTS, params![channel]).await?.iter().map(|row| row.get("principal_id")).collect()
}

/// The participants of each of some direct messages, ascending.
pub(crate) async fn participants_of(
    reader: &Reader,
    channels: &[ChannelId],
) -> Result<HashMap<ChannelId, Vec<PrincipalId>>, StorageError> {
    let mut found: HashMap<ChannelId, Vec<PrincipalId>> = HashMap::new();
    if channels.is_empty() {
        return Ok(found);
    }
    for row in reader.all(&PARTICIPANTS_OF_DIRECTS, params![channels]).await? {
        found.entry(row.get("channel_id")?).or_default().push(row.get("principal_id")?);
    }
    Ok(found)
}

pub(crate) async fn of_principal(reader: &Reader, principal: PrincipalId) -> Result<Vec<ChannelId>, StorageError> {
    reader.all(&DIRECTS_OF, params![principal]).await?.iter().map(|row| row.get("channel_id")).collect()
}

pub(crate) async fn by_id(reader: &Reader, id: ChannelId) -> Result<Option<DirectRow>, StorageError> {
    reader.optional(&DIRECT_BY_ID, params![id]).await?.as_ref().map(DirectRow::of).transpose()
}

/// The direct message of these participants, which are given ascending and each once.
pub(crate) async fn by_set(reader: &Reader, set: &[PrincipalId]) -> Result<Option<DirectRow>, StorageError> {
    reader.optional(&DIRECT_BY_KEY, params![key(set)]).await?.as_ref().map(DirectRow::of).transpose()
}

pub(crate) async fn in_scope(
    reader: &Reader,
    scope: &Scope,
    principal: PrincipalId,
    after: ChannelId,
    limit: i64,
) -> Result<Vec<DirectRow>, StorageError> {
    let [wide, spaces, channels] = scope_params(scope);
    let params = [wide, spaces, channels, Value::from(principal), Value::from(after), Value::from(limit)];
    reader.all(&DIRECTS_IN_SCOPE, &params).await?.iter().map(DirectRow::of).collect()
}

/// Lets these take part in a direct message.
pub(crate) async fn insert_participants(
    uow: &UnitOfWork,
    channel: ChannelId,
    set: &[PrincipalId],
) -> Result<(), StorageError> {
    for one in set {
        uow.execute(&INSERT_PARTICIPANT, params![channel, *one]).await?;
    }
    Ok(())
}
