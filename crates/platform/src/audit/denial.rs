use bothy_domain::audit::AuditEntry;
use bothy_domain::ids::AuditEventId;
use bothy_storage::{Database, StorageError, UnitOfWork};

use crate::audit::AuditLog;
use crate::audit::draft::{Draft, Window};
use crate::audit::gather::{Batch, Turn};
use crate::audit::store::{self, pending};

/// How many windows are closed in one unit of work.
const BATCH: u32 = 200;

impl AuditLog {
    /// Records a denial: the first of its kind in a window as an entry, later ones as a count that is
    /// as durable as an entry. Returns the id of the first one's entry.
    pub(super) async fn record_denial(
        &self,
        database: &Database,
        entry: &AuditEntry,
    ) -> Result<AuditEventId, StorageError> {
        let draft = Draft::of(entry);
        let key = draft.aggregate_key();
        let batch = match self.gather.turn(key).await {
            Turn::Written(entry) => return Ok(entry),
            Turn::Write(batch) => batch,
        };
        let unit = database.begin().await?;
        let first = self.count(&unit, key, draft, &batch).await?;
        unit.on_commit(move || batch.written(first));
        unit.commit().await?;
        Ok(first)
    }

    /// Writes the entries of all windows that have ended. Returns how many windows those were.
    ///
    /// # Errors
    /// [`StorageError`]; what was counted stays where it is.
    pub async fn close_windows(&self, database: &Database) -> Result<u64, StorageError> {
        let mut closed = 0;
        loop {
            if !pending::any_ended(&database.reader().await?, self.clock.now()).await? {
                return Ok(closed);
            }
            let unit = database.begin().await?;
            let ended = pending::take_ended(&unit, self.clock.now(), BATCH).await?;
            for (window, count) in &ended {
                self.write_repeats(&unit, window, *count).await?;
            }
            unit.commit().await?;
            closed += ended.len() as u64;
        }
    }

    async fn count(
        &self,
        unit: &UnitOfWork,
        key: [u8; 32],
        draft: Draft,
        batch: &Batch,
    ) -> Result<AuditEventId, StorageError> {
        let now = self.clock.now();
        let first = self.ids.next();
        let window = Window::open(first, draft.clone());
        let denials =
            pending::Denials { key, window: &window, count: batch.size(), now, ends_at: now.plus(self.window) };
        let counted = match pending::count(unit, &denials).await? {
            Some(counted) => counted,
            None => {
                // The window is over, but nobody has closed it yet. It is locked by now, so nobody
                // else can take it or open the next one.
                if let Some((ended, count)) = pending::take(unit, key).await? {
                    self.write_repeats(unit, &ended, count).await?;
                }
                let missing = StorageError::Rows { statement: "COUNT_DENIALS", found: 0 };
                pending::count(unit, &denials).await?.ok_or(missing)?
            }
        };
        match counted {
            pending::Counted::First => {
                store::append(unit, first, now, &draft, 1).await?;
                Ok(first)
            }
            pending::Counted::Later(first) => Ok(first),
        }
    }

    /// One entry for all denials of a window but the first.
    async fn write_repeats(&self, unit: &UnitOfWork, window: &Window, count: i64) -> Result<(), StorageError> {
        if count > 0 {
            store::append(unit, self.ids.next(), self.clock.now(), &window.draft, count).await?;
        }
        Ok(())
    }
}
