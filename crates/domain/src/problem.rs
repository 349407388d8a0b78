//! The closed list of problems (chapter 04 section 3): what a caller may be told, and nothing else.

use std::fmt;

/// The codes of problem answers. Each has one status and says what a client should do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemCode {
    /// No credentials, or none that count.
    Unauthenticated,
    /// The caller may see the target, but not do this.
    Forbidden,
    /// No such thing, or nothing that the caller may see.
    NotFound,
    /// The `Invocation-Token` binds nothing, or its run has ended.
    InvocationTokenInvalid,
    /// This agent may act only with an `Invocation-Token`.
    InvocationTokenRequired,
    /// Content may not leave for that place.
    EgressDenied,
    /// The request is malformed.
    ValidationFailed,
    /// The request clashes with the state of things.
    Conflict,
    /// The run was started before.
    AlreadyStarted,
    /// The run has ended.
    RunInactive,
    /// The idempotency key was used with another body.
    IdempotencyConflict,
    /// The cursor is older than the event log.
    CursorExpired,
    /// The body or the address is too large.
    PayloadTooLarge,
    /// The body is not JSON.
    UnsupportedMediaType,
    /// The address exists, but not with this method.
    MethodNotAllowed,
    /// Too many requests.
    RateLimited,
    /// The server cannot answer right now.
    Unavailable,
    /// The server made a mistake.
    InternalError,
}

impl ProblemCode {
    /// Every code, in the order of the published list.
    pub const ALL: [Self; 18] = [
        Self::Unauthenticated,
        Self::Forbidden,
        Self::NotFound,
        Self::InvocationTokenInvalid,
        Self::InvocationTokenRequired,
        Self::EgressDenied,
        Self::ValidationFailed,
        Self::Conflict,
        Self::AlreadyStarted,
        Self::RunInactive,
        Self::IdempotencyConflict,
        Self::CursorExpired,
        Self::PayloadTooLarge,
        Self::UnsupportedMediaType,
        Self::MethodNotAllowed,
        Self::RateLimited,
        Self::Unavailable,
        Self::InternalError,
    ];

    /// The code on the wire.
    pub const fn as_str(self) -> &'static str {
        self.entry().0
    }

    /// The HTTP status.
    pub const fn status(self) -> u16 {
        self.entry().1
    }

    /// A short title for people.
    pub const fn title(self) -> &'static str {
        self.entry().2
    }

    /// What a client should do.
    pub const fn client_action(self) -> &'static str {
        self.entry().3
    }

    const fn entry(self) -> (&'static str, u16, &'static str, &'static str) {
        match self {
            Self::Unauthenticated => ("unauthenticated", 401, "Not signed in", "Sign in, or replace the token."),
            Self::Forbidden => ("forbidden", 403, "Not allowed", "Do not repeat; `reason` says what is missing."),
            Self::NotFound => ("not_found", 404, "Not found", "Treat the target as gone."),
            Self::InvocationTokenInvalid => (
                "invocation_token_invalid",
                403,
                "The invocation token does not bind this request",
                "Reason `invalid`: send the token exactly as delivered. Reason `run_inactive`: the run has ended, stop working on it.",
            ),
            Self::InvocationTokenRequired => (
                "invocation_token_required",
                403,
                "This agent may act only inside a run",
                "Send the `Invocation-Token` of the run with every request.",
            ),
            Self::EgressDenied => {
                ("egress_denied", 403, "Content may not go there", "Answer in the thread of the run instead.")
            }
            Self::ValidationFailed => {
                ("validation_failed", 422, "The request is not valid", "Correct what `errors` names and send it again.")
            }
            Self::Conflict => {
                ("conflict", 409, "The request clashes with the present state", "Read the target again, then decide.")
            }
            Self::AlreadyStarted => {
                ("already_started", 409, "The run was started before", "Leave the run to whoever started it.")
            }
            Self::RunInactive => ("run_inactive", 409, "The run has ended", "Stop working on the run."),
            Self::IdempotencyConflict => (
                "idempotency_conflict",
                409,
                "The idempotency key was used for another request",
                "Use a fresh key for a new request.",
            ),
            Self::CursorExpired => (
                "cursor_expired",
                410,
                "The cursor is older than the event log",
                "Take a snapshot and go on from its cursor.",
            ),
            Self::PayloadTooLarge => ("payload_too_large", 413, "The request is too large", "Send less."),
            Self::UnsupportedMediaType => {
                ("unsupported_media_type", 415, "The body is not JSON", "Send `Content-Type: application/json`.")
            }
            Self::MethodNotAllowed => {
                ("method_not_allowed", 405, "Method not allowed", "Use a method that `Allow` names.")
            }
            Self::RateLimited => ("rate_limited", 429, "Too many requests", "Wait as long as `Retry-After` says."),
            Self::Unavailable => ("unavailable", 503, "Not available right now", "Try again after a while."),
            Self::InternalError => ("internal_error", 500, "The server made a mistake", "Report the correlation id."),
        }
    }
}

/// One field of a request that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// A JSON pointer into the body, or `/query/NAME`, `/header/NAME`, `/path/NAME`.
    pub pointer: String,
    /// What is wrong, without repeating the value.
    pub message: String,
}

/// A problem: a public half, and a private cause that is logged and never shown.
#[derive(Debug)]
pub struct Problem {
    code: ProblemCode,
    detail: Option<&'static str>,
    reason: Option<&'static str>,
    errors: Vec<FieldError>,
    retry_after: Option<u64>,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Problem {
    /// A problem with nothing but its code.
    pub const fn new(code: ProblemCode) -> Self {
        Self { code, detail: None, reason: None, errors: Vec::new(), retry_after: None, cause: None }
    }

    /// A conflict with a sentence that says what clashes.
    pub const fn conflict(detail: &'static str) -> Self {
        Self::new(ProblemCode::Conflict).with_detail(detail)
    }

    /// A request with one wrong field.
    pub fn invalid(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ProblemCode::ValidationFailed).with_error(pointer, message)
    }

    /// The server's own mistake; the cause is logged.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(ProblemCode::InternalError).with_cause(cause)
    }

    /// A source that did not answer; the cause is logged.
    pub fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(ProblemCode::Unavailable).with_cause(cause)
    }

    /// Adds a public sentence. Only fixed texts: nothing of the request can get into it.
    pub const fn with_detail(mut self, detail: &'static str) -> Self {
        self.detail = Some(detail);
        self
    }

    /// Adds the public reason.
    pub const fn with_reason(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Adds a wrong field.
    pub fn with_error(mut self, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        self.errors.push(FieldError { pointer: pointer.into(), message: message.into() });
        self
    }

    /// Adds the seconds after which to try again.
    pub const fn with_retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Adds the private cause.
    pub fn with_cause(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// The code.
    pub const fn code(&self) -> ProblemCode {
        self.code
    }

    /// The public sentence, if any.
    pub const fn detail(&self) -> Option<&'static str> {
        self.detail
    }

    /// The public reason, if any.
    pub const fn reason(&self) -> Option<&'static str> {
        self.reason
    }

    /// The wrong fields.
    pub fn errors(&self) -> &[FieldError] {
        &self.errors
    }

    /// Seconds after which to try again, if it says so.
    pub const fn retry_after(&self) -> Option<u64> {
        self.retry_after
    }

    /// The private cause, for the log alone.
    pub fn cause(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        self.cause.as_deref()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.as_str())
    }
}

impl std::error::Error for Problem {}
