//! Checking statements in tests.

use crate::database::Database;
use crate::error::StorageError;
use crate::statement::Statement;

/// Prepares each statement on the engine of `database`, so that a test of a store finds wrong
/// names, wrong syntax and columns of types that cannot be read without running anything.
///
/// # Errors
///
/// Each statement that cannot be used, by name, with what the engine says.
pub async fn prepare_all(
    database: &Database,
    statements: &[&'static Statement],
) -> Result<(), Vec<(&'static str, StorageError)>> {
    let mut failures = Vec::new();
    for statement in statements {
        if let Err(error) = database.prepare(statement).await {
            failures.push((statement.name(), error));
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}
