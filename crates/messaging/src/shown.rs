//! Messages as they are shown: with their author and the reactions to them.

use std::collections::HashMap;

use bothy_chat::ThreadFacts;
use bothy_domain::action::ResourceKind;
use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, SpaceId, ThreadId};
use bothy_domain::policy::{Path, Place, Resource};
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_storage::Reader;

use crate::message::resource;
use crate::messaging::gone;
use crate::store::messages::{self, MessageRow};
use crate::store::reactions;
use crate::{MessageView, Messaging, ReactionCount, StoredMessage};

/// A message with the reactions to it. Whoever shows it has judged `resource`.
#[derive(Debug, Clone)]
pub struct ShownMessage {
    /// The message as a target of decisions.
    pub resource: Resource,
    /// The message.
    pub message: StoredMessage,
    /// How it was reacted to.
    pub reactions: Vec<ReactionCount>,
}

impl ShownMessage {
    /// The form in a list, with at most `max_bytes` of content.
    pub fn listed(self, max_bytes: usize) -> MessageView {
        MessageView::from(self).cut(max_bytes)
    }
}

impl From<ShownMessage> for MessageView {
    fn from(shown: ShownMessage) -> Self {
        Self::new(shown.message, shown.reactions)
    }
}

/// A row with the place that it stands in now, as a list over several threads finds it.
pub(crate) struct PlacedRow {
    pub(crate) row: MessageRow,
    pub(crate) channel: ChannelId,
    pub(crate) space: Option<SpaceId>,
}

impl PlacedRow {
    /// The message as a target of decisions. Lists know no fixed operator (AZ-4), and the archive
    /// takes no right to read away.
    pub(crate) fn resource(&self) -> Resource {
        let path = path_in(self.space, self.channel, self.row.thread);
        let mut resource = Resource::new(ResourceKind::Message, self.row.id.cast(), path);
        resource.author = Some(self.row.author);
        resource
    }
}

/// The path of a thread as a list over several threads knows it.
pub(crate) const fn path_in(space: Option<SpaceId>, channel: ChannelId, thread: ThreadId) -> Path {
    let mut path = Path::of(match space {
        Some(space) => Place::Channel(space, channel),
        None => Place::Direct(channel),
    });
    path.thread = Some(thread);
    path
}

impl Messaging {
    /// Messages with the reactions to them, for whoever sends on what changed. Nothing is judged
    /// here: the caller judges each [`ShownMessage::resource`] for whoever gets it. Ids that name no
    /// message are left out. Without a viewer nobody's own reactions are marked, so that one result
    /// can be sent to many.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn shown(
        &self,
        reader: &Reader,
        ids: &[MessageId],
        viewer: Option<PrincipalId>,
    ) -> Result<Vec<ShownMessage>, Problem> {
        let rows = messages::by_ids(reader, ids).await.or_problem()?;
        let mut threads: Vec<ThreadId> = rows.iter().map(|row| row.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        let threads = self.chat.threads(reader, &threads).await?;
        let threads: HashMap<ThreadId, ThreadFacts> = threads.into_iter().map(|one| (one.id, one)).collect();
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            let thread = threads.get(&row.thread).ok_or_else(gone)?;
            found.push((resource(row.id, row.author, thread), thread.channel.id, row));
        }
        self.shown_rows(reader, found, viewer).await
    }

    /// Rows of one thread, judged by the caller, in their order.
    pub(crate) async fn shown_in(
        &self,
        reader: &Reader,
        thread: &ThreadFacts,
        rows: Vec<MessageRow>,
        viewer: PrincipalId,
    ) -> Result<Vec<ShownMessage>, Problem> {
        let rows = rows.into_iter().map(|row| (resource(row.id, row.author, thread), thread.channel.id, row)).collect();
        self.shown_rows(reader, rows, Some(viewer)).await
    }

    /// One row, judged by the caller.
    pub(crate) async fn shown_one(
        &self,
        reader: &Reader,
        thread: &ThreadFacts,
        row: MessageRow,
        viewer: PrincipalId,
    ) -> Result<ShownMessage, Problem> {
        self.shown_in(reader, thread, vec![row], viewer).await?.pop().ok_or_else(gone)
    }

    /// Rows of several threads, judged by the caller, in their order.
    pub(crate) async fn shown_placed(
        &self,
        reader: &Reader,
        rows: Vec<PlacedRow>,
        viewer: PrincipalId,
    ) -> Result<Vec<ShownMessage>, Problem> {
        let rows = rows.into_iter().map(|placed| (placed.resource(), placed.channel, placed.row)).collect();
        self.shown_rows(reader, rows, Some(viewer)).await
    }

    async fn shown_rows(
        &self,
        reader: &Reader,
        rows: Vec<(Resource, ChannelId, MessageRow)>,
        viewer: Option<PrincipalId>,
    ) -> Result<Vec<ShownMessage>, Problem> {
        let (mut ids, mut resources, mut placed) = (Vec::new(), Vec::new(), Vec::new());
        for (resource, channel, row) in rows {
            ids.push(row.id);
            resources.push(resource);
            placed.push((channel, row));
        }
        let mut reactions = reactions::counts(reader, &ids, viewer).await.or_problem()?;
        let messages = self.with_known_channels(reader, placed).await?;
        let messages = self.with_components(reader, messages).await?;
        let shown = messages.into_iter().zip(resources).map(|(message, resource)| {
            let reactions = reactions.remove(&message.id).unwrap_or_default();
            ShownMessage { resource, message, reactions }
        });
        Ok(shown.collect())
    }
}
