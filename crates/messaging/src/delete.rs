use bothy_domain::action::{Action, actions};
use bothy_domain::audit::AuditEntry;
use bothy_domain::event::EventKind;
use bothy_domain::ids::MessageId;
use bothy_domain::message::MessageKind;
use bothy_domain::problem::Problem;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::{Allowed, forget_answers};
use bothy_storage::{UnitOfWork, work};

use crate::messaging::gone;
use crate::search::index;
use crate::store::messages::{self, MessageRow};
use crate::store::{changes, mentions, notices, reactions};
use crate::{DeletedMessage, Messaging};

impl Messaging {
    /// Deletes a message: its place stays, and that it was there; content, earlier wordings,
    /// mentions, reactions and kept answers go. What it started is to end. Doing it again changes
    /// nothing.
    ///
    /// # Errors
    /// `conflict` for a line of the server.
    pub(crate) async fn delete_message(&self, allowed: Allowed<actions::MessageDelete>) -> Result<(), Problem> {
        let id: MessageId = allowed.id();
        let allowed = &allowed;
        transact(&self.database, |uow| {
            work(async move {
                // Held until the end, so that the thread stays where it is.
                allowed.judged_in(uow).await?;
                changes::lock(uow, id).await?;
                let row = messages::by_id(uow, id).await?.ok_or_else(gone)?;
                if row.kind == MessageKind::System {
                    return Err(Problem::conflict("a line of the server cannot be deleted").into());
                }
                if row.deleted_at.is_none() {
                    self.empty(uow, allowed, &row).await?;
                }
                Ok(())
            })
        })
        .await
    }

    async fn empty(
        &self,
        uow: &UnitOfWork,
        allowed: &Allowed<actions::MessageDelete>,
        row: &MessageRow,
    ) -> Result<(), Problem> {
        let actor = allowed.actor();
        let thread = self.chat.thread(uow, row.thread).await?.ok_or_else(gone)?;
        index::remove(uow, row.id).await.or_problem()?;
        changes::empty(uow, row.id, actor.principal, self.clock.now()).await.or_problem()?;
        mentions::forget(uow, row.id).await.or_problem()?;
        reactions::forget(uow, row.id).await.or_problem()?;
        notices::forget(uow, row.id).await.or_problem()?;
        self.forget_components(uow, row.id).await?;
        forget_answers(uow, row.id.cast()).await?;
        self.tell(uow, EventKind::MessageDeleted, &thread, row.id).await?;
        // Whoever takes back their own words answers to nobody.
        if row.author != actor.principal {
            let done = AuditEntry::done(actor, Action::MessageDelete, Some(row.id.cast()));
            self.audit.record(uow, &done).await.or_problem()?;
        }
        match self.message_written()? {
            Some(hook) => hook.message_deleted(uow, &DeletedMessage { id: row.id, thread, author: row.author }).await,
            None => Ok(()),
        }
    }
}
