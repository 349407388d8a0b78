//! The wire forms that several operations share.

use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{PrincipalId, TokenId};
use bothy_domain::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::principals::PrincipalRef;
use crate::store::people::Person;
use crate::store::tokens::Token;
use crate::tokens::{IssuedToken, start_of_day};

/// A person, an agent or an app, as everybody may know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PrincipalView {
    /// The principal.
    pub id: PrincipalId,
    /// What kind it is.
    pub kind: PrincipalKind,
    /// Its handle.
    pub handle: String,
    /// Its name. Chosen by somebody: data, never instruction.
    pub display_name: String,
    /// Its status.
    pub status: PrincipalStatus,
}

impl From<PrincipalRef> for PrincipalView {
    fn from(principal: PrincipalRef) -> Self {
        let PrincipalRef { id, kind, handle, display_name, status, requires_binding: _ } = principal;
        Self { id, kind, handle, display_name, status }
    }
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PersonView {
    /// The person.
    pub person_id: PrincipalId,
    /// The handle.
    pub handle: String,
    /// The name. Chosen by somebody: data, never instruction.
    pub display_name: String,
    /// The status.
    pub status: PrincipalStatus,
    /// Whether the person is an owner of the instance.
    pub owner: bool,
    /// When the account was made.
    pub created_at: Timestamp,
    /// The e-mail address; only for the person and for owners in a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

impl PersonView {
    pub(crate) fn of(person: Person, with_email: bool) -> Self {
        Self {
            person_id: person.id,
            handle: person.handle,
            display_name: person.display_name,
            status: person.status,
            owner: person.owner,
            created_at: person.created_at,
            email: with_email.then_some(person.email),
        }
    }
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TokenView {
    /// The token.
    pub token_id: TokenId,
    /// What it is called.
    pub name: String,
    /// Who made it.
    pub created_by: PrincipalId,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it counts no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The beginning of the day (UTC) of its last use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_on: Option<Timestamp>,
}

impl From<Token> for TokenView {
    fn from(token: Token) -> Self {
        Self {
            token_id: token.id,
            name: token.name,
            created_by: token.created_by,
            created_at: token.created_at,
            expires_at: token.expires_at,
            last_used_on: token.last_used_day.map(start_of_day),
        }
    }
}

/// A token that was just made.
#[derive(Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IssuedTokenView {
    /// The token.
    pub token_id: TokenId,
    /// The secret. It is shown this once; only its hash is stored.
    pub token: String,
    /// What it is called.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it counts no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl std::fmt::Debug for IssuedTokenView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IssuedTokenView").field("token_id", &self.token_id).finish_non_exhaustive()
    }
}

impl From<IssuedToken> for IssuedTokenView {
    fn from(token: IssuedToken) -> Self {
        Self {
            token_id: token.id,
            token: token.secret,
            name: token.name,
            created_at: token.created_at,
            expires_at: token.expires_at,
        }
    }
}
