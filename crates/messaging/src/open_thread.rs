use bothy_chat::{ChannelFacts, ChannelKind, NewThread, ThreadFacts, ThreadKind};
use bothy_domain::action::actions;
use bothy_domain::ids::{ChannelId, MessageId};
use bothy_domain::message::MessageKind;
use bothy_domain::problem::Problem;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_storage::{Reader, work};

use crate::content::check_content;
use crate::create::refused;
use crate::messaging::gone;
use crate::store::messages;
use crate::write::NewMessage;
use crate::{Effects, Messaging};

/// What a request to open a thread asks for.
#[derive(Debug, Clone)]
pub(crate) struct ThreadDraft {
    pub(crate) parent_message: Option<MessageId>,
    pub(crate) title: Option<String>,
    /// The first message in it.
    pub(crate) content_md: Option<String>,
}

/// A thread that was opened, and what came of its first message.
#[derive(Debug)]
pub(crate) struct OpenedThread {
    pub(crate) thread: ThreadFacts,
    /// The first message, if one was asked for.
    pub(crate) message: Option<MessageId>,
    pub(crate) effects: Effects,
}

impl Messaging {
    /// Opens a thread: in a text channel from a message of the main thread, in a forum as a post with a
    /// title. With content, its first message is written in the same unit of work.
    ///
    /// # Errors
    /// `validation_failed` when the channel needs something else, the parent message cannot have a
    /// thread, or the content cannot be taken; `conflict` when the parent has one, or in a direct
    /// message.
    pub(crate) async fn create_thread(
        &self,
        allowed: Allowed<actions::ThreadCreate>,
        draft: ThreadDraft,
    ) -> Result<OpenedThread, Problem> {
        let id: ChannelId = allowed.id();
        let mut mentions = Vec::new();
        if let Some(content_md) = &draft.content_md {
            check_content(content_md, self.config.message.max_bytes.to_usize())?;
            let reader = self.reader().await?;
            // Nobody is fixed as operator of a new thread: who reads the channel reads it.
            mentions = self.mentioned(&reader, &allowed.resource().path, content_md).await?;
        }
        let (allowed, draft, mentions) = (&allowed, &draft, mentions.as_slice());
        transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                allowed.takes_effect(uow).await?;
                let channel = self.chat.channel(uow, id).await?.ok_or_else(gone)?;
                let kind = self.kind_of(uow, &channel, draft).await?;
                let author = allowed.actor();
                let new = NewThread {
                    channel: id,
                    space: channel.space,
                    kind,
                    parent_message: draft.parent_message,
                    title: draft.title.clone(),
                    created_by: author.principal,
                };
                let thread = self.chat.open_thread(uow, new).await?;
                let mut first = None;
                let mut effects = Effects::default();
                if let Some(content_md) = &draft.content_md {
                    let new = NewMessage {
                        mentions,
                        run: author.acting_for.binding().map(|binding| binding.run),
                        ..NewMessage::text(thread, author.principal, author.kind, content_md)
                    };
                    let (message, came) =
                        self.write_message(uow, &new).await.map_err(|problem| refused(allowed, problem))?;
                    (first, effects) = (Some(message), came);
                }
                let thread = self.chat.thread(uow, thread).await?.ok_or_else(gone)?;
                Ok(OpenedThread { thread, message: first, effects })
            })
        })
        .await
    }

    /// The kind of thread that the channel takes, if the draft fits it.
    async fn kind_of(
        &self,
        reader: &Reader,
        channel: &ChannelFacts,
        draft: &ThreadDraft,
    ) -> Result<ThreadKind, Problem> {
        match (channel.kind, draft.parent_message) {
            (ChannelKind::Text, Some(parent)) => {
                self.check_parent(reader, channel, parent).await?;
                Ok(ThreadKind::Thread)
            }
            (ChannelKind::Text, None) => Err(Problem::invalid("/parent_message_id", "is required in a text channel")),
            (ChannelKind::Forum, Some(_)) => {
                Err(Problem::invalid("/parent_message_id", "a post of a forum has no parent message"))
            }
            (ChannelKind::Forum, None) if draft.title.is_none() => {
                Err(Problem::invalid("/title", "is required in a forum"))
            }
            (ChannelKind::Forum, None) => Ok(ThreadKind::Post),
            (ChannelKind::Direct, _) => Err(Problem::conflict("a direct message has one thread only")),
        }
    }

    /// A parent is a message of the channel's main thread that somebody wrote and that is still
    /// there. Any other is answered like one that does not exist, so that an id tells nothing.
    async fn check_parent(&self, reader: &Reader, channel: &ChannelFacts, parent: MessageId) -> Result<(), Problem> {
        let main = self.chat.main_thread(reader, channel.id).await?;
        let message = messages::by_id(reader, parent).await.or_problem()?;
        let fits = match (&main, &message) {
            (Some(main), Some(message)) => {
                message.thread == main.id && message.kind != MessageKind::System && message.deleted_at.is_none()
            }
            _ => false,
        };
        if fits {
            Ok(())
        } else {
            Err(Problem::invalid("/parent_message_id", "must be a message of the channel's main thread"))
        }
    }
}
