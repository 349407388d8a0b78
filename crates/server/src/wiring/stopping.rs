//! What waits for something to happen would hold up a stop for as long as it may wait. It is told
//! to come again instead: another node, or this one after its restart, goes on from the same cursor.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use bothy_domain::problem::ProblemCode;
use bothy_platform::http::BASE_PATH;
use tokio::sync::watch;

use super::probes::problem;

/// The operations that wait, below the base path.
const WAITING: [&str; 2] = ["/agent/events", "/events"];

/// Ends requests that wait when the server stops.
pub(super) async fn until_stop(
    State(mut stopping): State<watch::Receiver<bool>>,
    request: Request,
    next: Next,
) -> Response {
    let waits = request.uri().path().strip_prefix(BASE_PATH).is_some_and(|path| WAITING.contains(&path));
    if !waits {
        return next.run(request).await;
    }
    tokio::select! {
        biased;
        response = next.run(request) => response,
        // Ends also when the app is gone.
        _ = stopping.wait_for(|stopping| *stopping) => {
            let mut response = problem(ProblemCode::Unavailable);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            response
        }
    }
}
