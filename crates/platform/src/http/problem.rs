use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use bothy_domain::problem::{Problem, ProblemCode};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::correlation::CorrelationId;

/// The wire form of a problem (RFC 9457).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(super) struct ProblemBody<'a> {
    /// A URI that names the kind of problem.
    r#type: String,
    /// A short title for people.
    title: &'a str,
    /// The HTTP status.
    status: u16,
    /// The code, from a closed list.
    code: &'a str,
    /// What to do about it.
    client_action: &'a str,
    /// A sentence on this occurrence.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    /// Why, from a closed list; never on 404.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    /// The fields that are wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldErrorBody<'a>>,
    /// The path of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<&'a str>,
    /// Ties this answer to the logs.
    correlation_id: &'a str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FieldError")]
pub(super) struct FieldErrorBody<'a> {
    /// A JSON pointer into the body, or `/query/NAME`, `/path/NAME`.
    pointer: &'a str,
    /// What is wrong.
    message: &'a str,
}

impl<'a> ProblemBody<'a> {
    fn new(problem: &'a Problem, instance: Option<&'a str>, correlation_id: &'a str) -> Self {
        let code = problem.code();
        Self {
            r#type: format!("urn:bothy:problem:{}", code.as_str()),
            title: code.title(),
            status: code.status(),
            code: code.as_str(),
            client_action: code.client_action(),
            detail: problem.detail(),
            reason: problem.reason().filter(|_| code != ProblemCode::NotFound),
            errors: problem
                .errors()
                .iter()
                .map(|error| FieldErrorBody { pointer: &error.pointer, message: &error.message })
                .collect(),
            instance,
            correlation_id,
        }
    }
}

/// The wire form of a problem that is no answer to a request, such as one on an open connection: without
/// the members that tie it to a request.
pub fn problem_form(problem: &Problem) -> Value {
    let mut form = serde_json::to_value(ProblemBody::new(problem, None, "")).unwrap_or_default();
    if let Some(members) = form.as_object_mut() {
        members.remove("correlation_id");
    }
    form
}

/// Encodes a problem; logs its private cause, which never leaves the server.
pub(super) fn respond(problem: &Problem, instance: Option<&str>, correlation: &CorrelationId) -> Response<Body> {
    let code = problem.code();
    if let Some(cause) = problem.cause() {
        tracing::error!(code = code.as_str(), correlation_id = %correlation, cause = %cause, "request failed");
    }
    let body = ProblemBody::new(problem, instance, correlation.as_str());
    // The body consists of texts and numbers: it can always be encoded.
    let bytes = serde_json::to_vec(&body).unwrap_or_default();
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    if code == ProblemCode::Unauthenticated {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(seconds) = problem.retry_after() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
