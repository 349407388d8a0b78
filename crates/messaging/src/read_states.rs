//! How far people have read, and what they have not read yet.
//!
//! A person follows the main threads of the channels that they may read, and every other thread that
//! they wrote in, were mentioned in, or marked. What counts as unread is counted anew at each
//! request, over what is visible now: no counter is kept that could be wrong. The work has a bound
//! (`message.unread_count_max` for each thread), whatever the size of the instance.

use bothy_chat::{ThreadFacts, ThreadKind};
use bothy_domain::action::{Action, ResourceKind, actions};
use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::{ChannelId, Id, PrincipalId, SpaceId, ThreadId};
use bothy_domain::policy::{Resource, Scope};
use bothy_domain::problem::Problem;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{Reader, UnitOfWork, work};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::Messaging;
use crate::messaging::gone;
use crate::shown::path_in;
use crate::store::read_states;

/// How far somebody has read in a thread, and what is unread there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ThreadUnread {
    /// The thread.
    pub thread_id: ThreadId,
    /// The channel that it is in now.
    pub channel_id: ChannelId,
    /// The space of that channel; a direct message has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space_id: Option<SpaceId>,
    /// The newest place in the thread.
    pub last_seq: i64,
    /// The place up to which it was read.
    pub last_read_seq: i64,
    /// How many unread messages there are: neither deleted nor one's own, and no lines of the server.
    pub unread_count: i64,
    /// In how many unread messages one is mentioned.
    pub mention_count: i64,
    /// There and true when there is more unread than is counted: the counts are then the least that
    /// there is.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub capped: bool,
}

impl ThreadUnread {
    /// The thread as a target of decisions.
    pub fn resource(&self) -> Resource {
        let path = path_in(self.space_id, self.channel_id, self.thread_id);
        Resource::new(ResourceKind::Thread, self.thread_id.cast(), path)
    }
}

/// Which of the threads that somebody follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadPage {
    /// Only threads with a greater id.
    pub after: Option<ThreadId>,
    /// At most so many.
    pub limit: u32,
}

/// How far somebody says to have read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadMark {
    /// The place in the thread; one behind the end counts as the end.
    pub last_read_seq: i64,
    /// Whether the mark may go back, so that what was read is unread again.
    pub back: bool,
}

impl Messaging {
    /// The threads that somebody follows in the channels that a scope shows, with what is unread
    /// there, by thread id. Archived channels count for nobody (C91). The scope is the whole check:
    /// whoever shows the result to a bound agent passes the scope of its run.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn unread(
        &self,
        reader: &Reader,
        scope: &Scope,
        principal: PrincipalId,
        page: UnreadPage,
    ) -> Result<Vec<ThreadUnread>, Problem> {
        let after = page.after.unwrap_or(Id::from_uuid(Uuid::nil()));
        let limit = i64::from(page.limit);
        read_states::unread(reader, scope, principal, after, limit, self.unread_cap()).await.or_problem()
    }

    /// The same for certain threads, whether they are followed or not. Those that the scope does not
    /// show, and archived ones, are left out.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn unread_in(
        &self,
        reader: &Reader,
        scope: &Scope,
        principal: PrincipalId,
        threads: &[ThreadId],
    ) -> Result<Vec<ThreadUnread>, Problem> {
        read_states::unread_in(reader, scope, principal, threads, self.unread_cap()).await.or_problem()
    }

    /// Says how far the caller has read in a thread. The mark only grows, so that two devices of one
    /// person do not fight; `back` sets it as it is said. The caller follows the thread from then on.
    ///
    /// # Errors
    /// `validation_failed` for a negative place.
    pub async fn set_read_state(
        &self,
        allowed: Allowed<actions::ReadStateSet>,
        mark: ReadMark,
    ) -> Result<ThreadUnread, Problem> {
        if mark.last_read_seq < 0 {
            return Err(Problem::invalid("/last_read_seq", "must not be negative"));
        }
        let (id, principal): (ThreadId, PrincipalId) = (allowed.id(), allowed.actor().principal);
        let scope = allowed.scope::<actions::ThreadRead>().await?;
        let (allowed, scope) = (&allowed, &scope);
        transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                let thread = self.chat.thread(uow, id).await?.ok_or_else(gone)?;
                let last_seq = read_states::newest_seq(uow, id).await?;
                let read = mark.last_read_seq.min(last_seq);
                if read_states::set(uow, principal, id, read, mark.back, self.clock.now()).await? {
                    self.events.append(uow, &[read_on(&thread, principal)]).await?;
                }
                let unread = self.unread_in(uow, scope, principal, &[id]).await?.pop();
                Ok(unread.unwrap_or_else(|| nothing_unread(&thread, last_seq)))
            })
        })
        .await
    }

    /// The threads that the caller follows, by thread id.
    ///
    /// # Errors
    /// `validation_failed` for a cursor of another list.
    pub(crate) async fn list_my_read_states(
        &self,
        allowed: Allowed<actions::ThreadRead>,
        paging: &Paging,
    ) -> Result<Page<ThreadUnread>, Problem> {
        let scope = allowed.scope::<actions::ThreadRead>().await?;
        let reader = self.reader().await?;
        let limit = paging.limit.saturating_add(1);
        let found = self
            .unread(&reader, &scope, allowed.actor().principal, UnreadPage { after: paging.after_id()?, limit })
            .await?;
        Ok(page(found, paging.limit, |last| Cursor::id(last.thread_id))
            .retain(|one| allowed.judge().keeps(Action::ThreadRead, &one.resource())))
    }

    /// Somebody follows a thread from now on. Main threads are followed by whoever may read them.
    pub(crate) async fn follow(
        &self,
        uow: &UnitOfWork,
        thread: &ThreadFacts,
        principal: PrincipalId,
    ) -> Result<(), Problem> {
        if thread.kind == ThreadKind::Main {
            return Ok(());
        }
        read_states::follow(uow, principal, thread.id, self.clock.now()).await.or_problem()
    }

    fn unread_cap(&self) -> i64 {
        i64::try_from(self.config.message.unread_count_max.get()).unwrap_or(i64::MAX)
    }
}

/// Nothing of an archived channel is unread.
fn nothing_unread(thread: &ThreadFacts, last_seq: i64) -> ThreadUnread {
    ThreadUnread {
        thread_id: thread.id,
        channel_id: thread.channel.id,
        space_id: thread.channel.space,
        last_seq,
        last_read_seq: last_seq,
        unread_count: 0,
        mention_count: 0,
        capped: false,
    }
}

/// Tells the other clients of a person.
fn read_on(thread: &ThreadFacts, principal: PrincipalId) -> NewEvent {
    NewEvent {
        space: thread.channel.space,
        channel: Some(thread.channel.id),
        thread: Some(thread.id),
        ..NewEvent::new(EventKind::ReadStateUpdated, Audience::Principal(principal))
    }
}
