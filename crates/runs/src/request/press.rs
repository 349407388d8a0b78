use bothy_domain::action::actions;
use bothy_domain::ids::MessageId;
use bothy_domain::message::Origin;
use bothy_domain::policy::Reason;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::request::{Component, Pressed, QuestionState, question_state};
use bothy_domain::run::{RunState, TriggerKind};
use bothy_messaging::{MessageStanding, WrittenRequest};
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::{UnitOfWork, work};

use super::{Asked, forbidden, invalid, line, trigger_of};
use crate::rights::Source;
use crate::store::question::QuestionRow;
use crate::store::request::NewRequest;
use crate::{Runs, store};

/// A component that a person presses.
#[derive(Debug, Clone)]
pub(crate) struct Press {
    pub(crate) component_id: String,
    pub(crate) pressed: Pressed,
}

impl Runs {
    /// A person presses a component under a message of an agent. That is recorded in the thread as a
    /// message of the person. Under a question of a waiting run it is the answer, which only the person
    /// may give whom the run works for; otherwise it reaches the agent as a mention would.
    ///
    /// # Errors
    /// `validation_failed` for what is no component of the message and for what it does not take;
    /// `forbidden` with reason `not_self` for the question of somebody else's run, and when the person
    /// may not invoke the agent; `conflict` when the message was deleted, the component was used, the
    /// question was answered or its time is over, or the thread is closed.
    pub(crate) async fn press_component(
        &self,
        allowed: Allowed<actions::InteractionPress>,
        press: Press,
    ) -> Result<Asked, Problem> {
        let target: MessageId = allowed.id();
        let (allowed, press) = (&allowed, &press);
        transact(&self.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                allowed.takes_effect(unit).await?;
                Ok(self.pressed(unit, allowed, target, press).await?)
            })
        })
        .await
    }

    async fn pressed(
        &self,
        unit: &UnitOfWork,
        allowed: &Allowed<actions::InteractionPress>,
        target: MessageId,
        press: &Press,
    ) -> Result<Asked, Problem> {
        let standing = self.messaging.message_standing(unit, target).await?;
        let standing = standing.ok_or(Problem::new(ProblemCode::NotFound))?;
        let component = self.component(unit, target, standing, press).await?;
        invalid("", component.check_pressed(&press.pressed))?;
        let line = pressed_line(&component, &press.pressed)?;
        let person = allowed.actor().principal;
        // Takes the lock of the thread first, as every message does, and only then that of a run.
        let request = self.messaging.write_request(unit, standing.thread, person, &line, Some(target)).await?;
        let asked = match store::question::of_message(unit, target).await? {
            Some(question) => self.answer_by_press(unit, allowed, &request, question).await?,
            None => self.bring(unit, allowed, &request, standing.author, TriggerKind::Interaction).await?,
        };
        if !self.messaging.use_component(unit, target, component.id()).await? {
            return Err(Problem::conflict("the component was used already"));
        }
        let kept = NewRequest {
            message: request.message,
            agent: standing.author,
            person,
            kind: TriggerKind::Interaction,
            name: component.id(),
            target: Some(target),
        };
        store::request::insert(unit, kept, self.now()).await?;
        Ok(asked)
    }

    async fn component(
        &self,
        unit: &UnitOfWork,
        target: MessageId,
        standing: MessageStanding,
        press: &Press,
    ) -> Result<Component, Problem> {
        if standing.deleted {
            return Err(Problem::conflict("the message was deleted"));
        }
        let placed = if standing.origin == Some(Origin::Agent) {
            self.messaging.components_of(unit, &[target]).await?.remove(&target).unwrap_or_default()
        } else {
            Vec::new()
        };
        let found = placed.into_iter().find(|placed| placed.component.id() == press.component_id);
        let found = found.ok_or_else(|| Problem::invalid("/component_id", "is no component of the message"))?;
        if found.used { Err(Problem::conflict("the component was used already")) } else { Ok(found.component) }
    }

    async fn answer_by_press(
        &self,
        unit: &UnitOfWork,
        allowed: &Allowed<actions::InteractionPress>,
        request: &WrittenRequest,
        question: QuestionRow,
    ) -> Result<Asked, Problem> {
        let person = allowed.actor().principal;
        let run = store::run::by_id(unit, question.run).await?;
        let run = run.ok_or_else(|| Problem::internal("a question without its run"))?;
        if run.triggered_by != person {
            return Err(forbidden(allowed, Reason::NotSelf));
        }
        let held = store::run::lock_active(unit, question.run).await?;
        let Some(held) = held.filter(|run| run.cancel_reason.is_none()) else {
            return Err(Problem::conflict("the run of this question does not wait any more"));
        };
        let waits = question.newest && held.state == RunState::WaitingInput && held.input.is_none();
        match question_state(waits, question.expires_at, self.now()) {
            QuestionState::Open => {}
            QuestionState::Answered => return Err(Problem::conflict("the question was answered already")),
            QuestionState::Expired => return Err(Problem::conflict("the time to answer the question is over")),
        }
        let direct = self.place_of(unit, &request.thread).await?.is_direct();
        let rights = self.rights(Source::Unit(unit));
        if let Err(reason) = rights.invoke(person, held.agent, &request.thread, direct).await? {
            return Err(forbidden(allowed, reason));
        }
        let trigger = trigger_of(request);
        if !self.give_answer(unit, &request.thread, &held, trigger).await? {
            return Err(Problem::conflict("the question was answered already"));
        }
        Ok(Asked { message: request.message, thread: request.thread.id, run: Some(held.id), opened: None })
    }
}

/// The line of a pressed component.
pub(super) fn pressed_line(component: &Component, pressed: &Pressed) -> Result<String, Problem> {
    match component {
        Component::Button { component_id, .. } => line::<()>('#', component_id, None),
        Component::Selection { component_id, .. } => line('#', component_id, Some(&pressed.values)),
        Component::Form { component_id, .. } => line('#', component_id, Some(&pressed.fields)),
    }
}
