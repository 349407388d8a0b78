use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bothy_domain::actor::PrincipalKind;
use bothy_domain::event::EventKind;
use bothy_domain::ids::PrincipalId;
use bothy_domain::policy::Mode;
use bothy_domain::time::Timestamp;
use bothy_platform::authorize::Judge;
use bothy_platform::http::Frame;
use bothy_runs::{Runs, Told};
use tokio::sync::{mpsc, watch};

use super::end::End;
use crate::frame::Saying;
use crate::shown::{EventView, Representation};

/// An event on its way to connections, with what it is about, loaded once.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) told: Told,
    about: Option<Representation>,
    frame: Frame,
}

impl Item {
    pub(crate) fn new(told: Told, about: Option<Representation>) -> Self {
        let frame = Saying::Event { event: EventView::from(&told.event), about: &about, position: None }.frame();
        Self { told, about, frame }
    }

    pub(crate) const fn position(&self) -> i64 {
        self.told.event.position
    }

    /// The text for people, the same for all of them.
    pub(crate) fn for_people(&self) -> Frame {
        self.frame.clone()
    }

    /// The text for agents, which names what to acknowledge.
    pub(crate) fn for_agents(&self) -> Frame {
        let event = EventView::from(&self.told.event);
        Saying::Event { event, about: &self.about, position: Some(self.position()) }.frame()
    }
}

/// What the hub knows of a connection.
#[derive(Debug)]
pub(crate) struct Seat {
    pub(crate) principal: PrincipalId,
    pub(crate) kind: PrincipalKind,
    /// Whether it is told who comes and goes.
    presence: bool,
    /// The rights of the newest look.
    judge: Mutex<Judge>,
    /// Whether the hub hands it events; before, it catches up by itself.
    live: AtomicBool,
    queue: mpsc::Sender<Arc<Item>>,
    end: watch::Sender<Option<End>>,
}

/// The connection's side of a seat.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) seat: Arc<Seat>,
    pub(crate) queue: mpsc::Receiver<Arc<Item>>,
    pub(crate) end: watch::Receiver<Option<End>>,
}

impl Seat {
    pub(crate) fn take(judge: Judge, presence: bool, queue_max: usize) -> Taken {
        let (queue, received) = mpsc::channel(queue_max.max(1));
        let (end, ended) = watch::channel(None);
        let actor = judge.actor();
        let seat = Arc::new(Self {
            principal: actor.principal,
            kind: actor.kind,
            presence,
            judge: Mutex::new(judge),
            live: AtomicBool::new(false),
            queue,
            end,
        });
        Taken { seat, queue: received, end: ended }
    }

    /// From now on the hub hands it what is new.
    pub(crate) fn goes_live(&self) {
        self.live.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_live(&self) -> bool {
        self.live.load(Ordering::SeqCst)
    }

    pub(crate) const fn is_agent(&self) -> bool {
        matches!(self.kind, PrincipalKind::Agent)
    }

    /// The rights of the newest look.
    pub(crate) fn judge(&self) -> Judge {
        self.judge.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_judge(&self, judge: Judge) {
        let mut held = self.judge.lock().unwrap_or_else(PoisonError::into_inner);
        // Two looks may end out of order.
        if judge.actor().rights_version >= held.actor().rights_version {
            *held = judge;
        }
    }

    /// Whether an event may be told over this connection now.
    pub(crate) fn may_get(&self, told: &Told, now: Timestamp) -> bool {
        self.may_get_by(&self.judge().at(now), told)
    }

    /// The same by a judge of this moment.
    pub(crate) fn may_get_by(&self, judge: &Judge, told: &Told) -> bool {
        let kind = told.event.event.kind;
        if self.is_agent() && Runs::concerns_a_run(kind) {
            // What the agent is handed is judged when it is handed over.
            return told.ground.is_for(self.principal);
        }
        let own = told.event.event.subject.map(|subject| subject.cast()) == Some(self.principal);
        let wanted = match kind {
            EventKind::PresenceUpdated => self.presence,
            EventKind::TypingStarted => !own && !self.is_agent(),
            _ => true,
        };
        wanted && told.ground.allows(judge, Mode::Delivery)
    }

    /// Hands an event over; a client that does not keep up is cut off.
    pub(crate) fn hand(&self, item: &Arc<Item>) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.queue.try_send(Arc::clone(item)) {
            self.cut(End::Slow);
        }
    }

    /// Ends the connection. The first reason counts.
    pub(crate) fn cut(&self, end: End) {
        self.end.send_if_modified(|known| {
            let first = known.is_none();
            if first {
                *known = Some(end);
            }
            first
        });
    }
}
