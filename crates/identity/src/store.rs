//! All SQL of identity.

pub(crate) mod groups;
pub(crate) mod invites;
pub(crate) mod people;
pub(crate) mod principals;
pub(crate) mod sessions;
pub(crate) mod tokens;

use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_storage::{DecodeProblem, Row, Statement, StorageError};

/// Every statement of this crate.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [
        groups::STATEMENTS,
        invites::STATEMENTS,
        people::STATEMENTS,
        principals::STATEMENTS,
        sessions::STATEMENTS,
        tokens::STATEMENTS,
    ]
    .concat()
}

fn kind(row: &Row) -> Result<PrincipalKind, StorageError> {
    PrincipalKind::parse(&row.get::<String>("kind")?).ok_or_else(|| undecodable("kind"))
}

fn status(row: &Row) -> Result<PrincipalStatus, StorageError> {
    PrincipalStatus::parse(&row.get::<String>("status")?).ok_or_else(|| undecodable("status"))
}

fn undecodable(column: &str) -> StorageError {
    StorageError::Decode { column: column.to_owned(), problem: DecodeProblem::OutOfRange { expected: "a known value" } }
}
