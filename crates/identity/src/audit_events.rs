//! The audit log, for owners.

use std::collections::BTreeMap;

use bothy_domain::action::actions;
use bothy_domain::audit::Effect;
use bothy_domain::ids::{AnyId, AuditEventId, PrincipalId, RunId};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::audit::{AuditFilter, StoredAuditEntry};
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Identity;

/// Which entries to list.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListAuditEvents {
    /// How many items at most.
    #[serde(default)]
    pub(crate) limit: Option<u32>,
    /// `next_cursor` of the page before.
    #[serde(default)]
    pub(crate) cursor: Option<String>,
    /// Only what was done, or only what was denied.
    #[serde(default)]
    pub(crate) effect: Option<EffectName>,
    /// Only what this principal did or was denied.
    #[serde(default)]
    pub(crate) actor_id: Option<PrincipalId>,
    /// Only what belongs to this run.
    #[serde(default)]
    pub(crate) run_id: Option<RunId>,
}

/// Whether something was done or denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum EffectName {
    /// It was done.
    Allow,
    /// It was denied.
    Deny,
}

/// An entry of the audit log. It holds ids and names of closed lists only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AuditEvent")]
pub(crate) struct AuditEventView {
    /// The entry.
    audit_event_id: AuditEventId,
    /// When it was written.
    at: Timestamp,
    /// `person`, `agent`, `app`, `anonymous` or `server`.
    actor_kind: String,
    /// The principal, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    actor_id: Option<PrincipalId>,
    /// What was done or asked for.
    action: String,
    /// Done or denied.
    effect: EffectName,
    /// The true reason of a denial, also behind a 404 that hides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The kind of the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_kind: Option<String>,
    /// The target, also one that does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_id: Option<AnyId>,
    /// The run that the agent was bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<RunId>,
    /// The person that the agent worked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    acting_for_user_id: Option<PrincipalId>,
    /// Further facts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    details: BTreeMap<String, String>,
    /// How many equal events the entry stands for.
    count: i64,
}

impl Identity {
    /// The entries of the audit log, newest first.
    ///
    /// # Errors
    /// `validation_failed` for a limit or cursor that is none.
    pub(crate) async fn list_audit_events(
        &self,
        // The allow is the whole right: who may read the log may read every entry.
        _: Allowed<actions::AuditRead>,
        query: ListAuditEvents,
    ) -> Result<Page<AuditEventView>, Problem> {
        let paging = Paging::parse(query.limit, query.cursor.as_deref(), &*self.parts.config)?;
        let filter = AuditFilter {
            before: paging.after_int()?,
            limit: paging.limit.saturating_add(1),
            effect: query.effect.map(|effect| match effect {
                EffectName::Allow => Effect::Allow,
                EffectName::Deny => Effect::Deny,
            }),
            actor: query.actor_id,
            run: query.run_id,
        };
        let reader = self.parts.database.reader().await.or_problem()?;
        let entries = self.parts.audit.list(&reader, &filter).await.or_problem()?;
        Ok(page(entries, paging.limit, |entry| Cursor::int(entry.entry)).map(AuditEventView::from))
    }
}

impl From<StoredAuditEntry> for AuditEventView {
    fn from(entry: StoredAuditEntry) -> Self {
        Self {
            audit_event_id: entry.id,
            at: entry.at,
            actor_kind: entry.actor_kind,
            actor_id: entry.actor_id,
            action: entry.action,
            effect: match entry.effect {
                Effect::Allow => EffectName::Allow,
                Effect::Deny => EffectName::Deny,
            },
            reason: entry.reason,
            resource_kind: entry.resource_kind,
            resource_id: entry.resource_id,
            run_id: entry.run,
            acting_for_user_id: entry.acting_for,
            details: entry.details,
            count: entry.count,
        }
    }
}
