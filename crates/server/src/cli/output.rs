use std::fmt::Display;
use std::io::Write;

use serde::Serialize;

use super::Failure;

/// Writes a text to standard output and ends the line.
pub(super) fn say(text: impl Display) -> Result<(), Failure> {
    let text = text.to_string();
    let mut out = std::io::stdout().lock();
    let written = if text.ends_with('\n') { write!(out, "{text}") } else { writeln!(out, "{text}") };
    written
        .and_then(|()| out.flush())
        .map_err(|error| Failure::Refused(format!("standard output cannot be written ({error})")))
}

/// Writes a value as indented JSON.
pub(super) fn say_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::Refused(format!("the result cannot be written as JSON ({error})")))?;
    say(text)
}

/// Writes a line of progress to standard error. Progress that nobody can see is no reason to stop.
pub(super) fn note(text: impl Display) {
    drop(writeln!(std::io::stderr().lock(), "{text}"));
}

/// Writes the error that ends the command.
pub(super) fn error(failure: &Failure) {
    note(format!("bothy: {failure}"));
}
