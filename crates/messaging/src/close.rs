use bothy_chat::ThreadFacts;
use bothy_domain::action::{ActionType, actions};
use bothy_domain::ids::{PrincipalId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::work;

use crate::messaging::gone;
use crate::{Messaging, SystemCode};

impl Messaging {
    /// Closes a thread: it takes no more messages. A system line says so. Doing it again changes
    /// nothing.
    ///
    /// # Errors
    /// `conflict` for a main thread.
    pub(crate) async fn close_thread(&self, allowed: Allowed<actions::ThreadClose>) -> Result<ThreadFacts, Problem> {
        self.set_closed(allowed, true).await
    }

    /// Opens a closed thread again. A system line says so. Doing it again changes nothing.
    ///
    /// # Errors
    /// `conflict` for a main thread.
    pub(crate) async fn reopen_thread(&self, allowed: Allowed<actions::ThreadReopen>) -> Result<ThreadFacts, Problem> {
        self.set_closed(allowed, false).await
    }

    async fn set_closed<A: ActionType>(&self, allowed: Allowed<A>, closed: bool) -> Result<ThreadFacts, Problem> {
        let code = if closed { SystemCode::ThreadClosed } else { SystemCode::ThreadReopened };
        let (id, by): (ThreadId, PrincipalId) = (allowed.id(), allowed.actor().principal);
        let allowed = &allowed;
        transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                let thread = self.chat.thread(uow, id).await?.ok_or_else(gone)?;
                if !self.chat.set_thread_closed(uow, &thread, closed).await? {
                    return Ok(thread);
                }
                self.write_system_line(uow, &thread, by, code).await?;
                Ok(self.chat.thread(uow, id).await?.ok_or_else(gone)?)
            })
        })
        .await
    }
}
