//! What the audit log records (chapter 09 section 1): who did or was denied what, on what, and why.
//! No content, handles, names, addresses or tokens.

use crate::action::Action;
use crate::actor::{ActingFor, Actor, PrincipalKind};
use crate::ids::{AnyId, PrincipalId, RunId};
use crate::policy::{Reason, Resource};

/// Whether something was done or denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// It was done.
    Allow,
    /// It was denied.
    Deny,
}

impl Effect {
    /// The name in the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }
}

/// Who an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditActor {
    /// A principal.
    Principal(PrincipalKind, PrincipalId),
    /// Nobody who could be told apart (failed credentials, setup).
    Anonymous,
    /// The server itself, for a named reason.
    Server,
}

/// One entry before it is sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Who.
    pub actor: AuditActor,
    /// What.
    pub action: Action,
    /// Done or denied.
    pub effect: Effect,
    /// The true reason of a denial, also behind a 404 that hides it.
    pub reason: Option<Reason>,
    /// The kind of the target.
    pub resource_kind: &'static str,
    /// The id of the target, also of one that does not exist.
    pub resource_id: Option<AnyId>,
    /// The run that the actor was bound to (AF-15).
    pub run: Option<RunId>,
    /// The person that the actor worked for (AF-15).
    pub acting_for: Option<PrincipalId>,
    /// Further facts from a closed set of keys.
    pub details: Vec<(&'static str, String)>,
}

impl AuditEntry {
    /// A denial as chapter 03 and AF-15 want it recorded.
    pub fn denial(
        actor: &Actor,
        action: Action,
        resource: Option<&Resource>,
        target: Option<AnyId>,
        reason: Reason,
    ) -> Self {
        let mut entry = Self::of(actor, action, Effect::Deny, resource.map(|resource| resource.id).or(target));
        entry.reason = Some(reason);
        if matches!(reason, Reason::InvocationInvalid | Reason::RunInactive) {
            entry.details.push(("token_verdict", reason.as_str().to_owned()));
        }
        entry
    }

    /// Something that was done.
    pub fn done(actor: &Actor, action: Action, target: Option<AnyId>) -> Self {
        Self::of(actor, action, Effect::Allow, target)
    }

    /// Something that the server did itself.
    pub fn by_server(action: Action, target: Option<AnyId>, why: &'static str) -> Self {
        Self {
            actor: AuditActor::Server,
            action,
            effect: Effect::Allow,
            reason: None,
            resource_kind: action.row().resource.as_str(),
            resource_id: target,
            run: None,
            acting_for: None,
            details: vec![("why", why.to_owned())],
        }
    }

    /// Adds a fact. Keys are fixed texts, values are ids, numbers and names of closed lists.
    pub fn with(mut self, key: &'static str, value: impl ToString) -> Self {
        self.details.push((key, value.to_string()));
        self
    }

    fn of(actor: &Actor, action: Action, effect: Effect, target: Option<AnyId>) -> Self {
        let binding = match &actor.acting_for {
            ActingFor::Absent | ActingFor::Invalid => None,
            ActingFor::RunInactive(binding) | ActingFor::Bound(binding) => Some(binding),
        };
        Self {
            actor: AuditActor::Principal(actor.kind, actor.principal),
            action,
            effect,
            reason: None,
            resource_kind: action.row().resource.as_str(),
            resource_id: target,
            run: binding.map(|binding| binding.run),
            acting_for: binding.map(|binding| binding.person),
            details: Vec::new(),
        }
    }
}
