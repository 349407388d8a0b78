use bothy_domain::action::actions;
use bothy_domain::problem::Problem;
use bothy_domain::run::{RunCommand, apply};
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::work;

use super::{refusal, slipped};
use crate::store::row::RunRow;
use crate::{Runs, event, store};

impl Runs {
    /// The agent asks the triggering person something and waits. The question stands on the run, and
    /// the person's next message in the thread is the answer. A waiting run has no lease: a person
    /// may take longer than an agent.
    ///
    /// # Errors
    /// `validation_failed` for a question that cannot be shown, `conflict` when the run is not
    /// running, `run_inactive`.
    pub(crate) async fn await_run_input(
        &self,
        allowed: Allowed<actions::RunFinish>,
        question: &str,
    ) -> Result<RunRow, Problem> {
        if question.trim().is_empty() || question.contains('\0') || question.len() > self.settings.text_max_bytes {
            let limit = self.settings.text_max_bytes;
            return Err(Problem::invalid("/question_md", format!("must be a text of at most {limit} bytes")));
        }
        let run = allowed.id();
        transact(&self.database, |unit| {
            work(async move {
                let held = self.hold_active(unit, run).await?;
                apply(held.state, &RunCommand::AwaitInput).map_err(refusal)?;
                let waiting = store::run::await_input(unit, run, question).await?.ok_or_else(|| slipped(run))?;
                let thread = self.thread_of(unit, &waiting).await?;
                self.events.append(unit, &[event::updated(&thread, &waiting)]).await?;
                Ok(waiting)
            })
        })
        .await
    }
}
