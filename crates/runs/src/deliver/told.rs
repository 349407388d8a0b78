//! What an event tells now, and to whom: where its thread stands at this moment, and who may read
//! there. What the log remembers of the place may be out of date, and old news must not show readers
//! of one channel what has moved to another, or where it came from (C14, C81).

use std::collections::HashMap;

use bothy_chat::{ThreadFacts, WithMain};
use bothy_domain::action::{Action, ResourceKind};
use bothy_domain::event::{Audience, Event, EventKind, NewEvent};
use bothy_domain::ids::{ChannelId, PrincipalId, SpaceId, ThreadId};
use bothy_domain::policy::{Mode, Path, Place, Resource};
use bothy_domain::problem::Problem;
use bothy_platform::authorize::Judge;
use bothy_storage::Reader;

use crate::Runs;

/// An event with what it may tell at this moment.
#[derive(Debug, Clone)]
pub struct Told {
    /// The event. Its channel and space are those where its thread stands now.
    pub event: Event,
    /// Whom it may be told.
    pub ground: Ground,
    /// The thread that it is about, when it stands where the event says.
    pub thread: Option<ThreadFacts>,
    /// The channel that it is about, when it is about no thread.
    pub channel: Option<WithMain>,
}

/// Whom an event may be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// Everybody who is signed in.
    Everybody,
    /// People who are signed in.
    People,
    /// One principal, while it may see the place that the event names, if it names one.
    One(PrincipalId, Option<(Action, Resource)>),
    /// Whoever may do this on that.
    Readers(Action, Resource),
    /// Nobody: what it was about is gone.
    Nobody,
}

impl Ground {
    /// Whether an event may be told to a principal, by the rights of the judge's moment.
    pub fn allows(&self, judge: &Judge, mode: Mode) -> bool {
        let active = judge.own().is_active();
        let actor = judge.actor();
        match self {
            Self::Everybody => active,
            Self::People => active && actor.kind == bothy_domain::actor::PrincipalKind::Person,
            Self::One(principal, None) => active && *principal == actor.principal,
            Self::One(principal, Some((action, place))) => {
                *principal == actor.principal && judge.decide(*action, Some(place), mode).is_allow()
            }
            Self::Readers(action, place) => judge.decide(*action, Some(place), mode).is_allow(),
            Self::Nobody => false,
        }
    }

    /// Whether the event is addressed to this principal alone.
    pub fn is_for(&self, one: PrincipalId) -> bool {
        matches!(self, Self::One(principal, _) if *principal == one)
    }
}

/// The places that some events name, as they are now.
struct Places {
    threads: HashMap<ThreadId, ThreadFacts>,
    channels: HashMap<ChannelId, WithMain>,
}

impl Runs {
    /// Events as they may be told now, in their order; two queries, however many there are. Nothing is
    /// judged yet.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn told(&self, reader: &Reader, events: &[Event]) -> Result<Vec<Told>, Problem> {
        let (threads, channels) = named(events);
        let (threads, channels) =
            futures::try_join!(self.chat.threads(reader, &threads), self.chat.channels(reader, &channels))?;
        let places = Places {
            threads: threads.into_iter().map(|thread| (thread.id, thread)).collect(),
            channels: channels.into_iter().map(|channel| (channel.0.id, channel)).collect(),
        };
        Ok(events.iter().map(|event| places.told(*event)).collect())
    }
}

/// The threads and channels that events are judged by, each once.
fn named(events: &[Event]) -> (Vec<ThreadId>, Vec<ChannelId>) {
    let mut threads: Vec<ThreadId> = events.iter().filter_map(|event| event.event.thread).collect();
    let alone = |event: &NewEvent| event.thread.is_none() || event.kind == EventKind::ThreadMoved;
    let mut channels: Vec<ChannelId> =
        events.iter().filter(|event| alone(&event.event)).filter_map(|event| event.event.channel).collect();
    threads.sort_unstable();
    threads.dedup();
    channels.sort_unstable();
    channels.dedup();
    (threads, channels)
}

impl Places {
    fn told(&self, mut event: Event) -> Told {
        let (place, thread, channel) = match (event.event.kind, event.event.thread, event.event.channel) {
            // Each audience of a move hears of its own channel: also readers of the source, who may not
            // see the thread any more.
            (EventKind::ThreadMoved, Some(thread), Some(channel)) => {
                let here = self.threads.get(&thread).filter(|thread| thread.channel.id == channel);
                (self.channel(channel).map(|channel| channel_place(&channel)), here.cloned(), None)
            }
            (_, Some(thread), _) => {
                let thread = self.threads.get(&thread).cloned();
                if let Some(thread) = &thread {
                    settle(&mut event.event, thread);
                }
                (thread.as_ref().map(|thread| thread_place(&event.event, thread)), thread, None)
            }
            (_, None, Some(channel)) => {
                let channel = self.channel(channel);
                (channel.as_ref().map(channel_place), None, channel)
            }
            (_, None, None) => (event.event.space.map(space_place), None, None),
        };
        let names_a_place = event.event.thread.is_some() || event.event.channel.is_some();
        let ground = match (event.event.audience, place) {
            (_, None) if names_a_place => Ground::Nobody,
            (Audience::Principal(principal), place) => Ground::One(principal, place),
            (Audience::Instance | Audience::Channel(_), Some((action, place))) => Ground::Readers(action, place),
            (Audience::Instance, None) if event.event.kind == EventKind::PresenceUpdated => Ground::People,
            (Audience::Instance, None) => Ground::Everybody,
            (Audience::Channel(_), None) => Ground::Nobody,
        };
        Told { event, ground, thread, channel }
    }

    fn channel(&self, id: ChannelId) -> Option<WithMain> {
        self.channels.get(&id).cloned()
    }
}

/// Makes an event name the place where its thread stands now, and no message that lies elsewhere.
fn settle(event: &mut NewEvent, thread: &ThreadFacts) {
    event.channel = Some(thread.channel.id);
    event.space = thread.channel.space;
    if matches!(event.kind, EventKind::ThreadCreated | EventKind::ThreadUpdated) {
        event.message = thread.parent_here();
    }
}

/// Who may be told of something in a thread. As in lists, a fixed operator counts for nothing here
/// (AZ-4).
fn thread_place(event: &NewEvent, thread: &ThreadFacts) -> (Action, Resource) {
    let path = Path { thread_operator: None, ..thread.path() };
    match (event.run, event.message) {
        (Some(run), _) => (Action::RunRead, Resource::new(ResourceKind::Run, run.cast(), path)),
        (None, Some(message)) => (Action::MessageRead, Resource::new(ResourceKind::Message, message.cast(), path)),
        (None, None) => (Action::ThreadRead, Resource::new(ResourceKind::Thread, thread.id.cast(), path)),
    }
}

fn channel_place(channel: &WithMain) -> (Action, Resource) {
    (Action::ChannelRead, channel.0.resource())
}

fn space_place(space: SpaceId) -> (Action, Resource) {
    (Action::SpaceRead, Resource::new(ResourceKind::Space, space.cast(), Path::of(Place::Space(space))))
}
