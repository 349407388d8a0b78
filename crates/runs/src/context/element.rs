use bothy_domain::actor::PrincipalKind;
use bothy_domain::context::{AuthorFacts, Role, Trust, cut_content};
use bothy_domain::ids::{ChannelId, MessageId, PrincipalId};
use bothy_domain::message::{MessageKind, Origin};
use bothy_domain::time::Timestamp;
use bothy_messaging::StoredMessage;

/// Who wrote an element. No address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContextAuthor {
    pub(crate) id: PrincipalId,
    pub(crate) kind: PrincipalKind,
    pub(crate) handle: String,
    pub(crate) display_name: String,
}

/// One element of a context (RC-14). Role and trust are set last, when it is known who holds
/// trigger; nothing that somebody wrote can set them.
#[derive(Debug, Clone)]
pub(crate) struct ContextMessage {
    pub(crate) message: MessageId,
    pub(crate) channel: ChannelId,
    pub(crate) thread_seq: i64,
    pub(crate) created_at: Timestamp,
    pub(crate) edited_at: Option<Timestamp>,
    pub(crate) author: ContextAuthor,
    pub(crate) origin: Option<Origin>,
    /// The name of whoever wrote an imported message elsewhere; then the author is who imported it.
    pub(crate) imported_author: Option<String>,
    pub(crate) kind: MessageKind,
    pub(crate) content: String,
    pub(crate) reply_to: Option<MessageId>,
    pub(crate) role: Role,
    pub(crate) trust: Trust,
    /// How long the content was before the cut, when it was cut.
    pub(crate) original_bytes: Option<usize>,
    pub(crate) already_delivered: bool,
}

impl ContextMessage {
    /// The message as it is stored, complete: the triggering message is never cut (RC-10). Until it
    /// is classified it is nobody's word.
    pub(super) fn complete(message: StoredMessage) -> Self {
        let author = message.author;
        Self {
            message: message.id,
            channel: message.channel_id,
            thread_seq: message.thread_seq,
            created_at: message.created_at,
            edited_at: message.edited_at,
            author: ContextAuthor {
                id: author.id,
                kind: author.kind,
                handle: author.handle,
                display_name: author.display_name,
            },
            origin: message.origin,
            imported_author: message.imported_author,
            kind: message.kind,
            content: message.content_md,
            reply_to: message.reply_to_message_id,
            role: Role::Other,
            trust: Trust::Unverified,
            original_bytes: None,
            already_delivered: false,
        }
    }

    /// The message with at most `max_bytes` of its content (RC-10).
    pub(super) fn cut(message: StoredMessage, max_bytes: usize) -> Self {
        let mut element = Self::complete(message);
        let original = element.content.len();
        let (kept, cut) = cut_content(&element.content, max_bytes);
        if cut {
            let kept = kept.len();
            element.content.truncate(kept);
            element.original_bytes = Some(original);
        }
        element
    }

    /// What the classification looks at.
    pub(super) const fn facts(&self) -> AuthorFacts {
        AuthorFacts { origin: self.origin, author: self.author.id }
    }

    /// What counts against the budget (RC-11).
    pub(super) fn size(&self) -> usize {
        self.content.len()
    }
}
