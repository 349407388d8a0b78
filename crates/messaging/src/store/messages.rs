use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, ThreadId};
use bothy_domain::message::{MessageKind, Origin};
use bothy_domain::time::Timestamp;
use bothy_identity::PrincipalRef;
use bothy_storage::{DecodeProblem, Reader, Row, StorageError, UnitOfWork, params, statements};

use crate::StoredMessage;

/// The columns of [`MessageRow`].
macro_rules! message_columns {
    () => {
        "m.id, m.thread_id, m.thread_seq, m.author_id, m.origin, m.kind, m.content_md, m.reply_to_message_id, \
         m.system_code, m.imported_author, m.created_at, m.edited_at, m.deleted_at"
    };
}
pub(super) use message_columns;

statements! {
    /// One message.
    MESSAGE_BY_ID = concat!("SELECT ", message_columns!(), " FROM messages m WHERE m.id = $1");
    /// Some messages.
    MESSAGES_BY_IDS = concat!("SELECT ", message_columns!(), " FROM messages m WHERE m.id IN (ID_LIST($1)) ORDER BY m.id");
    /// Where a message stands and who wrote it.
    MESSAGE_PLACE = "SELECT thread_id, author_id FROM messages WHERE id = $1";
    /// The message that an author wrote with an id of the client, and what was asked for then.
    MESSAGE_BY_CLIENT_ID =
        "SELECT id, thread_id, client_request_hash FROM messages WHERE author_id = $1 AND client_message_id = $2";
    /// Writes a message.
    INSERT_MESSAGE =
        "INSERT INTO messages (id, thread_id, thread_seq, author_id, origin, kind, content_md, \
           reply_to_message_id, system_code, client_message_id, client_request_hash, created_at, version) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1)";
}

/// The name of the unique index over ids that clients choose.
pub(crate) const CLIENT_ID_INDEX: &str = "messages_client_message_id";

/// A row of `messages`.
#[derive(Debug, Clone)]
pub(crate) struct MessageRow {
    pub(crate) id: MessageId,
    pub(crate) thread: ThreadId,
    pub(crate) thread_seq: i64,
    pub(crate) author: PrincipalId,
    pub(crate) origin: Option<Origin>,
    pub(crate) kind: MessageKind,
    pub(crate) content_md: String,
    pub(crate) reply_to: Option<MessageId>,
    pub(crate) system_code: Option<String>,
    pub(crate) imported_author: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) edited_at: Option<Timestamp>,
    pub(crate) deleted_at: Option<Timestamp>,
}

impl MessageRow {
    pub(super) fn of(row: &Row) -> Result<Self, StorageError> {
        let kind: String = row.get("kind")?;
        let kind = MessageKind::parse(&kind).map_err(|_| StorageError::Decode {
            column: "kind".to_owned(),
            problem: DecodeProblem::OutOfRange { expected: "a kind of message" },
        })?;
        Ok(Self {
            id: row.get("id")?,
            thread: row.get("thread_id")?,
            thread_seq: row.get("thread_seq")?,
            author: row.get("author_id")?,
            origin: Origin::from_stored(&row.get::<String>("origin")?),
            kind,
            content_md: row.get("content_md")?,
            reply_to: row.get("reply_to_message_id")?,
            system_code: row.get("system_code")?,
            imported_author: row.get("imported_author")?,
            created_at: row.get("created_at")?,
            edited_at: row.get("edited_at")?,
            deleted_at: row.get("deleted_at")?,
        })
    }

    /// The message of this row.
    pub(crate) fn stored(self, channel: ChannelId, author: PrincipalRef) -> StoredMessage {
        StoredMessage {
            id: self.id,
            thread_id: self.thread,
            channel_id: channel,
            thread_seq: self.thread_seq,
            author,
            origin: self.origin,
            kind: self.kind,
            content_md: self.content_md,
            reply_to_message_id: self.reply_to,
            system_code: self.system_code,
            imported_author: self.imported_author,
            created_at: self.created_at,
            edited_at: self.edited_at,
            deleted_at: self.deleted_at,
            components: Vec::new(),
        }
    }
}

/// A message to be written.
pub(crate) struct Insert<'a> {
    pub(crate) id: MessageId,
    pub(crate) thread: ThreadId,
    pub(crate) thread_seq: i64,
    pub(crate) author: PrincipalId,
    pub(crate) origin: Origin,
    pub(crate) kind: MessageKind,
    pub(crate) content_md: &'a str,
    pub(crate) reply_to: Option<MessageId>,
    pub(crate) system_code: Option<&'static str>,
    pub(crate) client: Option<ClientId<'a>>,
    pub(crate) now: Timestamp,
}

/// The id that a client chose for a message, and what it asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientId<'a> {
    pub(crate) id: &'a str,
    pub(crate) request_hash: &'a [u8; 32],
}

/// What was stored under an id that a client chose.
pub(crate) struct Earlier {
    pub(crate) id: MessageId,
    pub(crate) thread: ThreadId,
    /// Absent once the message was deleted: what it said is then not known any more, also not as
    /// a hash.
    pub(crate) request_hash: Option<Vec<u8>>,
}

pub(crate) async fn by_id(reader: &Reader, id: MessageId) -> Result<Option<MessageRow>, StorageError> {
    reader.optional(&MESSAGE_BY_ID, params![id]).await?.as_ref().map(MessageRow::of).transpose()
}

/// Those of some messages that there are, by id.
pub(crate) async fn by_ids(reader: &Reader, ids: &[MessageId]) -> Result<Vec<MessageRow>, StorageError> {
    reader.all(&MESSAGES_BY_IDS, params![ids]).await?.iter().map(MessageRow::of).collect()
}

/// The thread and the author of a message.
pub(crate) async fn place(reader: &Reader, id: MessageId) -> Result<Option<(ThreadId, PrincipalId)>, StorageError> {
    let row = reader.optional(&MESSAGE_PLACE, params![id]).await?;
    row.map(|row| Ok((row.get("thread_id")?, row.get("author_id")?))).transpose()
}

pub(crate) async fn by_client_id(
    reader: &Reader,
    author: PrincipalId,
    client_message_id: &str,
) -> Result<Option<Earlier>, StorageError> {
    let row = reader.optional(&MESSAGE_BY_CLIENT_ID, params![author, client_message_id]).await?;
    row.map(|row| {
        Ok(Earlier { id: row.get("id")?, thread: row.get("thread_id")?, request_hash: row.get("client_request_hash")? })
    })
    .transpose()
}

pub(crate) async fn insert(uow: &UnitOfWork, new: &Insert<'_>) -> Result<(), StorageError> {
    uow.execute(
        &INSERT_MESSAGE,
        params![
            new.id,
            new.thread,
            new.thread_seq,
            new.author,
            new.origin.as_str(),
            new.kind.as_str(),
            new.content_md,
            new.reply_to,
            new.system_code,
            new.client.map(|client| client.id),
            new.client.map(|client| client.request_hash),
            new.now
        ],
    )
    .await
    .map(drop)
}
