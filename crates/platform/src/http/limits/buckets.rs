use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bothy_domain::ids::PrincipalId;
use bothy_domain::time::Timestamp;

use super::ClientAddress;

const SECOND: i64 = 1_000_000;
const MINUTE: i64 = 60 * SECOND;

/// Whose budget it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::http) enum Payer {
    /// A principal.
    Principal(PrincipalId),
    /// Somebody who could not be authenticated.
    Address(ClientAddress),
}

/// How large a budget is and how fast it fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quota {
    /// Microseconds until one more request is there.
    interval: i64,
    /// How many requests fit into it.
    requests: i64,
}

impl Quota {
    /// The share of one of several nodes. At least one request fits.
    pub(super) fn share(per_minute: u64, burst: u64, nodes: u64) -> Self {
        let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let interval = MINUTE.saturating_mul(number(nodes)) / number(per_minute).max(1);
        Self { interval: interval.max(1), requests: (number(burst) / number(nodes).max(1)).max(1) }
    }

    /// How many requests fit.
    pub(super) const fn requests(self) -> i64 {
        self.requests
    }

    /// Seconds in which an empty budget fills.
    pub(super) const fn window(self) -> u64 {
        seconds(self.size())
    }

    /// The whole budget in microseconds.
    const fn size(self) -> i64 {
        self.interval.saturating_mul(self.requests)
    }
}

/// What is left of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) remaining: u64,
    pub(super) reset: u64,
    pub(super) wait: Option<u64>,
}

/// The budgets of one class: token buckets, each kept as the time when it will be full again
/// (the generic cell rate algorithm). Who has a full budget takes no memory.
#[derive(Debug)]
pub(super) struct Buckets {
    quota: Quota,
    max: usize,
    full_at: Mutex<HashMap<Payer, i64>>,
}

impl Buckets {
    /// Full budgets; of at most `max` callers it is remembered that they are not.
    pub(super) fn new(quota: Quota, max: usize) -> Self {
        Self { quota, max, full_at: Mutex::default() }
    }

    pub(super) const fn quota(&self) -> Quota {
        self.quota
    }

    /// Takes one request, if there is one.
    pub(super) fn take(&self, payer: Payer, now: Timestamp) -> Level {
        let Quota { interval, .. } = self.quota;
        let mut full_at = self.lock();
        let used = self.used(&full_at, payer, now);
        let after = used.saturating_add(interval);
        let refused = after > self.quota.size();
        let used = if refused { used } else { after };
        if full_at.len() >= self.max && !full_at.contains_key(&payer) {
            self.forget(&mut full_at, now);
        }
        // Written down also when refused: so a clock that was set back costs nobody more than one
        // whole budget.
        full_at.insert(payer, now.micros().saturating_add(used));
        drop(full_at);
        Level { wait: refused.then(|| seconds(after - self.quota.size()).max(1)), ..self.level(used) }
    }

    /// Takes nothing.
    pub(super) fn look(&self, payer: Payer, now: Timestamp) -> Level {
        let used = self.used(&self.lock(), payer, now);
        self.level(used)
    }

    fn level(&self, used: i64) -> Level {
        let left = (self.quota.size() - used) / self.quota.interval;
        Level { remaining: u64::try_from(left).unwrap_or(0), reset: seconds(used), wait: None }
    }

    /// How much of a budget is used, in microseconds until it is full.
    fn used(&self, full_at: &HashMap<Payer, i64>, payer: Payer, now: Timestamp) -> i64 {
        let full_at = full_at.get(&payer).copied().unwrap_or(i64::MIN);
        full_at.saturating_sub(now.micros()).clamp(0, self.quota.size())
    }

    /// Makes room: forgets whose budget is full, and when these are too few, down to half of all,
    /// first whose budget is nearly full. So the time that it takes is spread over many requests.
    fn forget(&self, full_at: &mut HashMap<Payer, i64>, now: Timestamp) {
        full_at.retain(|_, at| *at > now.micros());
        let keep = self.max / 2;
        let Some(surplus) = full_at.len().checked_sub(keep).filter(|surplus| *surplus > 0) else {
            full_at.shrink_to(keep);
            return;
        };
        let mut times: Vec<i64> = full_at.values().copied().collect();
        let (_, limit, _) = times.select_nth_unstable(surplus - 1);
        let limit = *limit;
        let mut surplus = surplus;
        full_at.retain(|_, at| {
            let forgotten = surplus > 0 && *at <= limit;
            surplus -= usize::from(forgotten);
            !forgotten
        });
    }

    #[cfg(test)]
    pub(super) fn tracked(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Payer, i64>> {
        // A panic under the lock can at worst have lost one caller's entry.
        self.full_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whole seconds, rounded up.
const fn seconds(micros: i64) -> u64 {
    micros.unsigned_abs().div_ceil(SECOND.unsigned_abs())
}

#[cfg(test)]
mod tests;
