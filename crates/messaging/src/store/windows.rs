use bothy_domain::ids::{Id, PrincipalId, ThreadId};
use bothy_storage::{Reader, StorageError, params, statements};
use uuid::Uuid;

use super::messages::{MessageRow, message_columns};

statements! {
    /// Messages of one thread between two places, oldest first.
    MESSAGES_FORWARD = concat!(
        "SELECT ", message_columns!(), " FROM messages m",
        " WHERE m.thread_id = $1 AND m.thread_seq > $2 AND m.thread_seq < $3",
        " ORDER BY m.thread_seq LIMIT $4"
    );
    /// Messages of one thread between two places, newest first.
    MESSAGES_BACKWARD = concat!(
        "SELECT ", message_columns!(), " FROM messages m",
        " WHERE m.thread_id = $1 AND m.thread_seq > $2 AND m.thread_seq < $3",
        " ORDER BY m.thread_seq DESC LIMIT $4"
    );
    /// The newest messages of one thread between two places that a run context may hold: neither
    /// deleted nor by one author. One row more than is wanted says that there are older ones.
    CONTEXT_WINDOW = concat!(
        "SELECT ", message_columns!(), " FROM messages m",
        " WHERE m.thread_id = $1 AND m.thread_seq > $2 AND m.thread_seq < $3",
        " AND m.deleted_at IS NULL AND m.author_id <> $4",
        " ORDER BY m.thread_seq DESC LIMIT $5"
    );
}

/// A stretch of one thread; both ends are outside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) thread: ThreadId,
    pub(crate) after_seq: i64,
    pub(crate) before_seq: i64,
}

/// Messages of a stretch, oldest or newest first.
pub(crate) async fn messages(
    reader: &Reader,
    stretch: Stretch,
    newest_first: bool,
    limit: i64,
) -> Result<Vec<MessageRow>, StorageError> {
    let statement = if newest_first { &MESSAGES_BACKWARD } else { &MESSAGES_FORWARD };
    let params = params![stretch.thread, stretch.after_seq, stretch.before_seq, limit];
    reader.all(statement, params).await?.iter().map(MessageRow::of).collect()
}

/// The newest messages of a stretch that a run context may hold, newest first.
pub(crate) async fn context(
    reader: &Reader,
    stretch: Stretch,
    exclude_author: Option<PrincipalId>,
    limit: i64,
) -> Result<Vec<MessageRow>, StorageError> {
    // No principal has the nil id, so excluding it excludes nobody.
    let excluded = exclude_author.unwrap_or(Id::from_uuid(Uuid::nil()));
    let params = params![stretch.thread, stretch.after_seq, stretch.before_seq, excluded, limit];
    reader.all(&CONTEXT_WINDOW, params).await?.iter().map(MessageRow::of).collect()
}
