//! Where a database is.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The address of a database: `sqlite:///path/of/the/data/folder` or `postgres://user@host/name`.
///
/// A SQLite path names the data folder, which holds `bothy.db`; a path that ends in `.db` names
/// the file itself. `Display` and `Debug` leave out user and password.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// The database file of SQLite.
    Sqlite(PathBuf),
    /// The whole URL of a PostgreSQL database.
    Postgres(String),
}

/// A text that is not the address of a database. It is not repeated, since it may hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a database URL: expected sqlite:///path/of/the/data/folder or postgres://user:password@host/name")]
pub struct InvalidDatabaseUrl;

impl DatabaseUrl {
    /// The SQLite database of a data folder.
    pub fn sqlite(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        if path.extension().is_some_and(|extension| extension == "db") {
            Self::Sqlite(path.to_owned())
        } else {
            Self::Sqlite(path.join("bothy.db"))
        }
    }
}

impl FromStr for DatabaseUrl {
    type Err = InvalidDatabaseUrl;

    fn from_str(text: &str) -> Result<Self, InvalidDatabaseUrl> {
        if let Some(path) = text.strip_prefix("sqlite://") {
            if path.is_empty() {
                return Err(InvalidDatabaseUrl);
            }
            return Ok(Self::sqlite(path));
        }
        let known = text.starts_with("postgres://") || text.starts_with("postgresql://");
        if known && text.parse::<tokio_postgres::Config>().is_ok() {
            return Ok(Self::Postgres(text.to_owned()));
        }
        Err(InvalidDatabaseUrl)
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(file) => write!(f, "sqlite://{}", file.display()),
            Self::Postgres(url) => write!(f, "postgres://{}", crate::postgres::address(url)),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests;
