//! Requests of people that are no free text (RC-17): commands that an agent offers, and components
//! that it puts under its messages.
//!
//! What is recorded as the words of the person consists of identifiers and of what the person typed.
//! Nothing that the agent phrased (a label, a description) comes into it, because the agent follows the
//! words of the person: a label could otherwise give an order in the person's name.

mod command;
mod component;

pub use command::{
    ArgumentSchema, ArgumentType, ArgumentValue, Arguments, ArgumentsSchema, CommandDefinition, ObjectType,
};
pub use component::{
    ButtonStyle, Component, FormField, Pressed, QuestionState, SelectionOption, check_components, question_state,
};

use crate::names::label;

/// The longest identifier of a command, an argument, a component or a choice, in bytes. It is part of
/// the format, like the characters.
pub const IDENTIFIER_MAX_BYTES: usize = 64;

/// The longest label or description, in characters.
pub const LABEL_MAX_CHARS: usize = 200;

/// The most choices, fields or arguments of one thing.
pub const PARTS_MAX: usize = 25;

/// What is wrong with one member of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Which member, as a JSON pointer below the thing that was checked.
    pub pointer: String,
    /// What is wrong with it.
    pub message: String,
}

impl Mistake {
    fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into() }
    }

    /// The same mistake of a thing that stands at `place`.
    #[must_use]
    pub fn at(self, place: &str) -> Self {
        Self { pointer: format!("{place}{}", self.pointer), message: self.message }
    }
}

/// Checks an identifier: it must carry no sentence, since it becomes part of a person's words.
fn check_identifier(pointer: &str, text: &str) -> Result<(), Mistake> {
    let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    let starts_well = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if starts_well && text.len() <= IDENTIFIER_MAX_BYTES && text.bytes().all(known) {
        Ok(())
    } else {
        let message =
            format!("must be 1 to {IDENTIFIER_MAX_BYTES} characters a to z, 0 to 9, '_' and '-', no sign first");
        Err(Mistake::new(pointer, message))
    }
}

/// Checks a text that is shown as a label.
fn check_label(pointer: &str, text: &str) -> Result<(), Mistake> {
    label(text, LABEL_MAX_CHARS).map(drop).map_err(|error| Mistake::new(pointer, error.to_string()))
}

/// Checks that there are not too many parts, and at least `least`.
fn check_count(pointer: &str, count: usize, least: usize) -> Result<(), Mistake> {
    if (least..=PARTS_MAX).contains(&count) {
        Ok(())
    } else {
        Err(Mistake::new(pointer, format!("must have {least} to {PARTS_MAX} items")))
    }
}

/// One step of a JSON pointer.
fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests;
