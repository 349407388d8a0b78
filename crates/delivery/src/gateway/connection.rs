use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bothy_domain::action::Action;
use bothy_domain::actor::{Actor, PrincipalKind};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::time::Timestamp;
use bothy_platform::audit::newest_checkpoint;
use bothy_platform::authorize::Judge;
use bothy_platform::clock::timeout;
use bothy_platform::events::AudienceFilter;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::{Caller, Frame, Received, SocketError, SocketReceiver, SocketSender};
use bothy_platform::instance::rights_version;
use bothy_runs::Runs;
use tokio::sync::{mpsc, watch};

use super::end::End;
use super::hub::Place;
use super::op::{self, Asked, Said};
use super::seat::{Item, Seat, Taken};
use crate::frame::Saying;
use crate::list::is_kept;
use crate::{Delivery, cursor};

/// How many events are caught up at once.
const BATCH: u32 = 200;
/// How long the rest of a frame and the good-bye may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a client may say what makes no sense.
const MAX_STRIKES: u32 = 16;

/// What a connection begins with.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) sender: SocketSender,
    pub(super) receiver: SocketReceiver,
    pub(super) caller: Caller,
    pub(super) position: i64,
    pub(super) presence: bool,
}

/// One connection, for as long as it lives.
pub(super) struct Connection {
    delivery: Arc<Delivery>,
    seat: Arc<Seat>,
    queue: mpsc::Receiver<Arc<Item>>,
    end: watch::Receiver<Option<End>>,
    sender: SocketSender,
    receiver: SocketReceiver,
    caller: Caller,
    /// Everything up to here was told or is not for this connection.
    position: i64,
    /// When the client last said something.
    heard: Timestamp,
    strikes: u32,
    _place: Place,
}

/// What happens next.
enum Turn {
    Ends(End),
    Says(Result<Received, SocketError>),
    New(Option<Arc<Item>>),
    Beat,
}

impl Connection {
    pub(super) fn new(delivery: Arc<Delivery>, place: Place, judge: Judge, opened: Opened) -> Self {
        let Opened { sender, receiver, caller, position, presence } = opened;
        let Taken { seat, queue, end } = delivery.hub.sit(&place, judge, presence);
        let heard = delivery.now();
        Self { delivery, seat, queue, end, sender, receiver, caller, position, heard, strikes: 0, _place: place }
    }

    /// Lives until one side ends it.
    pub(super) async fn run(mut self) {
        let person = self.seat.kind == PrincipalKind::Person;
        if person {
            self.delivery.arrives(self.seat.principal).await;
        }
        let Err(end) = self.live().await;
        tracing::debug!(?end, "a connection of the gateway ends");
        if person {
            self.delivery.leaves(self.seat.principal).await;
        }
        self.good_bye(end).await;
    }

    async fn live(&mut self) -> Result<Infallible, End> {
        let opened = self.heard;
        // The hub knows the connection from here on; what ended before is found now.
        self.look_again().await?;
        self.greet().await?;
        self.catch_up().await?;
        self.seat.goes_live();
        self.catch_up().await?;
        let clock = Arc::clone(&self.delivery.parts.clock);
        let interval = self.delivery.parts.config.gateway.heartbeat_interval.get();
        // Counted from the greeting and then from beat to beat, so that the work between two of them
        // puts none off.
        let mut due = opened.plus(interval);
        let mut beat = clock.sleep_until(due);
        loop {
            let turn = {
                let Self { queue, receiver, end, .. } = self;
                tokio::select! {
                    end = ended(end) => Turn::Ends(end),
                    received = receiver.receive() => Turn::Says(received),
                    item = queue.recv() => Turn::New(item),
                    () = &mut beat => Turn::Beat,
                }
            };
            match turn {
                Turn::Ends(end) => return Err(end),
                Turn::Says(received) => self.hear(received?).await?,
                Turn::New(Some(item)) => self.tell(&item).await?,
                // The seat holds the other side, so there is always more to come.
                Turn::New(None) => return Err(End::Stopping),
                Turn::Beat => {
                    let now = clock.now();
                    self.beat().await?;
                    due = due.plus(interval).max(now);
                    beat = clock.sleep_until(due);
                }
            }
        }
    }

    async fn greet(&mut self) -> Result<(), End> {
        let config = &self.delivery.parts.config.gateway;
        let checkpoint = {
            let reader = self.delivery.parts.database.reader().await.map_err(|_| End::Unavailable)?;
            newest_checkpoint(&reader).await.map_err(|_| End::Unavailable)?
        };
        let session: bothy_domain::ids::AnyId = self.delivery.parts.ids.next();
        let greeting = Saying::Greeting {
            session_id: session.to_string(),
            principal_id: self.seat.principal,
            cursor: cursor::text(self.position),
            position: self.seat.is_agent().then_some(self.position),
            heartbeat_interval: config.heartbeat_interval.get().as_secs(),
            idle_timeout: config.idle_timeout.get().as_secs(),
            max_frame_bytes: config.max_frame_bytes.get(),
            audit_checkpoint: checkpoint,
        };
        let frame = greeting.frame();
        self.say(frame).await
    }

    /// Tells what happened since the position, up to the end of the log.
    async fn catch_up(&mut self) -> Result<(), End> {
        loop {
            let missed = self.delivery.missed(&self.seat, self.position).await.map_err(|problem| end_of(&problem))?;
            for item in &missed.items {
                self.tell(item).await?;
            }
            self.position = self.position.max(missed.position);
            if !missed.more {
                return Ok(());
            }
        }
    }

    /// Tells an event, if it may still be told.
    async fn tell(&mut self, item: &Item) -> Result<(), End> {
        if item.position() <= self.position {
            return Ok(());
        }
        if self.seat.may_get(&item.told, self.delivery.now()) && self.delivery.is_timely(&item.told) {
            let frame = if !self.seat.is_agent() {
                Some(item.for_people())
            } else if Runs::concerns_a_run(item.told.event.event.kind) {
                self.handed_over(item).await?
            } else {
                Some(item.for_agents())
            };
            if let Some(frame) = frame {
                self.say(frame).await?;
            }
        }
        self.position = item.position();
        Ok(())
    }

    async fn handed_over(&self, item: &Item) -> Result<Option<Frame>, End> {
        let judge = self.seat.judge().at(self.delivery.now());
        let handed = self.delivery.parts.runs.handed_over(&judge, &item.told).await.map_err(|_| End::Unavailable)?;
        Ok(handed.map(|event| Saying::AgentEvent { cursor: cursor::text(item.position()), event }.frame()))
    }

    async fn hear(&mut self, received: Received) -> Result<(), End> {
        self.heard = self.delivery.now();
        let text = match received {
            Received::Closed => return Err(End::Gone),
            Received::Alive => return Ok(()),
            Received::Binary => return self.strike().await,
            Received::Text(text) => text,
        };
        let Some(Said { reference, asked }) = op::parse(&text) else {
            return self.strike().await;
        };
        let frame = match asked {
            Ok(Asked::Heartbeat) => Saying::heartbeat(self.position, self.seat.is_agent()).frame(),
            Ok(Asked::Call(call)) => match self.delivery.call(&self.caller, call).await {
                Ok(answered) => Saying::answered(reference, &answered).frame(),
                Err(problem) => Saying::refused(reference, &problem).frame(),
            },
            Err(problem) => Saying::refused(reference, &problem).frame(),
        };
        self.say(frame).await
    }

    /// Says that what the client said makes no sense; it may do so a few times.
    async fn strike(&mut self) -> Result<(), End> {
        self.strikes += 1;
        if self.strikes > MAX_STRIKES {
            return Err(End::Malformed);
        }
        let problem = Problem::invalid("", "a frame is a JSON object with an `op`");
        self.say(Saying::refused(None, &problem).frame()).await
    }

    async fn beat(&mut self) -> Result<(), End> {
        let idle = self.delivery.parts.config.gateway.idle_timeout.get();
        if self.delivery.now().since(self.heard) > idle {
            return Err(End::Idle);
        }
        self.look_again().await?;
        // Looked at before the queue: whatever the hub had for this connection up to here is in the
        // queue by then.
        let looked_at = self.delivery.looked_at();
        if self.queue.is_empty() {
            self.position = self.position.max(looked_at);
        }
        self.say(Saying::heartbeat(self.position, self.seat.is_agent()).frame()).await
    }

    /// Whether the credential still counts. When nobody can say at this moment, the next look says it:
    /// without the database nothing new is delivered either.
    async fn look_again(&self) -> Result<(), End> {
        let looked = async {
            let reader = self.delivery.parts.database.reader().await.or_problem()?;
            self.delivery.look_again(&reader, &self.seat, &self.seat.judge()).await
        };
        if let Err(error) = looked.await {
            tracing::debug!(%error, "the credential of a connection could not be looked at");
        }
        match *self.end.borrow() {
            Some(end) => Err(end),
            None => Ok(()),
        }
    }

    /// Sends a frame, unless the connection is to end. A frame that was begun is finished with patience.
    async fn say(&mut self, frame: Frame) -> Result<(), End> {
        if let Some(end) = *self.end.borrow() {
            return Err(end);
        }
        let clock = &self.delivery.parts.clock;
        let Self { sender, end, .. } = self;
        let mut sending = pin!(sender.send(frame));
        let end = tokio::select! {
            biased;
            sent = &mut sending => return Ok(sent?),
            end = ended(end) => end,
        };
        match timeout(clock, PATIENCE, sending).await {
            Ok(Ok(())) => Err(end),
            // There is no whole frame, so there can be no good-bye either.
            Ok(Err(_)) | Err(_) => Err(End::Gone),
        }
    }

    /// Says good-bye and lets the client answer it, so that it arrives.
    async fn good_bye(mut self, end: End) {
        let Some((code, reason)) = end.good_bye(self.position) else {
            return;
        };
        let clock = Arc::clone(&self.delivery.parts.clock);
        let good_bye = async {
            self.sender.close(code, reason).await?;
            while !matches!(self.receiver.receive().await?, Received::Closed) {}
            Ok::<_, SocketError>(())
        };
        if let Ok(Err(error)) = timeout(&clock, PATIENCE, good_bye).await {
            tracing::debug!(%error, "a connection ended without a good-bye");
        }
    }
}

/// What a connection missed.
pub(super) struct Missed {
    items: Vec<Item>,
    position: i64,
    more: bool,
}

impl Delivery {
    /// What a connection may be told of what was written after a position.
    async fn missed(&self, seat: &Seat, after: i64) -> Result<Missed, Problem> {
        let reader = self.parts.database.consistent_reader().await.or_problem()?;
        let rights_version = rights_version(&reader).await.or_problem()?;
        let actor = Actor { rights_version, ..*seat.judge().actor() };
        let judge = self.authorizer().judge(&reader, &actor).await?;
        let scope =
            judge.delivery_scope(Action::MessageRead).map_err(|_| Problem::new(ProblemCode::Unauthenticated))?;
        seat.set_judge(judge);
        let filter = AudienceFilter { principal: seat.principal, scope: &scope };
        let page = self.parts.events.read_for(&reader, after, BATCH, filter).await.or_problem()?;
        if after < self.parts.events.floor(&reader).await.or_problem()? {
            return Err(cursor::expired());
        }
        let mut items = Vec::new();
        let now = self.now();
        for told in self.parts.runs.told(&reader, &page.events).await? {
            if is_kept(told.event.event.kind) && seat.may_get(&told, now) {
                let about = self.represent(&reader, &told).await?;
                items.push(Item::new(told, about));
            }
        }
        Ok(Missed { items, position: page.cursor, more: page.more })
    }

    /// Up to where the hub has handed everything over.
    fn looked_at(&self) -> i64 {
        self.hub.position.load(std::sync::atomic::Ordering::SeqCst)
    }

    async fn call(
        &self,
        caller: &Caller,
        call: bothy_platform::http::Call,
    ) -> Result<bothy_platform::http::Answered, Problem> {
        let operations = self.operations.get().and_then(std::sync::Weak::upgrade);
        let operations = operations.ok_or_else(|| Problem::unavailable("the operations are gone"))?;
        operations.call(caller, call).await
    }
}

/// Ready when the connection is to end.
async fn ended(end: &mut watch::Receiver<Option<End>>) -> End {
    match end.wait_for(Option::is_some).await {
        Ok(end) => end.unwrap_or(End::Stopping),
        Err(_) => End::Stopping,
    }
}

fn end_of(problem: &Problem) -> End {
    match problem.code() {
        ProblemCode::Unauthenticated => End::Unauthenticated,
        ProblemCode::CursorExpired => End::Expired,
        _ => End::Unavailable,
    }
}
