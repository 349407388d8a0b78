//! Which of the two engines a database runs on.

use std::fmt;

/// The engine behind a [`crate::Database`]. Nobody outside of storage branches on it, except to
/// report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// SQLite, in the process.
    Sqlite,
    /// PostgreSQL, over a connection.
    Postgres,
}

impl Engine {
    /// The name as it stands in URLs, logs and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
