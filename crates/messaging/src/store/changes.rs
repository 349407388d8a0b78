//! Edits and deletions.

use bothy_domain::ids::{MessageId, PrincipalId};
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, StorageError, UnitOfWork, params, statements};

statements! {
    /// Holds a message until the unit of work ends.
    LOCK_MESSAGE = "UPDATE messages SET version = version WHERE id = $1";
    /// Another wording.
    EDIT_MESSAGE = "UPDATE messages SET content_md = $2, edited_at = $3, version = version + 1 WHERE id = $1";
    /// How many earlier wordings a message has.
    COUNT_REVISIONS = "SELECT COUNT(*) AS kept FROM message_revisions WHERE message_id = $1";
    /// Keeps the wording that an edit replaces, and when it does.
    KEEP_REVISION =
        "INSERT INTO message_revisions (message_id, revision, content_md, edited_at) VALUES ($1, $2, $3, $4)";
    /// The earlier wordings of a message, oldest first.
    REVISIONS =
        "SELECT revision, content_md, edited_at FROM message_revisions \
         WHERE message_id = $1 AND revision > $2 ORDER BY revision LIMIT $3";
    /// Leaves of a message only that it was there.
    EMPTY_MESSAGE =
        "UPDATE messages SET content_md = '', client_request_hash = NULL, deleted_at = $2, deleted_by = $3, \
           version = version + 1 WHERE id = $1";
    /// The earlier wordings go with it.
    FORGET_REVISIONS = "DELETE FROM message_revisions WHERE message_id = $1";
}

/// An earlier wording of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Revision {
    pub(crate) revision: i64,
    pub(crate) content_md: String,
    /// When the next wording took its place.
    pub(crate) replaced_at: Timestamp,
}

/// Holds a message, so that what is read of it next stays so until the unit of work ends.
pub(crate) async fn lock(uow: &UnitOfWork, message: MessageId) -> Result<(), StorageError> {
    uow.execute(&LOCK_MESSAGE, params![message]).await.map(drop)
}

pub(crate) async fn edit(
    uow: &UnitOfWork,
    message: MessageId,
    content_md: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    uow.execute(&EDIT_MESSAGE, params![message, content_md, now]).await.map(drop)
}

pub(crate) async fn count_revisions(reader: &Reader, message: MessageId) -> Result<i64, StorageError> {
    reader.one(&COUNT_REVISIONS, params![message]).await?.get("kept")
}

pub(crate) async fn keep_revision(
    uow: &UnitOfWork,
    message: MessageId,
    revision: &Revision,
) -> Result<(), StorageError> {
    let params = params![message, revision.revision, &revision.content_md, revision.replaced_at];
    uow.execute(&KEEP_REVISION, params).await.map(drop)
}

pub(crate) async fn revisions(
    reader: &Reader,
    message: MessageId,
    after: i64,
    limit: i64,
) -> Result<Vec<Revision>, StorageError> {
    let rows = reader.all(&REVISIONS, params![message, after, limit]).await?;
    rows.iter()
        .map(|row| {
            Ok(Revision {
                revision: row.get("revision")?,
                content_md: row.get("content_md")?,
                replaced_at: row.get("edited_at")?,
            })
        })
        .collect()
}

/// Empties a message and its earlier wordings.
pub(crate) async fn empty(
    uow: &UnitOfWork,
    message: MessageId,
    by: PrincipalId,
    now: Timestamp,
) -> Result<(), StorageError> {
    uow.execute(&EMPTY_MESSAGE, params![message, now, by]).await?;
    uow.execute(&FORGET_REVISIONS, params![message]).await.map(drop)
}
