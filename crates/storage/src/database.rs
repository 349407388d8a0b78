//! The handle of an open database.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::engine::Engine;
use crate::error::StorageError;
use crate::listener::Listener;
use crate::open_error::OpenError;
use crate::options::OpenOptions;
use crate::postgres::Postgres;
use crate::reader::{Reader, Session};
use crate::sqlite::Sqlite;
use crate::statement::Statement;
use crate::unit::UnitOfWork;
use crate::url::DatabaseUrl;

/// An open database. Clones share it.
#[derive(Clone)]
pub struct Database {
    inner: Arc<Inner>,
    statements: Arc<AtomicU64>,
}

enum Inner {
    Sqlite(Sqlite),
    Postgres(Box<Postgres>),
}

impl Database {
    /// Opens a database, and migrates it or checks that it is migrated.
    ///
    /// # Errors
    ///
    /// [`OpenError`], which says in one line what is wrong and what to do.
    pub async fn open(options: &OpenOptions) -> Result<Self, OpenError> {
        let inner = match &options.url {
            DatabaseUrl::Sqlite(file) => {
                let (file, options) = (file.clone(), options.clone());
                tokio::task::spawn_blocking(move || Sqlite::open(&file, &options))
                    .await
                    .unwrap_or_else(|_| Err(StorageError::unavailable("opening it was interrupted").into()))
                    .map(Inner::Sqlite)?
            }
            DatabaseUrl::Postgres(url) => Inner::Postgres(Box::new(Postgres::open(url, options).await?)),
        };
        Ok(Self { inner: Arc::new(inner), statements: Arc::default() })
    }

    /// The engine, for reports.
    pub fn engine(&self) -> Engine {
        match &*self.inner {
            Inner::Sqlite(_) => Engine::Sqlite,
            Inner::Postgres(_) => Engine::Postgres,
        }
    }

    /// A reader each of whose statements sees the newest committed state. On PostgreSQL it holds
    /// a connection of the pool until it is dropped.
    ///
    /// # Errors
    ///
    /// [`StorageError::Unavailable`] when no connection becomes free in time.
    pub async fn reader(&self) -> Result<Reader, StorageError> {
        let session = match &*self.inner {
            Inner::Sqlite(sqlite) => Session::SqlitePool(sqlite.readers()),
            Inner::Postgres(postgres) => Session::Postgres(Box::new(postgres.reader().await?)),
        };
        Ok(Reader::new(session, self.statements.clone()))
    }

    /// A reader all of whose statements see one snapshot, that of its first statement.
    ///
    /// # Errors
    ///
    /// [`StorageError::Unavailable`] when no connection becomes free in time.
    pub async fn consistent_reader(&self) -> Result<Reader, StorageError> {
        let session = match &*self.inner {
            Inner::Sqlite(sqlite) => Session::SqliteSnapshot(Arc::new(sqlite.snapshot().await?)),
            Inner::Postgres(postgres) => Session::Postgres(Box::new(postgres.snapshot().await?)),
        };
        Ok(Reader::new(session, self.statements.clone()))
    }

    /// Begins a unit of work.
    ///
    /// # Errors
    ///
    /// [`StorageError::Unavailable`] when no connection, or on SQLite the writer, becomes free in
    /// time.
    pub async fn begin(&self) -> Result<UnitOfWork, StorageError> {
        let session = match &*self.inner {
            Inner::Sqlite(sqlite) => Session::SqliteUnit(sqlite.begin().await?),
            Inner::Postgres(postgres) => Session::Postgres(Box::new(postgres.begin().await?)),
        };
        Ok(UnitOfWork::new(session, self.statements.clone()))
    }

    /// Whether the database answers, for the readiness probe.
    ///
    /// # Errors
    ///
    /// [`StorageError`] when it does not.
    pub async fn ping(&self) -> Result<(), StorageError> {
        match &*self.inner {
            Inner::Sqlite(_) => {
                static PING: Statement = Statement::new("PING", "SELECT 1", "SELECT 1");
                self.reader().await?.one(&PING, &[]).await.map(drop)
            }
            Inner::Postgres(postgres) => postgres.ping().await,
        }
    }

    /// How many transactions SQLite has committed, for metrics: fewer than units of work when
    /// commits are grouped. `None` on PostgreSQL, which counts for itself.
    pub fn commits(&self) -> Option<u64> {
        match &*self.inner {
            Inner::Sqlite(sqlite) => Some(sqlite.commits()),
            Inner::Postgres(_) => None,
        }
    }

    /// How many statements were run through readers and units of work of this database since it was
    /// opened, for tests and benches that hold an operation to its number. What begins and ends a
    /// transaction is not counted; work in the background is.
    pub fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    /// Listens for wake-ups of other nodes on a connection of its own. With SQLite there is one
    /// node, and no wake-up ever arrives. Must be called inside of a runtime.
    pub fn listen(&self, channel: &'static str) -> Listener {
        match &*self.inner {
            Inner::Sqlite(_) => Listener::silent(),
            Inner::Postgres(postgres) => Listener::start(postgres.config(), channel),
        }
    }

    /// Wakes the nodes that listen, in a short transaction of its own; inside of the unit of work
    /// it would make all writers wait for each other. Does nothing on SQLite.
    ///
    /// # Errors
    ///
    /// [`StorageError`]; a lost wake-up is made up for by the timers of those who listen.
    pub async fn notify(&self, channel: &'static str) -> Result<(), StorageError> {
        match &*self.inner {
            Inner::Sqlite(_) => Ok(()),
            Inner::Postgres(postgres) => postgres.notify(channel).await,
        }
    }

    /// Refuses new work, lets work under way end, and closes the connections. Later calls fail
    /// with [`StorageError::Unavailable`].
    pub async fn close(&self) {
        match &*self.inner {
            Inner::Sqlite(sqlite) => sqlite.close().await,
            Inner::Postgres(postgres) => postgres.close(),
        }
    }

    pub(crate) async fn prepare(&self, statement: &'static Statement) -> Result<(), StorageError> {
        match &*self.inner {
            Inner::Sqlite(sqlite) => sqlite.prepare(statement).await,
            Inner::Postgres(postgres) => postgres.prepare(statement).await,
        }
    }
}
