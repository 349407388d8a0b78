//! Request lines (RC-17): what a person asks of an agent by a command or a component, recorded in the
//! thread as a message of that person.

use bothy_chat::ThreadFacts;
use bothy_domain::actor::PrincipalKind;
use bothy_domain::ids::{MessageId, PrincipalId, ThreadId};
use bothy_domain::message::{MessageKind, Origin};
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, UnitOfWork};

use crate::content::check_content;
use crate::store::standing;
use crate::{Messaging, NewMessage};

/// A request line that was written.
#[derive(Debug, Clone)]
pub struct WrittenRequest {
    /// Its message.
    pub message: MessageId,
    /// Its thread, as it is under the lock of the unit of work.
    pub thread: ThreadFacts,
    /// Its place in the thread.
    pub thread_seq: i64,
}

impl Messaging {
    /// Writes what a person asked for as a message of that person. Nothing acts on it as on a text: it
    /// mentions nobody, and whoever writes it says what it starts.
    ///
    /// # Errors
    /// `validation_failed` when it is too long, `conflict` when the thread is closed.
    pub async fn write_request(
        &self,
        uow: &UnitOfWork,
        thread: ThreadId,
        person: PrincipalId,
        content_md: &str,
        reply_to: Option<MessageId>,
    ) -> Result<WrittenRequest, Problem> {
        check_content(content_md, self.config.message.max_bytes.to_usize())?;
        let new = NewMessage {
            kind: MessageKind::RunRequest,
            reply_to,
            ..NewMessage::text(thread, person, PrincipalKind::Person, content_md)
        };
        let outcome = self.write(uow, &new).await?;
        Ok(WrittenRequest { message: outcome.row.id, thread: outcome.thread, thread_seq: outcome.row.thread_seq })
    }

    /// What is known of a message without reading it; for a target that was judged.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn message_standing(
        &self,
        reader: &Reader,
        message: MessageId,
    ) -> Result<Option<MessageStanding>, Problem> {
        standing::one(reader, message).await.or_problem()
    }
}

/// What is known of a message without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageStanding {
    /// Its thread.
    pub thread: ThreadId,
    /// Its author.
    pub author: PrincipalId,
    /// Who really produced it; `None` for an origin that this version does not know.
    pub origin: Option<Origin>,
    /// Whether it was deleted.
    pub deleted: bool,
}
