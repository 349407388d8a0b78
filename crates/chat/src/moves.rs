//! Moving a thread to another channel (chapter 05 section 2). Messaging judges the request on both
//! sides and writes the system line; here the row moves and both sides are told.

use bothy_authz::Touched;
use bothy_domain::action::Action;
use bothy_domain::actor::Actor;
use bothy_domain::event::EventKind;
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::forget_answers;
use bothy_storage::UnitOfWork;

use crate::chat::{gone, name_at};
use crate::store::threads as store;
use crate::threads::event;
use crate::{ChannelFacts, ChannelKind, Chat, ThreadFacts, ThreadKind};

/// How a thread is moved.
#[derive(Debug, Clone, Copy)]
pub struct ThreadMove<'a> {
    /// Who moves it.
    pub by: &'a Actor,
    /// The title that it gets; without one it keeps its own.
    pub title: Option<&'a str>,
    /// Whether its fixed operator stays. It has rights on the thread wherever that stands (AZ-4), so
    /// it may stay only if whoever moves the thread could have put it in charge there.
    pub keeps_operator: bool,
}

impl Chat {
    /// Begins a unit of work that moves a thread. Call it first, before anything is judged or locked.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn moving(&self, uow: &UnitOfWork) -> Result<(), Problem> {
        self.changing_rights(uow).await
    }

    /// Moves a thread to another channel of the tree. It keeps its id, messages, runs and parent
    /// message; in a forum it is a post, in a text channel a thread. Runs whose person may not instruct
    /// their agent there are asked to stop.
    ///
    /// Readers of both channels are told, each of their own channel alone.
    ///
    /// # Errors
    /// `conflict` for a main thread or from or into a direct message, `validation_failed` for a post
    /// without a title.
    pub async fn move_thread(
        &self,
        uow: &UnitOfWork,
        thread: &ThreadFacts,
        target: &ChannelFacts,
        how: ThreadMove<'_>,
    ) -> Result<ThreadFacts, Problem> {
        let kind = kind_in(thread, target)?;
        let title = how.title.map(|title| name_at("/title", title)).transpose()?;
        let title = title.as_deref().or(thread.title.as_deref());
        if kind == ThreadKind::Post && title.is_none() {
            return Err(Problem::invalid("/title", "is required in a forum"));
        }
        let operator = thread.fixed_operator.filter(|_| how.keeps_operator);
        store::set_channel(uow, thread.id, target.id, kind, title, operator).await.or_problem()?;
        // The kept answer to who opened it names the channel that it leaves.
        forget_answers(uow, thread.id.cast()).await?;
        let detail = ("channel", target.id.to_string());
        self.record(uow, how.by, Action::ThreadMove, thread.id.cast(), Some(detail)).await?;
        let moved = self.thread(uow, thread.id).await?.ok_or_else(gone)?;
        for side in [thread, &moved] {
            self.tell(uow, event(EventKind::ThreadMoved, side)).await?;
        }
        self.rights_changed(uow, Touched::Channel(target.id)).await?;
        Ok(moved)
    }
}

/// What the thread is in the other channel.
fn kind_in(thread: &ThreadFacts, target: &ChannelFacts) -> Result<ThreadKind, Problem> {
    match (thread.kind, target.kind) {
        (ThreadKind::Main, _) => Err(Problem::conflict("a main thread stays with its channel")),
        (_, ChannelKind::Text) => Ok(ThreadKind::Thread),
        (_, ChannelKind::Forum) => Ok(ThreadKind::Post),
        (_, ChannelKind::Direct) => Err(Problem::conflict("a direct message has one thread only")),
    }
}
