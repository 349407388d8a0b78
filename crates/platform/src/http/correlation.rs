use std::fmt;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue};

use crate::entropy::IdSource;

/// The header that ties an answer, its log lines and its audit entries together.
pub(super) const HEADER: &str = "correlation-id";

/// A correlation id: taken from the request when well-formed, else made.
#[derive(Debug, Clone)]
pub struct CorrelationId(Arc<str>);

impl CorrelationId {
    pub(super) fn of(headers: &HeaderMap, ids: &IdSource) -> Self {
        let mut values = headers.get_all(HEADER).iter();
        match (values.next().and_then(|value| value.to_str().ok()), values.next()) {
            (Some(text), None) if well_formed(text) => Self(text.into()),
            _ => Self(ids.next::<bothy_domain::ids::kind::Any>().to_string().into()),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn header_value(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

impl fmt::Display for CorrelationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn well_formed(text: &str) -> bool {
    (8..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}
