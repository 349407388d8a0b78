use bothy_domain::ids::{MessageId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_storage::Reader;

use crate::Chat;
use crate::store::parents as store;

impl Chat {
    /// The thread that was opened from a message, wherever it stands now. Not judged.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn thread_from(&self, reader: &Reader, parent: MessageId) -> Result<Option<ThreadId>, Problem> {
        store::thread_from(reader, parent).await.or_problem()
    }
}
