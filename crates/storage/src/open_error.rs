//! Why a database could not be opened. Each prints one line for the person who starts the server.

use std::path::PathBuf;

use crate::StorageError;

/// A database cannot be opened. `Display` says in one line what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The data folder cannot be created or written.
    #[error(
        "the data folder {} cannot be used ({cause}): make it writable for the user that runs bothy, or set another one",
        folder.display()
    )]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the operating system or SQLite says.
        cause: String,
    },
    /// Another process has the same file open.
    #[error("the database {} is in use by another process: stop that one first (SQLite serves one bothy at a time)", file.display())]
    InUse {
        /// The database file.
        file: PathBuf,
    },
    /// The file is not a database, or is damaged.
    #[error("{} is not a usable SQLite database ({cause}): restore it from a backup", file.display())]
    Damaged {
        /// The database file.
        file: PathBuf,
        /// What SQLite says.
        cause: String,
    },
    /// The file system cannot hold a database in WAL mode.
    #[error("the folder of {} does not support SQLite's write-ahead log: use a local disk", file.display())]
    NoWriteAheadLog {
        /// The database file.
        file: PathBuf,
    },
    /// The SQLite library is one that can corrupt databases.
    #[error("SQLite {found} is too old, 3.51.3 or newer is needed: build bothy with its bundled SQLite")]
    SqliteTooOld {
        /// The version of the library.
        found: String,
    },
    /// The PostgreSQL server cannot be reached.
    #[error("PostgreSQL at {address} cannot be reached ({cause}): start it, or correct the database URL")]
    Unreachable {
        /// Host, port and database, without the password.
        address: String,
        /// What the network says.
        cause: String,
    },
    /// The PostgreSQL server refuses the login or the database.
    #[error(
        "PostgreSQL at {address} refuses the connection ({cause}): check user, password and database name in the database URL"
    )]
    Refused {
        /// Host, port and database, without the password.
        address: String,
        /// What the server says.
        cause: String,
    },
    /// The URL asks for TLS.
    #[error(
        "the database URL asks for TLS (sslmode=require), which bothy does not speak to PostgreSQL: use a local socket, a private network or a tunnel, and sslmode=prefer"
    )]
    TlsUnsupported,
    /// The PostgreSQL server is too old.
    #[error("PostgreSQL {found} is too old: use version 15 or newer")]
    PostgresTooOld {
        /// The version of the server.
        found: String,
    },
    /// The PostgreSQL database cannot hold every text.
    #[error("the PostgreSQL database has encoding {found}: create it with ENCODING 'UTF8'")]
    WrongEncoding {
        /// The encoding of the database.
        found: String,
    },
    /// The database was migrated by a newer bothy.
    #[error(
        "the database has schema version {found} and this bothy knows versions up to {known}: use the newer bothy, or restore a backup"
    )]
    NewerSchema {
        /// The newest version in the database.
        found: i64,
        /// The newest version in this program.
        known: i64,
    },
    /// Migrations are missing and must not be run.
    #[error("{count} migrations are pending, from {first}: set server.migrate = \"auto\" for one start")]
    PendingMigrations {
        /// How many.
        count: usize,
        /// The first one.
        first: String,
    },
    /// A migration that was applied differs from the one in this program.
    #[error(
        "migration {migration} was applied with another text than this bothy has: use the bothy that this database belongs to"
    )]
    ChecksumMismatch {
        /// Number and name of the migration.
        migration: String,
    },
    /// A migration failed; the database is as it was before it.
    #[error("migration {migration} failed ({cause}): nothing of it was kept; please report this")]
    MigrationFailed {
        /// Number and name of the migration.
        migration: String,
        /// What the engine says.
        cause: String,
    },
    /// Anything else.
    #[error("the database cannot be opened: {0}")]
    Other(#[from] StorageError),
}
