use bothy_domain::action::{Action, ResourceKind, actions};
use bothy_domain::ids::{MessageId, PrincipalId};
use bothy_domain::policy::Resource;
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use uuid::Uuid;

use crate::store::request::InteractionRow;
use crate::{Runs, store};

/// Comes before every id, so that the first page needs no statement of its own.
const FIRST: MessageId = MessageId::from_uuid(Uuid::nil());

impl Runs {
    /// What was pressed under a message, and what the agent answered; oldest first. An answer for one
    /// person alone is shown to nobody else, not even that there is one.
    ///
    /// # Errors
    /// `validation_failed` for a cursor of another list.
    pub(crate) async fn list_message_interactions(
        &self,
        allowed: Allowed<actions::MessageRead>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<InteractionRow>, Problem> {
        let paging = Paging::parse(limit, cursor, self.settings.pages)?;
        let after = paging.after_id()?.unwrap_or(FIRST);
        let reader = self.database.reader().await.or_problem()?;
        let rows = store::request::of_target(&reader, allowed.id(), after, paging.fetch()).await?;
        let path = allowed.resource().path;
        let viewer = allowed.actor().principal;
        let page = page(rows, paging.limit, |row| Cursor::id(row.message)).retain(|row| {
            let author = Some(row.person);
            let resource = Resource { author, ..Resource::new(ResourceKind::Message, row.message.cast(), path) };
            allowed.judge().keeps(Action::MessageRead, &resource)
        });
        Ok(page.map(|row| for_viewer(row, viewer)))
    }
}

fn for_viewer(mut row: InteractionRow, viewer: PrincipalId) -> InteractionRow {
    let person = row.person;
    row.response = row.response.filter(|response| !response.private || person == viewer);
    row
}
