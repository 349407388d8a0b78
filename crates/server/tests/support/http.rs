use std::fmt;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode};
use serde_json::Value;

/// A client that shows the answer as it came. Paths are below `/api/v1` unless they name another root.
#[derive(Clone)]
pub struct Http {
    client: reqwest::Client,
    base: String,
    headers: HeaderMap,
}

impl Http {
    pub fn new(base: &str) -> Self {
        Self::with(base, usize::MAX)
    }

    /// A connection a request: where a story lets minutes pass in one line, idle connections end at any
    /// moment.
    pub fn without_pool(base: &str) -> Self {
        Self::with(base, 0)
    }

    fn with(base: &str, idle: usize) -> Self {
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .pool_max_idle_per_host(idle)
            .tls_backend_preconfigured(no_tls())
            .build()
            .unwrap();
        Self { client, base: base.to_owned(), headers: HeaderMap::new() }
    }

    /// The same client, asking another node.
    pub fn at(&self, base: &str) -> Self {
        Self { base: base.to_owned(), ..self.clone() }
    }

    /// The same client with one more header; a name may be given twice.
    pub fn header(&self, name: &str, value: &[u8]) -> Self {
        let mut headers = self.headers.clone();
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, HeaderValue::from_bytes(value).unwrap());
        Self { headers, ..self.clone() }
    }

    /// The same client with this bearer token and no other.
    pub fn token(&self, token: &str) -> Self {
        let mut headers = self.headers.clone();
        headers.insert("authorization", format!("Bearer {token}").parse().unwrap());
        Self { headers, ..self.clone() }
    }

    /// The token that it sends.
    pub fn bearer(&self) -> String {
        self.headers["authorization"].to_str().unwrap().trim_start_matches("Bearer ").to_owned()
    }

    /// The same client with this `Authorization` as it stands.
    pub fn authorization(&self, value: &str) -> Self {
        let mut headers = self.headers.clone();
        headers.insert("authorization", value.parse().unwrap());
        Self { headers, ..self.clone() }
    }

    /// The same client inside a run.
    pub fn invocation(&self, token: &str) -> Self {
        let mut headers = self.headers.clone();
        headers.insert("invocation-token", token.parse().unwrap());
        Self { headers, ..self.clone() }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(json(&body))).await
    }

    /// A `POST` without a body.
    pub async fn post_empty(&self, path: &str) -> Answer {
        self.send(Method::POST, path, None).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, Some(json(&body))).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, path, Some(json(&body))).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await
    }

    /// Sends anything; a body is `(content type, bytes)`.
    pub async fn send(&self, method: Method, path: &str, body: Option<(&str, Vec<u8>)>) -> Answer {
        let root = ["/api/", "/healthz", "/readyz"].iter().any(|root| path.starts_with(root));
        let url = if root { format!("{}{path}", self.base) } else { format!("{}/api/v1{path}", self.base) };
        let mut request = self.client.request(method, url).headers(self.headers.clone());
        if let Some((kind, bytes)) = body {
            request = request.header("content-type", kind).body(bytes);
        }
        let response = request.send().await.unwrap_or_else(|error| panic!("{path}: no answer: {error:?}"));
        let status = response.status();
        let headers = response.headers().clone();
        let body = response.bytes().await.unwrap_or_else(|error| panic!("{path}: broken answer: {error:?}")).to_vec();
        let answer = Answer { status, headers, body };
        answer.assert_form(path);
        answer
    }
}

fn json(body: &Value) -> (&'static str, Vec<u8>) {
    ("application/json", serde_json::to_vec(body).unwrap())
}

/// An answer, byte for byte.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    /// Asserts the status; says what came instead.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{self:?}");
        self
    }

    /// Asserts a problem with this status and code.
    #[track_caller]
    pub fn expect_problem(self, status: u16, code: &str) -> Self {
        let answer = self.expect(status);
        assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{answer:?}");
        assert_eq!(answer.json()["code"], code, "{answer:?}");
        answer
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("not JSON ({error}): {self:?}"))
    }

    /// One text of the body.
    #[track_caller]
    pub fn text(&self, pointer: &str) -> String {
        let body = self.json();
        let found = body.pointer(pointer).and_then(Value::as_str);
        found.unwrap_or_else(|| panic!("no text at {pointer}: {self:?}")).to_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The answer without what may differ between two requests for the same thing: the correlation
    /// id, the address that was asked for, the time, and what is left of the caller's budget.
    pub fn comparable(&self) -> Self {
        let mut answer = self.clone();
        answer.headers.remove("correlation-id");
        answer.headers.remove("date");
        answer.headers.remove("ratelimit");
        if let Ok(Value::Object(mut body)) = serde_json::from_slice::<Value>(&self.body) {
            for member in ["correlation_id", "instance"] {
                let value = body.remove(member);
                if let Some(value) = value.as_ref().and_then(Value::as_str) {
                    answer.body = replace(&answer.body, value.as_bytes(), format!("({member})").as_bytes());
                }
            }
        }
        answer
    }

    /// Asserts that two answers cannot be told apart (AZ-6).
    #[track_caller]
    pub fn assert_like(&self, other: &Self) {
        assert_eq!(self.comparable(), other.comparable());
    }

    /// What holds for every answer of the API.
    #[track_caller]
    fn assert_form(&self, path: &str) {
        assert_eq!(self.header("cache-control"), Some("no-store"), "{path}: {self:?}");
        let kind = self.header("content-type").unwrap_or_default();
        let json = matches!(kind, "application/json" | "application/problem+json");
        // The description may say `null` in its own words.
        if json && !path.ends_with("openapi.json") && !self.body.is_empty() {
            assert_no_null(&self.json(), path);
        }
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.status)?;
        let mut headers: Vec<_> = self.headers.iter().collect();
        headers.sort_by_key(|(name, _)| name.as_str());
        for (name, value) in headers {
            writeln!(f, "{name}: {}", String::from_utf8_lossy(value.as_bytes()))?;
        }
        write!(f, "\n{}", String::from_utf8_lossy(&self.body))
    }
}

/// No JSON null anywhere: what does not apply is left out.
#[track_caller]
fn assert_no_null(value: &Value, place: &str) {
    match value {
        Value::Null => panic!("null at {place}"),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| assert_no_null(item, &format!("{place}/{index}")));
        }
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| assert_no_null(member, &format!("{place}/{name}")));
        }
        _ => {}
    }
}

fn replace(text: &[u8], what: &[u8], with: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::new();
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        if rest.starts_with(what) && !what.is_empty() {
            replaced.extend_from_slice(with);
            rest = &rest[what.len()..];
        } else {
            replaced.push(*first);
            rest = after;
        }
    }
    replaced
}

/// Tests speak plain HTTP on loopback and need no certificates.
fn no_tls() -> rustls::ClientConfig {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth()
}
