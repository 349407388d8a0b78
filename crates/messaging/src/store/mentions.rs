//! Whom messages mention. What is deleted mentions nobody, and nobody mentions themselves.

use bothy_chat::join_thread;
use bothy_domain::ids::{MessageId, PrincipalId};
use bothy_platform::visible_channel;
use bothy_storage::{Reader, StorageError, UnitOfWork, Value, params, statements};

use super::messages::{MessageRow, message_columns};
use crate::shown::PlacedRow;

statements! {
    /// Writes whom a message mentions, with the place of the message.
    INSERT_MENTION =
        "INSERT INTO mentions (message_id, principal_id, ordinal, thread_id, thread_seq) VALUES ($1, $2, $3, $4, $5)";
    /// A message mentions nobody any more.
    FORGET_MENTIONS = "DELETE FROM mentions WHERE message_id = $1";
    /// The messages that mention somebody in channels that a scope shows, newest first.
    MENTIONS_OF = concat!(
        "SELECT ", message_columns!(), ", c.id AS channel_id, c.space_id",
        " FROM mentions x JOIN messages m ON m.id = x.message_id", join_thread!("m.thread_id"),
        " WHERE x.principal_id = $4 AND x.message_id < $5 AND m.deleted_at IS NULL AND ",
        visible_channel!("c", "$1", "$2", "$3"),
        " ORDER BY x.message_id DESC LIMIT $6"
    );
}

/// Writes the mentions of a message in their order.
pub(crate) async fn insert(
    uow: &UnitOfWork,
    message: &MessageRow,
    mentioned: &[PrincipalId],
) -> Result<(), StorageError> {
    for (ordinal, principal) in (0_i64..).zip(mentioned) {
        let params = params![message.id, *principal, ordinal, message.thread, message.thread_seq];
        uow.execute(&INSERT_MENTION, params).await?;
    }
    Ok(())
}

pub(crate) async fn forget(uow: &UnitOfWork, message: MessageId) -> Result<(), StorageError> {
    uow.execute(&FORGET_MENTIONS, params![message]).await.map(drop)
}

/// The messages before `before` that mention somebody, newest first, as far as a scope shows them.
pub(crate) async fn of(
    reader: &Reader,
    scope: [Value; 3],
    principal: PrincipalId,
    before: MessageId,
    limit: i64,
) -> Result<Vec<PlacedRow>, StorageError> {
    let [instance_wide, spaces, channels] = scope;
    let params = [instance_wide, spaces, channels, principal.into(), before.into(), limit.into()];
    let rows = reader.all(&MENTIONS_OF, &params).await?;
    rows.iter()
        .map(|row| {
            Ok(PlacedRow { row: MessageRow::of(row)?, channel: row.get("channel_id")?, space: row.get("space_id")? })
        })
        .collect()
}
