//! What agents and apps have in common.

use std::collections::HashMap;

use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_identity::PrincipalRef;
use bothy_storage::Reader;

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
    /// Rows with the principals that they are, in the order of the rows; one query, however many
    /// there are.
    pub(crate) async fn with_principals<R, T>(
        &self,
        reader: &Reader,
        rows: Vec<R>,
        id: fn(&R) -> PrincipalId,
        form: fn(R, PrincipalRef) -> T,
    ) -> Result<Vec<T>, Problem> {
        let ids: Vec<PrincipalId> = rows.iter().map(id).collect();
        let principals = self.identity.principals(reader, &ids).await?;
        let mut principals: HashMap<PrincipalId, PrincipalRef> =
            principals.into_iter().map(|principal| (principal.id, principal)).collect();
        rows.into_iter()
            .map(|row| match principals.remove(&id(&row)) {
                Some(principal) => Ok(form(row, principal)),
                None => Err(Problem::internal("an agent or app without its principal")),
            })
            .collect()
    }
}
