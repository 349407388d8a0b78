//! What agents and apps have in common.

use bothy_authz::Touched;
use bothy_domain::actor::PrincipalStatus;
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_storage::UnitOfWork;

use crate::Agents;

/// The longest description in characters. It is part of the format, as for names.
const DESCRIPTION_MAX_CHARS: usize = 500;

/// Takes a description as somebody typed it.
pub(crate) fn description(text: &str) -> Result<String, Problem> {
    let text = text.trim();
    let clean = text.chars().count() <= DESCRIPTION_MAX_CHARS && !text.chars().any(|c| c.is_control() && c != '\n');
    if clean {
        Ok(text.to_owned())
    } else {
        let problem = format!("must have at most {DESCRIPTION_MAX_CHARS} characters and no control characters");
        Err(Problem::invalid("/description", problem))
    }
}

impl Agents {
    /// Shuts a principal out or lets it in, and tells everybody whose decision rests on it.
    pub(crate) async fn set_status(&self, unit: &UnitOfWork, id: PrincipalId, status: PrincipalStatus) -> Result<(), Problem> {
        self.identity.set_status(unit, id, status).await?;
        self.authz.changed(unit, Touched::Principals(vec![id])).await
    }
}
