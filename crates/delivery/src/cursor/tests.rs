#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

use bothy_domain::problem::ProblemCode;
use bothy_platform::paging::Cursor;

use super::*;

#[test]
fn a_cursor_comes_back_as_it_went() {
    for position in [0, 1, 7_000_000_000, i64::MAX] {
        assert_eq!(super::position(&text(position)).unwrap(), position);
    }
}

#[test]
fn only_cursors_between_floor_and_head_begin_anywhere() {
    let code = |cursor: &str| begin(Some(cursor), 20, 10).map_err(|problem| problem.code());
    assert_eq!(begin(None, 20, 10).unwrap(), 20);
    assert_eq!(code(&text(10)), Ok(10));
    assert_eq!(code(&text(20)), Ok(20));
    assert_eq!(code(&text(9)), Err(ProblemCode::CursorExpired));
    for wrong in [text(21), text(-1), "12".to_owned(), String::new(), Cursor::id(id()).encode(), "AQ".to_owned()] {
        assert_eq!(code(&wrong), Err(ProblemCode::ValidationFailed), "{wrong}");
    }
}

fn id() -> bothy_domain::ids::MessageId {
    "0193f1f0-1111-7000-8000-0123456789ab".parse().unwrap()
}
