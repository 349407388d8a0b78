use bothy_domain::problem::{Problem, ProblemCode};
use bothy_storage::{RetryHint, StorageError};

use super::{Failure, OrProblem, problem};

fn unique() -> Result<(), StorageError> {
    Err(StorageError::UniqueViolation { constraint: "groups_name".to_owned() })
}

#[test]
fn a_database_that_does_not_answer_is_unavailable_and_anything_else_internal() {
    let unavailable = StorageError::Unavailable { reason: "gone".to_owned() };
    assert_eq!(problem(unavailable).code(), ProblemCode::Unavailable);
    assert_eq!(problem(StorageError::Full).code(), ProblemCode::Unavailable);
    assert_eq!(problem(StorageError::Aborted).code(), ProblemCode::InternalError);
    assert_eq!(unique().or_problem().unwrap_err().code(), ProblemCode::InternalError);
}

#[test]
fn a_named_constraint_is_a_conflict_and_another_one_is_not() {
    assert_eq!(unique().or_conflict("groups_name", "taken").unwrap_err().code(), ProblemCode::Conflict);
    assert_eq!(unique().or_conflict("people_email", "taken").unwrap_err().code(), ProblemCode::InternalError);
}

#[test]
fn a_conflict_of_transactions_may_be_run_again_also_after_it_became_a_problem() {
    let retry = || StorageError::Retry { statement: "X" };
    assert!(Failure::from(retry()).is_retryable());
    assert!(Failure::from(problem(retry())).is_retryable());
    assert!(!Failure::from(StorageError::Full).is_retryable());
    assert!(!Failure::from(Problem::conflict("taken")).is_retryable());
}
