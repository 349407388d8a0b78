//! Signing in with e-mail address and password.

use bothy_domain::action::Action;
use bothy_domain::actor::PrincipalStatus;
use bothy_domain::audit::{AuditActor, AuditEntry, Effect};
use bothy_domain::ids::PrincipalId;
use bothy_domain::policy::Reason;
use bothy_domain::problem::Problem;
use bothy_platform::config::Secret;
use bothy_platform::failure::{Failure, OrProblem, transact};
use bothy_storage::{UnitOfWork, work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::authenticate::unauthenticated;
use crate::store::{people, sessions};
use crate::token::{SecretToken, TokenKind};
use crate::{Identity, PersonView, SessionView, email};

/// Who signs in.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSession {
    /// The e-mail address of the account.
    pub email: String,
    /// The password.
    pub password: Secret,
}

/// Somebody who has just signed in. The answer also sets the session as a cookie.
#[derive(Clone, Serialize, JsonSchema)]
pub struct SignedIn {
    /// The secret of the session, for `Authorization: Bearer`. Shown this once.
    pub token: String,
    /// The session.
    pub session: SessionView,
    /// The person.
    pub person: PersonView,
}

impl std::fmt::Debug for SignedIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignedIn").field("session", &self.session).finish_non_exhaustive()
    }
}

/// A door that strangers knock on, for the audit log.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Door {
    Login,
    Setup,
    Invite,
}

impl Identity {
    /// Signs a person in.
    ///
    /// # Errors
    /// `unauthenticated`, after the same work and with one answer, for an unknown address, a wrong
    /// password and an account that is not active.
    pub(crate) async fn create_session(&self, input: CreateSession) -> Result<SignedIn, Problem> {
        let account = match email::parse(&input.email) {
            Ok(address) => {
                let reader = self.parts.database.reader().await.or_problem()?;
                people::account_by_email(&reader, &address).await.or_problem()?
            }
            Err(_) => None,
        };
        let hash = account.as_ref().and_then(|account| account.password_hash.clone());
        let right = self.passwords.verify("/password", input.password.expose().to_owned(), hash.as_deref()).await?;
        let person =
            account.filter(|account| right && account.status == PrincipalStatus::Active).map(|account| account.id);
        let Some(person) = person else {
            return Err(self.turned_away(Door::Login).await);
        };
        let hash = hash.as_deref();
        transact(&self.parts.database, |unit| {
            work(async move {
                self.lock_active(unit, person).await?;
                // The password may have changed while it was compared.
                let account = people::account(unit, person).await?;
                if account.and_then(|account| account.password_hash).as_deref() != hash {
                    return Err(Failure::from(unauthenticated()));
                }
                Ok(self.sign_in(unit, person).await?)
            })
        })
        .await
    }

    /// Opens a session of an active person.
    pub(crate) async fn sign_in(&self, unit: &UnitOfWork, person: PrincipalId) -> Result<SignedIn, Problem> {
        let now = self.parts.clock.now();
        let secret = SecretToken::generate(TokenKind::Session, &*self.parts.entropy);
        let session = sessions::Session {
            id: self.parts.ids.next(),
            person,
            created_at: now,
            confirmed_at: now,
            expires_at: now.plus(self.parts.config.auth.session_ttl.get()),
        };
        sessions::insert(unit, &session, &secret.hash()).await.or_problem()?;
        let person = people::person(unit, person)
            .await
            .or_problem()?
            .ok_or_else(|| Problem::internal("signed in without an account"))?;
        Ok(SignedIn {
            token: secret.into_text(),
            session: self.session_view(&session, Some(session.id)),
            person: PersonView::of(person, true),
        })
    }

    /// Records that somebody who cannot be told apart was turned away, without what they typed.
    pub(crate) async fn turned_away(&self, door: Door) -> Problem {
        let (action, at) = match door {
            Door::Login => (Action::SelfRead, "login"),
            Door::Setup => (Action::OwnerAdd, "setup"),
            Door::Invite => (Action::SelfRead, "invite"),
        };
        let entry = AuditEntry { effect: Effect::Deny, reason: Some(Reason::NotLive), ..stranger(action, at) };
        match self.parts.audit.record_alone(&self.parts.database, &entry).await {
            Ok(_) => unauthenticated(),
            Err(error) => Problem::unavailable(error),
        }
    }
}

/// An entry on somebody who has not signed in.
pub(crate) fn stranger(action: Action, at: &'static str) -> AuditEntry {
    AuditEntry {
        actor: AuditActor::Anonymous,
        action,
        effect: Effect::Allow,
        reason: None,
        resource_kind: action.row().resource.as_str(),
        resource_id: None,
        run: None,
        acting_for: None,
        details: vec![("at", at.to_owned())],
    }
}
