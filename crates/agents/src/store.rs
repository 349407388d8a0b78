//! All SQL of the module.

pub(crate) mod account;
pub(crate) mod command;
pub(crate) mod consumer;
pub(crate) mod session;

use bothy_storage::Statement;

/// Every statement of the module.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [account::STATEMENTS, command::STATEMENTS, consumer::STATEMENTS, session::STATEMENTS].concat()
}
