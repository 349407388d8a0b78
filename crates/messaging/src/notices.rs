//! What one person is told and nobody else, such as that an agent does not answer (AF-23). It says
//! what kind of thing happened, in one word, and names nothing that the person may not see.

use bothy_chat::ThreadFacts;
use bothy_domain::action::{Action, ResourceKind, actions};
use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::{ChannelId, Id, MessageId, NoticeId, PrincipalId, RunId, ThreadId};
use bothy_domain::policy::{Resource, Scope};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_platform::visible::scope_params;
use bothy_storage::{Reader, UnitOfWork, work};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::Messaging;
use crate::shown::path_in;
use crate::store::notices::{self, Insert, NoticeRow};

/// Something that one person is to be told.
#[derive(Debug, Clone, Copy)]
pub struct NewNotice<'a> {
    /// Whom.
    pub person: PrincipalId,
    /// In which thread it is shown.
    pub thread: &'a ThreadFacts,
    /// Which message it is about. The notice goes when the message is deleted.
    pub message: Option<MessageId>,
    /// Which agent it is about.
    pub agent: Option<PrincipalId>,
    /// Which run it is about.
    pub run: Option<RunId>,
    /// What it says, from a closed list.
    pub code: &'static str,
}

/// Something that only you are told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PrivateNotice")]
pub struct NoticeView {
    /// The notice.
    pub notice_id: NoticeId,
    /// What it says, in one word. A mentioned agent does not answer: `agents_not_admitted`,
    /// `agent_not_allowed`, `agent_unavailable`, `too_many_agents`. Your run was stopped at something that
    /// its agent may do and you may not: `stopped_reading`, `stopped_writing`, `stopped_managing`. Your run
    /// ends because rights have ended: `run_access_revoked`.
    pub code: String,
    /// The thread that it belongs to.
    pub thread_id: ThreadId,
    /// The channel that the thread is in now.
    pub channel_id: ChannelId,
    /// The message that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// The agent that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<PrincipalId>,
    /// The run that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// When it was written.
    pub created_at: Timestamp,
}

impl From<NoticeRow> for NoticeView {
    fn from(row: NoticeRow) -> Self {
        Self {
            notice_id: row.id,
            code: row.code,
            thread_id: row.thread,
            channel_id: row.channel,
            message_id: row.message,
            agent_id: row.agent,
            run_id: row.run,
            created_at: row.created_at,
        }
    }
}

impl Messaging {
    /// Keeps a notice for one person, and tells that person. Of all notices for somebody the newest
    /// `message.max_notices` are kept.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn notify(&self, uow: &UnitOfWork, new: &NewNotice<'_>) -> Result<(), Problem> {
        let insert = Insert {
            id: self.ids.next(),
            person: new.person,
            thread: new.thread.id,
            message: new.message,
            agent: new.agent,
            run: new.run,
            code: new.code,
            now: self.clock.now(),
        };
        let max = i64::try_from(self.config.message.max_notices.get()).unwrap_or(i64::MAX);
        notices::insert(uow, &insert, max).await.or_problem()?;
        let event = NewEvent {
            space: new.thread.channel.space,
            channel: Some(new.thread.channel.id),
            thread: Some(new.thread.id),
            message: new.message,
            run: new.run,
            subject: Some(insert.id.cast()),
            ..NewEvent::new(EventKind::NoticeCreated, Audience::Principal(new.person))
        };
        self.events.append(uow, &[event]).await.or_problem()
    }

    /// One notice for somebody, as far as a scope shows its channel.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn my_notice(
        &self,
        reader: &Reader,
        scope: &Scope,
        principal: PrincipalId,
        notice: NoticeId,
    ) -> Result<Option<NoticeView>, Problem> {
        let found = notices::one(reader, principal, notice).await.or_problem()?;
        Ok(found.filter(|row| scope.shows_channel(row.space, row.channel)).map(NoticeView::from))
    }

    /// The notices for the caller, newest first. What is about a channel that the caller cannot see
    /// any more is not shown.
    ///
    /// # Errors
    /// `validation_failed` for a cursor of another list.
    pub(crate) async fn list_my_notices(
        &self,
        allowed: Allowed<actions::SelfRead>,
        paging: &Paging,
    ) -> Result<Page<NoticeView>, Problem> {
        let scope = allowed.scope::<actions::ThreadRead>().await?;
        let reader = self.reader().await?;
        let before = paging.after_id()?.unwrap_or(Id::from_uuid(Uuid::max()));
        let principal = allowed.actor().principal;
        let found = notices::of(&reader, scope_params(&scope), principal, before, paging.fetch()).await.or_problem()?;
        let shown = page(found, paging.limit, |last| Cursor::id(last.id)).retain(|row| {
            let path = path_in(row.space, row.channel, row.thread);
            allowed.judge().keeps(Action::ThreadRead, &Resource::new(ResourceKind::Thread, row.thread.cast(), path))
        });
        Ok(shown.map(NoticeView::from))
    }

    /// The caller has seen a notice. One that is gone, or that is somebody else's, changes nothing, and
    /// the answer tells nothing of it.
    ///
    /// # Errors
    /// `validation_failed` when the path names no id.
    pub(crate) async fn dismiss_notice(&self, allowed: Allowed<actions::SelfRead>) -> Result<(), Problem> {
        let notice: NoticeId = allowed.path_id("notice_id")?;
        let principal = allowed.actor().principal;
        transact(&self.database, |uow| work(async move { Ok(notices::dismiss(uow, principal, notice).await?) })).await
    }
}
