//! One pooled connection in use, with or without a transaction.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use deadpool_postgres::{ClientWrapper, Object};
use tokio::runtime::Handle;
use tokio_postgres::NoTls;
use tokio_postgres::types::ToSql;

use super::error::{is_stale_plan, translate};
use crate::hooks::Hooks;
use crate::row::Row;
use crate::statement::Statement;
use crate::value::Value;
use crate::{StorageError, wait};

/// How long a rollback may take before its connection is given up.
const PATIENCE: Duration = Duration::from_secs(5);

/// The kinds of transaction.
#[derive(Clone, Copy)]
pub(super) enum Isolation {
    /// One snapshot for all statements.
    Snapshot,
    /// Each statement sees what is committed when it starts.
    Write,
}

/// A connection in use. When it is dropped, its transaction ends before the connection can be
/// used again; a connection on which a statement was abandoned is closed instead, so that nobody
/// waits behind that statement.
pub(crate) struct Session {
    client: Option<Object>,
    in_transaction: bool,
    /// Statements that were started and whose end was not seen. A statement whose future was
    /// dropped stays counted for ever.
    running: AtomicUsize,
    failed: AtomicBool,
}

impl Session {
    pub(super) const fn plain(client: Object) -> Self {
        Self {
            client: Some(client),
            in_transaction: false,
            running: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
        }
    }

    pub(super) async fn begin(mut self, isolation: Isolation) -> Result<Self, StorageError> {
        self.in_transaction = true;
        self.steer(match isolation {
            Isolation::Snapshot => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Isolation::Write => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
        })
        .await?;
        Ok(self)
    }

    /// Runs a statement and collects its rows. Several calls at once are pipelined.
    pub(crate) async fn query(
        &self,
        statement: &'static Statement,
        params: &[Value],
    ) -> Result<Vec<Row>, StorageError> {
        let client = self.usable()?;
        self.watch(client, statement.name(), async {
            let prepared = client.prepare_cached(statement.postgres()).await?;
            let rows = client.query(&prepared, &bound(params)).await?;
            Ok(rows.into_iter().map(Row::postgres).collect())
        })
        .await
    }

    /// Runs a statement; says how many rows it changed.
    pub(crate) async fn execute(&self, statement: &'static Statement, params: &[Value]) -> Result<u64, StorageError> {
        let client = self.usable()?;
        self.watch(client, statement.name(), async {
            let prepared = client.prepare_cached(statement.postgres()).await?;
            client.execute(&prepared, &bound(params)).await
        })
        .await
    }

    /// Commits and runs the hooks, in a task of its own: a caller that is cancelled while it waits
    /// leaves neither an open transaction nor hooks behind.
    pub(crate) async fn commit(self, hooks: Hooks) -> Result<(), StorageError> {
        if self.failed.load(Ordering::Relaxed) || self.is_abandoned() {
            return Err(StorageError::Aborted);
        }
        let work = tokio::spawn(async move {
            let mut session = self;
            session.steer("COMMIT").await?;
            session.in_transaction = false;
            drop(session);
            drop(hooks.committed());
            Ok(())
        });
        work.await.unwrap_or_else(|_| Err(StorageError::unavailable("the commit was interrupted")))
    }

    /// Rolls back and waits for the end of it.
    pub(crate) async fn rollback(mut self) {
        if !self.is_abandoned() && self.steer("ROLLBACK").await.is_ok() {
            self.in_transaction = false;
        }
    }

    async fn steer(&self, text: &'static str) -> Result<(), StorageError> {
        let client = self.client()?;
        self.watch(client, text, client.batch_execute(text)).await
    }

    /// Counts a statement as running until its end is seen.
    async fn watch<T>(
        &self,
        client: &ClientWrapper,
        statement: &'static str,
        work: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, StorageError> {
        self.running.fetch_add(1, Ordering::Relaxed);
        let result = work.await;
        self.running.fetch_sub(1, Ordering::Relaxed);
        result.map_err(|error| {
            if error.as_db_error().is_some_and(is_stale_plan) {
                client.statement_cache.clear();
            }
            if self.in_transaction {
                self.failed.store(true, Ordering::Relaxed);
            }
            translate(&error, statement)
        })
    }

    fn is_abandoned(&self) -> bool {
        self.running.load(Ordering::Relaxed) > 0
    }

    fn usable(&self) -> Result<&ClientWrapper, StorageError> {
        if self.failed.load(Ordering::Relaxed) {
            return Err(StorageError::Aborted);
        }
        self.client()
    }

    fn client(&self) -> Result<&ClientWrapper, StorageError> {
        self.client.as_deref().ok_or_else(|| StorageError::unavailable("the connection is gone"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let abandoned = self.is_abandoned();
        let Some(client) = self.client.take() else { return };
        if !abandoned && !self.in_transaction {
            return;
        }
        let dirty = Dirty(Some(client));
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move { if abandoned { dirty.cancel().await } else { dirty.roll_back().await } });
    }
}

/// A connection in an unknown state. Unless it is cleaned, it is closed and never used again;
/// closing it makes the server roll back.
struct Dirty(Option<Object>);

impl Dirty {
    async fn roll_back(mut self) {
        let Some(client) = &self.0 else { return };
        if matches!(wait::within(PATIENCE, client.batch_execute("ROLLBACK")).await, Some(Ok(()))) {
            // Back to the pool.
            drop(self.0.take());
        }
    }

    /// Tells the server to stop the abandoned statement. The connection is closed all the same: a
    /// cancellation that arrives late must not hit the work of somebody else.
    async fn cancel(self) {
        if let Some(client) = &self.0 {
            let token = client.cancel_token();
            drop(wait::within(PATIENCE, token.cancel_query(NoTls)).await);
        }
    }
}

impl Drop for Dirty {
    fn drop(&mut self) {
        if let Some(client) = self.0.take() {
            drop(Object::take(client));
        }
    }
}

fn bound(params: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    params.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}
