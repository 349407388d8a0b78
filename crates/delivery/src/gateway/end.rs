use bothy_platform::http::SocketError;

use crate::cursor;

/// Why a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The client said good-bye, or is gone.
    Gone,
    /// Its credential does not count any more.
    Unauthenticated,
    /// It takes its frames too slowly.
    Slow,
    /// It says nothing.
    Idle,
    /// What it says makes no sense, again and again.
    Malformed,
    /// It said more than it may at once.
    TooLarge,
    /// It was away for longer than events are kept.
    Expired,
    /// The database does not answer.
    Unavailable,
    /// The server stops.
    Stopping,
}

impl End {
    /// The code and the reason of the good-bye. Whoever may come back is told from where.
    pub(crate) fn good_bye(self, position: i64) -> Option<(u16, String)> {
        let resume = |reason: &str| format!("{reason}; resume={}", cursor::text(position));
        Some(match self {
            Self::Gone => return None,
            Self::Unauthenticated => (4401, "unauthenticated".to_owned()),
            Self::Slow => (4429, resume("slow_consumer")),
            Self::Idle => (4408, resume("idle")),
            Self::Malformed => (1008, "malformed".to_owned()),
            Self::TooLarge => (1009, "frame_too_large".to_owned()),
            Self::Expired => (4410, "cursor_expired".to_owned()),
            Self::Unavailable => (1013, resume("unavailable")),
            Self::Stopping => (1012, resume("stopping")),
        })
    }
}

impl From<SocketError> for End {
    fn from(error: SocketError) -> Self {
        match error {
            SocketError::TooLarge => Self::TooLarge,
            SocketError::Malformed => Self::Malformed,
            SocketError::Broken => Self::Gone,
        }
    }
}
