//! Migrations on PostgreSQL, under a lock when several nodes start at once.

use tokio_postgres::Client;

use super::error::translate;
use crate::migrations::{Applied, Migration, TABLE, pending, refuse_pending};
use crate::{Engine, Migrate, OpenError, dialect};

/// The advisory lock of migrations: "bothy" in ASCII.
const LOCK: &str = "SELECT pg_advisory_lock(422926149753)";
const UNLOCK: &str = "SELECT pg_advisory_unlock(422926149753)";
const EXISTS: &str = "SELECT to_regclass('schema_migrations') IS NOT NULL";
const APPLIED: &str = "SELECT version, checksum FROM schema_migrations ORDER BY version";
const REMEMBER: &str = "INSERT INTO schema_migrations (version, name, checksum, applied_at)
  VALUES ($1, $2, $3, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT))";

/// Brings the schema up to date, or refuses.
pub(super) async fn migrate(client: &mut Client, mode: Migrate, known: &'static [Migration]) -> Result<(), OpenError> {
    if mode == Migrate::Check {
        return refuse_pending(&pending(&applied(client).await?, known)?);
    }
    client.batch_execute(LOCK).await.map_err(other)?;
    let result = run_all(client, known).await;
    // The lock belongs to the connection: should this fail, it ends with it.
    client.batch_execute(UNLOCK).await.map_err(other)?;
    result
}

async fn run_all(client: &mut Client, known: &'static [Migration]) -> Result<(), OpenError> {
    let pending = pending(&applied(client).await?, known)?;
    if pending.is_empty() {
        return Ok(());
    }
    client.batch_execute(&dialect::schema(TABLE, Engine::Postgres)).await.map_err(other)?;
    for migration in pending {
        run(client, migration).await.map_err(|error| OpenError::MigrationFailed {
            migration: migration.title(),
            cause: error.as_db_error().map_or_else(|| error.to_string(), |server| server.message().to_owned()),
        })?;
        tracing::info!(migration = migration.title(), "migrated");
    }
    Ok(())
}

async fn applied(client: &Client) -> Result<Vec<Applied>, OpenError> {
    let exists: bool = client.query_one(EXISTS, &[]).await.and_then(|row| row.try_get(0)).map_err(other)?;
    if !exists {
        return Ok(Vec::new());
    }
    let rows = client.query(APPLIED, &[]).await.map_err(other)?;
    rows.iter()
        .map(|row| Ok(Applied { version: row.try_get(0)?, checksum: row.try_get(1)? }))
        .collect::<Result<_, tokio_postgres::Error>>()
        .map_err(other)
}

async fn run(client: &mut Client, migration: &Migration) -> Result<(), tokio_postgres::Error> {
    let transaction = client.transaction().await?;
    transaction.batch_execute(&migration.rendered(Engine::Postgres)).await?;
    transaction.execute(REMEMBER, &[&migration.version, &migration.name, &migration.checksum()]).await?;
    transaction.commit().await
}

#[allow(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn other(error: tokio_postgres::Error) -> OpenError {
    translate(&error, "migrate").into()
}
