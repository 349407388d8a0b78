use serde_json::json;

use super::read;

#[test]
fn reads_every_kind_of_value() {
    let text = r#"{"a":[null,true,-1,18446744073709551615,1.5,"x"],"b":{"c":""}}"#;
    assert_eq!(read(text).unwrap(), json!({ "a": [null, true, -1, u64::MAX, 1.5, "x"], "b": { "c": "" } }));
}

#[test]
fn a_member_that_is_named_twice_is_an_error_with_its_place() {
    let error = read("{\"people\": [],\n \"people\": []}").unwrap_err();
    assert_eq!(error.line(), 2);
    assert!(error.to_string().contains("names a member twice"), "{error}");
}

#[test]
fn deep_nesting_is_an_error_and_no_crash() {
    assert!(read(&"[".repeat(100_000)).is_err());
}
