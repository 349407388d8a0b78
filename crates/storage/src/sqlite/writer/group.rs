//! The transaction that units of work share.

use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::connection::steer;
use crate::StorageError;
use crate::hooks::{Committed, Hooks};
use crate::sqlite::error::{Stage, translate};
use crate::sqlite::names::UniqueNames;

/// A group of this many units is committed although others wait.
const LARGE: usize = 256;

/// So is one that has been open for so long: its first unit waits for its acknowledgement.
const LONG: Duration = Duration::from_millis(10);

/// The connection that writes, with the transaction that is open on it.
pub(super) struct Group {
    connection: Connection,
    opened: Option<Instant>,
    /// The units that ended, and wait to hear that the disk has them.
    owed: Vec<Owed>,
}

/// An acknowledgement that is due.
struct Owed {
    answer: oneshot::Sender<Result<Committed, StorageError>>,
    hooks: Hooks,
}

/// The acknowledgement of a unit. Dropped unread, it still runs the hooks of a committed unit.
pub(super) type Answer = oneshot::Receiver<Result<Committed, StorageError>>;

impl Group {
    pub(super) const fn new(connection: Connection) -> Self {
        Self { connection, opened: None, owed: Vec::new() }
    }

    pub(super) const fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(super) const fn is_open(&self) -> bool {
        self.opened.is_some()
    }

    pub(super) fn is_large(&self) -> bool {
        self.owed.len() >= LARGE || self.opened.is_some_and(|opened| opened.elapsed() > LONG)
    }

    pub(super) const fn owes_nothing(&self) -> bool {
        self.owed.is_empty()
    }

    /// Opens the transaction, if it is not open, and the savepoint of a unit.
    pub(super) fn enter(&mut self) -> rusqlite::Result<()> {
        if self.opened.is_none() {
            steer(&self.connection, "BEGIN IMMEDIATE")?;
            self.opened = Some(now());
        }
        steer(&self.connection, "SAVEPOINT unit")
    }

    /// Ends the savepoint of a unit and keeps its work.
    pub(super) fn keep(&self) -> rusqlite::Result<()> {
        steer(&self.connection, "RELEASE unit")
    }

    /// Ends the savepoint of a unit without its work.
    pub(super) fn discard(&self) -> rusqlite::Result<()> {
        steer(&self.connection, "ROLLBACK TO unit")?;
        steer(&self.connection, "RELEASE unit")
    }

    /// Notes that a unit waits for the commit.
    pub(super) fn owe(&mut self, hooks: Hooks) -> Answer {
        let (answer, heard) = oneshot::channel();
        self.owed.push(Owed { answer, hooks });
        heard
    }

    /// Whether SQLite has undone the whole transaction by itself, as it may when the disk is full.
    pub(super) fn is_lost(&self) -> bool {
        self.is_open() && self.connection.is_autocommit()
    }

    /// Commits and answers everybody; whether it succeeded.
    pub(super) fn commit(&mut self, names: &UniqueNames) -> bool {
        match steer(&self.connection, "COMMIT") {
            Ok(()) => {
                self.opened = None;
                for Owed { answer, hooks } in self.owed.drain(..) {
                    // A unit that was cancelled meanwhile is committed all the same; dropping the
                    // answer runs its hooks here.
                    drop(answer.send(Ok(hooks.committed())));
                }
                true
            }
            Err(error) => {
                let error = translate(error, Stage::Run, "COMMIT", names);
                tracing::error!(%error, units = self.owed.len(), "a group of units of work could not be committed");
                self.fail(&error);
                false
            }
        }
    }

    /// Undoes the transaction and tells everybody why.
    pub(super) fn fail(&mut self, error: &StorageError) {
        self.undo();
        for Owed { answer, .. } in self.owed.drain(..) {
            drop(answer.send(Err(error.clone())));
        }
    }

    /// Undoes the transaction.
    pub(super) fn undo(&mut self) {
        self.opened = None;
        if !self.connection.is_autocommit()
            && let Err(error) = steer(&self.connection, "ROLLBACK")
        {
            tracing::error!(%error, "the transaction of a group could not be rolled back");
        }
    }

    /// Closes the connection; SQLite moves the log into the file.
    pub(super) fn close(self) {
        if let Err(error) = self.connection.execute_batch("PRAGMA optimize") {
            tracing::debug!(%error, "the statistics of the query planner were not renewed");
        }
        if let Err((_, error)) = self.connection.close() {
            tracing::warn!(%error, "the database was not closed cleanly; the next start recovers it");
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "bounds how long a real disk is kept waiting; no rule depends on it")]
fn now() -> Instant {
    Instant::now()
}
