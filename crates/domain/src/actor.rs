//! Who acts: a principal, the credential it showed and the run it says that it works for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{InvocationTokenId, LoginSessionId, PrincipalId, RunId, ThreadId, TokenId};

/// The kinds of principal (glossary).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PrincipalKind {
    /// A human being with an account.
    Person,
    /// An AI agent.
    Agent,
    /// A program that posts, but is not an agent.
    App,
}

impl PrincipalKind {
    /// Every kind, in the order of tables.
    pub const ALL: [Self; 3] = [Self::Person, Self::Agent, Self::App];

    /// The name in the database, on the wire and in tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::App => "app",
        }
    }

    /// The kind with this name, if there is one.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// The life of a principal. Only `Active` ones have rights (AZ-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PrincipalStatus {
    /// Invited, but has not accepted yet.
    Pending,
    /// May sign in and act.
    Active,
    /// Shut out by an owner; can be enabled again.
    Disabled,
    /// Gone for good; kept so that what it said keeps its author.
    Deleted,
}

impl PrincipalStatus {
    /// Every status, in the order of tables.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Active, Self::Disabled, Self::Deleted];

    /// The name in the database, on the wire and in tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Disabled => "disabled",
            Self::Deleted => "deleted",
        }
    }

    /// The status with this name, if there is one.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// What the caller showed to prove who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    /// A login session; `confirmed` while its password confirmation is fresh (step-up).
    Session {
        /// The session.
        id: LoginSessionId,
        /// Whether the person confirmed the password within the configured window.
        confirmed: bool,
    },
    /// A person's token for scripts.
    PersonalToken {
        /// The token's id.
        id: TokenId,
    },
    /// The token of an agent or an app.
    ApiToken {
        /// The token's id.
        id: TokenId,
    },
}

impl Credential {
    /// Whether this is a login session.
    pub const fn is_session(self) -> bool {
        matches!(self, Self::Session { .. })
    }

    /// Whether this is a login session with a fresh confirmation.
    pub const fn is_confirmed_session(self) -> bool {
        matches!(self, Self::Session { confirmed: true, .. })
    }
}

/// The run that a valid invocation token names (AF-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    /// The triggering person.
    pub person: PrincipalId,
    /// The run.
    pub run: RunId,
    /// The thread of the run.
    pub thread: ThreadId,
    /// The id of the token that was shown.
    pub token: InvocationTokenId,
}

/// The state of the acting-for binding of a request (chapter 08).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActingFor {
    /// No `Invocation-Token` was sent.
    Absent,
    /// Something was sent that binds nothing; it names nobody.
    Invalid,
    /// A good token of a run that has ended.
    RunInactive(Binding),
    /// A good token of an active run.
    Bound(Binding),
}

impl ActingFor {
    /// The run and person behind a good token, whether or not the run is still active.
    pub const fn binding(&self) -> Option<&Binding> {
        match self {
            Self::Absent | Self::Invalid => None,
            Self::RunInactive(binding) | Self::Bound(binding) => Some(binding),
        }
    }
}

/// An authenticated caller. It is made by `identity` alone and is never cached: every request
/// makes its own from the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Actor {
    /// Who acts.
    pub principal: PrincipalId,
    /// What kind of principal it is.
    pub kind: PrincipalKind,
    /// What it showed.
    pub credential: Credential,
    /// The rights version at the moment of authentication (AZ-7).
    pub rights_version: i64,
    /// The binding to a run and its person.
    pub acting_for: ActingFor,
    /// An agent that may act only inside a run (AF-17).
    pub requires_binding: bool,
}

impl Actor {
    /// Whether ownership counts with this credential (glossary: only in a session).
    pub const fn ownership_counts(&self) -> bool {
        self.credential.is_session()
    }
}
