use std::collections::BTreeMap;

use bothy_domain::audit::Effect;
use bothy_domain::ids::{AnyId, AuditEventId, PrincipalId, RunId};
use bothy_domain::time::Timestamp;

/// Which entries to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditFilter {
    /// Only entries written before this one (`entry` of [`StoredAuditEntry`]).
    pub before: Option<i64>,
    /// At most so many.
    pub limit: u32,
    /// Only what was done, or only what was denied.
    pub effect: Option<Effect>,
    /// Only what this principal did or was denied.
    pub actor: Option<PrincipalId>,
    /// Only what belongs to this run.
    pub run: Option<RunId>,
}

impl AuditFilter {
    /// The newest `limit` entries.
    pub const fn newest(limit: u32) -> Self {
        Self { before: None, limit, effect: None, actor: None, run: None }
    }
}

/// The newest 100 entries.
impl Default for AuditFilter {
    fn default() -> Self {
        Self::newest(100)
    }
}

/// An entry of the log. Actions, reasons and kinds are names: entries outlive the version of the
/// server that wrote them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAuditEntry {
    /// Its place in the order of writing.
    pub entry: i64,
    /// Its id.
    pub id: AuditEventId,
    /// Its place in the chain; absent until it is sealed.
    pub position: Option<i64>,
    /// When it was written.
    pub at: Timestamp,
    /// The kind of principal that it is about, or `anonymous` for nobody who could be told apart, or
    /// `server` for the server itself.
    pub actor_kind: String,
    /// The principal.
    pub actor_id: Option<PrincipalId>,
    /// What.
    pub action: String,
    /// Done or denied.
    pub effect: Effect,
    /// Why it was denied.
    pub reason: Option<String>,
    /// The kind of the target.
    pub resource_kind: Option<String>,
    /// The id of the target.
    pub resource_id: Option<AnyId>,
    /// The run that the actor was bound to.
    pub run: Option<RunId>,
    /// The person that the actor worked for.
    pub acting_for: Option<PrincipalId>,
    /// Further facts.
    pub details: BTreeMap<String, String>,
    /// How many equal events the entry stands for.
    pub count: i64,
}
