//! What a run context takes from here (chapter 07 sections 1 and 4). The caller has authorized
//! `run.context.read` on the run of the thread; each message is judged once more.

use bothy_domain::action::Action;
use bothy_domain::ids::{MessageId, PrincipalId, ThreadId};
use bothy_domain::policy::Mode;
use bothy_domain::problem::Problem;
use bothy_platform::authorize::Judge;
use bothy_platform::failure::OrProblem;
use bothy_storage::Reader;

use crate::message::resource;
use crate::store::messages;
use crate::store::windows::{self, Stretch};
use crate::{Messaging, StoredMessage};

/// Which messages of one thread a run context may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextQuery {
    /// The thread.
    pub thread: ThreadId,
    /// Only messages behind this place; zero for all.
    pub after_seq: i64,
    /// Only messages before this place.
    pub before_seq: i64,
    /// At most the newest so many; zero gives none.
    pub limit: u32,
    /// Not those of this author, who knows them (RC-4).
    pub exclude_author: Option<PrincipalId>,
}

/// The messages that were selected.
#[derive(Debug, Clone)]
pub struct ContextPage {
    /// Oldest first, with complete content.
    pub items: Vec<StoredMessage>,
    /// Whether there are older ones that could have been selected.
    pub has_older: bool,
}

impl Messaging {
    /// The newest messages of a stretch of a thread (RC-5 to RC-8). Deleted messages are not
    /// selected and count towards no limit, nor are those of the excluded author. One statement
    /// selects them; a message that may not be read is dropped and reported as a defect.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn context_window(
        &self,
        reader: &Reader,
        judge: &Judge,
        query: ContextQuery,
    ) -> Result<ContextPage, Problem> {
        let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
        let stretch = Stretch { thread: query.thread, after_seq: query.after_seq, before_seq: query.before_seq };
        let fetch = i64::from(query.limit).saturating_add(1);
        let (thread, rows) = futures::join!(
            self.chat.thread(reader, query.thread),
            windows::context(reader, stretch, query.exclude_author, fetch)
        );
        let (Some(thread), mut rows) = (thread?, rows.or_problem()?) else {
            return Ok(ContextPage { items: Vec::new(), has_older: false });
        };
        let has_older = rows.len() > limit;
        rows.truncate(limit);
        rows.reverse();
        rows.retain(|row| judge.keeps(Action::MessageRead, &resource(row.id, row.author, &thread)));
        let items = self.with_authors(reader, &thread, rows).await?;
        Ok(ContextPage { items, has_older })
    }

    /// One message with complete content, as it is stored: a deleted one with none. `None` when
    /// there is no such message or it may not be read.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn context_message(
        &self,
        reader: &Reader,
        judge: &Judge,
        id: MessageId,
    ) -> Result<Option<StoredMessage>, Problem> {
        let Some(row) = messages::by_id(reader, id).await.or_problem()? else { return Ok(None) };
        let Some(thread) = self.chat.thread(reader, row.thread).await? else { return Ok(None) };
        let target = resource(row.id, row.author, &thread);
        if !judge.decide(Action::MessageRead, Some(&target), Mode::Filter).is_allow() {
            return Ok(None);
        }
        self.with_author(reader, &thread, row).await.map(Some)
    }
}
