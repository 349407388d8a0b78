use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use bothy_domain::problem::Problem;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

/// What an operation answers when it succeeds.
pub trait Output: Send + 'static {
    /// The status.
    const STATUS: StatusCode;

    /// The schema of the body, if there is one.
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema>;

    /// Encodes it.
    ///
    /// # Errors
    /// `internal_error` when the value cannot be encoded.
    fn encode(self) -> Result<Response<Body>, Problem>;
}

/// 200 with a JSON body.
#[derive(Debug)]
pub struct Json<T> {
    body: T,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl<T> Json<T> {
    /// The answer with this body.
    pub const fn new(body: T) -> Self {
        Self { body, headers: Vec::new() }
    }

    /// Adds a header.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Adds the `ETag` of a representation with this version.
    #[must_use]
    pub fn with_version(self, version: i64) -> Self {
        match HeaderValue::from_str(&etag(version)) {
            Ok(value) => self.with_header(header::ETAG, value),
            Err(_) => self,
        }
    }
}

/// The entity tag of a version.
pub fn etag(version: i64) -> String {
    format!("\"v{version}\"")
}

/// 201 with a JSON body.
#[derive(Debug)]
pub struct Created<T>(pub Json<T>);

impl<T> Created<T> {
    /// The answer with this body.
    pub const fn new(body: T) -> Self {
        Self(Json::new(body))
    }
}

/// 204.
#[derive(Debug, Clone, Copy)]
pub struct NoContent;

impl<T: Serialize + JsonSchema + Send + 'static> Output for Json<T> {
    const STATUS: StatusCode = StatusCode::OK;

    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<T>())
    }

    fn encode(self) -> Result<Response<Body>, Problem> {
        encode(Self::STATUS, &self.body, self.headers)
    }
}

impl<T: Serialize + JsonSchema + Send + 'static> Output for Created<T> {
    const STATUS: StatusCode = StatusCode::CREATED;

    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<T>())
    }

    fn encode(self) -> Result<Response<Body>, Problem> {
        encode(Self::STATUS, &self.0.body, self.0.headers)
    }
}

impl Output for NoContent {
    const STATUS: StatusCode = StatusCode::NO_CONTENT;

    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    fn encode(self) -> Result<Response<Body>, Problem> {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = Self::STATUS;
        Ok(response)
    }
}

fn encode<T: Serialize>(
    status: StatusCode,
    body: &T,
    headers: Vec<(HeaderName, HeaderValue)>,
) -> Result<Response<Body>, Problem> {
    let bytes = serde_json::to_vec(body).map_err(Problem::internal)?;
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in headers {
        response.headers_mut().append(name, value);
    }
    Ok(response)
}
