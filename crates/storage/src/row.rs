//! Rows that a statement found.

use std::fmt;
use std::sync::Arc;

use bothy_domain::ids::Id;
use bothy_domain::time::Timestamp;
use uuid::Uuid;

use crate::error::{DecodeProblem, StorageError};

/// One row. Columns are read by name; a wrong name or type is an error, never a panic.
pub struct Row(Inner);

enum Inner {
    Sqlite { columns: Arc<[Box<str>]>, cells: Box<[rusqlite::types::Value]> },
    Postgres(tokio_postgres::Row),
}

/// The value of one column, as the engine holds it.
#[derive(Clone, Copy)]
pub enum Cell<'a> {
    /// No value.
    Null,
    /// A boolean (PostgreSQL).
    Bool(bool),
    /// An integer, or a boolean of SQLite.
    Int(i64),
    /// A text.
    Text(&'a str),
    /// Bytes, or an id of SQLite.
    Bytes(&'a [u8]),
    /// An id (PostgreSQL).
    Uuid(Uuid),
}

/// A type that can be read from a column.
pub trait FromValue: Sized {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// [`DecodeProblem`] when the column holds something else.
    fn from_cell(cell: Cell<'_>) -> Result<Self, DecodeProblem>;
}

impl Row {
    pub(crate) const fn sqlite(columns: Arc<[Box<str>]>, cells: Box<[rusqlite::types::Value]>) -> Self {
        Self(Inner::Sqlite { columns, cells })
    }

    pub(crate) const fn postgres(row: tokio_postgres::Row) -> Self {
        Self(Inner::Postgres(row))
    }

    /// Reads a column.
    ///
    /// `T` is `bool`, an integer, `String`, `Vec<u8>`, `[u8; N]`, [`Uuid`], [`Id`],
    /// [`Timestamp`], or an `Option` of one of these.
    ///
    /// # Errors
    ///
    /// [`StorageError::Decode`] when there is no such column, or it holds something else.
    pub fn get<T: FromValue>(&self, column: &str) -> Result<T, StorageError> {
        self.cell(column)
            .and_then(T::from_cell)
            .map_err(|problem| StorageError::Decode { column: column.to_owned(), problem })
    }

    fn cell(&self, column: &str) -> Result<Cell<'_>, DecodeProblem> {
        match &self.0 {
            Inner::Sqlite { columns, cells } => {
                let at = columns.iter().position(|name| **name == *column);
                let cell = at.and_then(|at| cells.get(at)).ok_or(DecodeProblem::UnknownColumn)?;
                crate::sqlite::cell(cell)
            }
            Inner::Postgres(row) => {
                let at = row.columns().iter().position(|known| known.name() == column);
                at.map_or(Err(DecodeProblem::UnknownColumn), |at| crate::postgres::cell(row, at))
            }
        }
    }

    fn columns(&self) -> Vec<&str> {
        match &self.0 {
            Inner::Sqlite { columns, .. } => columns.iter().map(AsRef::as_ref).collect(),
            Inner::Postgres(row) => row.columns().iter().map(tokio_postgres::Column::name).collect(),
        }
    }
}

impl fmt::Debug for Row {
    /// The names of the columns only: values must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Row").field(&self.columns()).finish()
    }
}

impl fmt::Debug for Cell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())
    }
}

impl Cell<'_> {
    const fn kind(self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Text(_) => "a text",
            Self::Bytes(_) => "bytes",
            Self::Uuid(_) => "an id",
        }
    }

    const fn unexpected(self, expected: &'static str) -> DecodeProblem {
        match self {
            Self::Null => DecodeProblem::Null { expected },
            other => DecodeProblem::WrongType { expected, found: other.kind() },
        }
    }
}

impl FromValue for bool {
    fn from_cell(cell: Cell<'_>) -> Result<Self, DecodeProblem> {
        match cell {
            Cell::Bool(value) => Ok(value),
            Cell::Int(0) => Ok(false),
            Cell::Int(1) => Ok(true),
            Cell::Int(_) => Err(DecodeProblem::OutOfRange { expected: "a boolean" }),
            other => Err(other.unexpected("a boolean")),
        }
    }
}

impl FromValue for i64 {
    fn from_cell(cell: Cell<'_>) -> Result<Self, DecodeProblem> {
        match cell {
            Cell::Int(value) => Ok(value),
            other => Err(other.unexpected("an integer")),
        }
    }
}

macro_rules! narrower {
    ($($type:ident)*) => {
        $(impl FromValue for $type {
            fn from_cell(cell: Cell<'_>) -> Result<Self, DecodeProblem> {
                i64::from_cell(cell)?.try_into().map_err(|_| DecodeProblem::OutOfRange { expected: stringify!($type) })
            }
        })*
    };
}
narrower! { u8 u16 i32 u32 u64 usize }

impl FromValue for String {
    fn from_cell(cell: Cell<'_>) -> Result<Self, DecodeProblem> {
        match cell {
            Cell::Text(value) => Ok(value.to_owned()),
            other => Err(other.unexpected("a text")),
        }
    }
}

impl FromValue for Vec<u8> {
    fn from_cell(cell: Cell<'_>) -> Result<Self, DecodeProblem> {
        match cell {
            Cell::Bytes(value) => Ok(value.to_vec()),
            other => Err(other.unexpected("bytes")),
        }
    }
}

impl<const N: usize> FromValue for [u8; N] {
    fn from_cell(cell: Cell<'_>) -> Result<Self, DecodeProblem> {
        match cell {
            Cell::Bytes(value) => value.try_into().map_err(|_| DecodeProblem::OutOfRange { expected: "bytes" }),
            other => Err(other.unexpected("bytes")),
        }
    }
}

impl FromValue for Uuid {
    fn from_cell(cell: Cell<'_>) -> Result<Self, DecodeProblem> {
        match cell {
            Cell::Uuid(value) => Ok(value),
            Cell::Bytes(value) => Self::from_slice(value).map_err(|_| DecodeProblem::OutOfRange { expected: "an id" }),
            other => Err(other.unexpected("an id")),
        }
    }
}

impl<K> FromValue for Id<K> {
    fn from_cell(cell: Cell<'_>) -> Result<Self, DecodeProblem> {
        Uuid::from_cell(cell).map(Self::from_uuid)
    }
}

impl FromValue for Timestamp {
    fn from_cell(cell: Cell<'_>) -> Result<Self, DecodeProblem> {
        i64::from_cell(cell).map(Self::from_micros)
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_cell(cell: Cell<'_>) -> Result<Self, DecodeProblem> {
        match cell {
            Cell::Null => Ok(None),
            other => T::from_cell(other).map(Some),
        }
    }
}
