//! The state that a client begins with (`getSnapshot`): one consistent read, and the cursor of exactly
//! that state, so that the snapshot with the events after it is the state at any later time.

use bothy_chat::{ChannelView, DirectView, SpaceView};
use bothy_domain::action::Action;
use bothy_domain::action::actions::MessageRead;
use bothy_domain::actor::{Actor, PrincipalKind};
use bothy_domain::policy::Scope;
use bothy_domain::problem::Problem;
use bothy_identity::MeView;
use bothy_messaging::{ThreadUnread, UnreadPage};
use bothy_platform::authorize::Judge;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_platform::instance::rights_version;
use bothy_runs::RunView;
use bothy_storage::Reader;
use schemars::JsonSchema;
use serde::Serialize;

use crate::shown::PresenceView;
use crate::store::presence;
use crate::{Delivery, cursor};

/// What a client begins with. Everything in it is from one moment, and only what the caller may see.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Snapshot")]
pub(crate) struct SnapshotView {
    /// Who is calling.
    me: MeView,
    /// The spaces that can be seen.
    spaces: Portion<SpaceView>,
    /// The channels of spaces that can be read.
    channels: Portion<ChannelView>,
    /// The direct messages of the caller.
    dms: Portion<DirectView>,
    /// The threads that the caller follows, with what is unread in them.
    unread_threads: Portion<ThreadUnread>,
    /// The runs that are under way where the caller may read.
    active_runs: Portion<RunView>,
    /// Who is connected, for people.
    presence: Portion<PresenceView>,
    /// Go on from here with `listEvents` or `openGateway`.
    cursor: String,
}

/// The beginning of a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Portion")]
pub(crate) struct Portion<T> {
    /// The items.
    items: Vec<T>,
    /// There and true when there are more than `events.snapshot_max_items`. The rest is read from the
    /// list itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    more: bool,
}

impl<T> Portion<T> {
    /// What fits of a list of which one item more than fits was read.
    fn of<S>(mut found: Vec<S>, most: usize, form: impl Fn(S) -> T) -> Self {
        let more = found.len() > most;
        found.truncate(most);
        Self { items: found.into_iter().map(form).collect(), more }
    }
}

/// How much of each list is read.
#[derive(Debug, Clone, Copy)]
struct Most {
    items: usize,
    fetch: i64,
}

impl Delivery {
    /// The state as the caller may see it. An agent inside of a run sees what its person may see too.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub(crate) async fn get_snapshot(&self, allowed: Allowed<MessageRead>) -> Result<SnapshotView, Problem> {
        let reader = self.parts.database.consistent_reader().await.or_problem()?;
        let judge = self.judge_in(&reader, allowed.judge()).await?;
        let scope = allowed.scope_again::<MessageRead>(&judge)?;
        let head = self.parts.events.head(&reader).await.or_problem()?;
        let items = self.parts.config.events.snapshot_max_items.to_usize();
        let most = Most { items, fetch: i64::try_from(items).unwrap_or(i64::MAX).saturating_add(1) };
        let me = judge.actor().principal;
        let chat = &self.parts.chat;
        let mut spaces = chat.visible_spaces(&reader, &scope, None, most.fetch).await?;
        spaces.retain(|space| judge.keeps(Action::SpaceRead, &space.resource()));
        let mut channels = chat.visible_channels(&reader, &scope, None, most.fetch).await?;
        channels.retain(|(channel, _)| judge.keeps(Action::ChannelRead, &channel.resource()));
        let directs = chat.directs(&reader, &scope, me, None, most.fetch).await?;
        let page = UnreadPage { after: None, limit: u32::try_from(most.fetch).unwrap_or(u32::MAX) };
        let unread = self.parts.messaging.unread(&reader, &scope, me, page).await?;
        Ok(SnapshotView {
            me: self.parts.identity.me_of(&reader, &judge).await?,
            spaces: Portion::of(spaces, most.items, SpaceView::from),
            channels: Portion::of(channels, most.items, ChannelView::from),
            dms: Portion::of(directs, most.items, DirectView::from),
            unread_threads: Portion::of(unread, most.items, |thread| thread),
            active_runs: self.active_runs(&reader, &judge, &scope, most).await?,
            presence: self.present(&reader, &judge, most).await?,
            cursor: cursor::text(head),
        })
    }

    /// The judge of the rights that the snapshot sees.
    async fn judge_in(&self, reader: &Reader, judge: &Judge) -> Result<Judge, Problem> {
        let rights_version = rights_version(reader).await.or_problem()?;
        if rights_version == judge.actor().rights_version {
            return Ok(judge.clone());
        }
        self.authorizer().judge(reader, &Actor { rights_version, ..*judge.actor() }).await
    }

    async fn active_runs(
        &self,
        reader: &Reader,
        judge: &Judge,
        scope: &Scope,
        most: Most,
    ) -> Result<Portion<RunView>, Problem> {
        // Apps read no runs.
        if judge.actor().kind == PrincipalKind::App {
            return Ok(Portion { items: Vec::new(), more: false });
        }
        let runs = self.parts.runs.active_runs(reader, judge, scope, None, most.fetch).await?;
        Ok(Portion::of(runs, most.items, |run| run))
    }

    async fn present(&self, reader: &Reader, judge: &Judge, most: Most) -> Result<Portion<PresenceView>, Problem> {
        if judge.actor().kind != PrincipalKind::Person {
            return Ok(Portion { items: Vec::new(), more: false });
        }
        let mut present = presence::present(reader, self.now(), most.fetch).await.or_problem()?;
        present.dedup_by_key(|(principal, _)| *principal);
        Ok(Portion::of(present, most.items, |(principal_id, state)| PresenceView { principal_id, state: Some(state) }))
    }
}
