//! All SQL of this module.

pub(crate) mod messages;
pub(crate) mod windows;

use bothy_storage::Statement;

/// Every statement of this crate.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [messages::STATEMENTS, windows::STATEMENTS].concat()
}

#[cfg(test)]
mod tests;
