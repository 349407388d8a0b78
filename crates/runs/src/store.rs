//! All SQL of the module.

pub(crate) mod due;
pub(crate) mod follow_up;
pub(crate) mod row;
pub(crate) mod run;
pub(crate) mod touched;
pub(crate) mod waiting;

use bothy_storage::Statement;

/// Every statement of the module.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [run::STATEMENTS, due::STATEMENTS, follow_up::STATEMENTS, touched::STATEMENTS, waiting::STATEMENTS].concat()
}
