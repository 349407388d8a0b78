//! What is known of spaces, channels and threads, as other modules read it. Nothing here says that
//! somebody may see it.

use bothy_domain::action::ResourceKind;
use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, SpaceId, ThreadId};
use bothy_domain::policy::{Path, Place, Resource};
use bothy_domain::time::Timestamp;
use bothy_domain::trigger::Switches;
use bothy_identity::PrincipalRef;

use crate::words::{ChannelKind, Egress, ThreadKind};

/// A space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceFacts {
    /// Its id.
    pub id: SpaceId,
    /// Its name.
    pub name: String,
    /// The agent in charge where channel and thread name none.
    pub operator: Option<PrincipalId>,
    /// Since when it is archived.
    pub archived_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Counts its changes.
    pub version: i64,
}

impl SpaceFacts {
    /// Where it stands (AZ-2).
    pub const fn path(&self) -> Path {
        let mut path = Path::of(Place::Space(self.id));
        path.archived = self.archived_at.is_some();
        path
    }

    /// The space as a target of decisions.
    pub const fn resource(&self) -> Resource {
        Resource::new(ResourceKind::Space, self.id.cast(), self.path())
    }
}

/// A channel, with what it takes from its space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelFacts {
    /// Its id.
    pub id: ChannelId,
    /// Its space; a direct message has none.
    pub space: Option<SpaceId>,
    /// What it is.
    pub kind: ChannelKind,
    /// Its name; a direct message has none.
    pub name: Option<String>,
    /// The agent that was put in charge of the channel itself.
    pub own_operator: Option<PrincipalId>,
    /// The agent in charge: the channel's, else the space's.
    pub operator: Option<PrincipalId>,
    /// Whom its agents answer.
    pub switches: Switches,
    /// How many earlier messages a run context may hold.
    pub history_backfill_limit: u32,
    /// Since when the channel itself is archived.
    pub archived_at: Option<Timestamp>,
    /// Whether the channel or its space is archived (AZ-5).
    pub archived: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// Counts its changes, those of its switches among them.
    pub version: i64,
}

impl ChannelFacts {
    /// Where it stands (AZ-2).
    pub const fn path(&self) -> Path {
        channel_path(self.space, self.id, self.archived)
    }

    /// The channel as a target of decisions.
    pub const fn resource(&self) -> Resource {
        Resource::new(ResourceKind::Channel, self.id.cast(), self.path())
    }
}

/// A thread, with the channel that it is in now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadFacts {
    /// Its id.
    pub id: ThreadId,
    /// Its channel.
    pub channel: ChannelFacts,
    /// What it is.
    pub kind: ThreadKind,
    /// The message that it was opened from. After a move it may lie in another channel.
    pub parent_message: Option<MessageId>,
    /// The channel in which that message lies.
    pub parent_channel: Option<ChannelId>,
    /// Its title; posts have one.
    pub title: Option<String>,
    /// The agent that is fixed on the thread (AZ-4).
    pub fixed_operator: Option<PrincipalId>,
    /// Who opened it.
    pub created_by: PrincipalId,
    /// When it was opened.
    pub created_at: Timestamp,
    /// Since when it is closed.
    pub closed_at: Option<Timestamp>,
    /// Whether it takes no more messages.
    pub closed: bool,
    /// Counts its changes.
    pub version: i64,
}

impl ThreadFacts {
    /// Where it stands (AZ-2), with its fixed operator (AZ-4).
    pub const fn path(&self) -> Path {
        thread_path(self.channel.path(), self.id, self.fixed_operator)
    }

    /// The thread as a target of decisions; its author is who opened it.
    pub const fn resource(&self) -> Resource {
        let mut resource = Resource::new(ResourceKind::Thread, self.id.cast(), self.path());
        resource.author = Some(self.created_by);
        resource
    }

    /// The message that it was opened from, if that lies in the channel where the thread is now: after
    /// a move its readers need not know the other channel.
    pub fn parent_here(&self) -> Option<MessageId> {
        self.parent_message.filter(|_| self.parent_channel == Some(self.channel.id))
    }

    /// The agent in charge: fixed on the thread, else the channel's, else the space's (glossary).
    pub const fn effective_operator(&self) -> Option<PrincipalId> {
        match self.fixed_operator {
            Some(operator) => Some(operator),
            None => self.channel.operator,
        }
    }
}

/// A channel and the thread that it begins with; forums have none.
pub type WithMain = (ChannelFacts, Option<ThreadId>);

/// A direct message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectFacts {
    /// Its channel.
    pub id: ChannelId,
    /// Its one thread.
    pub main_thread: ThreadId,
    /// Who takes part, ascending by id.
    pub participants: Vec<PrincipalRef>,
    /// When it was opened.
    pub created_at: Timestamp,
}

/// A part of the tree that threads stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    /// All channels of a space.
    Space(SpaceId),
    /// One channel.
    Channel(ChannelId),
}

/// The switches of a channel for agents, with what only agents that read their configuration get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConfig {
    /// The channel.
    pub channel: ChannelId,
    /// Whom its agents answer.
    pub switches: Switches,
    /// How many earlier messages a run context may hold.
    pub history_backfill_limit: u32,
    /// What happens when an agent would carry content out of it.
    pub egress: Egress,
    /// A text for the agents that work in the channel.
    pub prompt: Option<String>,
    /// Names of skills for the agents that work in the channel.
    pub skills: Vec<String>,
    /// The version of the channel.
    pub version: i64,
}

/// A thread to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewThread {
    /// In which channel.
    pub channel: ChannelId,
    /// Of which space; for the event.
    pub space: Option<SpaceId>,
    /// What it is.
    pub kind: ThreadKind,
    /// The message that it is opened from.
    pub parent_message: Option<MessageId>,
    /// Its title.
    pub title: Option<String>,
    /// Who opens it.
    pub created_by: PrincipalId,
}

/// The path of a channel; one without a space is a direct message.
pub(crate) const fn channel_path(space: Option<SpaceId>, channel: ChannelId, archived: bool) -> Path {
    let mut path = Path::of(match space {
        Some(space) => Place::Channel(space, channel),
        None => Place::Direct(channel),
    });
    path.archived = archived;
    path
}

/// The path of a thread on the path of its channel.
pub(crate) const fn thread_path(mut path: Path, thread: ThreadId, operator: Option<PrincipalId>) -> Path {
    path.thread = Some(thread);
    path.thread_operator = operator;
    path
}
