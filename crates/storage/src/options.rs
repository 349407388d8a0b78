//! How a database is opened.

use std::thread::available_parallelism;
use std::time::Duration;

use crate::migrations::{MIGRATIONS, Migration};
use crate::url::DatabaseUrl;

/// What to do about migrations that the database does not have yet (`server.migrate`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Migrate {
    /// Run them, under a lock when several nodes start at once.
    Auto,
    /// Refuse to start.
    Check,
}

/// How a database is opened. Start from [`OpenOptions::new`] and change what differs.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Where it is.
    pub url: DatabaseUrl,
    /// What to do about pending migrations.
    pub migrate: Migrate,
    /// SQLite: how many connections read at once; as many as cores serve best.
    pub readers: usize,
    /// PostgreSQL: how many connections the pool may open.
    pub pool: usize,
    /// How long to wait for a free connection before the database counts as unavailable.
    pub checkout: Duration,
    /// The migrations; only tests give others than [`MIGRATIONS`].
    pub migrations: &'static [Migration],
}

impl OpenOptions {
    /// The defaults for a database: migrations run, one reader a core, 16 connections, five
    /// seconds of patience.
    pub fn new(url: DatabaseUrl) -> Self {
        Self {
            url,
            migrate: Migrate::Auto,
            readers: available_parallelism().map_or(2, |cores| cores.get().max(2)),
            pool: 16,
            checkout: Duration::from_secs(5),
            migrations: MIGRATIONS,
        }
    }
}
