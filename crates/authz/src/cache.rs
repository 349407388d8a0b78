//! Snapshots that are still true (AZ-7, AZ-8).
//!
//! The cache is true for one rights version, [`State::current`]. Before it answers for a newer
//! one, it reads what the versions in between touched and forgets only those snapshots. A snapshot
//! enters only when it is not older than the cache: a reader that began before a change cannot put
//! back what the change threw away.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bothy_domain::ids::PrincipalId;
use bothy_domain::policy::Snapshot;

/// One variant of a principal's rights: with ownership or without it (AF-10).
pub(crate) type Key = (PrincipalId, bool);

/// A principal that a version touched; `None` when it touched the tree and nobody's snapshot.
pub(crate) type Change = (i64, Option<PrincipalId>);

pub(crate) struct Cache {
    max_entries: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The version that all entries are true for; `None` before the first one.
    current: Option<i64>,
    entries: HashMap<Key, Entry>,
    ticks: u64,
}

struct Entry {
    snapshot: Arc<Snapshot>,
    /// The version that it was loaded at.
    version: i64,
    used: u64,
}

/// What the cache says to a question.
pub(crate) enum Answer {
    /// True at the version that was asked for, or later.
    Warm(Arc<Snapshot>),
    /// Not there.
    Cold,
    /// The changes after this version have to be applied first.
    Behind(i64),
}

impl Cache {
    pub(crate) fn new(max_entries: usize) -> Self {
        Self { max_entries: max_entries.max(1), state: Mutex::default() }
    }

    pub(crate) fn get(&self, version: i64, key: Key) -> Answer {
        let mut state = self.lock();
        match state.current {
            Some(current) if current >= version => {}
            Some(current) if !state.entries.is_empty() => return Answer::Behind(current),
            // Without entries there is nothing to forget.
            _ => {
                state.current = Some(version);
                return Answer::Cold;
            }
        }
        state.ticks += 1;
        let ticks = state.ticks;
        match state.entries.get_mut(&key) {
            Some(entry) => {
                entry.used = ticks;
                Answer::Warm(Arc::clone(&entry.snapshot))
            }
            None => Answer::Cold,
        }
    }

    /// Brings the cache forward with what the versions after `from` up to `to` touched; `None` when
    /// that is not known, which forgets everything.
    pub(crate) fn apply(&self, from: i64, to: i64, changes: Option<&[Change]>) {
        let mut state = self.lock();
        if state.current.is_some_and(|current| current >= to) {
            return;
        }
        match changes {
            // Somebody else may have gone further meanwhile, never back: nothing is left out.
            Some(changes) if state.current.is_some_and(|current| current >= from) => {
                for (version, principal) in changes {
                    let Some(principal) = principal else { continue };
                    for ownership in [false, true] {
                        let key = (*principal, ownership);
                        if state.entries.get(&key).is_some_and(|entry| entry.version < *version) {
                            state.entries.remove(&key);
                        }
                    }
                }
            }
            _ => state.entries.clear(),
        }
        state.current = Some(to);
    }

    /// Keeps a snapshot that was loaded at a version, unless the cache has moved beyond it.
    pub(crate) fn put(&self, version: i64, key: Key, snapshot: &Arc<Snapshot>) {
        let mut state = self.lock();
        if state.current.is_some_and(|current| current > version) {
            return;
        }
        state.current.get_or_insert(version);
        state.ticks += 1;
        let used = state.ticks;
        state.entries.insert(key, Entry { snapshot: Arc::clone(snapshot), version, used });
        if state.entries.len() > self.max_entries {
            state.shrink(self.max_entries);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Forgets what was not used for longest, a tenth at once so that the search pays off.
    fn shrink(&mut self, max_entries: usize) {
        let keep = max_entries - max_entries / 10;
        let mut uses: Vec<u64> = self.entries.values().map(|entry| entry.used).collect();
        let drop = uses.len().saturating_sub(keep);
        let Some(last) = drop.checked_sub(1) else { return };
        let (_, oldest_kept, _) = uses.select_nth_unstable(last);
        let bound = *oldest_kept;
        self.entries.retain(|_, entry| entry.used > bound);
    }
}

#[cfg(test)]
mod tests;
