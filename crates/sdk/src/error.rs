//! What can go wrong with a call.

use std::fmt;
use std::time::Duration;

use serde::Deserialize;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address of the server is not one.
    #[error("the server address is not an http or https URL without query: correct it")]
    Address,
    /// The token cannot be sent in a header.
    #[error("the token has characters that no token has: check that the whole token and nothing else was given")]
    Token,
    /// TLS could not be set up on this machine.
    #[error("TLS cannot be set up on this machine: {0}")]
    Tls(String),
    /// The server was not reached, or broke off.
    #[error("the server did not answer ({0}): check that it runs and that the address is right")]
    Transport(String),
    /// The server answered with a problem.
    #[error(transparent)]
    Problem(Box<Problem>),
    /// The server answered with something that this version does not understand.
    #[error("the answer to {operation} is not understood ({cause}): is this a Bothy server of a fitting version?")]
    Unexpected {
        /// The operation id.
        operation: &'static str,
        /// What is wrong with it, without its content.
        cause: String,
    },
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}

impl Error {
    /// The problem that the server answered, if it did.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            _ => None,
        }
    }

    /// Whether the server answered with this problem code.
    pub fn is(&self, code: &str) -> bool {
        self.problem().is_some_and(|problem| problem.code == code)
    }

    /// Whether the same call may succeed later.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Transport(_) => true,
            Self::Problem(problem) => problem.is_temporary(),
            _ => false,
        }
    }
}

/// A problem answer of the server (RFC 9457). `code` is from the closed list that the API
/// description publishes together with what a client should do.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, thiserror::Error)]
pub struct Problem {
    /// The HTTP status.
    pub status: u16,
    /// The code.
    pub code: String,
    /// The code in words.
    #[serde(default)]
    pub title: String,
    /// A sentence about this case.
    #[serde(default)]
    pub detail: Option<String>,
    /// The reason of a denial.
    #[serde(default)]
    pub reason: Option<String>,
    /// The wrong fields.
    #[serde(default)]
    pub errors: Vec<FieldError>,
    /// What ties the answer to the server's log.
    #[serde(default)]
    pub correlation_id: Option<String>,
    /// How long the server asks to wait.
    #[serde(skip)]
    pub retry_after: Option<Duration>,
}

impl Problem {
    /// Whether the same call may succeed later.
    pub fn is_temporary(&self) -> bool {
        matches!(self.status, 429 | 502 | 503 | 504)
    }

    /// What an answer that is no problem document amounts to, such as that of a proxy.
    pub(crate) fn bare(status: u16) -> Self {
        Self {
            status,
            code: format!("http_{status}"),
            title: "The answer does not come from a Bothy server".to_owned(),
            detail: None,
            reason: None,
            errors: Vec::new(),
            correlation_id: None,
            retry_after: None,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.status, self.code, self.title)?;
        if let Some(detail) = &self.detail {
            write!(f, ": {detail}")?;
        }
        if let Some(reason) = &self.reason {
            write!(f, " (reason {reason})")?;
        }
        for error in &self.errors {
            write!(f, "; {} {}", error.pointer, error.message)?;
        }
        Ok(())
    }
}

/// One field of a request that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FieldError {
    /// A JSON pointer into the body, or `/query/NAME`, `/header/NAME`, `/path/NAME`.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}
