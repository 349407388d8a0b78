//! The stored words, the wire form and the parser agree.

use super::{MessageKind, Origin, UnknownWord};

#[test]
fn origins_are_stored_and_read_back_by_their_word() {
    for origin in Origin::ALL {
        assert_eq!(Origin::parse(origin.as_str()), Ok(*origin));
        assert_eq!(Origin::from_stored(origin.as_str()), Some(*origin));
        assert_eq!(origin.to_string(), origin.as_str());
    }
    assert_eq!(
        Origin::ALL.iter().map(|origin| origin.as_str()).collect::<Vec<_>>(),
        ["human", "agent", "app", "import", "system"]
    );
}

#[test]
fn an_unknown_origin_is_an_error_to_parse_and_none_as_a_row() {
    for text in ["", "Human", "human ", "robot", "agent\0"] {
        assert_eq!(Origin::parse(text), Err(UnknownWord { expected: "Origin" }));
        assert_eq!(Origin::from_stored(text), None);
    }
}

#[test]
fn the_error_does_not_repeat_the_stored_text() {
    let error = Origin::parse("secret words").unwrap_err();
    assert_eq!(error.to_string(), "not a known Origin");
}

#[test]
fn message_kinds_are_stored_and_read_back_by_their_word() {
    for kind in MessageKind::ALL {
        assert_eq!(MessageKind::parse(kind.as_str()), Ok(*kind));
    }
    assert_eq!(
        MessageKind::ALL.iter().map(|kind| kind.as_str()).collect::<Vec<_>>(),
        ["text", "system", "run_request"]
    );
}
