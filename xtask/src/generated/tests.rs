use super::difference;

#[test]
fn equal_texts_do_not_differ() {
    assert_eq!(difference("a\nb\n", "a\nb\n"), None);
}

#[test]
fn the_first_differing_line_is_named() {
    let found = difference("a\nb\nc\n", "a\nx\nc\n").unwrap();
    assert!(found.contains("line 2: has `b`, should have `x`"), "{found}");
}

#[test]
fn a_missing_line_and_a_line_end_are_differences() {
    let shorter = difference("a\n", "a\nb\n").unwrap();
    assert!(shorter.contains("has no such line, should have `b`"), "{shorter}");
    assert_eq!(difference("a", "a\n").unwrap(), "differs in its line ends");
}
