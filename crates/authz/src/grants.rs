//! Grants: who gets what on the instance, a space or a channel, and until when.

mod create;
mod list;
mod preview;
mod revoke;

use bothy_domain::ids::{ChannelId, GrantId, GroupId, PrincipalId, SpaceId};
use bothy_domain::policy::{Capability, GrantFact, GrantTarget, Level, Path, Place, Rights};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::subject::Subject;

pub use preview::{RightsChange, RightsView};

/// What to give, and to whom.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateGrant {
    /// The person, agent or app that gets the grant. Exactly one of `principal_id` and `group_id`.
    #[serde(default)]
    pub principal_id: Option<PrincipalId>,
    /// The group whose members get the grant.
    #[serde(default)]
    pub group_id: Option<GroupId>,
    /// The level. Nobody gives more than they hold on the target.
    pub level: Level,
    /// The capabilities.
    #[serde(default)]
    pub capabilities: Vec<Capability>,
    /// From when on the grant gives nothing any more; never, when absent.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
}

/// A grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GrantView {
    /// The grant.
    pub grant_id: GrantId,
    /// What kind of target it is given on.
    pub target_kind: TargetKind,
    /// The space, or the space of the channel; absent on the instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space_id: Option<SpaceId>,
    /// The channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<ChannelId>,
    /// The principal that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal_id: Option<PrincipalId>,
    /// The group whose members have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_id: Option<GroupId>,
    /// The level that it gives.
    pub level: Level,
    /// The capabilities that it gives.
    pub capabilities: Vec<Capability>,
    /// From when on it gives nothing any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Who gave it.
    pub created_by: PrincipalId,
    /// When it was given.
    pub created_at: Timestamp,
}

/// The kinds of target of a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// Everything but direct messages.
    Instance,
    /// A space with all its channels.
    Space,
    /// One channel.
    Channel,
}

impl TargetKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Instance => "instance",
            Self::Space => "space",
            Self::Channel => "channel",
        }
    }

    pub(crate) const fn of(target: GrantTarget) -> Self {
        match target {
            GrantTarget::Instance => Self::Instance,
            GrantTarget::Space(_) => Self::Space,
            GrantTarget::Channel(..) => Self::Channel,
        }
    }
}

/// A grant as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) id: GrantId,
    pub(crate) subject: Subject,
    pub(crate) target: GrantTarget,
    pub(crate) rights: Rights,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) created_by: PrincipalId,
    pub(crate) created_at: Timestamp,
}

impl Grant {
    /// What the rules need to know of it.
    pub(crate) const fn fact(&self) -> GrantFact {
        GrantFact { target: self.target, rights: self.rights, expires_at: self.expires_at }
    }

    pub(crate) fn view(&self) -> GrantView {
        let (space_id, channel_id) = ids_of(self.target);
        GrantView {
            grant_id: self.id,
            target_kind: TargetKind::of(self.target),
            space_id,
            channel_id,
            principal_id: self.subject.principal(),
            group_id: self.subject.group(),
            level: self.rights.level,
            capabilities: self.rights.capabilities.iter().collect(),
            expires_at: self.expires_at,
            created_by: self.created_by,
            created_at: self.created_at,
        }
    }
}

/// The ids of a target as they are stored and shown.
pub(crate) const fn ids_of(target: GrantTarget) -> (Option<SpaceId>, Option<ChannelId>) {
    match target {
        GrantTarget::Instance => (None, None),
        GrantTarget::Space(space) => (Some(space), None),
        GrantTarget::Channel(space, channel) => (Some(space), Some(channel)),
    }
}

/// What a path ends at, as the target of a grant.
///
/// # Errors
/// `internal_error` for places that grants play no part on: no capability can be held there, so no
/// request for them gets this far.
pub(crate) fn target_of(path: &Path) -> Result<GrantTarget, Problem> {
    match path.place {
        Place::Instance => Ok(GrantTarget::Instance),
        Place::Space(space) => Ok(GrantTarget::Space(space)),
        Place::Channel(space, channel) => Ok(GrantTarget::Channel(space, channel)),
        Place::Pathless | Place::Private(_) | Place::Direct(_) => {
            Err(Problem::internal("a grant on something that takes no grants"))
        }
    }
}
