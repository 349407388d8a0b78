//! What an event shows: ids, and over a connection also what they stand for, as it is at that moment.

use bothy_chat::{ChannelKind, ChannelView, DirectView, SpaceView, ThreadView};
use bothy_domain::event::{Event, EventKind};
use bothy_domain::ids::{AnyId, ChannelId, MessageId, PrincipalId, RunId, SpaceId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_identity::PrincipalView;
use bothy_messaging::MessageView;
use bothy_platform::failure::OrProblem;
use bothy_runs::{RunView, Told};
use bothy_storage::Reader;
use schemars::JsonSchema;
use serde::Serialize;

use crate::presence::PresenceState;
use crate::store::presence;
use crate::{Delivery, cursor};

/// One event: that something changed, and where. Ids only.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Event")]
pub(crate) struct EventView {
    /// Where to go on after this event.
    cursor: String,
    /// When it was written.
    at: Timestamp,
    /// What it says, such as `message.created`.
    kind: &'static str,
    /// The space.
    #[serde(skip_serializing_if = "Option::is_none")]
    space_id: Option<SpaceId>,
    /// The channel; of something in a thread, the one where the thread is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    channel_id: Option<ChannelId>,
    /// The thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_id: Option<ThreadId>,
    /// The message.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<MessageId>,
    /// The run.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<RunId>,
    /// What else it is about: the principal of `principal.updated`, `presence.updated` and
    /// `typing.started`, the notice of `notice.created`.
    #[serde(skip_serializing_if = "Option::is_none")]
    subject_id: Option<AnyId>,
}

impl From<&Event> for EventView {
    fn from(event: &Event) -> Self {
        let told = &event.event;
        Self {
            cursor: cursor::text(event.position),
            at: event.at,
            kind: told.kind.as_str(),
            space_id: told.space,
            channel_id: told.channel,
            thread_id: told.thread,
            message_id: told.message,
            run_id: told.run,
            subject_id: told.subject,
        }
    }
}

/// What an event is about, as it is now. Serialized, the kind of thing is the name of the member.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Representation {
    Message(Box<MessageView>),
    Thread(Box<ThreadView>),
    Channel(Box<ChannelView>),
    Direct(Box<DirectView>),
    Space(Box<SpaceView>),
    Run(Box<RunView>),
    Principal(Box<PrincipalView>),
    Presence(PresenceView),
}

/// How present somebody is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Presence")]
pub(crate) struct PresenceView {
    /// Who.
    pub(crate) principal_id: PrincipalId,
    /// `online`, `away`, or absent when they are not connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<PresenceState>,
}

impl Delivery {
    /// What an event is about. Whoever gets it has been judged for the place of the event; what is gone
    /// or lies elsewhere by now is not shown, and of what was deleted only the ids are (C81).
    pub(crate) async fn represent(&self, reader: &Reader, told: &Told) -> Result<Option<Representation>, Problem> {
        let event = &told.event.event;
        Ok(match event.kind {
            EventKind::MessageCreated | EventKind::MessageUpdated | EventKind::MessageReactionsUpdated => {
                self.message(reader, told).await?.map(Representation::Message)
            }
            EventKind::ThreadCreated | EventKind::ThreadUpdated | EventKind::ThreadMoved => {
                told.thread.clone().map(|thread| Representation::Thread(Box::new(thread.into())))
            }
            EventKind::ChannelCreated | EventKind::ChannelUpdated => match &told.channel {
                Some((channel, _)) if channel.kind == ChannelKind::Direct => {
                    let direct = self.parts.chat.direct(reader, channel.id).await?;
                    direct.map(|direct| Representation::Direct(Box::new(direct.into())))
                }
                Some(channel) => Some(Representation::Channel(Box::new(channel.clone().into()))),
                None => None,
            },
            EventKind::SpaceCreated | EventKind::SpaceUpdated => match event.space {
                Some(space) => {
                    let found = self.parts.chat.spaces(reader, &[space]).await?.pop();
                    found.map(|space| Representation::Space(Box::new(space.into())))
                }
                None => None,
            },
            EventKind::RunUpdated => match event.run {
                Some(run) => self.parts.runs.shown(reader, run).await?.map(|run| Representation::Run(Box::new(run))),
                None => None,
            },
            EventKind::PrincipalUpdated => match event.subject {
                Some(subject) => {
                    let found = self.parts.identity.principals(reader, &[subject.cast()]).await?.pop();
                    found.map(|principal| Representation::Principal(Box::new(principal.into())))
                }
                None => None,
            },
            EventKind::PresenceUpdated => match event.subject {
                Some(subject) => {
                    let principal_id = subject.cast();
                    let state = presence::of(reader, principal_id, self.now()).await.or_problem()?;
                    Some(Representation::Presence(PresenceView { principal_id, state }))
                }
                None => None,
            },
            _ => None,
        })
    }

    async fn message(&self, reader: &Reader, told: &Told) -> Result<Option<Box<MessageView>>, Problem> {
        let Some(message) = told.event.event.message else {
            return Ok(None);
        };
        let shown = self.parts.messaging.shown(reader, &[message], None).await?.pop();
        // It stands where the event was judged; between two reads its thread may have moved.
        let shown = shown.filter(|shown| told.event.event.channel == Some(shown.message.channel_id));
        let max_bytes = self.parts.config.message.list_content_max_bytes.to_usize();
        Ok(shown.map(|shown| Box::new(MessageView::from(shown).cut(max_bytes))))
    }
}
