use bothy_domain::ids::AuditEventId;
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, params, statements};

use crate::audit::draft::{Window, json};
use crate::audit::store::unreadable;

statements! {
    /// Opens a window, or counts in one that is open. A window that is over is left as it is, but
    /// stays locked until the end of the unit of work.
    COUNT_DENIALS = "INSERT INTO audit_pending (aggregate_key, window_ends_at, entry_json, count) \
        VALUES ($1, $2, $3, CAST($4 AS BIGINT) - 1) \
        ON CONFLICT (aggregate_key) DO UPDATE SET count = audit_pending.count + CAST($4 AS BIGINT) WHERE audit_pending.window_ends_at > $5 \
        RETURNING count, entry_json";
    /// Takes one window out.
    TAKE_WINDOW = "DELETE FROM audit_pending WHERE aggregate_key = $1 RETURNING count, entry_json";
    /// Whether a window is over.
    ANY_ENDED_WINDOW = "SELECT window_ends_at FROM audit_pending WHERE window_ends_at <= $1 ORDER BY window_ends_at LIMIT 1";
    /// Takes windows out that are over.
    TAKE_ENDED_WINDOWS = "DELETE FROM audit_pending WHERE window_ends_at <= $1 AND aggregate_key IN \
        (SELECT aggregate_key FROM audit_pending WHERE window_ends_at <= $1 ORDER BY window_ends_at LIMIT $2) \
        RETURNING count, entry_json";
}

/// Equal denials to count.
pub(in crate::audit) struct Denials<'a> {
    pub(in crate::audit) key: [u8; 32],
    /// The window that they open if none is open.
    pub(in crate::audit) window: &'a Window,
    pub(in crate::audit) count: i64,
    pub(in crate::audit) now: Timestamp,
    pub(in crate::audit) ends_at: Timestamp,
}

/// How denials were counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::audit) enum Counted {
    /// They opened a window: the first of them needs an entry.
    First,
    /// They belong to the window that this entry opened.
    Later(AuditEventId),
}

/// Counts denials; `None` when their window is over and has to be closed before.
pub(in crate::audit) async fn count(unit: &UnitOfWork, denials: &Denials<'_>) -> Result<Option<Counted>, StorageError> {
    let parameters = params![denials.key, denials.ends_at, json(denials.window), denials.count, denials.now];
    let Some(row) = unit.returning_optional(&COUNT_DENIALS, parameters).await? else { return Ok(None) };
    let (window, count) = taken(&row)?;
    // A window that was open before has at least all of these.
    Ok(Some(if count < denials.count { Counted::First } else { Counted::Later(window.first) }))
}

pub(in crate::audit) async fn take(unit: &UnitOfWork, key: [u8; 32]) -> Result<Option<(Window, i64)>, StorageError> {
    unit.returning_optional(&TAKE_WINDOW, params![key]).await?.as_ref().map(taken).transpose()
}

pub(in crate::audit) async fn any_ended(reader: &Reader, now: Timestamp) -> Result<bool, StorageError> {
    Ok(reader.optional(&ANY_ENDED_WINDOW, params![now]).await?.is_some())
}

pub(in crate::audit) async fn take_ended(
    unit: &UnitOfWork,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<(Window, i64)>, StorageError> {
    unit.returning(&TAKE_ENDED_WINDOWS, params![now, limit]).await?.iter().map(taken).collect()
}

fn taken(row: &Row) -> Result<(Window, i64), StorageError> {
    let window: String = row.get("entry_json")?;
    let window = serde_json::from_str(&window).map_err(|_| unreadable("entry_json", "a window of denials"))?;
    Ok((window, row.get("count")?))
}
