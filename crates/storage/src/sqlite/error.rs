//! Errors of SQLite in the words of storage.

use rusqlite::ErrorCode;
use rusqlite::ffi;

use super::names::UniqueNames;
use crate::StorageError;

/// When an error came up. While a statement is prepared, SQLite's words are about its text; while
/// it runs, they may repeat a value (a search text), and only their code is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Prepare,
    Run,
}

/// Translates an error of a statement.
pub(super) fn translate(
    error: rusqlite::Error,
    stage: Stage,
    statement: &'static str,
    names: &UniqueNames,
) -> StorageError {
    let (code, message) = match error {
        rusqlite::Error::SqliteFailure(code, message) => (code, message.unwrap_or_default()),
        rusqlite::Error::SqlInputError { error, msg, .. } => (error, msg),
        rusqlite::Error::ExecuteReturnedResults => {
            return defect(statement, "returns rows, which `execute` cannot give; use `returning`");
        }
        rusqlite::Error::MultipleStatement => return defect(statement, "holds several statements"),
        // Its own words might contain a value.
        _ => return defect(statement, "has a parameter or a result that SQLite cannot take"),
    };
    match code.extended_code {
        ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => {
            return StorageError::UniqueViolation { constraint: names.of(&message) };
        }
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => return StorageError::ForeignKey { statement },
        ffi::SQLITE_CONSTRAINT_CHECK | ffi::SQLITE_CONSTRAINT_NOTNULL => {
            let constraint = message.split_once("failed: ").map_or("", |(_, name)| name).to_owned();
            return StorageError::Check { constraint };
        }
        _ => {}
    }
    match code.code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StorageError::Retry { statement },
        ErrorCode::DiskFull => StorageError::Full,
        ErrorCode::SystemIoFailure
        | ErrorCode::CannotOpen
        | ErrorCode::ReadOnly
        | ErrorCode::PermissionDenied
        | ErrorCode::OutOfMemory
        | ErrorCode::DatabaseCorrupt
        | ErrorCode::NotADatabase
        | ErrorCode::FileLockingProtocolFailed => StorageError::unavailable(code.to_string()),
        _ if stage == Stage::Prepare => defect(statement, message),
        _ => defect(statement, code.to_string()),
    }
}

fn defect(name: &'static str, problem: impl Into<String>) -> StorageError {
    StorageError::Statement { name, problem: problem.into() }
}
