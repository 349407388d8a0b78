//! The right to use the connection that writes, for one unit of work.

use std::sync::Arc;

use rusqlite::Connection;

use super::group::{Answer, Group};
use super::{Shared, hand_on};
use crate::StorageError;
use crate::hooks::Hooks;
use crate::sqlite::error::{Stage, translate};
use crate::sqlite::names::UniqueNames;

/// The connection that writes, lent to one unit. However this ends, it is handed on, and the work
/// of a unit that did not commit is undone before.
pub(in crate::sqlite) struct Lease {
    group: Option<Box<Group>>,
    shared: Arc<Shared>,
    /// Whether the savepoint of the unit is open.
    entered: bool,
}

impl Lease {
    pub(super) const fn new(group: Box<Group>, shared: Arc<Shared>) -> Self {
        Self { group: Some(group), shared, entered: false }
    }

    /// Opens the savepoint of the unit.
    pub(super) fn enter(&mut self) -> Result<(), StorageError> {
        if let Some(group) = &mut self.group {
            group.enter().map_err(|error| translate(error, Stage::Run, "BEGIN", &self.shared.names))?;
            self.entered = true;
        }
        Ok(())
    }

    pub(in crate::sqlite) fn connection(&self) -> Result<&Connection, StorageError> {
        self.group.as_ref().map(|group| group.connection()).ok_or_else(gone)
    }

    pub(in crate::sqlite) fn names(&self) -> &UniqueNames {
        &self.shared.names
    }

    /// Called after a failed statement. When SQLite has given up the whole transaction, the units
    /// that ended before in this group are lost as well, and are told so.
    pub(in crate::sqlite) fn failed(&mut self, error: &StorageError) {
        if let Some(group) = &mut self.group
            && group.is_lost()
        {
            tracing::error!(%error, "SQLite undid a group of units of work");
            group.fail(error);
            self.entered = false;
        }
    }

    /// Keeps the work of the unit; ends when it is durable.
    pub(in crate::sqlite) async fn commit(mut self, hooks: Hooks) -> Result<(), StorageError> {
        let answer = self.keep(hooks)?;
        drop(self);
        wait_for(answer).await
    }

    /// Undoes the work of the unit; ends when everything before it in its group is durable.
    pub(in crate::sqlite) async fn rollback(mut self) -> Result<(), StorageError> {
        self.discard();
        let answer = match &mut self.group {
            Some(group) if !group.owes_nothing() => group.owe(Hooks::default()),
            _ => return Ok(()),
        };
        drop(self);
        wait_for(answer).await
    }

    /// Takes the connection away without handing it on.
    pub(super) fn into_group(mut self) -> Option<Box<Group>> {
        self.discard();
        self.group.take()
    }

    fn keep(&mut self, hooks: Hooks) -> Result<Answer, StorageError> {
        let group = self.group.as_mut().ok_or_else(gone)?;
        group.keep().map_err(|error| translate(error, Stage::Run, "RELEASE", &self.shared.names))?;
        self.entered = false;
        Ok(group.owe(hooks))
    }

    fn discard(&mut self) {
        if let Some(group) = &mut self.group
            && std::mem::take(&mut self.entered)
            && let Err(error) = group.discard()
        {
            // Without its savepoint the unit cannot be undone alone.
            let error = translate(error, Stage::Run, "ROLLBACK", &self.shared.names);
            group.fail(&error);
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.discard();
        if let Some(group) = self.group.take() {
            hand_on(&self.shared, group);
        }
    }
}

async fn wait_for(answer: Answer) -> Result<(), StorageError> {
    match answer.await {
        Ok(Ok(committed)) => {
            drop(committed);
            Ok(())
        }
        Ok(Err(error)) => Err(error),
        Err(_) => Err(StorageError::unavailable("the writer ended before it answered")),
    }
}

fn gone() -> StorageError {
    StorageError::unavailable("the connection is gone")
}
