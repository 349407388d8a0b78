//! All SQL of the module.

pub(crate) mod active;
pub(crate) mod deleted;
pub(crate) mod due;
pub(crate) mod evidence;
pub(crate) mod follow_up;
pub(crate) mod question;
pub(crate) mod request;
pub(crate) mod row;
pub(crate) mod run;
pub(crate) mod touched;
pub(crate) mod waiting;

use bothy_storage::Statement;

/// Every statement of the module.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [
        run::STATEMENTS,
        active::STATEMENTS,
        deleted::STATEMENTS,
        due::STATEMENTS,
        follow_up::STATEMENTS,
        touched::STATEMENTS,
        waiting::STATEMENTS,
    ]
    .concat()
}
