use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bothy_domain::ids::AuditEventId;
use tokio::sync::OwnedMutexGuard;

type Key = [u8; 32];
/// One denial that waits; filled with the entry that stands for it once that is durable.
type Ticket = Arc<OnceLock<AuditEventId>>;

/// Joins equal denials that arrive while one of them is being written: the next unit of work counts
/// all that wait. So a flood of equal denials holds one connection and not all of them, and costs
/// one commit at a time.
#[derive(Debug, Clone, Default)]
pub(super) struct Gather(Arc<Mutex<HashMap<Key, Used>>>);

/// A slot, and how many places it has.
#[derive(Debug, Default)]
struct Used {
    places: usize,
    slot: Arc<Slot>,
}

#[derive(Debug, Default)]
struct Slot {
    turn: Arc<tokio::sync::Mutex<()>>,
    waiting: Mutex<Vec<Ticket>>,
}

/// The place of one denial in the queue of its equals. The last one takes the slot away.
#[derive(Debug)]
pub(super) struct Place {
    gather: Gather,
    key: Key,
}

/// What whoever waited has to do.
#[derive(Debug)]
pub(super) enum Turn {
    /// Nothing: another one has written it.
    Written(AuditEventId),
    /// Write these.
    Write(Batch),
}

/// Denials that are written together. Nobody else writes equal ones while it lives; dropped without
/// [`Batch::written`], it gives them back to whoever comes next.
#[derive(Debug)]
pub(super) struct Batch {
    tickets: Vec<Ticket>,
    slot: Arc<Slot>,
    _turn: OwnedMutexGuard<()>,
    _place: Place,
}

impl Gather {
    /// Waits until the denial is written or it is its turn to write.
    pub(super) async fn turn(&self, key: Key) -> Turn {
        let ticket = Ticket::default();
        let (place, slot) = self.enter(key);
        lock(&slot.waiting).push(Arc::clone(&ticket));
        let turn = Arc::clone(&slot.turn).lock_owned().await;
        match ticket.get() {
            Some(entry) => Turn::Written(*entry),
            None => {
                let tickets = std::mem::take(&mut *lock(&slot.waiting));
                Turn::Write(Batch { tickets, slot, _turn: turn, _place: place })
            }
        }
    }

    fn enter(&self, key: Key) -> (Place, Arc<Slot>) {
        let mut slots = lock(&self.0);
        let used = slots.entry(key).or_default();
        used.places += 1;
        (Place { gather: self.clone(), key }, Arc::clone(&used.slot))
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }
}

impl Batch {
    /// How many denials there are to count.
    pub(super) fn size(&self) -> i64 {
        i64::try_from(self.tickets.len()).unwrap_or(i64::MAX)
    }

    /// They are durable, and `entry` stands for them.
    pub(super) fn written(mut self, entry: AuditEventId) {
        for ticket in self.tickets.drain(..) {
            // Each ticket is in one batch alone.
            let _ = ticket.set(entry);
        }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        lock(&self.slot.waiting).append(&mut self.tickets);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut slots = lock(&self.gather.0);
        if let Some(used) = slots.get_mut(&self.key) {
            used.places -= 1;
            if used.places == 0 {
                slots.remove(&self.key);
            }
        }
    }
}

/// Nothing that runs under these locks can panic half-way.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
