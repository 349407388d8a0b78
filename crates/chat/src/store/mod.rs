//! All SQL of this module.

pub(crate) mod agent_config;
pub(crate) mod channels;
pub(crate) mod directs;
pub(crate) mod parents;
pub(crate) mod spaces;
pub(crate) mod threads;
mod visible;

use bothy_storage::{DecodeProblem, Row, Statement, StorageError};

/// Every statement of this crate.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [
        agent_config::STATEMENTS,
        channels::STATEMENTS,
        directs::STATEMENTS,
        parents::STATEMENTS,
        spaces::STATEMENTS,
        threads::STATEMENTS,
    ]
    .concat()
}

/// Reads a column that holds a word of a closed list.
fn word<T>(
    row: &Row,
    column: &str,
    expected: &'static str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, StorageError> {
    let text: String = row.get(column)?;
    parse(&text).ok_or_else(|| StorageError::Decode {
        column: column.to_owned(),
        problem: DecodeProblem::OutOfRange { expected },
    })
}

#[cfg(test)]
mod tests;
