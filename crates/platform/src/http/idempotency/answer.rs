use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Response, StatusCode, header};
use bothy_domain::ids::AnyId;
use bothy_domain::problem::Problem;
use http_body_util::BodyExt as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An answer that is kept: its status, its body and its entity tag.
#[derive(Debug, Clone)]
pub(in crate::http) struct Answer {
    status: StatusCode,
    etag: Option<String>,
    body: Bytes,
    resource: Option<AnyId>,
}

/// What is sealed of it.
#[derive(Serialize, Deserialize)]
struct Kept<'a> {
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    etag: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    body: std::borrow::Cow<'a, str>,
}

impl Answer {
    /// Reads the answer of a handler, and gives it back. `created` is the member of the body that
    /// names what was created.
    ///
    /// # Errors
    /// `internal_error` when the body cannot be read, which lies in memory.
    pub(super) async fn take(
        response: Response<Body>,
        created: Option<&'static str>,
    ) -> Result<(Self, Response<Body>), Problem> {
        let (parts, body) = response.into_parts();
        let body = body.collect().await.map_err(Problem::internal)?.to_bytes();
        let etag = parts.headers.get(header::ETAG).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let resource = created.and_then(|member| id_in(&body, member));
        let answer = Self { status: parts.status, etag, body: body.clone(), resource };
        Ok((answer, Response::from_parts(parts, Body::from(body))))
    }

    /// Reads what was kept.
    ///
    /// # Errors
    /// `internal_error` when it is none.
    pub(super) fn of(status: i64, kept: &[u8], resource: Option<AnyId>) -> Result<Self, Problem> {
        let status = u16::try_from(status).map_err(Problem::internal)?;
        let kept: Kept<'_> = serde_json::from_slice(kept).map_err(Problem::internal)?;
        Ok(Self {
            status: StatusCode::from_u16(status).map_err(Problem::internal)?,
            etag: kept.etag.map(std::borrow::Cow::into_owned),
            body: Bytes::from(kept.body.into_owned()),
            resource,
        })
    }

    /// What is to be sealed.
    pub(super) fn kept(&self) -> Vec<u8> {
        let kept = Kept { etag: self.etag.as_deref().map(Into::into), body: String::from_utf8_lossy(&self.body) };
        // Two texts can always be encoded.
        serde_json::to_vec(&kept).unwrap_or_default()
    }

    pub(super) const fn status(&self) -> StatusCode {
        self.status
    }

    /// What the request created, as far as the answer names it.
    pub(in crate::http) const fn resource(&self) -> Option<AnyId> {
        self.resource
    }

    /// The answer as it was given the first time.
    pub(in crate::http) fn into_response(self) -> Response<Body> {
        let json = !self.body.is_empty();
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        if json {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        if let Some(etag) = self.etag.and_then(|etag| HeaderValue::from_str(&etag).ok()) {
            headers.insert(header::ETAG, etag);
        }
        response
    }
}

/// The id in a member of a body; resources are named by `RRR_id`, some only by `id`.
fn id_in(body: &[u8], member: &str) -> Option<AnyId> {
    let body: Value = serde_json::from_slice(body).ok()?;
    body.get(member).or_else(|| body.get("id"))?.as_str()?.parse().ok()
}
