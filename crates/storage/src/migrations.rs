//! The schema, step by step, and the rule of which steps a database still needs.

use crate::{Engine, OpenError, dialect};

/// One step of the schema. It is written once, in the words of PostgreSQL, and never changed
/// after a release.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Its number; steps run in this order.
    pub version: i64,
    /// Its name, as in the file name.
    pub name: &'static str,
    /// The text for both engines.
    pub text: &'static str,
}

macro_rules! migrations {
    ($($version:literal $name:literal $file:literal;)*) => {
        &[$(Migration { version: $version, name: $name, text: include_str!(concat!("../migrations/", $file)) }),*]
    };
}

/// The schema of this version of Bothy.
pub static MIGRATIONS: &[Migration] = migrations! {
    1 "instance" "0001_instance.sql";
    2 "identity" "0002_identity.sql";
    3 "authz" "0003_authz.sql";
    4 "chat" "0004_chat.sql";
    5 "messaging" "0005_messaging.sql";
    6 "agents" "0006_agents.sql";
    7 "runs" "0007_runs.sql";
    8 "notices" "0008_notices.sql";
    9 "search" "0009_search.sql";
    10 "interactions" "0010_interactions.sql";
    11 "delivery" "0011_delivery.sql";
    12 "search_by_channel" "0012_search_by_channel.sql";
    13 "stopped" "0013_stopped.sql";
    14 "unbound_calls" "0014_unbound_calls.sql";
};

/// A step that a database has.
pub(crate) struct Applied {
    pub(crate) version: i64,
    pub(crate) checksum: String,
}

impl Migration {
    pub(crate) fn title(&self) -> String {
        format!("{:04}_{}", self.version, self.name)
    }

    pub(crate) fn rendered(&self, engine: Engine) -> String {
        dialect::schema(self.text, engine)
    }

    /// FNV-1a over the text: it finds an edited step, it is no protection against forgery.
    pub(crate) fn checksum(&self) -> String {
        let hash = self
            .text
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        format!("{hash:016x}")
    }
}

/// The table that remembers the steps.
pub(crate) const TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
  version BIGINT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at BIGINT NOT NULL
);";

/// The steps that are still to run, in order.
///
/// # Errors
///
/// A database of a newer program, or one whose steps were others, is refused.
pub(crate) fn pending(applied: &[Applied], known: &'static [Migration]) -> Result<Vec<&'static Migration>, OpenError> {
    let newest = known.iter().map(|migration| migration.version).max().unwrap_or(0);
    if let Some(found) = applied.iter().map(|step| step.version).filter(|&version| version > newest).max() {
        return Err(OpenError::NewerSchema { found, known: newest });
    }
    for step in applied {
        match known.iter().find(|migration| migration.version == step.version) {
            Some(migration) if migration.checksum() == step.checksum => {}
            Some(migration) => return Err(OpenError::ChecksumMismatch { migration: migration.title() }),
            None => return Err(OpenError::ChecksumMismatch { migration: format!("{:04}", step.version) }),
        }
    }
    Ok(known.iter().filter(|migration| applied.iter().all(|step| step.version != migration.version)).collect())
}

/// The answer of `server.migrate = check`.
pub(crate) fn refuse_pending(pending: &[&Migration]) -> Result<(), OpenError> {
    match pending.first() {
        None => Ok(()),
        Some(first) => Err(OpenError::PendingMigrations { count: pending.len(), first: first.title() }),
    }
}

#[cfg(test)]
mod tests;
