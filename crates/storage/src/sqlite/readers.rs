//! Connections that read. A plain reader holds one only while a statement runs, so that requests
//! that hold a reader while they wait for something else cannot starve each other.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection::{self, Role};
use super::error::{Stage, translate};
use super::execute;
use super::names::UniqueNames;
use crate::row::Row;
use crate::statement::Statement;
use crate::value::Value;
use crate::{StorageError, wait};

/// The connections that read.
pub(crate) struct Readers {
    file: PathBuf,
    free: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
    patience: Duration,
    names: Arc<UniqueNames>,
}

/// A connection in use; it goes back when this is dropped.
struct Checkout {
    connection: Option<Connection>,
    readers: Arc<Readers>,
    _permit: OwnedSemaphorePermit,
}

/// One consistent view of the database. Its transaction ends before its connection goes back.
pub(crate) struct Snapshot(Mutex<Checkout>);

impl Readers {
    pub(super) fn open(
        file: &Path,
        count: usize,
        patience: Duration,
        names: Arc<UniqueNames>,
    ) -> rusqlite::Result<Arc<Self>> {
        let free = (0..count).map(|_| connection::open(file, Role::Reader)).collect::<Result<_, _>>()?;
        let permits = Arc::new(Semaphore::new(count));
        Ok(Arc::new(Self { file: file.to_owned(), free: Mutex::new(free), permits, patience, names }))
    }

    /// Runs a short read on this thread.
    pub(crate) async fn query(
        self: &Arc<Self>,
        statement: &'static Statement,
        params: &[Value],
    ) -> Result<Vec<Row>, StorageError> {
        let checkout = self.checkout().await?;
        execute::query(checkout.connection()?, &self.names, statement, params)
    }

    /// Runs a long read on a thread of its own.
    pub(crate) async fn query_long(
        self: &Arc<Self>,
        statement: &'static Statement,
        params: Vec<Value>,
    ) -> Result<Vec<Row>, StorageError> {
        let checkout = self.checkout().await?;
        let names = Arc::clone(&self.names);
        elsewhere(move || execute::query(checkout.connection()?, &names, statement, &params)).await
    }

    pub(super) async fn prepare(self: &Arc<Self>, statement: &'static Statement) -> Result<(), StorageError> {
        let checkout = self.checkout().await?;
        execute::check(checkout.connection()?, &self.names, statement)
    }

    pub(super) fn close(&self) {
        self.permits.close();
        self.free().clear();
    }

    async fn checkout(self: &Arc<Self>) -> Result<Checkout, StorageError> {
        let permit = match Arc::clone(&self.permits).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => wait::within(self.patience, Arc::clone(&self.permits).acquire_owned())
                .await
                .ok_or_else(|| StorageError::unavailable("no connection became free in time"))?
                .map_err(|_| StorageError::unavailable("it is closed"))?,
        };
        let free = self.free().pop();
        let connection = match free {
            Some(connection) => connection,
            // One was lost to an error; its place is taken by a new one.
            None => connection::open(&self.file, Role::Reader)
                .map_err(|error| translate(error, Stage::Run, "open", &self.names))?,
        };
        Ok(Checkout { connection: Some(connection), readers: Arc::clone(self), _permit: permit })
    }

    fn free(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Checkout {
    fn connection(&self) -> Result<&Connection, StorageError> {
        self.connection.as_ref().ok_or_else(|| StorageError::unavailable("the connection is gone"))
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take()
            && !self.readers.permits.is_closed()
        {
            self.readers.free().push(connection);
        }
    }
}

impl Snapshot {
    pub(super) async fn begin(readers: &Arc<Readers>) -> Result<Self, StorageError> {
        let checkout = readers.checkout().await?;
        connection::steer(checkout.connection()?, "BEGIN")
            .map_err(|error| translate(error, Stage::Run, "BEGIN", &readers.names))?;
        Ok(Self(Mutex::new(checkout)))
    }

    /// Runs a short read on this thread.
    pub(crate) fn query(&self, statement: &'static Statement, params: &[Value]) -> Result<Vec<Row>, StorageError> {
        let checkout = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        execute::query(checkout.connection()?, &checkout.readers.names, statement, params)
    }

    /// Runs a long read on a thread of its own.
    pub(crate) async fn query_long(
        self: &Arc<Self>,
        statement: &'static Statement,
        params: Vec<Value>,
    ) -> Result<Vec<Row>, StorageError> {
        let snapshot = Arc::clone(self);
        elsewhere(move || snapshot.query(statement, &params)).await
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        let checkout = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let ended = checkout.connection.as_ref().is_some_and(|open| connection::steer(open, "ROLLBACK").is_ok());
        if !ended {
            checkout.connection = None;
        }
    }
}

async fn elsewhere<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StorageError> + Send + 'static,
) -> Result<T, StorageError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(StorageError::unavailable("the thread of a long read ended early")))
}
