use bothy_chat::ThreadFacts;
use bothy_domain::ids::{MessageId, PrincipalId};
use bothy_domain::message::{MessageKind, Origin};
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_storage::UnitOfWork;

use crate::Messaging;
use crate::store::messages::{self, Insert};

/// What a system line can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemCode {
    /// The thread was closed.
    ThreadClosed,
    /// The thread was opened again.
    ThreadReopened,
    /// The thread was moved here. It does not say from where.
    ThreadMoved,
}

impl SystemCode {
    /// The word that is stored and sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ThreadClosed => "thread.closed",
            Self::ThreadReopened => "thread.reopened",
            Self::ThreadMoved => "thread.moved",
        }
    }
}

impl Messaging {
    /// Writes a line of the server into a thread, also into a closed one. The person who caused it
    /// is its author, but its origin is the server. It has no content, and nothing acts on it.
    ///
    /// # Errors
    /// `not_found` when the thread went away meanwhile.
    pub async fn write_system_line(
        &self,
        uow: &UnitOfWork,
        thread: &ThreadFacts,
        author: PrincipalId,
        code: SystemCode,
    ) -> Result<MessageId, Problem> {
        let insert = Insert {
            id: self.ids.next(),
            thread: thread.id,
            thread_seq: self.chat.next_seq(uow, thread.id).await?,
            author,
            origin: Origin::System,
            kind: MessageKind::System,
            content_md: "",
            reply_to: None,
            system_code: Some(code.as_str()),
            client: None,
            now: self.clock.now(),
        };
        messages::insert(uow, &insert).await.or_problem()?;
        self.tell_created(uow, thread, insert.id).await?;
        Ok(insert.id)
    }
}
