//! What is answered beside the operations: whether the process is up, whether it can work, and the
//! description of the API. Public, and never audited.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use bothy_domain::problem::ProblemCode;
use bothy_platform::http::BASE_PATH;
use bothy_storage::Database;
use serde_json::{Value, json};

const PROBLEM: &str = "application/problem+json";
const JSON: &str = "application/json";

pub(super) fn router(database: Database, described: &Value) -> Router {
    let description: Arc<str> = described.to_string().into();
    Router::new()
        .route("/healthz", any(|method: Method| async move { only_get(&method).unwrap_or_else(up) }))
        .route("/readyz", any(ready).with_state(database))
        .route(
            &format!("{BASE_PATH}/openapi.json"),
            any(move |method: Method| async move {
                only_get(&method).unwrap_or_else(|| answer(StatusCode::OK, JSON, description.to_string()))
            }),
        )
}

/// Whether the database answers. That its schema is current was made sure of when it was opened.
async fn ready(State(database): State<Database>, method: Method) -> Response {
    if let Some(refused) = only_get(&method) {
        return refused;
    }
    match database.ping().await {
        Ok(()) => up(),
        Err(error) => {
            tracing::warn!(%error, "not ready: the database does not answer");
            problem(ProblemCode::Unavailable)
        }
    }
}

fn only_get(method: &Method) -> Option<Response> {
    (!matches!(*method, Method::GET | Method::HEAD)).then(|| {
        let mut response = problem(ProblemCode::MethodNotAllowed);
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        response
    })
}

fn up() -> Response {
    answer(StatusCode::OK, JSON, r#"{"status":"ok"}"#.to_owned())
}

/// A problem of those who stand outside of the operations.
pub(super) fn problem(code: ProblemCode) -> Response {
    let status = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = json!({ "type": "about:blank", "title": code.title(), "status": code.status(), "code": code.as_str() });
    answer(status, PROBLEM, body.to_string())
}

fn answer(status: StatusCode, kind: &'static str, body: String) -> Response {
    let headers: [(HeaderName, &'static str); 3] = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (status, headers, body).into_response()
}
