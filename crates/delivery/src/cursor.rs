//! Where a client stands in the event log, as a text that it hands back.

use bothy_domain::problem::{Problem, ProblemCode};
use bothy_platform::paging::{Cursor, Part};

/// The text of a position.
pub(crate) fn text(position: i64) -> String {
    Cursor::int(position).encode()
}

/// The position in a text that a client handed back.
///
/// # Errors
/// `validation_failed` at `/query/cursor`.
pub(crate) fn position(text: &str) -> Result<i64, Problem> {
    let cursor = Cursor::decode(text).ok_or_else(none_of_ours)?;
    match cursor.parts() {
        [Part::Int(position)] if *position >= 0 => Ok(*position),
        _ => Err(none_of_ours()),
    }
}

/// Where reading begins: at a cursor, or at the end of the log.
///
/// # Errors
/// `validation_failed` for what is no cursor of this log, `cursor_expired` when events after it were
/// removed.
pub(crate) fn begin(cursor: Option<&str>, head: i64, floor: i64) -> Result<i64, Problem> {
    let Some(cursor) = cursor else {
        return Ok(head);
    };
    let position = position(cursor)?;
    if position > head {
        return Err(none_of_ours());
    }
    if position < floor { Err(expired()) } else { Ok(position) }
}

/// The answer when events after a cursor were removed.
pub(crate) const fn expired() -> Problem {
    Problem::new(ProblemCode::CursorExpired)
}

fn none_of_ours() -> Problem {
    Problem::invalid("/query/cursor", "is not a cursor of the event log")
}

#[cfg(test)]
mod tests;
