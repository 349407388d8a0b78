use std::collections::HashMap;

use bothy_domain::ids::{ChannelId, PrincipalId, ThreadId};
use bothy_domain::policy::{Path, Scope};
use bothy_domain::time::Timestamp;
use bothy_platform::visible::scope_params;
use bothy_platform::visible_channel;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, Value, params, statements};

use super::channels::{self, channel_columns};
use super::word;
use crate::facts::{NewThread, ThreadFacts, Within, thread_path};
use crate::words::ThreadKind;

macro_rules! thread_select {
    () => {
        concat!(
            "SELECT t.id AS thread_id, t.kind AS thread_kind, t.parent_message_id, t.parent_channel_id, t.title,",
            " t.operator_agent_id AS thread_operator_id, t.created_by, t.created_at AS thread_created_at,",
            " t.closed_at, t.version AS thread_version, ",
            channel_columns!(),
            " FROM threads t JOIN channels c ON c.id = t.channel_id LEFT JOIN spaces s ON s.id = c.space_id"
        )
    };
}

/// Threads that are open, and threads that are closed, each only when they are asked for.
macro_rules! wanted {
    ($open:literal, $closed:literal) => {
        concat!("((", $open, " AND t.closed_at IS NULL) OR (", $closed, " AND t.closed_at IS NOT NULL))")
    };
}

statements! {
    /// One thread with its channel.
    THREAD_BY_ID = concat!(thread_select!(), " WHERE t.id = $1");
    /// Some threads with their channels.
    THREADS_BY_ID = concat!(thread_select!(), " WHERE t.id IN (ID_LIST($1))");
    /// The main thread of a channel.
    MAIN_THREAD = concat!(thread_select!(), " WHERE t.channel_id = $1 AND t.kind = 'main'");
    /// The main threads of channels that were judged.
    MAIN_THREAD_IDS = "SELECT channel_id, id FROM threads WHERE channel_id IN (ID_LIST($1)) AND kind = 'main'";
    /// Which of these threads stand in a channel.
    THREADS_IN_CHANNEL = "SELECT id FROM threads WHERE id IN (ID_LIST($1)) AND channel_id = $2";
    /// Which of these threads stand in a channel of a space.
    THREADS_IN_SPACE =
        "SELECT t.id FROM threads t JOIN channels c ON c.id = t.channel_id \
         WHERE t.id IN (ID_LIST($1)) AND c.space_id = $2";
    /// What the path of a thread needs, and who opened it.
    THREAD_PATH =
        "SELECT t.channel_id, t.operator_agent_id, t.created_by, c.space_id, c.archived_at, \
           s.archived_at AS space_archived_at \
         FROM threads t JOIN channels c ON c.id = t.channel_id LEFT JOIN spaces s ON s.id = c.space_id \
         WHERE t.id = $1";
    /// The threads of a channel that a scope shows, oldest first; only open or only closed ones, or all.
    THREADS_OF_CHANNEL = concat!(
        thread_select!(),
        " WHERE t.channel_id = $4 AND t.id > $5 AND ", wanted!("$7", "$8"),
        " AND ", visible_channel!("c", "$1", "$2", "$3"), " ORDER BY t.id LIMIT $6"
    );
    /// The same, newest first.
    NEWEST_THREADS_OF_CHANNEL = concat!(
        thread_select!(),
        " WHERE t.channel_id = $4 AND t.id < $5 AND ", wanted!("$7", "$8"),
        " AND ", visible_channel!("c", "$1", "$2", "$3"), " ORDER BY t.id DESC LIMIT $6"
    );
    /// The agents that are fixed as operators of threads of a channel, each once.
    FIXED_OPERATORS = "SELECT DISTINCT operator_agent_id FROM threads
        WHERE channel_id = $1 AND operator_agent_id IS NOT NULL ORDER BY operator_agent_id";
    /// Opens a thread.
    INSERT_THREAD =
        "INSERT INTO threads (id, channel_id, kind, parent_message_id, parent_channel_id, title, created_by, \
           created_at, next_seq, version) \
         VALUES ($1, $2, $3, $4, $8, $5, $6, $7, 1, 1)";
    /// Gives a thread another title, if it still has the version that was judged.
    RETITLE_THREAD = "UPDATE threads SET title = $3, version = version + 1 WHERE id = $1 AND version = $2";
    /// Moves a thread to another channel.
    MOVE_THREAD =
        "UPDATE threads SET channel_id = $2, kind = $3, title = $4, operator_agent_id = $5, version = version + 1 \
         WHERE id = $1";
    /// Takes the next sequence number, and with the row the lock under which messages are written.
    NEXT_SEQ = "UPDATE threads SET next_seq = next_seq + 1 WHERE id = $1 RETURNING next_seq - 1 AS thread_seq";
    /// Closes an open thread.
    CLOSE_THREAD = "UPDATE threads SET closed_at = $2, version = version + 1 WHERE id = $1 AND closed_at IS NULL";
    /// Opens a closed thread again.
    REOPEN_THREAD = "UPDATE threads SET closed_at = NULL, version = version + 1 WHERE id = $1 AND closed_at IS NOT NULL";
    /// Fixes the operator of a thread, or frees it.
    SET_THREAD_OPERATOR = "UPDATE threads SET operator_agent_id = $2, version = version + 1 WHERE id = $1";
}

/// Which threads of a channel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) open: bool,
    pub(crate) closed: bool,
    pub(crate) beyond: Beyond,
}

/// Where a page begins, and in which direction it goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Beyond {
    /// Behind a thread, oldest first.
    After(ThreadId),
    /// Before a thread, newest first.
    Before(ThreadId),
}

/// The name of the unique index over parent messages.
pub(crate) const PARENT_INDEX: &str = "threads_one_parent";

fn facts(row: &Row) -> Result<ThreadFacts, StorageError> {
    let closed_at: Option<Timestamp> = row.get("closed_at")?;
    Ok(ThreadFacts {
        id: row.get("thread_id")?,
        channel: channels::facts(row)?,
        kind: word(row, "thread_kind", "a kind of thread", ThreadKind::parse)?,
        parent_message: row.get("parent_message_id")?,
        parent_channel: row.get("parent_channel_id")?,
        title: row.get("title")?,
        fixed_operator: row.get("thread_operator_id")?,
        created_by: row.get("created_by")?,
        created_at: row.get("thread_created_at")?,
        closed_at,
        closed: closed_at.is_some(),
        version: row.get("thread_version")?,
    })
}

pub(crate) async fn by_id(reader: &Reader, id: ThreadId) -> Result<Option<ThreadFacts>, StorageError> {
    reader.optional(&THREAD_BY_ID, params![id]).await?.as_ref().map(facts).transpose()
}

/// Some threads, in no certain order.
pub(crate) async fn by_ids(reader: &Reader, ids: &[ThreadId]) -> Result<Vec<ThreadFacts>, StorageError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    reader.all(&THREADS_BY_ID, params![ids]).await?.iter().map(facts).collect()
}

pub(crate) async fn main_of(reader: &Reader, channel: ChannelId) -> Result<Option<ThreadFacts>, StorageError> {
    reader.optional(&MAIN_THREAD, params![channel]).await?.as_ref().map(facts).transpose()
}

/// The ids of the main threads of those of the channels that have one.
pub(crate) async fn main_ids(
    reader: &Reader,
    channels: &[ChannelId],
) -> Result<HashMap<ChannelId, ThreadId>, StorageError> {
    let rows = reader.all(&MAIN_THREAD_IDS, params![channels]).await?;
    rows.iter().map(|row| Ok((row.get("channel_id")?, row.get("id")?))).collect()
}

pub(crate) async fn within(reader: &Reader, threads: &[ThreadId], part: Within) -> Result<Vec<ThreadId>, StorageError> {
    let rows = match part {
        Within::Space(space) => reader.all(&THREADS_IN_SPACE, params![threads, space]).await?,
        Within::Channel(channel) => reader.all(&THREADS_IN_CHANNEL, params![threads, channel]).await?,
    };
    rows.iter().map(|row| row.get("id")).collect()
}

/// The agents that are fixed as operators of threads of a channel, each once.
pub(crate) async fn fixed_operators(reader: &Reader, channel: ChannelId) -> Result<Vec<PrincipalId>, StorageError> {
    let rows = reader.all(&FIXED_OPERATORS, params![channel]).await?;
    rows.iter().map(|row| row.get("operator_agent_id")).collect()
}

/// The path of a thread and who opened it.
pub(crate) async fn path(reader: &Reader, id: ThreadId) -> Result<Option<(Path, PrincipalId)>, StorageError> {
    let Some(row) = reader.optional(&THREAD_PATH, params![id]).await? else { return Ok(None) };
    let channel = channels::path_of(&row, row.get("channel_id")?)?;
    Ok(Some((thread_path(channel, id, row.get("operator_agent_id")?), row.get("created_by")?)))
}

pub(crate) async fn of_channel(
    reader: &Reader,
    scope: &Scope,
    channel: ChannelId,
    wanted: Wanted,
    limit: i64,
) -> Result<Vec<ThreadFacts>, StorageError> {
    let (statement, from) = match wanted.beyond {
        Beyond::After(id) => (&THREADS_OF_CHANNEL, id),
        Beyond::Before(id) => (&NEWEST_THREADS_OF_CHANNEL, id),
    };
    let [wide, spaces, channels] = scope_params(scope);
    let params = [
        wide,
        spaces,
        channels,
        Value::from(channel),
        Value::from(from),
        Value::from(limit),
        Value::from(wanted.open),
        Value::from(wanted.closed),
    ];
    reader.all(statement, &params).await?.iter().map(facts).collect()
}

pub(crate) async fn insert(
    uow: &UnitOfWork,
    id: ThreadId,
    new: &NewThread,
    now: Timestamp,
) -> Result<(), StorageError> {
    let parent_channel = new.parent_message.map(|_| new.channel);
    let params = params![
        id,
        new.channel,
        new.kind.as_str(),
        new.parent_message,
        &new.title,
        new.created_by,
        now,
        parent_channel
    ];
    uow.execute(&INSERT_THREAD, params).await.map(drop)
}

/// Whether the thread still had that version.
pub(crate) async fn retitle(uow: &UnitOfWork, id: ThreadId, version: i64, title: &str) -> Result<bool, StorageError> {
    Ok(uow.execute(&RETITLE_THREAD, params![id, version, title]).await? == 1)
}

/// Moves a thread, which keeps its messages and its parent.
pub(crate) async fn set_channel(
    uow: &UnitOfWork,
    id: ThreadId,
    channel: ChannelId,
    kind: ThreadKind,
    title: Option<&str>,
    operator: Option<PrincipalId>,
) -> Result<(), StorageError> {
    uow.execute(&MOVE_THREAD, params![id, channel, kind.as_str(), title, operator]).await.map(drop)
}

/// The next sequence number; `None` when there is no such thread.
pub(crate) async fn next_seq(uow: &UnitOfWork, id: ThreadId) -> Result<Option<i64>, StorageError> {
    uow.returning_optional(&NEXT_SEQ, params![id]).await?.map(|row| row.get("thread_seq")).transpose()
}

/// Whether anything changed.
pub(crate) async fn set_closed(
    uow: &UnitOfWork,
    id: ThreadId,
    closed_at: Option<Timestamp>,
) -> Result<bool, StorageError> {
    let changed = match closed_at {
        Some(now) => uow.execute(&CLOSE_THREAD, params![id, now]).await?,
        None => uow.execute(&REOPEN_THREAD, params![id]).await?,
    };
    Ok(changed == 1)
}

pub(crate) async fn set_operator(
    uow: &UnitOfWork,
    id: ThreadId,
    operator: Option<PrincipalId>,
) -> Result<(), StorageError> {
    uow.execute(&SET_THREAD_OPERATOR, params![id, operator]).await.map(drop)
}
