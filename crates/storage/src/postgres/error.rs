//! Errors of PostgreSQL in the words of storage.

use std::error::Error as _;
use std::io;

use deadpool_postgres::{PoolError, TimeoutType};
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, SqlState};

use crate::StorageError;

/// Translates an error of a statement.
///
/// Messages of the server are kept only for defects of the statement itself (class 42); others
/// may repeat a value, and only their code is kept.
pub(super) fn translate(error: &Error, statement: &'static str) -> StorageError {
    if let Some(server) = error.as_db_error() {
        return from_server(server, statement);
    }
    let source = error.source();
    let broken = error.is_closed() || source.is_some_and(|cause| cause.is::<io::Error>());
    if broken {
        return StorageError::unavailable(error.to_string());
    }
    let problem = source.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"));
    StorageError::Statement { name: statement, problem }
}

/// Translates a failure to get a connection.
pub(super) fn from_pool(error: &PoolError) -> StorageError {
    match error {
        PoolError::Timeout(TimeoutType::Wait) => StorageError::unavailable("no connection became free in time"),
        PoolError::Closed => StorageError::unavailable("it is closed"),
        PoolError::Backend(error) => StorageError::unavailable(connect_cause(error)),
        _ => StorageError::unavailable("no connection could be made in time"),
    }
}

/// What the server or the network says about a connection that could not be made.
pub(super) fn connect_cause(error: &Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(server), _) => server.message().to_owned(),
        (None, Some(cause)) => cause.to_string(),
        (None, None) => error.to_string(),
    }
}

fn from_server(error: &DbError, statement: &'static str) -> StorageError {
    let code = error.code();
    let constraint = || error.constraint().unwrap_or_default().to_owned();
    if *code == SqlState::UNIQUE_VIOLATION {
        StorageError::UniqueViolation { constraint: constraint() }
    } else if *code == SqlState::FOREIGN_KEY_VIOLATION || *code == SqlState::RESTRICT_VIOLATION {
        StorageError::ForeignKey { statement }
    } else if *code == SqlState::CHECK_VIOLATION {
        StorageError::Check { constraint: constraint() }
    } else if *code == SqlState::NOT_NULL_VIOLATION {
        let (table, column) = (error.table().unwrap_or_default(), error.column().unwrap_or_default());
        StorageError::Check { constraint: format!("{table}.{column}") }
    } else if *code == SqlState::T_R_SERIALIZATION_FAILURE
        || *code == SqlState::T_R_DEADLOCK_DETECTED
        || *code == SqlState::LOCK_NOT_AVAILABLE
        || is_stale_plan(error)
    {
        StorageError::Retry { statement }
    } else if *code == SqlState::DISK_FULL {
        StorageError::Full
    } else if *code == SqlState::IN_FAILED_SQL_TRANSACTION {
        StorageError::Aborted
    } else {
        match code.code().get(..2) {
            // Connection lost, resources used up, shut down or cancelled by an operator, disk.
            Some("08" | "53" | "57" | "58" | "XX") => StorageError::unavailable(format!("SQLSTATE {}", code.code())),
            Some("42") => StorageError::Statement { name: statement, problem: error.message().to_owned() },
            _ => StorageError::Statement { name: statement, problem: format!("SQLSTATE {}", code.code()) },
        }
    }
}

/// Whether a cached statement outlived a change of its tables by another node.
pub(super) fn is_stale_plan(error: &DbError) -> bool {
    *error.code() == SqlState::FEATURE_NOT_SUPPORTED && error.routine() == Some("RevalidateCachedQuery")
}
