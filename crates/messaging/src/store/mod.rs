//! All SQL of this module.

pub(crate) mod changes;
pub(crate) mod components;
pub(crate) mod import;
pub(crate) mod mentions;
pub(crate) mod messages;
pub(crate) mod notices;
pub(crate) mod reactions;
pub(crate) mod read_states;
pub(crate) mod search;
pub(crate) mod standing;
pub(crate) mod windows;

use bothy_storage::Statement;

/// Every statement of this crate.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [
        changes::STATEMENTS,
        components::STATEMENTS,
        import::STATEMENTS,
        mentions::STATEMENTS,
        messages::STATEMENTS,
        notices::STATEMENTS,
        reactions::STATEMENTS,
        read_states::STATEMENTS,
        search::STATEMENTS,
        standing::STATEMENTS,
        windows::STATEMENTS,
    ]
    .concat()
}

#[cfg(test)]
mod tests;
