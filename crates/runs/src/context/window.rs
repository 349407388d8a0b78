use bothy_chat::ThreadFacts;
use bothy_domain::context::{
    MessagePlace, ParentMessage, SeqWindow, ThreadPlace, TriggerPosition, channel_window, includes_parent_message,
    locate_trigger, thread_window,
};
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_domain::session::ContextPlan;
use bothy_messaging::{ContextPage, ContextQuery, StoredMessage};
use bothy_platform::authorize::Judge;
use bothy_storage::Reader;
use futures::try_join;

use crate::Runs;

/// The messages that may stand in a context, before anything is cut.
pub(super) struct Selected {
    pub(super) floor: i64,
    pub(super) thread: ContextPage,
    /// There exactly when RC-6 wants it.
    pub(super) channel: Option<ContextPage>,
    /// There exactly when RC-19 wants it.
    pub(super) parent: Option<StoredMessage>,
}

impl Runs {
    /// Selects the windows of a run (RC-5 to RC-8, RC-19). `None` when the triggering message lies
    /// neither in the thread nor is what it was opened from.
    pub(super) async fn select(
        &self,
        reader: &Reader,
        judge: &Judge,
        thread: &ThreadFacts,
        plan: ContextPlan,
        agent: PrincipalId,
        trigger: &StoredMessage,
    ) -> Result<Option<Selected>, Problem> {
        let place = ThreadPlace { thread: thread.id, channel: thread.channel.id, parent: thread.parent_message };
        let Some(position) = locate_trigger(place_of(trigger), place) else {
            return Ok(None);
        };
        let limit = thread.channel.history_backfill_limit;
        let (floor, in_thread) = thread_window(place, position, plan.floor, limit);
        let parent = self.parent(reader, judge, thread, plan.channel_context, position, trigger).await?;
        // A message that the agent may not read was not found.
        let seen = parent.as_ref().map(|parent| ParentMessage {
            place: place_of(parent),
            channel: parent.channel_id,
            readable: true,
            deleted: parent.deleted_at.is_some(),
        });
        let around = channel_window(plan.channel_context, place, seen, limit);
        let exclude = plan.exclude_own.then_some(agent);
        let (thread_page, channel_page) =
            try_join!(self.window(reader, judge, in_thread, exclude), self.window(reader, judge, around, exclude),)?;
        let with_parent = includes_parent_message(plan.channel_context, place, position, seen);
        Ok(Some(Selected {
            floor,
            thread: thread_page.unwrap_or(ContextPage { items: Vec::new(), has_older: false }),
            channel: channel_page,
            parent: parent.filter(|_| with_parent),
        }))
    }

    /// The message that the thread was opened from, if the plan wants to know and the agent may.
    async fn parent(
        &self,
        reader: &Reader,
        judge: &Judge,
        thread: &ThreadFacts,
        wanted: bool,
        position: TriggerPosition,
        trigger: &StoredMessage,
    ) -> Result<Option<StoredMessage>, Problem> {
        match thread.parent_message.filter(|_| wanted) {
            Some(_) if position == TriggerPosition::Parent => Ok(Some(trigger.clone())),
            Some(parent) => self.messaging.context_message(reader, judge, parent).await,
            None => Ok(None),
        }
    }

    async fn window(
        &self,
        reader: &Reader,
        judge: &Judge,
        window: Option<SeqWindow>,
        exclude_author: Option<PrincipalId>,
    ) -> Result<Option<ContextPage>, Problem> {
        let Some(SeqWindow { thread, after_seq, before_seq, limit }) = window else {
            return Ok(None);
        };
        let query = ContextQuery { thread, after_seq, before_seq, limit, exclude_author };
        self.messaging.context_window(reader, judge, query).await.map(Some)
    }
}

fn place_of(message: &StoredMessage) -> MessagePlace {
    MessagePlace { message: message.id, thread: message.thread_id, thread_seq: message.thread_seq }
}
