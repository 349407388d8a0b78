use crate::ids::{ChannelId, SpaceId};
use crate::policy::{Level, Path, Place, Snapshot};
use crate::time::Timestamp;

/// What a list may show (chapter 03 section 1). A channel is in it when it is named, or when it is
/// no direct message and its space is fully visible, or when it is no direct message and the scope
/// is instance-wide. All lists ascend.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    /// Channels that are visible in their own right, direct messages among them.
    pub channel_ids: Vec<ChannelId>,
    /// Spaces that can be seen, wholly or through one of their channels.
    pub space_ids: Vec<SpaceId>,
    /// Spaces all of whose channels are visible, also ones that are made later (AZ-9).
    pub fully_visible_space_ids: Vec<SpaceId>,
    /// Every space and every channel that is no direct message.
    pub instance_wide: bool,
}

impl Scope {
    /// Whether a channel of a space, or a direct message, is in the scope.
    pub fn shows_channel(&self, space: Option<SpaceId>, channel: ChannelId) -> bool {
        self.channel_ids.binary_search(&channel).is_ok()
            || space
                .is_some_and(|space| self.instance_wide || self.fully_visible_space_ids.binary_search(&space).is_ok())
    }

    /// Whether a space is in the scope.
    pub fn shows_space(&self, space: SpaceId) -> bool {
        self.instance_wide || self.space_ids.binary_search(&space).is_ok()
    }
}

/// The scope of a principal for reading, or of an agent together with the person it works for
/// (AF-12). The archive does not matter: what is archived can be read.
pub fn scope(own: &Snapshot, person: Option<&Snapshot>, now: Timestamp) -> Scope {
    let mine = Visible::of(own, now);
    let Some(person) = person else {
        return mine.into_scope();
    };
    let theirs = Visible::of(person, now);
    Scope {
        channel_ids: sorted(
            mine.channels
                .iter()
                .chain(&theirs.channels)
                .copied()
                .filter(|(space, channel)| mine.shows(*space, *channel) && theirs.shows(*space, *channel))
                .map(|(_, channel)| channel)
                .collect(),
        ),
        space_ids: sorted(
            mine.spaces
                .iter()
                .chain(&theirs.spaces)
                .copied()
                .filter(|space| mine.shows_space(*space) && theirs.shows_space(*space))
                .collect(),
        ),
        fully_visible_space_ids: sorted(
            mine.full
                .iter()
                .chain(&theirs.full)
                .copied()
                .filter(|space| mine.shows_fully(*space) && theirs.shows_fully(*space))
                .collect(),
        ),
        instance_wide: mine.instance_wide && theirs.instance_wide,
    }
}

struct Visible<'a> {
    snapshot: &'a Snapshot,
    now: Timestamp,
    channels: Vec<(Option<SpaceId>, ChannelId)>,
    spaces: Vec<SpaceId>,
    full: Vec<SpaceId>,
    instance_wide: bool,
}

impl<'a> Visible<'a> {
    fn of(snapshot: &'a Snapshot, now: Timestamp) -> Self {
        let mut visible =
            Self { snapshot, now, channels: Vec::new(), spaces: Vec::new(), full: Vec::new(), instance_wide: false };
        if !snapshot.is_active() {
            return visible;
        }
        visible.instance_wide = snapshot.is_owner() || snapshot.instance_rights(now).level >= Level::Read;
        visible.full = sorted(snapshot.live_spaces(Level::Read, now).collect());
        visible.spaces.clone_from(&visible.full);
        for (space, channel) in snapshot.live_channels(Level::Read, now) {
            visible.channels.push((Some(space), channel));
            visible.spaces.push(space);
        }
        visible.channels.extend(snapshot.directs().iter().map(|channel| (None, *channel)));
        visible
    }

    fn shows(&self, space: Option<SpaceId>, channel: ChannelId) -> bool {
        let place = match space {
            Some(space) => Place::Channel(space, channel),
            None => Place::Direct(channel),
        };
        self.snapshot.sees(&Path::of(place), self.now)
    }

    fn shows_space(&self, space: SpaceId) -> bool {
        self.snapshot.sees(&Path::of(Place::Space(space)), self.now)
    }

    fn shows_fully(&self, space: SpaceId) -> bool {
        self.instance_wide || self.full.binary_search(&space).is_ok()
    }

    fn into_scope(self) -> Scope {
        Scope {
            channel_ids: sorted(self.channels.into_iter().map(|(_, channel)| channel).collect()),
            space_ids: sorted(self.spaces),
            fully_visible_space_ids: self.full,
            instance_wide: self.instance_wide,
        }
    }
}

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items.dedup();
    items
}
