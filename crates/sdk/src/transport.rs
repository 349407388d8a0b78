//! One request and its answer, repeated where that cannot do harm.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, ETAG, HeaderValue, IF_MATCH, RETRY_AFTER};
use reqwest::{Method, Response, Url};
use rustls_platform_verifier::BuilderVerifierExt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Problem};
use crate::wait::SharedWait;

/// The header that binds a request to a run (AF-2).
const INVOCATION_TOKEN: &str = "Invocation-Token";
/// No server may make a client wait longer than this between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How often and after which pauses a call is repeated that was answered with 429 or 503, or that
/// never reached the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// How often a call is sent at most.
    pub attempts: u32,
    /// The first pause; each further one is twice as long. `Retry-After` wins over it.
    pub first_pause: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 6, first_pause: Duration::from_millis(250) }
    }
}

impl Retry {
    /// The pause after this many failed attempts.
    fn pause(self, failed: u32, asked: Option<Duration>) -> Duration {
        let own = self.first_pause.saturating_mul(2_u32.saturating_pow(failed.saturating_sub(1)));
        asked.unwrap_or(own).min(LONGEST_PAUSE)
    }
}

/// One call of an operation.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    operation: &'static str,
    method: Method,
    path: String,
    query: Vec<(&'static str, String)>,
    body: Option<Result<Vec<u8>, String>>,
    if_match: Option<&'a str>,
    invocation: Option<&'a HeaderValue>,
    repeatable: bool,
    patience: Duration,
}

impl<'a> Call<'a> {
    fn new(method: Method, operation: &'static str, path: impl Into<String>, repeatable: bool) -> Self {
        Self {
            operation,
            method,
            path: path.into(),
            query: Vec::new(),
            body: None,
            if_match: None,
            invocation: None,
            repeatable,
            patience: Duration::from_secs(60),
        }
    }

    pub(crate) fn get(operation: &'static str, path: impl Into<String>) -> Self {
        Self::new(Method::GET, operation, path, true)
    }

    /// A `POST` may have done its work although its answer was lost, so it is repeated only where
    /// [`Call::repeatable`] says that the server takes a repetition as such.
    pub(crate) fn post(operation: &'static str, path: impl Into<String>) -> Self {
        Self::new(Method::POST, operation, path, false)
    }

    pub(crate) fn put(operation: &'static str, path: impl Into<String>) -> Self {
        Self::new(Method::PUT, operation, path, true)
    }

    pub(crate) fn patch(operation: &'static str, path: impl Into<String>) -> Self {
        Self::new(Method::PATCH, operation, path, false)
    }

    pub(crate) fn delete(operation: &'static str, path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, operation, path, true)
    }

    pub(crate) fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    pub(crate) fn query(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.query.extend(value.map(|value| (name, value.to_string())));
        self
    }

    pub(crate) fn body<T: Serialize>(mut self, body: &T) -> Self {
        self.body = Some(serde_json::to_vec(body).map_err(|error| error.to_string()));
        self
    }

    pub(crate) fn if_match(mut self, etag: &'a str) -> Self {
        self.if_match = Some(etag);
        self
    }

    pub(crate) fn invocation(mut self, token: &'a HeaderValue) -> Self {
        self.invocation = Some(token);
        self
    }

    /// How long the answer may take.
    pub(crate) fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }
}

/// A successful answer.
#[derive(Debug)]
pub(crate) struct Reply {
    operation: &'static str,
    etag: Option<String>,
    body: Vec<u8>,
}

impl Reply {
    pub(crate) fn etag(&self) -> Option<&str> {
        self.etag.as_deref()
    }

    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body)
            .map_err(|error| Error::Unexpected { operation: self.operation, cause: shape(&error) })
    }
}

/// What is wrong with an answer, without the values in it.
fn shape(error: &serde_json::Error) -> String {
    format!("{:?} error at line {} column {}", error.classify(), error.line(), error.column()).to_lowercase()
}

/// A connection to one server, without or with a token.
#[derive(Debug, Clone)]
pub(crate) struct Transport {
    http: reqwest::Client,
    base: Arc<Url>,
    authorization: Option<HeaderValue>,
    retry: Retry,
    wait: SharedWait,
}

impl Transport {
    pub(crate) fn new(server: &str, wait: SharedWait) -> Result<Self, Error> {
        let mut base = Url::parse(server.trim()).map_err(|_| Error::Address)?;
        let fits = matches!(base.scheme(), "http" | "https")
            && base.host_str().is_some()
            && base.query().is_none()
            && base.fragment().is_none()
            && base.username().is_empty();
        if !fits {
            return Err(Error::Address);
        }
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        let http = reqwest::Client::builder()
            // A token never follows a redirect to another place.
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(Duration::from_secs(10))
            .user_agent(concat!("bothy-sdk/", env!("CARGO_PKG_VERSION")))
            .tls_backend_preconfigured(tls(base.scheme() == "https")?)
            .build()
            .map_err(|error| Error::Tls(error.to_string()))?;
        Ok(Self { http, base: Arc::new(base), authorization: None, retry: Retry::default(), wait })
    }

    pub(crate) fn with_token(&self, token: &str) -> Result<Self, Error> {
        Ok(Self { authorization: Some(secret(&format!("Bearer {}", token.trim()))?), ..self.clone() })
    }

    pub(crate) fn with_retry(&self, retry: Retry) -> Self {
        Self { retry, ..self.clone() }
    }

    pub(crate) fn with_wait(&self, wait: SharedWait) -> Self {
        Self { wait, ..self.clone() }
    }

    pub(crate) const fn wait(&self) -> &SharedWait {
        &self.wait
    }

    pub(crate) fn server(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Sends a call below the API's base path.
    pub(crate) async fn send(&self, call: Call<'_>) -> Result<Reply, Error> {
        self.send_to(&format!("api/v1{}", call.path), &call).await
    }

    /// Sends a call to an address outside of the API.
    pub(crate) async fn send_outside(&self, call: Call<'_>) -> Result<Reply, Error> {
        self.send_to(call.path.trim_start_matches('/'), &call).await
    }

    async fn send_to(&self, path: &str, call: &Call<'_>) -> Result<Reply, Error> {
        let mut url = self.base.join(path).map_err(|_| Error::Address)?;
        if !call.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&call.query);
        }
        let mut failed = 0;
        loop {
            let (error, safe) = match self.attempt(&url, call).await {
                Ok(reply) => return Ok(reply),
                Err(Attempt::NotSent(error)) => (error, true),
                Err(Attempt::Lost(error)) => (error, false),
            };
            failed += 1;
            let refused = error.problem().is_some_and(|problem| problem.status == 429);
            if failed >= self.retry.attempts || !error.is_temporary() || !(safe || refused || call.repeatable) {
                return Err(error);
            }
            let asked = error.problem().and_then(|problem| problem.retry_after);
            self.wait.wait(self.retry.pause(failed, asked)).await;
        }
    }

    async fn attempt(&self, url: &Url, call: &Call<'_>) -> Result<Reply, Attempt> {
        let mut request = self.http.request(call.method.clone(), url.clone()).timeout(call.patience);
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        if let Some(invocation) = call.invocation {
            request = request.header(INVOCATION_TOKEN, invocation.clone());
        }
        if let Some(etag) = call.if_match {
            request = request.header(IF_MATCH, etag);
        }
        match &call.body {
            Some(Ok(body)) => request = request.header(CONTENT_TYPE, "application/json").body(body.clone()),
            Some(Err(cause)) => {
                return Err(Attempt::Lost(Error::Unexpected { operation: call.operation, cause: cause.clone() }));
            }
            None => {}
        }
        let response = request.send().await.map_err(|error| {
            let transport = Error::Transport(cause_of(&error));
            if error.is_connect() { Attempt::NotSent(transport) } else { Attempt::Lost(transport) }
        })?;
        reply_of(call.operation, response).await.map_err(Attempt::Lost)
    }
}

/// A failed attempt: whether the server may have seen it.
enum Attempt {
    NotSent(Error),
    Lost(Error),
}

async fn reply_of(operation: &'static str, response: Response) -> Result<Reply, Error> {
    let status = response.status();
    let etag = response.headers().get(ETAG).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let retry_after = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.parse().ok())
        .map(Duration::from_secs);
    let body = response.bytes().await.map_err(|error| Error::Transport(cause_of(&error)))?.to_vec();
    if status.is_success() {
        return Ok(Reply { operation, etag, body });
    }
    let mut problem: Problem = serde_json::from_slice(&body).unwrap_or_else(|_| Problem::bare(status.as_u16()));
    problem.retry_after = retry_after;
    Err(problem.into())
}

/// The innermost cause, which is the one that says something ("connection refused").
fn cause_of(error: &reqwest::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// A header value that is left out of debug prints.
pub(crate) fn secret(text: &str) -> Result<HeaderValue, Error> {
    let mut value = HeaderValue::from_str(text).map_err(|_| Error::Token)?;
    value.set_sensitive(true);
    Ok(value)
}

/// Without TLS no certificates are loaded, so that a machine that has none can still use loopback.
fn tls(secure: bool) -> Result<rustls::ClientConfig, Error> {
    let broken = |error: rustls::Error| Error::Tls(error.to_string());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().map_err(broken)?;
    Ok(if secure {
        builder.with_platform_verifier().map_err(broken)?.with_no_client_auth()
    } else {
        builder.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth()
    })
}

#[cfg(test)]
pub(crate) mod tests;
