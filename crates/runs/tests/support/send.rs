use std::sync::Arc;

use http::{HeaderMap, Request, StatusCode, header};
use serde_json::Value;

use super::ground::{Send, has_null};

/// Sends requests through the real chain.
#[derive(Clone)]
pub struct Sender(Arc<Send>);

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
    pub body: Value,
}

impl Sender {
    pub fn new(send: Arc<Send>) -> Self {
        Self(send)
    }

    pub async fn send(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(format!("/api/v1{path}"));
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let request = request.body(body.map(|body| body.to_string()).unwrap_or_default()).unwrap();
        let (status, headers, bytes) = (self.0)(request).await;
        let body = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).unwrap() };
        assert!(bytes.is_empty() || !has_null(&body), "null in {body}");
        Answer { status, headers, bytes, body }
    }
}

impl Answer {
    /// The answer, which must have this status.
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        self
    }

    /// The text of a member.
    pub fn text(&self, name: &str) -> &str {
        self.body[name].as_str().unwrap_or_else(|| panic!("no {name} in {}", self.body))
    }

    /// The answer without what differs from request to request.
    pub fn comparable(&self) -> (StatusCode, Vec<(String, String)>, Value) {
        let mut headers: Vec<(String, String)> = self
            .headers
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "correlation-id" | "ratelimit" | "ratelimit-policy"))
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        headers.sort();
        let mut body = self.body.clone();
        if let Some(members) = body.as_object_mut() {
            members.remove("correlation_id");
            members.remove("instance");
        }
        (self.status, headers, body)
    }
}
