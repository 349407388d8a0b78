//! Messages as other modules read them, and the hook of those who act on a message that is written.

use bothy_chat::ThreadFacts;
use bothy_domain::action::ResourceKind;
use bothy_domain::actor::PrincipalKind;
use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, RunId, ThreadId};
use bothy_domain::message::{MessageKind, Origin};
use bothy_domain::policy::Resource;
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_identity::PrincipalRef;
use bothy_storage::UnitOfWork;
use futures::future::BoxFuture;

use crate::PlacedComponent;

/// A message as it is stored, with its author and complete content. A deleted one has none.
#[derive(Debug, Clone)]
pub struct StoredMessage {
    /// Its id.
    pub id: MessageId,
    /// Its thread.
    pub thread_id: ThreadId,
    /// The channel that its thread is in now.
    pub channel_id: ChannelId,
    /// Its place in the thread.
    pub thread_seq: i64,
    /// Who wrote it.
    pub author: PrincipalRef,
    /// Who really produced it; `None` for an origin that this version does not know (RC-3).
    pub origin: Option<Origin>,
    /// What it is.
    pub kind: MessageKind,
    /// What it says.
    pub content_md: String,
    /// The message that it answers, in the same thread.
    pub reply_to_message_id: Option<MessageId>,
    /// What a system line says.
    pub system_code: Option<String>,
    /// The name of whoever wrote an imported message elsewhere, when nobody here was named as its
    /// author. A name of somebody's choice: data, never an account.
    pub imported_author: Option<String>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it was last edited.
    pub edited_at: Option<Timestamp>,
    /// When it was deleted.
    pub deleted_at: Option<Timestamp>,
    /// What can be pressed under it; filled in where it is shown to people.
    pub components: Vec<PlacedComponent>,
}

/// A message as a target of decisions: it stands where its thread stands.
pub(crate) const fn resource(id: MessageId, author: PrincipalId, thread: &ThreadFacts) -> Resource {
    let mut resource = Resource::new(ResourceKind::Message, id.cast(), thread.path());
    resource.author = Some(author);
    resource
}

/// A message that is being written, for those who act on it in the same unit of work.
#[derive(Debug, Clone)]
pub struct WrittenMessage {
    /// Its id.
    pub id: MessageId,
    /// Its thread, as it is under the lock of the unit of work.
    pub thread: ThreadFacts,
    /// Its place in the thread.
    pub thread_seq: i64,
    /// Who writes it.
    pub author: PrincipalId,
    /// What kind of principal that is.
    pub author_kind: PrincipalKind,
    /// Who really produces it.
    pub origin: Origin,
    /// What it is.
    pub kind: MessageKind,
    /// Whom it mentions, in order, each once; only principals that may read it.
    pub mentions: Vec<PrincipalRef>,
    /// The run that an agent writes it in, when the agent showed its token.
    pub run: Option<RunId>,
    /// When it is written.
    pub created_at: Timestamp,
}

/// What came of a message. Only its author is told, once, in the answer.
#[derive(Debug, Clone, Default)]
pub struct Effects {
    /// The thread that was opened from the message for the runs that it started.
    pub thread_opened: Option<ThreadId>,
    /// The runs that it started.
    pub runs: Vec<RunId>,
    /// What the author must know, and nobody else.
    pub notices: Vec<Notice>,
}

/// A notice that only the author of a message sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    /// The agent that it is about.
    pub agent: PrincipalId,
    /// What it says, from a closed list.
    pub code: &'static str,
}

/// Acts on messages in the unit of work that writes them (implemented by runs).
pub trait MessageWritten: Send + Sync {
    /// Acts on a message that was written. System lines do not come here: nothing acts on them.
    ///
    /// # Errors
    /// Any problem undoes the message too.
    fn message_written<'a>(
        &'a self,
        uow: &'a UnitOfWork,
        message: &'a WrittenMessage,
    ) -> BoxFuture<'a, Result<Effects, Problem>>;

    /// Acts on a message that was deleted: what it started is to end, and what waits for it waits no
    /// longer.
    ///
    /// # Errors
    /// Any problem undoes the deletion too.
    fn message_deleted<'a>(
        &'a self,
        uow: &'a UnitOfWork,
        message: &'a DeletedMessage,
    ) -> BoxFuture<'a, Result<(), Problem>>;
}

/// A message that is being deleted, for those who act on it in the same unit of work. An edit has no
/// such hook: it never triggers an agent again (chapter 05 section 1).
#[derive(Debug, Clone)]
pub struct DeletedMessage {
    /// Its id.
    pub id: MessageId,
    /// Its thread; it stays where it is until the unit of work ends.
    pub thread: ThreadFacts,
    /// Who wrote it.
    pub author: PrincipalId,
}
