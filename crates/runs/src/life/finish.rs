use bothy_domain::action::actions;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::run::{Applied, ErrorClass, Outcome, RunCommand, apply};
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::work;

use super::{refusal, slipped};
use crate::store::row::RunRow;
use crate::{Runs, store};

/// How an agent ends its run.
#[derive(Debug, Clone)]
pub(crate) struct Finish {
    pub(crate) outcome: Outcome,
}

impl Runs {
    /// The agent ends its run, and what waits for it starts. Repeated with the same outcome it
    /// answers the same and changes nothing.
    ///
    /// # Errors
    /// `conflict` when the run has ended with another outcome, or is to be completed before it was
    /// started.
    pub(crate) async fn finish_run(
        &self,
        allowed: Allowed<actions::RunFinish>,
        finish: Finish,
    ) -> Result<RunRow, Problem> {
        let run = allowed.id();
        let finish = &finish;
        transact(&self.database, |unit| {
            work(async move {
                let held = match store::run::lock_active(unit, run).await? {
                    Some(active) => active,
                    None => store::run::by_id(unit, run).await?.ok_or(Problem::new(ProblemCode::NotFound))?,
                };
                match apply(held.state, &RunCommand::Finish(finish.outcome.clone())).map_err(refusal)? {
                    Applied::Ended { state, reason } => {
                        let class = error_class(&finish.outcome).map(ErrorClass::as_str);
                        Ok(self.end(unit, &held, state, reason, class).await?.map_err(|_| slipped(run))?)
                    }
                    Applied::Unchanged | Applied::Moved(_) | Applied::CancelRequested(_) => Ok(held),
                }
            })
        })
        .await
    }
}

const fn error_class(outcome: &Outcome) -> Option<&ErrorClass> {
    match outcome {
        Outcome::Failed { error_class } => Some(error_class),
        Outcome::Completed | Outcome::Cancelled => None,
    }
}
