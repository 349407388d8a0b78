//! What agents and people do with a run (chapter 06 section 2). Every command is judged by the one
//! table of transitions, on a row that is locked until the change is written.

mod cancel;
mod finish;
mod input;
mod patch;
mod report;
mod start;

use bothy_domain::ids::RunId;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::run::TransitionRefused;
use bothy_storage::UnitOfWork;

pub(crate) use finish::Finish;
pub(crate) use input::Question;
pub(crate) use patch::RunPatch;

use crate::store::row::RunRow;
use crate::{Runs, store};

impl Runs {
    /// The run, held until the unit of work ends.
    ///
    /// # Errors
    /// `run_inactive` when it has ended.
    pub(crate) async fn hold_active(&self, unit: &UnitOfWork, run: RunId) -> Result<RunRow, Problem> {
        store::run::lock_active(unit, run).await?.ok_or(Problem::new(ProblemCode::RunInactive))
    }
}

/// The problem of a command that does not apply.
fn refusal(refused: TransitionRefused) -> Problem {
    match refused {
        TransitionRefused::AlreadyStarted => Problem::new(ProblemCode::AlreadyStarted),
        TransitionRefused::Inactive => Problem::new(ProblemCode::RunInactive),
        TransitionRefused::NotStarted => Problem::conflict("the run was not started yet"),
        TransitionRefused::AlreadyWaiting => Problem::conflict("the run is waiting for input already"),
        TransitionRefused::NotWaiting => Problem::conflict("the run is not waiting for input"),
        TransitionRefused::NoInput => Problem::conflict("no input has arrived yet"),
        TransitionRefused::OutcomeConflict => Problem::conflict("the run has ended with another outcome"),
    }
}

/// A change of a locked row that changed nothing: a defect, because nobody else can change it.
fn slipped(run: RunId) -> Problem {
    Problem::internal(format!("run {run} changed while it was locked"))
}
