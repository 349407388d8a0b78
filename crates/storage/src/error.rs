//! What can go wrong with a statement or a transaction.

/// An error of a statement or of a transaction.
///
/// Neither `Display` nor `Debug` contains a value that was bound to a statement or read from a
/// row: names of statements, columns and constraints only, so that it can be logged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// No connection could be had, or it was lost. Nothing is known about a commit under way.
    #[error("the database is not available: {reason}")]
    Unavailable {
        /// What failed, in words.
        reason: String,
    },
    /// Another transaction was in the way; the same work may succeed when it is run again.
    #[error("{statement} conflicts with another transaction and may be run again")]
    Retry {
        /// The statement that met the conflict.
        statement: &'static str,
    },
    /// A row with the same key exists.
    #[error("unique constraint {constraint} is violated")]
    UniqueViolation {
        /// The unique index, or `table_pkey` for a primary key; the same name on both engines.
        constraint: String,
    },
    /// A row that is referred to does not exist, or is still referred to.
    #[error("{statement} violates a foreign key")]
    ForeignKey {
        /// The statement that broke the reference.
        statement: &'static str,
    },
    /// A check or a `NOT NULL` is violated. SQLite names an unnamed check by its text,
    /// PostgreSQL by its table, so callers must not tell checks apart by this name.
    #[error("check {constraint} is violated")]
    Check {
        /// The check, or `table.column` for a missing value.
        constraint: String,
    },
    /// A column does not hold what the caller reads from it: a defect of a statement or its reader.
    #[error("column {column}: {problem}")]
    Decode {
        /// The column asked for.
        column: String,
        /// What is wrong with it.
        problem: DecodeProblem,
    },
    /// A statement found another number of rows than its caller can take.
    #[error("{statement} found {found} rows")]
    Rows {
        /// The statement.
        statement: &'static str,
        /// How many rows it found.
        found: usize,
    },
    /// The disk is full.
    #[error("the disk of the database is full")]
    Full,
    /// An earlier statement of this unit of work failed or was abandoned, so it can only be
    /// rolled back.
    #[error("an earlier statement of this unit of work failed; it can only be rolled back")]
    Aborted,
    /// Any other failure of a statement: a defect of its text or of its parameters.
    #[error("{name}: {problem}")]
    Statement {
        /// The statement.
        name: &'static str,
        /// What the engine says about it, without values.
        problem: String,
    },
}

/// Why a column could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeProblem {
    /// The row has no such column.
    #[error("there is no such column")]
    UnknownColumn,
    /// The column is empty and the caller does not expect that.
    #[error("expected {expected}, found NULL")]
    Null {
        /// The type asked for.
        expected: &'static str,
    },
    /// The column has another type.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// The type asked for.
        expected: &'static str,
        /// The type of the stored value.
        found: &'static str,
    },
    /// The value does not fit into the type asked for.
    #[error("the stored value does not fit into {expected}")]
    OutOfRange {
        /// The type asked for.
        expected: &'static str,
    },
    /// The column has a type of PostgreSQL that is outside of the portable subset.
    #[error("the type is outside of the portable subset; cast it")]
    UnsupportedType,
}

impl StorageError {
    /// Whether the same unit of work may succeed when it is run again.
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Retry { .. })
    }

    /// Whether this is a violation of a unique constraint whose name contains `fragment`.
    pub fn is_unique(&self, fragment: &str) -> bool {
        matches!(self, Self::UniqueViolation { constraint } if constraint.contains(fragment))
    }

    pub(crate) fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable { reason: reason.into() }
    }
}
