//! Migrations on SQLite. The lock beside the file keeps other processes away.

use rusqlite::Connection;

use super::error::{Stage, translate};
use super::names::UniqueNames;
use crate::migrations::{Applied, Migration, TABLE, pending, refuse_pending};
use crate::{Engine, Migrate, OpenError, dialect};

const APPLIED: &str = "SELECT version, checksum FROM schema_migrations ORDER BY version";
const REMEMBER: &str = "INSERT INTO schema_migrations (version, name, checksum, applied_at)
  VALUES (?1, ?2, ?3, CAST(unixepoch('subsec') * 1000000 AS INTEGER))";

/// Brings the schema up to date, or refuses.
pub(super) fn migrate(
    connection: &mut Connection,
    mode: Migrate,
    known: &'static [Migration],
) -> Result<(), OpenError> {
    let pending = pending(&applied(connection).map_err(other)?, known)?;
    if mode == Migrate::Check {
        return refuse_pending(&pending);
    }
    connection.execute_batch(&dialect::schema(TABLE, Engine::Sqlite)).map_err(other)?;
    for migration in pending {
        run(connection, migration)
            .map_err(|error| OpenError::MigrationFailed { migration: migration.title(), cause: cause(error) })?;
        tracing::info!(migration = migration.title(), "migrated");
    }
    Ok(())
}

fn applied(connection: &Connection) -> rusqlite::Result<Vec<Applied>> {
    if !connection.table_exists(None, "schema_migrations")? {
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare(APPLIED)?;
    let rows = statement.query_map([], |row| Ok(Applied { version: row.get(0)?, checksum: row.get(1)? }))?;
    rows.collect()
}

fn run(connection: &mut Connection, migration: &Migration) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Exclusive)?;
    transaction.execute_batch(&migration.rendered(Engine::Sqlite))?;
    transaction.execute(REMEMBER, (migration.version, migration.name, migration.checksum()))?;
    transaction.commit()
}

fn other(error: rusqlite::Error) -> OpenError {
    translate(error, Stage::Prepare, "migrate", &UniqueNames::default()).into()
}

/// What SQLite says, without the text of the migration.
fn cause(error: rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg,
        other => other.to_string(),
    }
}
