//! What only one person is told.

use bothy_chat::join_thread;
use bothy_domain::ids::{ChannelId, MessageId, NoticeId, PrincipalId, RunId, SpaceId, ThreadId};
use bothy_domain::time::Timestamp;
use bothy_platform::visible_channel;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, Value, params, statements};

/// The columns of [`NoticeRow`], with the place of the thread.
macro_rules! notice_select {
    () => {
        concat!(
            "SELECT n.id, n.thread_id, n.message_id, n.agent_id, n.run_id, n.code, n.created_at,",
            " c.id AS channel_id, c.space_id FROM notices n",
            join_thread!("n.thread_id"),
            " "
        )
    };
}

statements! {
    /// A page of the notices for somebody about channels that a scope shows, newest first.
    NOTICES_OF = concat!(
        notice_select!(), "WHERE n.principal_id = $4 AND n.id < $5 AND ", visible_channel!("c", "$1", "$2", "$3"),
        " ORDER BY n.id DESC LIMIT $6"
    );
    /// One notice for somebody.
    NOTICE_FOR = concat!(notice_select!(), "WHERE n.id = $1 AND n.principal_id = $2");
    /// Keeps a notice.
    INSERT_NOTICE =
        "INSERT INTO notices (id, principal_id, thread_id, message_id, agent_id, run_id, code, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    /// Of the notices for somebody, the newest stay.
    TRIM_NOTICES =
        "DELETE FROM notices WHERE principal_id = $1 AND id IN \
           (SELECT id FROM notices WHERE principal_id = $1 ORDER BY id DESC LIMIT 10000 OFFSET $2)";
    /// Somebody has seen a notice.
    DISMISS_NOTICE = "DELETE FROM notices WHERE id = $1 AND principal_id = $2";
    /// The notices about a message go with it.
    FORGET_NOTICES = "DELETE FROM notices WHERE message_id = $1";
}

/// A row of `notices`, with the place that its thread stands in now.
#[derive(Debug, Clone)]
pub(crate) struct NoticeRow {
    pub(crate) id: NoticeId,
    pub(crate) thread: ThreadId,
    pub(crate) channel: ChannelId,
    pub(crate) space: Option<SpaceId>,
    pub(crate) message: Option<MessageId>,
    pub(crate) agent: Option<PrincipalId>,
    pub(crate) run: Option<RunId>,
    pub(crate) code: String,
    pub(crate) created_at: Timestamp,
}

/// A notice to be kept.
pub(crate) struct Insert {
    pub(crate) id: NoticeId,
    pub(crate) person: PrincipalId,
    pub(crate) thread: ThreadId,
    pub(crate) message: Option<MessageId>,
    pub(crate) agent: Option<PrincipalId>,
    pub(crate) run: Option<RunId>,
    pub(crate) code: &'static str,
    pub(crate) now: Timestamp,
}

fn notice_of(row: &Row) -> Result<NoticeRow, StorageError> {
    Ok(NoticeRow {
        id: row.get("id")?,
        thread: row.get("thread_id")?,
        channel: row.get("channel_id")?,
        space: row.get("space_id")?,
        message: row.get("message_id")?,
        agent: row.get("agent_id")?,
        run: row.get("run_id")?,
        code: row.get("code")?,
        created_at: row.get("created_at")?,
    })
}

/// The notices before `before` for somebody, newest first, as far as a scope shows their channels.
pub(crate) async fn of(
    reader: &Reader,
    scope: [Value; 3],
    principal: PrincipalId,
    before: NoticeId,
    limit: i64,
) -> Result<Vec<NoticeRow>, StorageError> {
    let [instance_wide, spaces, channels] = scope;
    let params = [instance_wide, spaces, channels, principal.into(), before.into(), limit.into()];
    reader.all(&NOTICES_OF, &params).await?.iter().map(notice_of).collect()
}

/// One notice, if it is for this principal.
pub(crate) async fn one(
    reader: &Reader,
    principal: PrincipalId,
    id: NoticeId,
) -> Result<Option<NoticeRow>, StorageError> {
    reader.optional(&NOTICE_FOR, params![id, principal]).await?.as_ref().map(notice_of).transpose()
}

/// Keeps a notice, and of all notices for its person the newest `max`.
pub(crate) async fn insert(uow: &UnitOfWork, new: &Insert, max: i64) -> Result<(), StorageError> {
    let params = params![new.id, new.person, new.thread, new.message, new.agent, new.run, new.code, new.now];
    uow.execute(&INSERT_NOTICE, params).await?;
    uow.execute(&TRIM_NOTICES, params![new.person, max]).await.map(drop)
}

pub(crate) async fn dismiss(uow: &UnitOfWork, principal: PrincipalId, id: NoticeId) -> Result<(), StorageError> {
    uow.execute(&DISMISS_NOTICE, params![id, principal]).await.map(drop)
}

pub(crate) async fn forget(uow: &UnitOfWork, message: MessageId) -> Result<(), StorageError> {
    uow.execute(&FORGET_NOTICES, params![message]).await.map(drop)
}
