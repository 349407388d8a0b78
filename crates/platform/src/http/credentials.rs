use axum::http::{HeaderMap, Method, header};
use bothy_domain::problem::{Problem, ProblemCode};

/// The name of the login cookie.
pub const SESSION_COOKIE: &str = "bothy_session";

/// The header that binds a request to a run (AF-2).
pub const INVOCATION_TOKEN: &str = "invocation-token";

/// What a request shows of who is calling. Values are as sent; nothing is judged yet, except that
/// what is shown twice is never resolved to one of both.
#[derive(Clone, Default)]
pub struct Credentials {
    /// The bearer token or the login cookie, if exactly one was shown.
    pub token: Option<String>,
    /// Every value of `Invocation-Token`, as bytes.
    pub invocation_tokens: Vec<Vec<u8>>,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials")
            .field("token", &self.token.is_some())
            .field("invocation_tokens", &self.invocation_tokens.len())
            .finish()
    }
}

impl Credentials {
    /// Reads the headers. A cookie counts for unsafe methods, and for opening a WebSocket, only when
    /// the request comes from our own pages (CSRF): browsers say so with `Sec-Fetch-Site`, older ones
    /// with `Origin`.
    ///
    /// # Errors
    /// `unauthenticated` when `Authorization` is there but is not exactly one bearer token.
    pub fn of(headers: &HeaderMap, method: &Method) -> Result<Self, Problem> {
        let invocation_tokens =
            headers.get_all(INVOCATION_TOKEN).iter().map(|value| value.as_bytes().to_vec()).collect();
        let mut authorization = headers.get_all(header::AUTHORIZATION).iter();
        let token = match (authorization.next(), authorization.next()) {
            (None, _) => cookie(headers, method),
            (Some(value), None) => Some(bearer(value.to_str().ok()).ok_or_else(unauthenticated)?),
            (Some(_), Some(_)) => return Err(unauthenticated()),
        };
        Ok(Self { token, invocation_tokens })
    }
}

/// The one answer for everything that is wrong with credentials.
pub(super) fn unauthenticated() -> Problem {
    Problem::new(ProblemCode::Unauthenticated)
}

fn bearer(value: Option<&str>) -> Option<String> {
    let (scheme, token) = value?.split_once(' ')?;
    let well_formed = !token.is_empty() && token.len() <= 512 && token.bytes().all(|b| b.is_ascii_graphic());
    (scheme.eq_ignore_ascii_case("bearer") && well_formed).then(|| token.to_owned())
}

fn cookie(headers: &HeaderMap, method: &Method) -> Option<String> {
    // A page of anybody may open a WebSocket, and the browser sends our cookies along.
    let safe = method.is_safe() && !headers.contains_key(header::UPGRADE);
    if !safe && !same_origin(headers) {
        return None;
    }
    let mut found = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(name, _)| *name == SESSION_COOKIE)
        .map(|(_, value)| value.to_owned());
    match (found.next(), found.next()) {
        (Some(token), None) => Some(token),
        _ => None,
    }
}

fn same_origin(headers: &HeaderMap) -> bool {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = headers.get("sec-fetch-site") {
        return site.as_bytes() == b"same-origin";
    }
    match (text(header::ORIGIN), text(header::HOST)) {
        (Some(origin), Some(host)) => {
            origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://")) == Some(host)
        }
        _ => false,
    }
}
