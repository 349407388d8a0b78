use bothy_domain::actor::PrincipalKind;
use bothy_domain::ids::{GrantId, GroupId, PrincipalId};
use bothy_domain::policy::{Capabilities, Capability, Level, Rights};
use bothy_domain::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::grants::{Grant, TargetKind};

/// One principal with access, or one that an agent may bring content to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AccessEntry {
    /// The principal.
    pub principal_id: PrincipalId,
    /// What it is.
    pub kind: PrincipalKind,
    /// The level that it has now; `none` for whoever has no access.
    pub level: Level,
    /// The capabilities that it has now.
    pub capabilities: Vec<Capability>,
    /// Where all of this comes from.
    pub sources: Vec<AccessSource>,
}

impl AccessEntry {
    /// A person without access.
    pub(super) const fn outside(person: PrincipalId) -> Self {
        Self {
            principal_id: person,
            kind: PrincipalKind::Person,
            level: Level::None,
            capabilities: Vec::new(),
            sources: Vec::new(),
        }
    }

    /// Whether this is a person who cannot read the place.
    pub(super) fn is_outside(&self) -> bool {
        self.kind == PrincipalKind::Person && self.level < Level::Read
    }
}

/// Where access comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccessSourceKind {
    /// A grant, direct or through a group.
    Grant,
    /// Ownership of the instance.
    Ownership,
    /// It is the agent that answers there. This alone gives it no right.
    Operator,
    /// It is fixed as the operator of a thread or more, and has `write` on those threads only.
    ThreadOperator,
    /// The principal has no access, but an agent that can read the place may be triggered by it
    /// elsewhere. Outside of a run, or from a memory that its runtime keeps, that agent could still
    /// carry content across.
    ViaAgent,
}

/// One source of access.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AccessSource {
    /// What it is.
    pub kind: AccessSourceKind,
    /// The grant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_id: Option<GrantId>,
    /// What the grant is given on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_kind: Option<TargetKind>,
    /// The group that the principal has the grant through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_id: Option<GroupId>,
    /// The agent that content could come through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<PrincipalId>,
    /// The level that the source gives, before the archive caps it; absent when it gives none on the
    /// place itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The capabilities that the source gives, before the archive caps them.
    pub capabilities: Vec<Capability>,
    /// From when on the grant gives nothing any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl AccessSource {
    const fn of(kind: AccessSourceKind) -> Self {
        Self {
            kind,
            grant_id: None,
            target_kind: None,
            group_id: None,
            agent_id: None,
            level: None,
            capabilities: Vec::new(),
            expires_at: None,
        }
    }

    fn giving(kind: AccessSourceKind, rights: Rights) -> Self {
        Self { level: Some(rights.level), capabilities: listed(rights.capabilities), ..Self::of(kind) }
    }

    pub(super) fn grant(grant: &Grant) -> Self {
        Self {
            grant_id: Some(grant.id),
            target_kind: Some(TargetKind::of(grant.target)),
            group_id: grant.subject.group(),
            expires_at: grant.expires_at,
            ..Self::giving(AccessSourceKind::Grant, grant.rights)
        }
    }

    pub(super) fn ownership() -> Self {
        Self::giving(AccessSourceKind::Ownership, Rights::ALL)
    }

    pub(super) const fn operator() -> Self {
        Self::of(AccessSourceKind::Operator)
    }

    pub(super) const fn thread_operator() -> Self {
        Self::of(AccessSourceKind::ThreadOperator)
    }

    pub(super) fn via_agent(agent: PrincipalId) -> Self {
        Self { agent_id: Some(agent), ..Self::of(AccessSourceKind::ViaAgent) }
    }
}

pub(crate) fn listed(capabilities: Capabilities) -> Vec<Capability> {
    capabilities.iter().collect()
}
