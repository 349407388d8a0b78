//! A unit of work on SQLite: a savepoint in the transaction of its group.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::execute;
use super::writer::Lease;
use crate::StorageError;
use crate::hooks::Hooks;
use crate::row::Row;
use crate::statement::Statement;
use crate::value::Value;

/// A unit of work. Dropped, it is undone before the writer goes on to the next one.
pub(crate) struct Unit(Mutex<State>);

struct State {
    lease: Lease,
    failed: bool,
}

impl Unit {
    pub(super) fn new(lease: Lease) -> Self {
        Self(Mutex::new(State { lease, failed: false }))
    }

    pub(crate) fn query(&self, statement: &'static Statement, params: &[Value]) -> Result<Vec<Row>, StorageError> {
        self.run(|lease| execute::query(lease.connection()?, lease.names(), statement, params))
    }

    pub(crate) fn execute(&self, statement: &'static Statement, params: &[Value]) -> Result<u64, StorageError> {
        self.run(|lease| execute::execute(lease.connection()?, lease.names(), statement, params))
    }

    /// Makes the work durable. Ends when the disk has it.
    pub(crate) async fn commit(self, hooks: Hooks) -> Result<(), StorageError> {
        let State { lease, failed } = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        if failed {
            return Err(StorageError::Aborted);
        }
        lease.commit(hooks).await
    }

    /// Undoes the work. Ends when what it has read is durable: a unit may have seen rows of an
    /// earlier one of its group that the disk does not have yet, and its caller is about to act
    /// on that.
    pub(crate) async fn rollback(self) -> Result<(), StorageError> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).lease.rollback().await
    }

    /// After a failed statement PostgreSQL refuses the rest of the transaction; so does this.
    fn run<T>(&self, work: impl FnOnce(&Lease) -> Result<T, StorageError>) -> Result<T, StorageError> {
        let mut state = self.state();
        if state.failed {
            return Err(StorageError::Aborted);
        }
        let result = work(&state.lease);
        if let Err(error) = &result {
            state.failed = true;
            state.lease.failed(error);
        }
        result
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
