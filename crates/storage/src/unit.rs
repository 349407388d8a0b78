//! Units of work.

use std::ops::Deref;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::StorageError;
use crate::hooks::Hooks;
use crate::reader::{Reader, Session, at_most_one, exactly_one};
use crate::row::Row;
use crate::statement::Statement;
use crate::value::Value;

/// One transaction, passed along by the code that takes part in it.
///
/// Dropped without [`UnitOfWork::commit`] it is rolled back before its connection is used again,
/// also when the request is cancelled in the middle of a statement. After a statement failed, all
/// others and the commit fail with [`StorageError::Aborted`] on both engines: to try an insert,
/// write `ON CONFLICT`.
///
/// On SQLite all units of work run one after another, so nothing but the database may be waited
/// for while one is open.
pub struct UnitOfWork {
    reader: Reader,
    hooks: Mutex<Hooks>,
}

impl UnitOfWork {
    pub(crate) fn new(session: Session, statements: Arc<AtomicU64>) -> Self {
        Self { reader: Reader::new(session, statements), hooks: Mutex::new(Hooks::default()) }
    }

    /// Runs a statement that returns no rows; the result says how many rows it changed.
    ///
    /// # Errors
    ///
    /// [`StorageError`].
    pub async fn execute(&self, statement: &'static Statement, params: &[Value]) -> Result<u64, StorageError> {
        self.reader.execute(statement, params).await
    }

    /// Runs a statement with `RETURNING`; the result is what it returns, in no certain order.
    ///
    /// # Errors
    ///
    /// [`StorageError`].
    pub async fn returning(&self, statement: &'static Statement, params: &[Value]) -> Result<Vec<Row>, StorageError> {
        self.reader.all(statement, params).await
    }

    /// Like [`UnitOfWork::returning`] for a statement that changes at most one row.
    ///
    /// # Errors
    ///
    /// [`StorageError`], [`StorageError::Rows`] when it changed more than one.
    pub async fn returning_optional(
        &self,
        statement: &'static Statement,
        params: &[Value],
    ) -> Result<Option<Row>, StorageError> {
        at_most_one(statement, self.returning(statement, params).await?)
    }

    /// Like [`UnitOfWork::returning`] for a statement that changes exactly one row.
    ///
    /// # Errors
    ///
    /// [`StorageError`], [`StorageError::Rows`] when it changed none or more than one.
    pub async fn returning_one(&self, statement: &'static Statement, params: &[Value]) -> Result<Row, StorageError> {
        exactly_one(statement, self.returning(statement, params).await?)
    }

    /// Leaves work for the time after a successful commit: wake-ups, changes of caches. It must be
    /// short and must not wait, since it may run on the thread that commits for everybody. It does
    /// not run when the unit is rolled back, and does run when the caller is cancelled while a
    /// commit that succeeds is under way.
    pub fn on_commit(&self, hook: impl FnOnce() + Send + 'static) {
        self.hooks.lock().unwrap_or_else(PoisonError::into_inner).add(hook);
    }

    /// Makes the work durable, then runs the hooks. When this returns, the work survives a power
    /// cut.
    ///
    /// # Errors
    ///
    /// [`StorageError`]. After [`StorageError::Unavailable`] on PostgreSQL it is not known whether
    /// the work was committed.
    pub async fn commit(self) -> Result<(), StorageError> {
        let hooks = self.hooks.into_inner().unwrap_or_else(PoisonError::into_inner);
        match self.reader.into_session() {
            Session::SqliteUnit(unit) => unit.commit(hooks).await,
            Session::Postgres(session) => session.commit(hooks).await,
            Session::SqlitePool(_) | Session::SqliteSnapshot(_) => Err(StorageError::Aborted),
        }
    }

    /// Undoes the work and waits until what it has read is durable.
    ///
    /// Dropping a unit undoes it as well. But a unit on SQLite may have read what an earlier unit
    /// wrote that the disk does not have yet; whoever tells a caller something that rests on such
    /// a read ("this name is taken") ends the unit with this. [`crate::Database::transact`] does.
    ///
    /// # Errors
    ///
    /// [`StorageError`] when what it has read was lost.
    pub async fn rollback(self) -> Result<(), StorageError> {
        match self.reader.into_session() {
            Session::SqliteUnit(unit) => unit.rollback().await,
            Session::Postgres(session) => {
                session.rollback().await;
                Ok(())
            }
            Session::SqlitePool(_) | Session::SqliteSnapshot(_) => Ok(()),
        }
    }
}

impl Deref for UnitOfWork {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
    }
}
