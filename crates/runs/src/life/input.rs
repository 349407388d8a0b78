use bothy_domain::action::actions;
use bothy_domain::actor::PrincipalKind;
use bothy_domain::ids::{MessageId, RunId};
use bothy_domain::problem::Problem;
use bothy_domain::request::Component;
use bothy_domain::run::{RunCommand, apply};
use bothy_domain::time::Timestamp;
use bothy_messaging::{NewMessage, check_message_components};
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::{UnitOfWork, work};

use super::{refusal, slipped};
use crate::read::ShownRun;
use crate::{Runs, event, store};

/// What an agent asks the person that it works for.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) text: String,
    /// What the person can press to answer.
    pub(crate) components: Vec<Component>,
    /// Until when an answer counts; as long as the run waits when absent.
    pub(crate) expires_at: Option<Timestamp>,
}

impl Runs {
    /// The agent asks the triggering person something and waits. The question stands on the run, and
    /// the person's next message in the thread is the answer. With components it is also posted as a
    /// message of the agent, because components stand under messages. A waiting run has no lease: a
    /// person may take longer than an agent.
    ///
    /// # Errors
    /// `validation_failed` for a question that cannot be shown and for a time that is over or further
    /// away than `agent.question_max_ttl`, `conflict` when the run is not running or the thread is
    /// closed, `run_inactive`.
    pub(crate) async fn await_run_input(
        &self,
        allowed: Allowed<actions::RunFinish>,
        question: Question,
    ) -> Result<ShownRun, Problem> {
        self.check_question(&question)?;
        let run = allowed.id();
        let (allowed, question) = (&allowed, &question);
        transact(&self.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                // Takes the lock of the thread first, as every message does, and only then that of the run.
                let message = self.post_question(unit, run, question).await?;
                let held = self.hold_active(unit, run).await?;
                apply(held.state, &RunCommand::AwaitInput).map_err(refusal)?;
                let waiting = store::run::await_input(unit, run, &question.text).await?.ok_or_else(|| slipped(run))?;
                store::question::insert(unit, run, message, question.expires_at).await?;
                let thread = self.thread_of(unit, &waiting).await?;
                self.events.append(unit, &[event::updated(&thread, &waiting)]).await?;
                Ok(self.with_question(unit, waiting).await?)
            })
        })
        .await
    }

    fn check_question(&self, question: &Question) -> Result<(), Problem> {
        let limit = self.settings.text_max_bytes;
        if question.text.trim().is_empty() || question.text.contains('\0') || question.text.len() > limit {
            return Err(Problem::invalid("/question_md", format!("must be a text of at most {limit} bytes")));
        }
        check_message_components(&question.components, self.settings.components_max, "/components")?;
        let now = self.now();
        let latest = now.plus(self.settings.question_max_ttl);
        match question.expires_at {
            Some(until) if until <= now || until > latest => {
                Err(Problem::invalid("/expires_at", "must lie ahead, and within agent.question_max_ttl"))
            }
            _ => Ok(()),
        }
    }

    async fn post_question(
        &self,
        unit: &UnitOfWork,
        run: RunId,
        question: &Question,
    ) -> Result<Option<MessageId>, Problem> {
        if question.components.is_empty() {
            return Ok(None);
        }
        let Some(asking) = store::run::by_id(unit, run).await? else {
            return Ok(None);
        };
        let mut new = NewMessage::text(asking.thread, asking.agent, PrincipalKind::Agent, &question.text);
        new.run = Some(run);
        let (message, _) = self.messaging.write_message(unit, &new).await?;
        self.messaging.put_components(unit, message, &question.components).await?;
        Ok(Some(message))
    }
}
