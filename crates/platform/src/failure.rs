//! Failures of the database as problems, and units of work whose error is a problem.
//!
//! A use case works in terms of [`Problem`]. The failure of a statement becomes one with
//! [`OrProblem::or_problem`], and keeps the failure as its private cause: so [`transact`] can still
//! tell what may be run again.

use bothy_domain::problem::Problem;
use bothy_storage::{Database, RetryHint, StorageError, UnitOfWork, Work};

/// The problem that a failure of the database is: `unavailable` when it may work later, otherwise
/// the server's own mistake.
pub fn problem(error: StorageError) -> Problem {
    match error {
        StorageError::Unavailable { .. } | StorageError::Retry { .. } | StorageError::Full => {
            Problem::unavailable(error)
        }
        _ => Problem::internal(error),
    }
}

/// Turns a failure of the database into its problem.
pub trait OrProblem<T> {
    /// The value, or the problem.
    ///
    /// # Errors
    /// As [`problem`] says.
    fn or_problem(self) -> Result<T, Problem>;

    /// The value, a conflict with a sentence of ours when the unique constraint is violated whose
    /// name contains `constraint`, or the problem.
    ///
    /// # Errors
    /// `conflict`, or as [`problem`] says.
    fn or_conflict(self, constraint: &str, detail: &'static str) -> Result<T, Problem>;
}

impl<T> OrProblem<T> for Result<T, StorageError> {
    fn or_problem(self) -> Result<T, Problem> {
        self.map_err(problem)
    }

    fn or_conflict(self, constraint: &str, detail: &'static str) -> Result<T, Problem> {
        self.map_err(|error| if error.is_unique(constraint) { Problem::conflict(detail) } else { problem(error) })
    }
}

/// A problem inside of a unit of work, which remembers whether the unit may be run again. `?` makes
/// it of a [`Problem`] and of a [`StorageError`].
#[derive(Debug)]
pub struct Failure(Problem);

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Self {
        Self(problem(error))
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl From<Failure> for Problem {
    fn from(Failure(problem): Failure) -> Self {
        problem
    }
}

impl RetryHint for Failure {
    fn is_retryable(&self) -> bool {
        let cause = self.0.cause().and_then(|cause| cause.downcast_ref::<StorageError>());
        cause.is_some_and(StorageError::is_retryable)
    }
}

/// Runs `body` in a unit of work, commits it when it ends with `Ok`, and runs it again after a
/// conflict with another transaction ([`Database::transact`]).
///
/// ```
/// # use bothy_domain::problem::Problem;
/// # use bothy_platform::failure::transact;
/// # use bothy_storage::{Database, params, statements, work};
/// # statements! { RENAME = "UPDATE spaces SET name = $1"; }
/// # async fn rename(database: &Database, name: &str) -> Result<u64, Problem> {
/// transact(database, |unit| work(async move { Ok(unit.execute(&RENAME, params![name]).await?) })).await
/// # }
/// ```
///
/// # Errors
/// The problem of `body`, or that of the commit.
pub async fn transact<'scope, T, F>(database: &Database, body: F) -> Result<T, Problem>
where
    F: for<'unit> FnMut(&'unit mut UnitOfWork) -> Work<'scope, 'unit, Result<T, Failure>>,
{
    database.transact(body).await.map_err(Problem::from)
}

#[cfg(test)]
mod tests;
