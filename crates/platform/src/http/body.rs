use axum::body::Body;
use axum::http::{HeaderMap, header};
use bothy_domain::problem::{Problem, ProblemCode};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;

use super::chain::HttpLimits;
use crate::clock::{SharedClock, timeout};

/// Reads the whole body within the limits of size and time.
///
/// # Errors
/// `payload_too_large`, or `validation_failed` when the client does not finish sending.
pub(super) async fn read(
    body: Body,
    headers: &HeaderMap,
    limits: &HttpLimits,
    clock: &SharedClock,
) -> Result<Bytes, Problem> {
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limits.max_body_bytes) {
        return Err(Problem::new(ProblemCode::PayloadTooLarge));
    }
    timeout(clock, limits.body_timeout, collect(body, limits.max_body_bytes))
        .await
        .map_err(|_| Problem::invalid("", "the body did not arrive in time"))?
}

async fn collect(mut body: Body, max: u64) -> Result<Bytes, Problem> {
    let mut collected = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Problem::invalid("", "the body broke off"))?;
        if let Ok(data) = frame.into_data() {
            if (collected.len() as u64).saturating_add(data.len() as u64) > max {
                return Err(Problem::new(ProblemCode::PayloadTooLarge));
            }
            collected.extend_from_slice(&data);
        }
    }
    Ok(collected.freeze())
}

/// Whether the body claims to be JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}
