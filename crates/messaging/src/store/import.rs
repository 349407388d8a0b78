use std::collections::HashMap;

use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, ThreadId};
use bothy_domain::message::{MessageKind, Origin};
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, StorageError, UnitOfWork, params, statements};

statements! {
    /// What was imported into a channel under some keys, and where it stands.
    IMPORTED =
        "SELECT i.source_key, i.message_id, m.thread_id FROM imported_messages i JOIN messages m ON m.id = i.message_id \
         WHERE i.channel_id = $1 AND i.source_key IN (TEXT_LIST($2))";
    /// Writes an imported message.
    INSERT_IMPORTED =
        "INSERT INTO messages (id, thread_id, thread_seq, author_id, origin, kind, content_md, imported_author, \
           created_at, edited_at, deleted_at, version) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1)";
    /// Remembers under which key it was imported.
    REMEMBER_IMPORTED = "INSERT INTO imported_messages (channel_id, source_key, message_id) VALUES ($1, $2, $3)";
    /// Writes what it said before.
    INSERT_IMPORTED_REVISION =
        "INSERT INTO message_revisions (message_id, revision, content_md, edited_at) VALUES ($1, $2, $3, $4)";
}

/// The constraint that two imports of the same message at one time meet.
pub(crate) const KEY_CONSTRAINT: &str = "imported_messages";

/// A message that was imported, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Imported {
    pub(crate) message: MessageId,
    pub(crate) thread: ThreadId,
}

/// An imported message to be written.
pub(crate) struct Insert<'a> {
    pub(crate) id: MessageId,
    pub(crate) thread: ThreadId,
    pub(crate) thread_seq: i64,
    pub(crate) author: PrincipalId,
    pub(crate) imported_author: Option<&'a str>,
    pub(crate) content_md: &'a str,
    pub(crate) created_at: Timestamp,
    pub(crate) edited_at: Option<Timestamp>,
    pub(crate) deleted_at: Option<Timestamp>,
    /// Its earlier wordings, oldest first, each with the time at which the next one took its place.
    pub(crate) revisions: Vec<(&'a str, Timestamp)>,
}

/// What was imported into a channel under some keys.
pub(crate) async fn imported(
    reader: &Reader,
    channel: ChannelId,
    keys: Vec<&str>,
) -> Result<HashMap<String, Imported>, StorageError> {
    let rows = reader.all(&IMPORTED, params![channel, keys]).await?;
    rows.iter()
        .map(|row| {
            let found = Imported { message: row.get("message_id")?, thread: row.get("thread_id")? };
            Ok((row.get("source_key")?, found))
        })
        .collect()
}

pub(crate) async fn insert(
    uow: &UnitOfWork,
    channel: ChannelId,
    key: &str,
    new: &Insert<'_>,
) -> Result<(), StorageError> {
    uow.execute(
        &INSERT_IMPORTED,
        params![
            new.id,
            new.thread,
            new.thread_seq,
            new.author,
            Origin::Import.as_str(),
            MessageKind::Text.as_str(),
            new.content_md,
            new.imported_author,
            new.created_at,
            new.edited_at,
            new.deleted_at
        ],
    )
    .await?;
    uow.execute(&REMEMBER_IMPORTED, params![channel, key, new.id]).await?;
    for (revision, (content_md, at)) in (1_i64..).zip(&new.revisions) {
        uow.execute(&INSERT_IMPORTED_REVISION, params![new.id, revision, *content_md, *at]).await?;
    }
    Ok(())
}
