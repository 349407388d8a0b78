use std::collections::HashMap;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_platform::authorize::Judge;
use bothy_platform::clock::{sleep, timeout};
use bothy_platform::config;
use tokio::sync::watch;

use super::end::End;
use super::seat::{Seat, Taken};
use crate::Delivery;

/// How long to wait after the database failed.
const PAUSE: Duration = Duration::from_millis(500);

/// The connections of a node, and how far it has read for them.
#[derive(Debug)]
pub(crate) struct Hub {
    /// Everything up to here was handed over.
    pub(super) position: AtomicI64,
    max: usize,
    max_per_principal: usize,
    queue_max: usize,
    places: Mutex<Places>,
    /// How many connections there are, and whether the server stops.
    open: watch::Sender<Open>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Open {
    connections: usize,
    stopping: bool,
}

#[derive(Debug, Default)]
struct Places {
    next: u64,
    seats: HashMap<u64, Arc<Seat>>,
    taken: HashMap<PrincipalId, usize>,
}

/// A place among the connections of a node; it is free again when this is dropped.
pub(crate) struct Place {
    delivery: Arc<Delivery>,
    principal: PrincipalId,
    number: u64,
}

impl Hub {
    pub(crate) fn new(head: i64, config: &config::Gateway) -> Self {
        Self {
            position: AtomicI64::new(head),
            max: config.max_connections.to_usize(),
            max_per_principal: config.max_connections_per_principal.to_usize(),
            queue_max: config.queue_max.to_usize(),
            places: Mutex::default(),
            open: watch::Sender::default(),
        }
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The seats of all connections.
    pub(super) fn seats(&self) -> Vec<Arc<Seat>> {
        self.places().seats.values().cloned().collect()
    }

    /// How many connections there are.
    pub(crate) fn connections(&self) -> usize {
        self.open.borrow().connections
    }

    /// The connection's side of a seat, for a place that was taken.
    pub(super) fn sit(&self, place: &Place, judge: Judge, presence: bool) -> Taken {
        let taken = Seat::take(judge, presence, self.queue_max);
        self.places().seats.insert(place.number, Arc::clone(&taken.seat));
        if self.open.borrow().stopping {
            taken.seat.cut(End::Stopping);
        }
        taken
    }
}

impl Delivery {
    /// A place for one more connection.
    ///
    /// # Errors
    /// `rate_limited` when the principal has as many as it may, `unavailable` when the node does or
    /// stops.
    pub(super) fn place(self: &Arc<Self>, principal: PrincipalId) -> Result<Place, Problem> {
        let hub = &self.hub;
        let mut places = hub.places();
        let open = *hub.open.borrow();
        if open.stopping || open.connections >= hub.max {
            return Err(Problem::new(ProblemCode::Unavailable).with_retry_after(1));
        }
        let own = places.taken.entry(principal).or_default();
        if *own >= hub.max_per_principal {
            return Err(Problem::new(ProblemCode::RateLimited).with_retry_after(1));
        }
        *own += 1;
        places.next += 1;
        let number = places.next;
        hub.open.send_modify(|open| open.connections += 1);
        drop(places);
        Ok(Place { delivery: Arc::clone(self), principal, number })
    }

    /// Hands what is new to the connections of this node, until it is dropped. One task a node runs
    /// this.
    pub async fn follow(&self) {
        let mut wake_ups = self.parts.events.subscribe();
        loop {
            wake_ups.mark_unchanged();
            match self.pass().await {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(%error, "connections wait for events; trying again");
                    sleep(&self.parts.clock, PAUSE).await;
                    continue;
                }
            }
            if wake_ups.changed().await.is_err() {
                return;
            }
        }
    }

    /// How many connections of the gateway this node has.
    pub fn connections(&self) -> usize {
        self.hub.connections()
    }

    /// Says good-bye to all connections, with a hint to come back, and waits until they have ended, at
    /// most `grace`.
    pub async fn stop(&self, grace: Duration) {
        self.hub.open.send_modify(|open| open.stopping = true);
        for seat in self.hub.seats() {
            seat.cut(End::Stopping);
        }
        let mut open = self.hub.open.subscribe();
        let all_end = async { drop(open.wait_for(|open| open.connections == 0).await) };
        if timeout(&self.parts.clock, grace, all_end).await.is_err() {
            tracing::warn!(left = self.connections(), "connections were cut off: server.shutdown_grace was over");
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let hub = &self.delivery.hub;
        let mut places = hub.places();
        places.seats.remove(&self.number);
        if let Some(own) = places.taken.get_mut(&self.principal) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                places.taken.remove(&self.principal);
            }
        }
        drop(places);
        hub.open.send_modify(|open| open.connections = open.connections.saturating_sub(1));
    }
}
