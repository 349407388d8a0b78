use bothy_domain::action::actions;
use bothy_domain::ids::{MessageId, RunId};
use bothy_domain::problem::Problem;
use bothy_domain::run::RunState;
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::{UnitOfWork, work};

use crate::store::request::{InteractionRow, Response};
use crate::store::row::RunRow;
use crate::{Runs, event, store};

/// What an agent answers to somebody who pressed a component.
#[derive(Debug, Clone)]
pub(crate) struct Respond {
    pub(crate) content: String,
    /// Whether only the person who pressed sees it.
    pub(crate) private: bool,
    /// The recorded request; that which started the run when absent.
    pub(crate) request: Option<MessageId>,
}

impl Runs {
    /// The agent answers the person who pressed a component: shown with the message that the component
    /// stands under, to everybody who may read it or to that person alone. A later answer takes the
    /// place of the one before.
    ///
    /// # Errors
    /// `validation_failed` for a text that cannot be shown and for a message that did not reach this
    /// run; `conflict` when that message is no pressed component, or the run was not started;
    /// `run_inactive`.
    pub(crate) async fn respond_to_interaction(
        &self,
        allowed: Allowed<actions::InteractionRespond>,
        respond: Respond,
    ) -> Result<InteractionRow, Problem> {
        let limit = self.settings.text_max_bytes;
        let text = &respond.content;
        if text.trim().is_empty() || text.contains('\0') || text.len() > limit {
            return Err(Problem::invalid("/content_md", format!("must be a text of at most {limit} bytes")));
        }
        let run: RunId = allowed.id();
        let (allowed, respond) = (&allowed, &respond);
        transact(&self.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                let held = self.hold_active(unit, run).await?;
                if held.state == RunState::Queued {
                    return Err(Problem::conflict("the run was not started yet").into());
                }
                let request = self.request_of(unit, &held, respond.request).await?;
                let response = Response { content: respond.content.clone(), private: respond.private, at: self.now() };
                let answered = store::request::respond(unit, request, held.agent, &response).await?;
                let answered =
                    answered.ok_or(Problem::conflict("the run was not asked by a component of this agent"))?;
                let thread = self.thread_of(unit, &held).await?;
                let person = respond.private.then_some(answered.person);
                self.events.append(unit, &[event::responded(&thread, &held, answered.target, person)]).await?;
                Ok(answered)
            })
        })
        .await
    }

    /// The request that is answered: what started the run, or a follow-up of it.
    async fn request_of(
        &self,
        unit: &UnitOfWork,
        run: &RunRow,
        named: Option<MessageId>,
    ) -> Result<MessageId, Problem> {
        let started = run.trigger.map(|trigger| trigger.message);
        match named.or(started) {
            Some(message) if Some(message) == started => Ok(message),
            Some(message) if store::follow_up::one(unit, run.id, message).await?.is_some() => Ok(message),
            _ => Err(Problem::invalid("/message_id", "did not reach this run")),
        }
    }
}
