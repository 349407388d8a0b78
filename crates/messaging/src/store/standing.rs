use bothy_domain::ids::MessageId;
use bothy_domain::message::Origin;
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, StorageError, params, statements};

use crate::MessageStanding;

statements! {
    /// What is known of a message without its content.
    STANDING = "SELECT thread_id, author_id, origin, deleted_at FROM messages WHERE id = $1";
}

pub(crate) async fn one(reader: &Reader, message: MessageId) -> Result<Option<MessageStanding>, StorageError> {
    let row = reader.optional(&STANDING, params![message]).await?;
    row.map(|row| {
        Ok(MessageStanding {
            thread: row.get("thread_id")?,
            author: row.get("author_id")?,
            origin: Origin::from_stored(&row.get::<String>("origin")?),
            deleted: row.get::<Option<Timestamp>>("deleted_at")?.is_some(),
        })
    })
    .transpose()
}
