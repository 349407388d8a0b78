use std::collections::BTreeMap;

use bothy_domain::audit::{AuditActor, AuditEntry, Effect};
use bothy_domain::ids::{AnyId, AuditEventId, PrincipalId, RunId};
use bothy_domain::policy::Reason;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Names of actors that are no principals.
const ANONYMOUS: &str = "anonymous";
const SERVER: &str = "server";
/// The detail of an entry for repeated denials: the entry of the first of them.
const REPEATS: &str = "repeats";

/// An entry as its row holds it, before it has an id and a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Draft {
    pub(super) actor_kind: String,
    pub(super) actor_id: Option<PrincipalId>,
    pub(super) action: String,
    pub(super) effect: String,
    pub(super) reason: Option<String>,
    pub(super) resource_kind: String,
    pub(super) resource_id: Option<AnyId>,
    pub(super) run: Option<RunId>,
    pub(super) acting_for: Option<PrincipalId>,
    pub(super) details: BTreeMap<String, String>,
}

/// Equal denials while their window is open: the entry of the first one, and what the entry of the
/// others will say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Window {
    pub(super) first: AuditEventId,
    pub(super) draft: Draft,
}

impl Draft {
    pub(super) fn of(entry: &AuditEntry) -> Self {
        let (actor_kind, actor_id) = match entry.actor {
            AuditActor::Principal(kind, id) => (kind.as_str(), Some(id)),
            AuditActor::Anonymous => (ANONYMOUS, None),
            AuditActor::Server => (SERVER, None),
        };
        Self {
            actor_kind: actor_kind.to_owned(),
            actor_id,
            action: entry.action.as_str().to_owned(),
            effect: Effect::as_str(entry.effect).to_owned(),
            reason: entry.reason.map(Reason::as_str).map(str::to_owned),
            resource_kind: entry.resource_kind.to_owned(),
            resource_id: entry.resource_id,
            run: entry.run,
            acting_for: entry.acting_for,
            details: entry.details.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
        }
    }

    /// What makes denials equal. A stranger chooses the ids in what it asks for, so they do not
    /// count for one, but where it was turned away does: however much it tries, it fills one entry a
    /// window for each door, action and reason.
    pub(super) fn aggregate_key(&self) -> [u8; 32] {
        let target = if self.actor_kind == ANONYMOUS { Err(&self.details) } else { Ok((self.resource_id, self.run)) };
        let same = (&self.actor_kind, self.actor_id, &self.action, &self.reason, &self.resource_kind, target);
        Sha256::digest(json(&same)).into()
    }
}

impl Window {
    /// The window that a first denial opens.
    pub(super) fn open(first: AuditEventId, mut draft: Draft) -> Self {
        if draft.actor_kind == ANONYMOUS {
            draft.resource_id = None;
        }
        draft.details = BTreeMap::from([(REPEATS.to_owned(), first.to_string())]);
        Self { first, draft }
    }
}

/// A value as JSON. Only for what is made of texts, numbers and maps of texts, which always has one.
pub(super) fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value);
    debug_assert!(text.is_ok());
    text.unwrap_or_default()
}
