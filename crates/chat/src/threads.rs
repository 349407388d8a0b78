//! Threads: list, read, rename, put an agent in charge, and what other modules do with them.

use bothy_authz::Touched;
use bothy_domain::action::{Action, actions};
use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::{ChannelId, Id, PrincipalId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{Reader, UnitOfWork, work};
use uuid::Uuid;

use crate::chat::{changed_meanwhile, gone, name_at};
use crate::store::threads::{self as store, Beyond, Wanted};
use crate::{Chat, NewThread, ThreadFacts, ThreadKind, ThreadState, Within};

/// Which threads of a channel, and in which order.
#[derive(Debug, Clone)]
pub(crate) struct ThreadList {
    pub(crate) state: Option<ThreadState>,
    pub(crate) newest_first: bool,
    pub(crate) paging: Paging,
}

impl ThreadList {
    fn wanted(&self) -> Result<Wanted, Problem> {
        let last: Option<ThreadId> = self.paging.after_id()?;
        let beyond = if self.newest_first {
            Beyond::Before(last.unwrap_or(Id::from_uuid(Uuid::max())))
        } else {
            Beyond::After(last.unwrap_or(Id::from_uuid(Uuid::nil())))
        };
        let wants = |state| self.state.is_none_or(|only| only == state);
        Ok(Wanted { open: wants(ThreadState::Open), closed: wants(ThreadState::Closed), beyond })
    }
}

impl Chat {
    /// The threads of a channel, in the order in which they were opened or the other way round.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub(crate) async fn list_channel_threads(
        &self,
        allowed: Allowed<actions::ChannelRead>,
        list: &ThreadList,
    ) -> Result<Page<ThreadFacts>, Problem> {
        let scope = allowed.scope::<actions::ThreadRead>().await?;
        let (wanted, paging) = (list.wanted()?, &list.paging);
        let reader = self.reader().await?;
        let found = store::of_channel(&reader, &scope, allowed.id(), wanted, paging.fetch()).await.or_problem()?;
        Ok(page(found, paging.limit, |last| Cursor::id(last.id))
            .retain(|thread| allowed.judge().keeps(Action::ThreadRead, &thread.resource())))
    }

    /// One thread.
    ///
    /// # Errors
    /// `not_found` when it went away meanwhile.
    pub async fn get_thread(&self, allowed: Allowed<actions::ThreadRead>) -> Result<ThreadFacts, Problem> {
        self.thread(&self.reader().await?, allowed.id()).await?.ok_or_else(gone)
    }

    /// Gives a thread another title. The request must name the version that it read.
    ///
    /// # Errors
    /// `conflict` when it has another version or is a main thread, `validation_failed` for a title that
    /// cannot be taken.
    pub async fn update_thread(
        &self,
        allowed: Allowed<actions::ThreadUpdate>,
        title: Option<&str>,
    ) -> Result<ThreadFacts, Problem> {
        let title = title.map(|title| name_at("/title", title)).transpose()?;
        let (id, title, allowed) = (allowed.id(), title.as_deref(), &allowed);
        transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                let current = self.thread(uow, id).await?.ok_or_else(gone)?;
                allowed.require_version(current.version)?;
                if current.kind == ThreadKind::Main {
                    return Err(Problem::conflict("a main thread has no title").into());
                }
                let Some(title) = title.filter(|title| current.title.as_deref() != Some(*title)) else {
                    return Ok(current);
                };
                if !store::retitle(uow, id, current.version, title).await? {
                    return Err(changed_meanwhile().into());
                }
                self.tell(uow, event(EventKind::ThreadUpdated, &current)).await?;
                Ok(self.thread(uow, id).await?.ok_or_else(gone)?)
            })
        })
        .await
    }

    /// Fixes the operator of a thread (AZ-4), or leaves it to the channel.
    ///
    /// # Errors
    /// `conflict` for a main thread, `validation_failed` when there is no such active agent.
    pub async fn set_thread_operator(
        &self,
        allowed: Allowed<actions::ThreadOperatorSet>,
        operator: Option<PrincipalId>,
    ) -> Result<ThreadFacts, Problem> {
        let (id, allowed) = (allowed.id(), &allowed);
        transact(&self.database, |uow| {
            work(async move {
                self.changing_rights(uow).await?;
                allowed.judged_in(uow).await?;
                let thread = self.thread(uow, id).await?.ok_or_else(gone)?;
                if thread.kind == ThreadKind::Main {
                    return Err(Problem::conflict("a main thread follows the operator of its channel").into());
                }
                self.require_agent(uow, operator).await?;
                store::set_operator(uow, id, operator).await?;
                self.record_operator(uow, allowed.actor(), Action::ThreadOperatorSet, id.cast(), operator).await?;
                self.tell(uow, event(EventKind::ThreadUpdated, &thread)).await?;
                self.rights_changed(uow, Touched::Channel(thread.channel.id)).await?;
                Ok(self.thread(uow, id).await?.ok_or_else(gone)?)
            })
        })
        .await
    }

    /// What is known of a thread; not judged.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn thread(&self, reader: &Reader, id: ThreadId) -> Result<Option<ThreadFacts>, Problem> {
        store::by_id(reader, id).await.or_problem()
    }

    /// Those of the threads that exist, in no certain order; one query, however many there are. Not
    /// judged.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn threads(&self, reader: &Reader, ids: &[ThreadId]) -> Result<Vec<ThreadFacts>, Problem> {
        store::by_ids(reader, ids).await.or_problem()
    }

    /// The main thread of a channel; forums have none. Not judged.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn main_thread(&self, reader: &Reader, channel: ChannelId) -> Result<Option<ThreadFacts>, Problem> {
        store::main_of(reader, channel).await.or_problem()
    }

    /// Those of the threads that stand in a part of the tree now, in no certain order; one query,
    /// however many there are. Not judged.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn threads_in(
        &self,
        reader: &Reader,
        threads: &[ThreadId],
        part: Within,
    ) -> Result<Vec<ThreadId>, Problem> {
        if threads.is_empty() {
            return Ok(Vec::new());
        }
        store::within(reader, threads, part).await.or_problem()
    }

    /// Takes the next sequence number of a thread. It is gapless, because it is taken in the unit
    /// of work that writes the message: the row stays locked until that ends.
    ///
    /// # Errors
    /// `not_found` when there is no such thread.
    pub async fn next_seq(&self, uow: &UnitOfWork, thread: ThreadId) -> Result<i64, Problem> {
        store::next_seq(uow, thread).await.or_problem()?.ok_or_else(gone)
    }

    /// Opens a thread. A message has at most one.
    ///
    /// # Errors
    /// `conflict` when the parent message has a thread, `validation_failed` for a title that cannot
    /// be taken.
    pub async fn open_thread(&self, uow: &UnitOfWork, mut new: NewThread) -> Result<ThreadId, Problem> {
        new.title = new.title.map(|title| name_at("/title", &title)).transpose()?;
        let id = self.ids.next();
        store::insert(uow, id, &new, self.clock.now())
            .await
            .or_conflict(store::PARENT_INDEX, "the message has a thread already")?;
        let mut event = NewEvent::new(EventKind::ThreadCreated, Audience::Channel(new.channel));
        event.space = new.space;
        event.channel = Some(new.channel);
        event.thread = Some(id);
        event.message = new.parent_message;
        self.tell(uow, event).await?;
        Ok(id)
    }

    /// Closes a thread, or opens it again; says whether that changed anything. The system line is
    /// written by messaging, which calls this.
    ///
    /// # Errors
    /// `conflict` for a main thread.
    pub async fn set_thread_closed(
        &self,
        uow: &UnitOfWork,
        thread: &ThreadFacts,
        closed: bool,
    ) -> Result<bool, Problem> {
        if thread.kind == ThreadKind::Main {
            return Err(Problem::conflict("a main thread is as open as its channel"));
        }
        let changed = store::set_closed(uow, thread.id, closed.then(|| self.clock.now())).await.or_problem()?;
        if changed {
            self.tell(uow, event(EventKind::ThreadUpdated, thread)).await?;
        }
        Ok(changed)
    }
}

/// An event about a thread for the readers of the channel that it is in.
pub(crate) fn event(kind: EventKind, thread: &ThreadFacts) -> NewEvent {
    let mut event = NewEvent::new(kind, Audience::Channel(thread.channel.id));
    event.space = thread.channel.space;
    event.channel = Some(thread.channel.id);
    event.thread = Some(thread.id);
    event
}
