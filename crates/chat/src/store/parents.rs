use bothy_domain::ids::{MessageId, ThreadId};
use bothy_storage::{Reader, StorageError, params, statements};

statements! {
    /// The thread that was opened from a message.
    THREAD_FROM_MESSAGE = "SELECT id FROM threads WHERE parent_message_id = $1";
}

pub(crate) async fn thread_from(reader: &Reader, parent: MessageId) -> Result<Option<ThreadId>, StorageError> {
    reader.optional(&THREAD_FROM_MESSAGE, params![parent]).await?.map(|row| row.get("id")).transpose()
}
