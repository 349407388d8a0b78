//! What agents and apps have in common.

use bothy_domain::problem::Problem;

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
