use bothy_chat::{ThreadFacts, ThreadMove};
use bothy_domain::action::{Action, ResourceKind, actions};
use bothy_domain::ids::{ChannelId, ThreadId};
use bothy_domain::policy::{Mode, Resource};
use bothy_domain::problem::Problem;
use bothy_platform::authorize::Locate;
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::work;

use crate::messaging::gone;
use crate::search::index;
use crate::{Messaging, SystemCode};

/// What a request to move a thread asks for.
#[derive(Debug, Clone)]
pub(crate) struct MoveDraft {
    pub(crate) channel: ChannelId,
    pub(crate) title: Option<String>,
}

impl Messaging {
    /// Moves a thread to another channel, which takes the right to do so on both. It keeps its id,
    /// messages, runs and read states; a system line says that it was moved, and not from where. Moving
    /// it to where it is changes nothing.
    ///
    /// # Errors
    /// `not_found` or `forbidden` as the door would answer for the other channel; `conflict` for a main
    /// thread; `validation_failed` for a post without a title.
    pub(crate) async fn move_thread(
        &self,
        allowed: Allowed<actions::ThreadMove>,
        draft: MoveDraft,
    ) -> Result<ThreadFacts, Problem> {
        let goal = {
            let reader = self.reader().await?;
            self.chat.locate(&reader, ResourceKind::Channel, draft.channel.cast()).await?
        };
        let goal: Allowed<actions::ThreadMove> = allowed.also(goal.as_ref()).await?;
        let id: ThreadId = allowed.id();
        let (allowed, goal, draft) = (&allowed, &goal, &draft);
        transact(&self.database, |uow| {
            work(async move {
                self.chat.moving(uow).await?;
                allowed.judged_in(uow).await?;
                let judge = goal.judged_in(uow).await?;
                let thread = self.chat.thread(uow, id).await?.ok_or_else(gone)?;
                let target = self.chat.channel(uow, draft.channel).await?.ok_or_else(gone)?;
                if thread.channel.id == target.id {
                    return Ok(thread);
                }
                let there = Resource { path: target.path(), ..thread.resource() };
                let how = ThreadMove {
                    by: allowed.actor(),
                    title: draft.title.as_deref(),
                    keeps_operator: judge.decide(Action::ThreadOperatorSet, Some(&there), Mode::Filter).is_allow(),
                };
                let moved = self.chat.move_thread(uow, &thread, &target, how).await?;
                index::follow(uow, id, target.id).await?;
                self.write_system_line(uow, &moved, allowed.actor().principal, SystemCode::ThreadMoved).await?;
                Ok(self.chat.thread(uow, id).await?.ok_or_else(gone)?)
            })
        })
        .await
    }
}
