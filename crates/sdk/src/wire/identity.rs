use bothy_domain::ids::{AnyId, ChannelId, GrantId, GroupId, LoginSessionId, PrincipalId, RunId, SpaceId};
use serde::{Deserialize, Serialize};

/// The first owner of a new instance.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Setup<'a> {
    /// The one-time code that the server printed.
    pub setup_code: &'a str,
    /// The handle of the owner.
    pub handle: &'a str,
    /// The name that is shown.
    pub display_name: &'a str,
    /// The address for the login.
    pub email: &'a str,
    /// The password.
    pub password: &'a str,
}

/// A login.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct NewSession<'a> {
    /// The address.
    pub email: &'a str,
    /// The password.
    pub password: &'a str,
}

/// A login session that has begun.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The token of the session.
    pub token: String,
    /// The session.
    pub session: SessionFacts,
    /// Who is signed in.
    pub person: Person,
}

/// A login session without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionFacts {
    /// The id.
    pub session_id: LoginSessionId,
    /// When it ends by itself.
    pub expires_at: String,
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The id.
    pub person_id: PrincipalId,
    /// The handle, without `@`.
    pub handle: String,
    /// The name that is shown.
    pub display_name: String,
    /// `pending`, `active`, `disabled` or `deleted`.
    pub status: String,
    /// Whether the person is an owner.
    pub owner: bool,
    /// The e-mail address; only for the person and for owners in a session.
    #[serde(default)]
    pub email: Option<String>,
}

/// Oneself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Me {
    /// The principal.
    #[serde(flatten)]
    pub principal: super::Principal,
    /// Whether ownership counts in this request.
    #[serde(default)]
    pub owner: bool,
}

/// A person to be invited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewInvite<'a> {
    /// The handle.
    pub handle: &'a str,
    /// The name that is shown.
    pub display_name: &'a str,
    /// The address.
    pub email: &'a str,
}

/// An invitation.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invite {
    /// The person, who is pending until the invitation is accepted.
    pub person: Person,
    /// The one-time code.
    pub code: String,
}

/// An invitation that is accepted.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct AcceptInvite<'a> {
    /// The one-time code.
    pub code: &'a str,
    /// The password.
    pub password: &'a str,
    /// The name that is shown.
    pub display_name: &'a str,
}

/// How much somebody may do in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Nothing.
    None,
    /// Read.
    Read,
    /// Post.
    Write,
    /// Instruct agents.
    Trigger,
}

/// A right that is not ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Upload files.
    Upload,
    /// Keep order among messages of others.
    Moderate,
    /// Change settings and grants.
    Manage,
}

/// Where a grant holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantTarget {
    /// Everywhere; names the instance.
    Instance(AnyId),
    /// In a space.
    Space(SpaceId),
    /// In a channel.
    Channel(ChannelId),
}

/// Who gets a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A person, an agent or an app.
    Principal(PrincipalId),
    /// The members of a group.
    Group(GroupId),
}

/// A grant to be given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewGrant<'a> {
    /// The principal; either this or the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal_id: Option<PrincipalId>,
    /// The group; either this or the principal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_id: Option<GroupId>,
    /// How much.
    pub level: Level,
    /// What else.
    #[serde(skip_serializing_if = "<[Capability]>::is_empty")]
    pub capabilities: &'a [Capability],
    /// Until when, as an RFC 3339 time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<&'a str>,
}

impl<'a> NewGrant<'a> {
    /// A grant without an end.
    pub const fn new(subject: Subject, level: Level, capabilities: &'a [Capability]) -> Self {
        let (principal_id, group_id) = match subject {
            Subject::Principal(id) => (Some(id), None),
            Subject::Group(id) => (None, Some(id)),
        };
        Self { principal_id, group_id, level, capabilities, expires_at: None }
    }
}

/// A grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The id.
    pub grant_id: GrantId,
    /// The principal, when it is not a group's.
    #[serde(default)]
    pub principal_id: Option<PrincipalId>,
    /// How much.
    pub level: Level,
}

/// An entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEvent {
    /// What was asked for.
    pub action: String,
    /// `allow` or `deny`.
    pub effect: String,
    /// Why it was denied.
    #[serde(default)]
    pub reason: Option<String>,
    /// Who asked.
    #[serde(default)]
    pub actor_id: Option<PrincipalId>,
    /// In which run.
    #[serde(default)]
    pub run_id: Option<RunId>,
    /// For which person.
    #[serde(default)]
    pub acting_for_user_id: Option<PrincipalId>,
}
