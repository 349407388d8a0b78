//! Another wording of a message, and its earlier ones.

use bothy_domain::action::actions;
use bothy_domain::event::EventKind;
use bothy_domain::ids::MessageId;
use bothy_domain::message::{MessageKind, Origin};
use bothy_domain::problem::Problem;
use bothy_identity::PrincipalRef;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{UnitOfWork, work};

use crate::content::check_content;
use crate::messaging::gone;
use crate::search::index;
use crate::store::changes::{self, Revision};
use crate::store::mentions;
use crate::store::messages::{self, MessageRow};
use crate::{Messaging, ShownMessage};

impl Messaging {
    /// Gives a message of the caller another wording. The one before is kept for whoever may read the
    /// message. Whom it mentions is found anew, but an edit triggers no agent: what an agent was
    /// asked for is what was said first (chapter 05 section 1). The wording that the message has
    /// already changes nothing.
    ///
    /// # Errors
    /// `validation_failed` for content that cannot be taken; `conflict` when the message was deleted,
    /// is no text of its author, or was edited too often.
    pub(crate) async fn update_message(
        &self,
        allowed: Allowed<actions::MessageUpdate>,
        content_md: &str,
    ) -> Result<ShownMessage, Problem> {
        check_content(content_md, self.config.message.max_bytes.to_usize())?;
        let id: MessageId = allowed.id();
        let mentioned = {
            // A unit of work must not wait for a connection that this request holds.
            let reader = self.reader().await?;
            self.mentioned(&reader, &allowed.resource().path, content_md).await?
        };
        let (allowed, mentioned) = (&allowed, mentioned.as_slice());
        let row = transact(&self.database, |uow| {
            work(async move {
                // Held until the end, so that the thread stays where it is.
                allowed.judged_in(uow).await?;
                changes::lock(uow, id).await?;
                let row = messages::by_id(uow, id).await?.ok_or_else(gone)?;
                refuse_edit(&row)?;
                if row.content_md == content_md {
                    return Ok(row);
                }
                Ok(self.reword(uow, row, content_md, mentioned).await?)
            })
        })
        .await?;
        let reader = self.reader().await?;
        let thread = self.chat.thread(&reader, row.thread).await?.ok_or_else(gone)?;
        self.shown_one(&reader, &thread, row, allowed.actor().principal).await
    }

    async fn reword(
        &self,
        uow: &UnitOfWork,
        row: MessageRow,
        content_md: &str,
        mentioned: &[PrincipalRef],
    ) -> Result<MessageRow, Problem> {
        let thread = self.chat.thread(uow, row.thread).await?.ok_or_else(gone)?;
        let kept = changes::count_revisions(uow, row.id).await.or_problem()?;
        if u64::try_from(kept).is_ok_and(|kept| kept >= self.config.message.max_revisions.get()) {
            return Err(Problem::conflict("the message was edited too often"));
        }
        let now = self.clock.now();
        let former =
            Revision { revision: kept.saturating_add(1), content_md: row.content_md.clone(), replaced_at: now };
        changes::keep_revision(uow, row.id, &former).await.or_problem()?;
        changes::edit(uow, row.id, content_md, now).await.or_problem()?;
        index::replace(uow, thread.channel.id, row.id, content_md).await.or_problem()?;
        mentions::forget(uow, row.id).await.or_problem()?;
        self.write_mentions(uow, &thread, &row, mentioned).await?;
        self.tell(uow, EventKind::MessageUpdated, &thread, row.id).await?;
        Ok(MessageRow { content_md: content_md.to_owned(), edited_at: Some(now), ..row })
    }

    /// The earlier wordings of a message, oldest first, for whoever may read the message. A deleted
    /// message has none.
    ///
    /// # Errors
    /// `validation_failed` for a cursor of another list.
    pub(crate) async fn list_message_revisions(
        &self,
        allowed: Allowed<actions::MessageRevisionsRead>,
        paging: &Paging,
    ) -> Result<Page<Revision>, Problem> {
        let reader = self.reader().await?;
        let after = paging.after_int()?.unwrap_or(0);
        let found = changes::revisions(&reader, allowed.id(), after, paging.fetch()).await.or_problem()?;
        Ok(page(found, paging.limit, |last| Cursor::int(last.revision)))
    }
}

/// What nobody may edit. An imported message is somebody's word from elsewhere and stays as it came.
fn refuse_edit(row: &MessageRow) -> Result<(), Problem> {
    if row.deleted_at.is_some() {
        Err(Problem::conflict("the message was deleted"))
    } else if row.kind != MessageKind::Text || row.origin == Some(Origin::Import) {
        Err(Problem::conflict("only a text that its author wrote here can be edited"))
    } else {
        Ok(())
    }
}
