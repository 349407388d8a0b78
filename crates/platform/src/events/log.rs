use std::fmt;
use std::sync::Arc;

use bothy_domain::event::NewEvent;
use bothy_storage::{Database, Engine, Reader, StorageError, UnitOfWork};
use tokio::sync::{Notify, watch};

use crate::clock::SharedClock;
use crate::events::store;

/// The event log of the instance. Clones share their wake-ups.
#[derive(Clone)]
pub struct EventLog(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) database: Database,
    pub(super) clock: SharedClock,
    /// The newest position that this node knows.
    pub(super) head: watch::Sender<i64>,
    /// Tells the sequencer that something was committed.
    pub(super) committed: Notify,
}

impl EventLog {
    /// Opens the log of a database. On PostgreSQL [`run`](Self::run) must run on every node.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn open(database: Database, clock: SharedClock) -> Result<Self, StorageError> {
        let head = store::head(&database.reader().await?).await?;
        Ok(Self(Arc::new(Shared { database, clock, head: watch::Sender::new(head), committed: Notify::new() })))
    }

    /// Writes events in the unit of work of what they tell, in their order, and wakes readers after
    /// its commit.
    ///
    /// An event for the readers of a channel must name the space of the channel, unless the channel
    /// is a direct message. Of events that must stay in order, such as those of one thread, the unit
    /// holds the lock of what they tell about before it appends.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn append(&self, unit: &UnitOfWork, events: &[NewEvent]) -> Result<(), StorageError> {
        if events.is_empty() {
            return Ok(());
        }
        let at = self.0.clock.now();
        let shared = Arc::clone(&self.0);
        match unit.engine() {
            Engine::Sqlite => {
                let last = store::take_positions(unit, i64::try_from(events.len()).unwrap_or(i64::MAX)).await?;
                store::append(unit, events, at, Some(last)).await?;
                unit.on_commit(move || shared.announce(last));
            }
            Engine::Postgres => {
                store::append(unit, events, at, None).await?;
                unit.on_commit(move || shared.committed.notify_one());
            }
        }
        Ok(())
    }

    /// The newest position.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn head(&self, reader: &Reader) -> Result<i64, StorageError> {
        store::head(reader).await
    }

    /// Wakes its holder whenever there is something new; its value is the newest position that this
    /// node knows. Subscribe before reading, so that nothing falls in between.
    pub fn subscribe(&self) -> watch::Receiver<i64> {
        self.0.head.subscribe()
    }
}

impl Shared {
    /// Wakes readers. Commits may be announced out of order, so the position only grows.
    pub(super) fn announce(&self, position: i64) {
        self.head.send_if_modified(|known| {
            let newer = position > *known;
            if newer {
                *known = position;
            }
            newer
        });
    }
}

impl fmt::Debug for EventLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventLog(head {})", *self.0.head.borrow())
    }
}
