use serde_json::Value;

use super::keys::{Key, Kind};

/// A value from a place that knows only text, in the form that its setting takes.
pub(super) fn from_text(key: &Key, text: &str) -> Result<Value, String> {
    match &key.kind {
        Kind::Text | Kind::Duration | Kind::Choice(_) => Ok(Value::from(text)),
        Kind::Number => text.trim().parse::<i64>().map(Value::from).map_err(|_| "expected a whole number".to_owned()),
        Kind::Switch => match text.trim() {
            "true" => Ok(Value::from(true)),
            "false" => Ok(Value::from(false)),
            _ => Err("expected true or false".to_owned()),
        },
        Kind::List => Ok(text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect()),
    }
}

/// Makes sure that a value has the form that its setting takes; whether it is in range and means
/// something is for the type of the setting.
pub(super) fn check_form(key: &Key, value: &Value) -> Result<(), String> {
    let (good, expected) = match &key.kind {
        Kind::Text => (value.is_string(), "expected a text in quotes".to_owned()),
        Kind::Duration => (value.is_string(), "expected a duration in quotes, such as \"30s\"".to_owned()),
        Kind::Number => (value.is_i64(), "expected a whole number".to_owned()),
        Kind::Switch => (value.is_boolean(), "expected true or false".to_owned()),
        Kind::List => (
            value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
            "expected a list of texts, such as [\"10.0.0.0/8\"]".to_owned(),
        ),
        Kind::Choice(choices) => (
            value.as_str().is_some_and(|text| choices.iter().any(|choice| choice == text)),
            format!("expected one of {}", choices.join(", ")),
        ),
    };
    if good { Ok(()) } else { Err(expected) }
}
