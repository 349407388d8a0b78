//! What somebody can do to the log who can write to the database.

use bothy_storage::statements;

macro_rules! columns {
    () => {
        "entry, id, position, at, actor_kind, actor_id, action, effect, reason, resource_kind, resource_id, run_id, \
         acting_for_id, details, count, previous_hash, hash"
    };
}

statements! {
    pub(super) SET_ENTRY = {
        sqlite: "UPDATE audit_events SET entry = $2 WHERE position = $1",
        postgres: concat!(
            "WITH gone AS (DELETE FROM audit_events WHERE position = $1 RETURNING *) INSERT INTO audit_events (", columns!(), ") \
             OVERRIDING SYSTEM VALUE SELECT $2, id, position, at, actor_kind, actor_id, action, effect, reason, \
             resource_kind, resource_id, run_id, acting_for_id, details, count, previous_hash, hash FROM gone"
        ),
    };
    pub(super) SET_ID = "UPDATE audit_events SET id = $2 WHERE position = $1";
    pub(super) SET_POSITION = "UPDATE audit_events SET position = $2 WHERE position = $1";
    pub(super) SET_AT = "UPDATE audit_events SET at = $2 WHERE position = $1";
    pub(super) SET_ACTOR_KIND = "UPDATE audit_events SET actor_kind = $2 WHERE position = $1";
    pub(super) SET_ACTOR = "UPDATE audit_events SET actor_id = $2 WHERE position = $1";
    pub(super) SET_ACTION = "UPDATE audit_events SET action = $2 WHERE position = $1";
    pub(super) FLIP_EFFECT = "UPDATE audit_events SET effect = CASE effect WHEN 'deny' THEN 'allow' ELSE 'deny' END WHERE position = $1";
    pub(super) SET_REASON = "UPDATE audit_events SET reason = $2 WHERE position = $1";
    pub(super) SET_RESOURCE_KIND = "UPDATE audit_events SET resource_kind = $2 WHERE position = $1";
    pub(super) SET_RESOURCE = "UPDATE audit_events SET resource_id = $2 WHERE position = $1";
    pub(super) SET_RUN = "UPDATE audit_events SET run_id = $2 WHERE position = $1";
    pub(super) SET_ACTING_FOR = "UPDATE audit_events SET acting_for_id = $2 WHERE position = $1";
    pub(super) SET_DETAILS = "UPDATE audit_events SET details = $2 WHERE position = $1";
    pub(super) PAD_DETAILS = "UPDATE audit_events SET details = details || ' ' WHERE position = $1";
    pub(super) SET_COUNT = "UPDATE audit_events SET count = $2 WHERE position = $1";
    pub(super) SET_PREVIOUS = "UPDATE audit_events SET previous_hash = $2 WHERE position = $1";
    pub(super) SET_HASH = "UPDATE audit_events SET hash = $2 WHERE position = $1";
    pub(super) REMOVE = "DELETE FROM audit_events WHERE position = $1";
    pub(super) CUT = "DELETE FROM audit_events WHERE position >= $1";
    /// Moves entries by $2 places; through negative positions, for positions are unique.
    pub(super) SHIFT = "UPDATE audit_events SET position = -position - $2 WHERE position >= $1";
    pub(super) SHIFTED = "UPDATE audit_events SET position = -position WHERE position < 0";
    pub(super) SET_HEAD = "UPDATE audit_head SET position = $1, hash = $2";
    pub(super) FORGET_CHECKPOINTS = "DELETE FROM audit_checkpoints WHERE position >= $1";
    pub(super) SET_CHECKPOINT_HASH = "UPDATE audit_checkpoints SET hash = $2 WHERE position = $1";
    pub(super) SET_CHECKPOINT_SIGNATURE = "UPDATE audit_checkpoints SET signature = $2 WHERE position = $1";
    pub(super) SET_KEY = "UPDATE signing_keys SET public_key = $1 WHERE purpose = 'audit'";
    /// Adds an entry of somebody's own.
    pub(super) INSERT = "INSERT INTO audit_events (id, position, at, actor_kind, action, effect, details, count, previous_hash, hash) \
        VALUES ($1, $2, 5, 'server', 'space.create', 'allow', '{}', 1, $3, $4) RETURNING entry";
    pub(super) COPY = "INSERT INTO audit_events (id, position, at, actor_kind, actor_id, action, effect, reason, resource_kind, \
        resource_id, run_id, acting_for_id, details, count, previous_hash, hash) \
        SELECT $2, $3, at, actor_kind, actor_id, action, effect, reason, resource_kind, \
        resource_id, run_id, acting_for_id, details, count, previous_hash, hash FROM audit_events WHERE position = $1";
    pub(super) ENTRIES = concat!("SELECT ", columns!(), " FROM audit_events ORDER BY entry");
    pub(super) RESTORE_ENTRY = {
        sqlite: concat!(
            "INSERT INTO audit_events (", columns!(), ") \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"
        ),
        postgres: concat!(
            "INSERT INTO audit_events (", columns!(), ") OVERRIDING SYSTEM VALUE \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"
        ),
    };
    pub(super) KEYS = "SELECT kid, purpose, public_key, sealed_private_key, created_at FROM signing_keys";
    pub(super) RESTORE_KEY = "INSERT INTO signing_keys (kid, purpose, public_key, sealed_private_key, created_at) \
        VALUES ($1, $2, $3, $4, $5)";
    pub(super) PENDING = "SELECT count FROM audit_pending";
}
