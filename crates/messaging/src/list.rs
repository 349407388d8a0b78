//! Reading messages.

use bothy_domain::action::{Action, actions};
use bothy_domain::ids::ThreadId;
use bothy_domain::policy::Mode;
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};

use crate::message::resource;
use crate::messaging::gone;
use crate::store::messages;
use crate::store::windows::{self, Stretch};
use crate::{Messaging, ShownMessage};

/// Which messages of a thread, and in which order.
#[derive(Debug, Clone)]
pub(crate) struct MessageList {
    pub(crate) newest_first: bool,
    pub(crate) after_seq: Option<i64>,
    pub(crate) before_seq: Option<i64>,
    pub(crate) paging: Paging,
}

impl MessageList {
    /// The stretch that is still to come: the cursor moves one end, the bounds of the request stay.
    fn stretch(&self, thread: ThreadId) -> Result<Stretch, Problem> {
        let mut after_seq = self.after_seq.unwrap_or(0);
        let mut before_seq = self.before_seq.unwrap_or(i64::MAX);
        if let Some(last) = self.paging.after_int()? {
            if self.newest_first {
                before_seq = before_seq.min(last);
            } else {
                after_seq = after_seq.max(last);
            }
        }
        Ok(Stretch { thread, after_seq, before_seq })
    }
}

impl Messaging {
    /// Messages of a thread by their place in it, with complete content.
    ///
    /// # Errors
    /// `validation_failed` for a cursor of another list.
    pub(crate) async fn list_thread_messages(
        &self,
        allowed: Allowed<actions::ThreadRead>,
        list: &MessageList,
    ) -> Result<Page<ShownMessage>, Problem> {
        let stretch = list.stretch(allowed.id())?;
        let reader = self.reader().await?;
        let thread = self.chat.thread(&reader, stretch.thread).await?.ok_or_else(gone)?;
        let rows = windows::messages(&reader, stretch, list.newest_first, list.paging.fetch()).await.or_problem()?;
        let shown = page(rows, list.paging.limit, |last| Cursor::int(last.thread_seq))
            .retain(|row| allowed.judge().keeps(Action::MessageRead, &resource(row.id, row.author, &thread)));
        let items = self.shown_in(&reader, &thread, shown.items, allowed.actor().principal).await?;
        Ok(Page { items, next_cursor: shown.next_cursor })
    }

    /// One message with complete content.
    ///
    /// # Errors
    /// `not_found` when it went away meanwhile.
    pub(crate) async fn get_message(&self, allowed: Allowed<actions::MessageRead>) -> Result<ShownMessage, Problem> {
        let reader = self.reader().await?;
        let row = messages::by_id(&reader, allowed.id()).await.or_problem()?.ok_or_else(gone)?;
        let thread = self.chat.thread(&reader, row.thread).await?.ok_or_else(gone)?;
        // Between the decision and now the thread may have moved.
        let target = resource(row.id, row.author, &thread);
        if !allowed.judge().decide(Action::MessageRead, Some(&target), Mode::Filter).is_allow() {
            return Err(gone());
        }
        self.shown_one(&reader, &thread, row, allowed.actor().principal).await
    }
}
