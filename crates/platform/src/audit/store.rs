pub(super) mod chain;
pub(super) mod checkpoints;
pub(super) mod pending;

use bothy_domain::audit::Effect;
use bothy_domain::ids::AuditEventId;
use bothy_domain::time::Timestamp;
use bothy_storage::{DecodeProblem, Reader, Row, StorageError, UnitOfWork, params, statements};

use crate::audit::draft::{Draft, json};
use crate::audit::{AuditFilter, StoredAuditEntry};

macro_rules! select {
    ($where:literal) => {
        concat!(
            "SELECT entry, id, position, at, actor_kind, actor_id, action, effect, reason, resource_kind, resource_id, \
             run_id, acting_for_id, details, count FROM audit_events WHERE ",
            $where,
            " ORDER BY entry DESC LIMIT $1"
        )
    };
}

statements! {
    /// Adds an entry; it is sealed later.
    APPEND_AUDIT_EVENT = "INSERT INTO audit_events (id, at, actor_kind, actor_id, action, effect, reason, resource_kind, \
        resource_id, run_id, acting_for_id, details, count) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    /// Entries, from the newest.
    AUDIT_EVENTS = select!("entry < $2 AND (CAST($3 AS TEXT) IS NULL OR effect = $3)");
    /// Entries of one actor, from the newest.
    AUDIT_EVENTS_OF_ACTOR = select!("actor_id = $4 AND entry < $2 AND (CAST($3 AS TEXT) IS NULL OR effect = $3)");
    /// Entries of one run, from the newest, perhaps of one actor.
    AUDIT_EVENTS_OF_RUN = select!(
        "run_id = $5 AND entry < $2 AND (CAST($3 AS TEXT) IS NULL OR effect = $3) \
         AND (CAST($4 AS UUID) IS NULL OR actor_id = $4)"
    );
}

pub(super) async fn append(
    unit: &UnitOfWork,
    id: AuditEventId,
    at: Timestamp,
    draft: &Draft,
    count: i64,
) -> Result<(), StorageError> {
    let parameters = params![
        id,
        at,
        &draft.actor_kind,
        draft.actor_id,
        &draft.action,
        &draft.effect,
        &draft.reason,
        &draft.resource_kind,
        draft.resource_id,
        draft.run,
        draft.acting_for,
        // Canonical JSON (RFC 8785): one text for one set of facts. Keys are ASCII, for which the
        // order of bytes is the canonical one.
        json(&draft.details),
        count,
    ];
    unit.execute(&APPEND_AUDIT_EVENT, parameters).await?;
    Ok(())
}

pub(super) async fn list(reader: &Reader, filter: &AuditFilter) -> Result<Vec<StoredAuditEntry>, StorageError> {
    let limit = filter.limit;
    let before = filter.before.unwrap_or(i64::MAX);
    let effect = filter.effect.map(Effect::as_str);
    let rows = match (filter.run, filter.actor) {
        (Some(run), actor) => reader.all(&AUDIT_EVENTS_OF_RUN, params![limit, before, effect, actor, run]).await?,
        (None, Some(actor)) => reader.all(&AUDIT_EVENTS_OF_ACTOR, params![limit, before, effect, actor]).await?,
        (None, None) => reader.all(&AUDIT_EVENTS, params![limit, before, effect]).await?,
    };
    rows.iter().map(stored).collect()
}

fn stored(row: &Row) -> Result<StoredAuditEntry, StorageError> {
    let effect = match row.get::<String>("effect")?.as_str() {
        "allow" => Effect::Allow,
        "deny" => Effect::Deny,
        _ => return Err(unreadable("effect", "an effect")),
    };
    let details: String = row.get("details")?;
    Ok(StoredAuditEntry {
        entry: row.get("entry")?,
        id: row.get("id")?,
        position: row.get("position")?,
        at: row.get("at")?,
        actor_kind: row.get("actor_kind")?,
        actor_id: row.get("actor_id")?,
        action: row.get("action")?,
        effect,
        reason: row.get("reason")?,
        resource_kind: row.get("resource_kind")?,
        resource_id: row.get("resource_id")?,
        run: row.get("run_id")?,
        acting_for: row.get("acting_for_id")?,
        details: serde_json::from_str(&details).map_err(|_| unreadable("details", "a JSON object of texts"))?,
        count: row.get("count")?,
    })
}

fn unreadable(column: &str, expected: &'static str) -> StorageError {
    StorageError::Decode { column: column.to_owned(), problem: DecodeProblem::OutOfRange { expected } }
}
