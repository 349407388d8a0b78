//! What a deleted message takes with it (chapter 06 section 2), in the unit of work of the deletion: a
//! run that it started is to end, and where it only followed up or waited, nobody owes it an answer.

use bothy_domain::problem::Problem;
use bothy_domain::run::CancelReason;
use bothy_messaging::DeletedMessage;
use bothy_storage::UnitOfWork;

use crate::store::deleted;
use crate::store::row::RunRow;
use crate::{Runs, store};

/// How often the runs are looked for again after one ended under the hands of the deletion.
const TRIES: u32 = 16;

impl Runs {
    pub(crate) async fn deleted(&self, unit: &UnitOfWork, message: &DeletedMessage) -> Result<(), Problem> {
        let held = self.hold_about(unit, message).await?;
        store::request::forget_responses(unit, message.id).await?;
        // First, so that no run that ends here starts another one from the message.
        deleted::forget_waiting(unit, message.thread.id, message.id).await?;
        for run in &held {
            deleted::forget_follow_up(unit, run.id, message.id).await?;
            deleted::forget_input(unit, run.id, message.id).await?;
        }
        for run in &held {
            if run.trigger.is_none_or(|trigger| trigger.message != message.id) {
                continue;
            }
            let asked = self.request_cancel(unit, run, CancelReason::TriggerDeleted).await?;
            asked.map_err(|_| Problem::internal(format!("run {} changed while it was locked", run.id)))?;
        }
        Ok(())
    }

    /// The active runs that have to do with the message, each locked: whoever ends one of them waits,
    /// or was quicker, and has perhaps started another run, which is looked for again.
    async fn hold_about(&self, unit: &UnitOfWork, message: &DeletedMessage) -> Result<Vec<RunRow>, Problem> {
        for _ in 0..TRIES {
            let mut held = Vec::new();
            let mut ended = false;
            for run in deleted::about(unit, message).await? {
                match store::run::lock_active(unit, run.id).await? {
                    Some(run) => held.push(run),
                    None => ended = true,
                }
            }
            if !ended {
                return Ok(held);
            }
        }
        Err(Problem::unavailable("runs of the message keep changing"))
    }
}
