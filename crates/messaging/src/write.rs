//! Writing a message in a unit of work.

use bothy_chat::ThreadFacts;
use bothy_domain::actor::PrincipalKind;
use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::{MessageId, PrincipalId, RunId, ThreadId};
use bothy_domain::message::{MessageKind, Origin};
use bothy_domain::problem::Problem;
use bothy_identity::PrincipalRef;
use bothy_platform::failure::OrProblem;
use bothy_storage::UnitOfWork;

use crate::messaging::gone;
use crate::search::index;
use crate::store::messages::{self, CLIENT_ID_INDEX, ClientId, Insert, MessageRow};
use crate::{Effects, Messaging, WrittenMessage};

/// A message to be written. Content, reply and mentions were checked.
#[derive(Debug, Clone, Copy)]
pub struct NewMessage<'a> {
    /// Into which thread.
    pub thread: ThreadId,
    /// Who writes it.
    pub author: PrincipalId,
    /// What kind of principal that is.
    pub author_kind: PrincipalKind,
    /// Who really produces it.
    pub origin: Origin,
    /// What it is; system lines are written by [`Messaging::write_system_line`].
    pub kind: MessageKind,
    /// What it says.
    pub content_md: &'a str,
    /// The message of the same thread that it answers.
    pub reply_to: Option<MessageId>,
    /// Whom it mentions.
    pub mentions: &'a [PrincipalRef],
    /// The run that an agent writes it in, when the agent showed its token.
    pub run: Option<RunId>,
    pub(crate) client: Option<ClientId<'a>>,
}

impl<'a> NewMessage<'a> {
    /// A text that answers nothing and mentions nobody.
    pub const fn text(thread: ThreadId, author: PrincipalId, author_kind: PrincipalKind, content_md: &'a str) -> Self {
        Self {
            thread,
            author,
            author_kind,
            origin: origin_of(author_kind),
            kind: MessageKind::Text,
            content_md,
            reply_to: None,
            mentions: &[],
            run: None,
            client: None,
        }
    }
}

/// The origin that a credential stands for, by the kind of its principal.
pub(crate) const fn origin_of(kind: PrincipalKind) -> Origin {
    match kind {
        PrincipalKind::Person => Origin::Human,
        PrincipalKind::Agent => Origin::Agent,
        PrincipalKind::App => Origin::App,
    }
}

/// A message that was written, and what came of it.
pub(crate) struct Outcome {
    pub(crate) row: MessageRow,
    pub(crate) thread: ThreadFacts,
    pub(crate) effects: Effects,
}

impl Messaging {
    /// Writes a message, tells of it, and lets [`crate::MessageWritten`] act on it. The thread is
    /// locked until the unit of work ends.
    ///
    /// # Errors
    /// `conflict` when the thread is closed; any problem of the hook.
    pub async fn write_message(&self, uow: &UnitOfWork, new: &NewMessage<'_>) -> Result<(MessageId, Effects), Problem> {
        self.write(uow, new).await.map(|outcome| (outcome.row.id, outcome.effects))
    }

    pub(crate) async fn write(&self, uow: &UnitOfWork, new: &NewMessage<'_>) -> Result<Outcome, Problem> {
        let thread_seq = self.chat.next_seq(uow, new.thread).await?;
        // Read under the lock, so that nobody closes or moves the thread in between.
        let thread = self.chat.thread(uow, new.thread).await?.ok_or_else(gone)?;
        if thread.closed {
            return Err(Problem::conflict("the thread is closed"));
        }
        let row = MessageRow {
            id: self.ids.next(),
            thread: new.thread,
            thread_seq,
            author: new.author,
            origin: Some(new.origin),
            kind: new.kind,
            content_md: new.content_md.to_owned(),
            reply_to: new.reply_to,
            system_code: None,
            imported_author: None,
            created_at: self.clock.now(),
            edited_at: None,
            deleted_at: None,
        };
        let insert = Insert {
            id: row.id,
            thread: row.thread,
            thread_seq,
            author: row.author,
            origin: new.origin,
            kind: row.kind,
            content_md: new.content_md,
            reply_to: row.reply_to,
            system_code: None,
            client: new.client,
            now: row.created_at,
        };
        messages::insert(uow, &insert).await.or_conflict(CLIENT_ID_INDEX, CLIENT_ID_TAKEN)?;
        index::add(uow, thread.channel.id, row.id, new.content_md).await.or_problem()?;
        self.write_mentions(uow, &thread, &row, new.mentions).await?;
        self.follow(uow, &thread, row.author).await?;
        self.tell_created(uow, &thread, row.id).await?;
        let written = WrittenMessage {
            id: row.id,
            thread,
            thread_seq,
            author: row.author,
            author_kind: new.author_kind,
            origin: new.origin,
            kind: row.kind,
            mentions: new.mentions.to_vec(),
            run: new.run,
            created_at: row.created_at,
        };
        let effects = match self.message_written()? {
            Some(hook) => hook.message_written(uow, &written).await?,
            None => Effects::default(),
        };
        Ok(Outcome { row, thread: written.thread, effects })
    }

    /// Tells whoever may read the channel of a new message.
    pub(crate) async fn tell_created(
        &self,
        uow: &UnitOfWork,
        thread: &ThreadFacts,
        message: MessageId,
    ) -> Result<(), Problem> {
        self.tell(uow, EventKind::MessageCreated, thread, message).await
    }

    /// Tells whoever may read the channel that something happened to a message.
    pub(crate) async fn tell(
        &self,
        uow: &UnitOfWork,
        kind: EventKind,
        thread: &ThreadFacts,
        message: MessageId,
    ) -> Result<(), Problem> {
        let mut event = NewEvent::new(kind, Audience::Channel(thread.channel.id));
        event.space = thread.channel.space;
        event.channel = Some(thread.channel.id);
        event.thread = Some(thread.id);
        event.message = Some(message);
        self.events.append(uow, &[event]).await.or_problem()
    }
}

/// What a racing request with the same id of the client meets; `create` then looks at what is there.
pub(crate) const CLIENT_ID_TAKEN: &str = "the client_message_id was used for another message";
