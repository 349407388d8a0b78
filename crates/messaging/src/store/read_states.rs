//! How far people have read. A row also says that its principal follows the thread.

use bothy_chat::{from_threads, nearly_all_main_threads, visible_main_threads};
use bothy_domain::ids::{ChannelId, PrincipalId, SpaceId, ThreadId};
use bothy_domain::policy::Scope;
use bothy_domain::time::Timestamp;
use bothy_platform::visible::scope_params;
use bothy_platform::visible_channel;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, params, statements};

use crate::ThreadUnread;

/// Threads with how far a principal (`$4`) has read in them; what is archived counts for nobody.
macro_rules! placed {
    () => {
        concat!(
            "SELECT t.id AS thread_id, c.id AS channel_id, c.space_id, COALESCE(r.last_read_seq, 0) AS last_read_seq,",
            " t.next_seq - 1 AS last_seq",
            from_threads!(),
            " LEFT JOIN read_states r ON r.thread_id = t.id AND r.principal_id = $4",
            " WHERE c.archived_at IS NULL AND s.archived_at IS NULL AND "
        )
    };
}

/// Counts over such threads. Of each, at most `$6` messages are looked at, the newest; a mention is
/// forgotten with its message, so counting mentions needs no message.
macro_rules! counted {
    ($($placed:tt)*) => {
        concat!(
            "SELECT f.thread_id, f.channel_id, f.space_id, f.last_read_seq, f.last_seq, \
               (SELECT COUNT(*) FROM (SELECT m.author_id, m.kind, m.origin, m.deleted_at FROM messages m \
                   WHERE m.thread_id = f.thread_id AND m.thread_seq > f.last_read_seq \
                   ORDER BY m.thread_seq DESC LIMIT $6) u \
                 WHERE u.deleted_at IS NULL AND u.author_id <> $4 AND u.kind <> 'system' AND u.origin <> 'import') AS unread_count, \
               (SELECT COUNT(*) FROM (SELECT x.thread_seq FROM mentions x WHERE x.principal_id = $4 \
                   AND x.thread_id = f.thread_id AND x.thread_seq > f.last_read_seq LIMIT $6) v) AS mention_count \
             FROM (",
            $($placed)*,
            ") f ORDER BY f.thread_id"
        )
    };
}

statements! {
    /// A page of the threads that somebody follows in channels that a scope shows: those with a read
    /// state, and the main threads.
    UNREAD = counted!(
        placed!(), visible_channel!("c", "$1", "$2", "$3"), " AND t.id > $5 AND t.id IN",
        " (SELECT o.thread_id FROM read_states o WHERE o.principal_id = $4 AND o.thread_id > $5",
        " UNION ", visible_main_threads!("$5", "$1", "$2", "$3"), ") ORDER BY t.id LIMIT $7"
    );
    /// The same for whoever sees nearly every channel: they are passed through as they come.
    UNREAD_WIDE = counted!(
        placed!(), visible_channel!("c", "$1", "$2", "$3"), " AND t.id > $5 AND t.id IN",
        " (SELECT o.thread_id FROM read_states o WHERE o.principal_id = $4 AND o.thread_id > $5",
        " UNION ", nearly_all_main_threads!("$5", "$1", "$2", "$3"), ") ORDER BY t.id LIMIT $7"
    );
    /// Certain threads, as far as a scope shows them.
    UNREAD_IN = counted!(placed!(), visible_channel!("c", "$1", "$2", "$3"), " AND t.id IN (ID_LIST($5))");
    /// The newest place of a thread.
    NEWEST_SEQ = "SELECT COALESCE(MAX(thread_seq), 0) AS newest FROM messages WHERE thread_id = $1";
    /// Somebody follows a thread.
    FOLLOW =
        "INSERT INTO read_states (principal_id, thread_id, last_read_seq, updated_at) VALUES ($1, $2, 0, $3) \
         ON CONFLICT DO NOTHING";
    /// Somebody read on.
    READ_ON =
        "INSERT INTO read_states (principal_id, thread_id, last_read_seq, updated_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (principal_id, thread_id) DO UPDATE \
         SET last_read_seq = excluded.last_read_seq, updated_at = excluded.updated_at \
         WHERE read_states.last_read_seq < excluded.last_read_seq";
    /// Somebody sets the mark, perhaps back.
    SET_READ =
        "INSERT INTO read_states (principal_id, thread_id, last_read_seq, updated_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (principal_id, thread_id) DO UPDATE \
         SET last_read_seq = excluded.last_read_seq, updated_at = excluded.updated_at \
         WHERE read_states.last_read_seq <> excluded.last_read_seq";
}

fn unread_of(row: &Row, cap: i64) -> Result<ThreadUnread, StorageError> {
    let (last_read_seq, last_seq): (i64, i64) = (row.get("last_read_seq")?, row.get("last_seq")?);
    Ok(ThreadUnread {
        thread_id: row.get("thread_id")?,
        channel_id: row.get::<ChannelId>("channel_id")?,
        space_id: row.get::<Option<SpaceId>>("space_id")?,
        last_seq,
        last_read_seq,
        unread_count: row.get("unread_count")?,
        mention_count: row.get("mention_count")?,
        capped: last_seq.saturating_sub(last_read_seq) > cap,
    })
}

/// A page of the threads after `after` that somebody follows, by thread id.
pub(crate) async fn unread(
    reader: &Reader,
    scope: &Scope,
    principal: PrincipalId,
    after: ThreadId,
    limit: i64,
    cap: i64,
) -> Result<Vec<ThreadUnread>, StorageError> {
    let statement = if scope.instance_wide { &UNREAD_WIDE } else { &UNREAD };
    let [instance_wide, spaces, channels] = scope_params(scope);
    let params = [instance_wide, spaces, channels, principal.into(), after.into(), cap.into(), limit.into()];
    reader.all(statement, &params).await?.iter().map(|row| unread_of(row, cap)).collect()
}

/// Certain threads, by thread id.
pub(crate) async fn unread_in(
    reader: &Reader,
    scope: &Scope,
    principal: PrincipalId,
    threads: &[ThreadId],
    cap: i64,
) -> Result<Vec<ThreadUnread>, StorageError> {
    let [instance_wide, spaces, channels] = scope_params(scope);
    let params = [instance_wide, spaces, channels, principal.into(), threads.into(), cap.into()];
    reader.all(&UNREAD_IN, &params).await?.iter().map(|row| unread_of(row, cap)).collect()
}

pub(crate) async fn newest_seq(reader: &Reader, thread: ThreadId) -> Result<i64, StorageError> {
    reader.one(&NEWEST_SEQ, params![thread]).await?.get("newest")
}

pub(crate) async fn follow(
    uow: &UnitOfWork,
    principal: PrincipalId,
    thread: ThreadId,
    now: Timestamp,
) -> Result<(), StorageError> {
    uow.execute(&FOLLOW, params![principal, thread, now]).await.map(drop)
}

/// Sets the mark of somebody, only forward or also `back`. Says whether it changed.
pub(crate) async fn set(
    uow: &UnitOfWork,
    principal: PrincipalId,
    thread: ThreadId,
    last_read_seq: i64,
    back: bool,
    now: Timestamp,
) -> Result<bool, StorageError> {
    let statement = if back { &SET_READ } else { &READ_ON };
    Ok(uow.execute(statement, params![principal, thread, last_read_seq, now]).await? == 1)
}
