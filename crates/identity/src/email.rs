use bothy_domain::problem::Problem;

/// Longest address, in bytes.
const MAX_BYTES: usize = 254;

/// An e-mail address in its one stored form: trimmed and in lower case, because that is how people
/// retype it. Whether it reaches anybody only a mail can tell.
///
/// # Errors
/// `validation_failed` at `/email`.
pub(crate) fn parse(text: &str) -> Result<String, Problem> {
    let address = text.trim().to_lowercase();
    let plausible = address.len() <= MAX_BYTES
        && !address.chars().any(|c| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | ',' | '"'))
        && address.split_once('@').is_some_and(|(local, domain)| {
            !local.is_empty()
                && !domain.is_empty()
                && !domain.contains('@')
                && !domain.starts_with('.')
                && !domain.ends_with('.')
        });
    if plausible { Ok(address) } else { Err(Problem::invalid("/email", "is not an e-mail address")) }
}

#[cfg(test)]
mod tests;
