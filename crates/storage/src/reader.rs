//! Reading.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::engine::Engine;
use crate::error::StorageError;
use crate::row::Row;
use crate::statement::Statement;
use crate::value::Value;
use crate::{postgres, sqlite};

/// Reads from the database.
///
/// From [`crate::Database::reader`] each statement sees the newest committed state; from
/// [`crate::Database::consistent_reader`] all of them see one snapshot; a
/// [`crate::UnitOfWork`] derefs to one that sees its own writes. On PostgreSQL, statements whose
/// futures are joined travel together on one connection.
pub struct Reader {
    session: Session,
    statements: Arc<AtomicU64>,
}

pub(crate) enum Session {
    SqlitePool(Arc<sqlite::Readers>),
    SqliteSnapshot(Arc<sqlite::Snapshot>),
    SqliteUnit(sqlite::Unit),
    Postgres(Box<postgres::Session>),
}

impl Reader {
    pub(crate) const fn new(session: Session, statements: Arc<AtomicU64>) -> Self {
        Self { session, statements }
    }

    fn count(&self) {
        self.statements.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn into_session(self) -> Session {
        self.session
    }

    /// The engine that answers.
    pub const fn engine(&self) -> Engine {
        match &self.session {
            Session::SqlitePool(_) | Session::SqliteSnapshot(_) | Session::SqliteUnit(_) => Engine::Sqlite,
            Session::Postgres(_) => Engine::Postgres,
        }
    }

    /// All rows that a statement finds.
    ///
    /// # Errors
    ///
    /// [`StorageError`]; after an error inside of a unit of work the unit can only be rolled back.
    pub async fn all(&self, statement: &'static Statement, params: &[Value]) -> Result<Vec<Row>, StorageError> {
        self.count();
        match &self.session {
            Session::Postgres(session) => session.query(statement, params).await,
            // SQLite answers at once and would never let go of the worker by itself.
            Session::SqlitePool(readers) => {
                tokio::task::consume_budget().await;
                readers.query(statement, params).await
            }
            Session::SqliteSnapshot(snapshot) => {
                tokio::task::consume_budget().await;
                snapshot.query(statement, params)
            }
            Session::SqliteUnit(unit) => {
                tokio::task::consume_budget().await;
                unit.query(statement, params)
            }
        }
    }

    /// Like [`Reader::all`] for a statement that may take long (search, export, backup): SQLite
    /// runs it on a thread of its own, except inside of a unit of work.
    ///
    /// # Errors
    ///
    /// As [`Reader::all`].
    pub async fn all_long(&self, statement: &'static Statement, params: Vec<Value>) -> Result<Vec<Row>, StorageError> {
        match &self.session {
            Session::SqlitePool(readers) => {
                self.count();
                readers.query_long(statement, params).await
            }
            Session::SqliteSnapshot(snapshot) => {
                self.count();
                snapshot.query_long(statement, params).await
            }
            Session::SqliteUnit(_) | Session::Postgres(_) => self.all(statement, &params).await,
        }
    }

    /// The row that a statement finds, if there is one.
    ///
    /// # Errors
    ///
    /// As [`Reader::all`], and [`StorageError::Rows`] when there is more than one.
    pub async fn optional(&self, statement: &'static Statement, params: &[Value]) -> Result<Option<Row>, StorageError> {
        at_most_one(statement, self.all(statement, params).await?)
    }

    /// The row that a statement must find.
    ///
    /// # Errors
    ///
    /// As [`Reader::all`], and [`StorageError::Rows`] when there is none or more than one.
    pub async fn one(&self, statement: &'static Statement, params: &[Value]) -> Result<Row, StorageError> {
        exactly_one(statement, self.all(statement, params).await?)
    }

    pub(crate) async fn execute(&self, statement: &'static Statement, params: &[Value]) -> Result<u64, StorageError> {
        self.count();
        match &self.session {
            Session::Postgres(session) => session.execute(statement, params).await,
            Session::SqliteUnit(unit) => {
                tokio::task::consume_budget().await;
                unit.execute(statement, params)
            }
            Session::SqlitePool(_) | Session::SqliteSnapshot(_) => {
                let problem = "writes outside of a unit of work".to_owned();
                Err(StorageError::Statement { name: statement.name(), problem })
            }
        }
    }
}

pub(crate) fn at_most_one(statement: &'static Statement, rows: Vec<Row>) -> Result<Option<Row>, StorageError> {
    match rows.len() {
        0 | 1 => Ok(rows.into_iter().next()),
        found => Err(StorageError::Rows { statement: statement.name(), found }),
    }
}

pub(crate) fn exactly_one(statement: &'static Statement, rows: Vec<Row>) -> Result<Row, StorageError> {
    at_most_one(statement, rows)?.ok_or(StorageError::Rows { statement: statement.name(), found: 0 })
}
