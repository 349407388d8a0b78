use bothy_domain::action::{Action, ResourceKind, actions};
use bothy_domain::policy::{Path, Resource};
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};

use super::{Grant, GrantView, target_of};
use crate::{Authz, store};

impl Authz {
    /// The grants on exactly this target that give something now, oldest first. Grants on what
    /// contains it are listed there.
    ///
    /// # Errors
    /// `validation_failed` for a limit or cursor that is none.
    pub(crate) async fn list_grants(
        &self,
        allowed: Allowed<actions::GrantRead>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<GrantView>, Problem> {
        let paging = Paging::parse(limit, cursor, &*self.parts.config)?;
        let target = target_of(&allowed.resource().path)?;
        let reader = self.parts.database.reader().await.or_problem()?;
        let now = allowed.judge().now();
        let grants = store::grants_on(&reader, target, paging.after_id()?, now, paging.fetch()).await.or_problem()?;
        let keeps = |grant: &Grant| {
            let path = Path { place: place_of(grant), ..allowed.resource().path };
            allowed.judge().keeps(Action::GrantRead, &Resource::new(ResourceKind::GrantTarget, allowed.id(), path))
        };
        let grants = page(grants, paging.limit, |grant| Cursor::id(grant.id));
        Ok(grants.retain(keeps).map(|grant| grant.view()))
    }
}

const fn place_of(grant: &Grant) -> bothy_domain::policy::Place {
    crate::locate::place(grant.target)
}
