use bothy_chat::{ChannelFacts, ChannelKind, NewThread, ThreadFacts, ThreadKind};
use bothy_domain::action::actions;
use bothy_domain::ids::{ChannelId, MessageId};
use bothy_domain::message::MessageKind;
use bothy_domain::problem::Problem;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_storage::{Reader, work};

use crate::Messaging;
use crate::messaging::gone;
use crate::store::messages;

/// What a request to open a thread asks for.
#[derive(Debug, Clone)]
pub(crate) struct ThreadDraft {
    pub(crate) parent_message: Option<MessageId>,
    pub(crate) title: Option<String>,
}

impl Messaging {
    /// Opens a thread: in a text channel from a message of the main thread, in a forum as a post
    /// with a title.
    ///
    /// # Errors
    /// `validation_failed` when the channel needs something else, or the parent message cannot have
    /// a thread; `conflict` when it has one, or in a direct message.
    pub(crate) async fn create_thread(
        &self,
        allowed: Allowed<actions::ThreadCreate>,
        draft: ThreadDraft,
    ) -> Result<ThreadFacts, Problem> {
        let id: ChannelId = allowed.id();
        let (allowed, draft) = (&allowed, &draft);
        transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                allowed.takes_effect(uow).await?;
                let channel = self.chat.channel(uow, id).await?.ok_or_else(gone)?;
                let kind = self.kind_of(uow, &channel, draft).await?;
                let new = NewThread {
                    channel: id,
                    space: channel.space,
                    kind,
                    parent_message: draft.parent_message,
                    title: draft.title.clone(),
                    created_by: allowed.actor().principal,
                };
                let thread = self.chat.open_thread(uow, new).await?;
                Ok(self.chat.thread(uow, thread).await?.ok_or_else(gone)?)
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
