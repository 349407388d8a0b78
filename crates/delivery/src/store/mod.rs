//! All SQL of this module.

pub(crate) mod presence;

use bothy_storage::Statement;

/// Every statement of this crate.
pub(crate) fn statements() -> Vec<&'static Statement> {
    presence::STATEMENTS.to_vec()
}
