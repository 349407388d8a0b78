use super::parse;

#[test]
fn figures_are_objects_and_lists() {
    assert!(parse(r#"{"route": 1}"#).is_some());
    assert!(parse("[1, 2]").is_some());
    for line in ["12", "\"text\"", "route 12 us", ""] {
        assert!(parse(line).is_none(), "{line}");
    }
}
