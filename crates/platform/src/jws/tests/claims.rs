use serde::Deserialize;

use crate::jws::{JwsError, claims};

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    sub: String,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Lenient {
    sub: String,
}

#[test]
fn an_object_with_the_expected_members_is_read() {
    assert_eq!(claims(br#"{"sub":"x"}"#), Ok(Strict { sub: "x".to_owned() }));
    assert_eq!(claims(br#" {"sub":"x"}"#), Err::<Strict, _>(JwsError::Claims));
}

#[test]
fn whatever_is_doubtful_is_refused() {
    for text in [
        r#"{"sub":"x","sub":"y"}"#,
        r#"{"sub":"x","sub":"x"}"#,
        r#"{"sub":"x","s\u0075b":"y"}"#,
        r#"{"sub":"x","other":1,"other":2}"#,
        r#"{"sub":"x","other":{"a":1,"a":1}}"#,
        r#"{"sub":"x","other":[{"a":1,"a":1}]}"#,
        r#"["x"]"#,
        r#""x""#,
        "null",
        "",
        "{}",
        r#"{"sub":1}"#,
        r#"{"sub":null}"#,
        r#"{"sub":"x"}{"sub":"y"}"#,
        r#"{"sub":"x"} x"#,
        r#"{"sub":"x",}"#,
        r#"{"sub":"\ud800"}"#,
    ] {
        assert_eq!(claims::<Lenient>(text.as_bytes()), Err(JwsError::Claims), "{text}");
    }
    assert_eq!(claims::<Lenient>(b"{\"sub\":\"\xff\"}"), Err(JwsError::Claims));
    assert_eq!(claims::<Strict>(br#"{"sub":"x","other":1}"#), Err(JwsError::Claims));
    let deep = format!(r#"{{"sub":"x","other":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(claims::<Lenient>(deep.as_bytes()), Err(JwsError::Claims));
}
