//! Login sessions of people.

use bothy_domain::action::{Action, ResourceKind, actions};
use bothy_domain::actor::Credential;
use bothy_domain::audit::AuditEntry;
use bothy_domain::ids::LoginSessionId;
use bothy_domain::policy::{Path, Place, Reason, Resource};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::config::Secret;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::work;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Identity;
use crate::authenticate::unauthenticated;
use crate::store::{people, sessions};

/// The password once more.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmSession {
    /// The password of the caller.
    pub password: Secret,
}

/// A login session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionView {
    /// The session.
    pub session_id: LoginSessionId,
    /// Whether it is the session of this request.
    pub current: bool,
    /// When the person signed in.
    pub created_at: Timestamp,
    /// Until when the confirmation of the password counts.
    pub confirmed_until: Timestamp,
    /// When it ends by itself.
    pub expires_at: Timestamp,
}

impl Identity {
    /// Confirms the session of the request with the password (step-up).
    ///
    /// # Errors
    /// `validation_failed` at `/password`, audited, when it is not the caller's password.
    pub(crate) async fn confirm_session(
        &self,
        allowed: Allowed<actions::SelfUpdate>,
        input: ConfirmSession,
    ) -> Result<SessionView, Problem> {
        let session = current(&allowed).ok_or_else(unauthenticated)?;
        self.require_password(&allowed, "/password", &input.password).await?;
        let now = self.parts.clock.now();
        let entry =
            &AuditEntry::done(allowed.actor(), Action::SelfUpdate, Some(session.cast())).with("what", "confirm");
        transact(&self.parts.database, |unit| {
            work(async move {
                let confirmed = sessions::confirm(unit, session, now).await?.ok_or_else(unauthenticated)?;
                self.parts.audit.record(unit, entry).await?;
                Ok(self.session_view(&confirmed, Some(session)))
            })
        })
        .await
    }

    /// Ends a session of the caller, at once and for good. Whatever is open with it ends too.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub(crate) async fn delete_session(&self, allowed: Allowed<actions::SessionRevoke>) -> Result<(), Problem> {
        let (session, me): (LoginSessionId, _) = (allowed.id(), allowed.actor().principal);
        let now = self.parts.clock.now();
        let entry = &AuditEntry::done(allowed.actor(), Action::SessionRevoke, Some(session.cast()));
        transact(&self.parts.database, |unit| {
            work(async move {
                if sessions::end(unit, session, now).await? {
                    self.credential_ended(unit, me, session.cast()).await?;
                    self.parts.audit.record(unit, entry).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// The sessions of the caller that have not ended, oldest first.
    ///
    /// # Errors
    /// `validation_failed` for a limit or cursor that is none.
    pub(crate) async fn list_sessions(
        &self,
        allowed: Allowed<actions::SessionRead>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<SessionView>, Problem> {
        let paging = Paging::parse(limit, cursor, &*self.parts.config)?;
        let reader = self.parts.database.reader().await.or_problem()?;
        let person = allowed.actor().principal;
        let now = self.parts.clock.now();
        let found = sessions::live_of(&reader, person, now, paging.after_id()?, paging.fetch()).await.or_problem()?;
        let current = current(&allowed);
        let keeps = |session: &sessions::Session| {
            let path = Path::of(Place::Private(session.person));
            let resource = Resource::new(ResourceKind::LoginSession, session.id.cast(), path);
            allowed.judge().keeps(Action::SessionRead, &resource)
        };
        let found = page(found, paging.limit, |session| Cursor::id(session.id));
        Ok(found.retain(keeps).map(|session| self.session_view(&session, current)))
    }

    pub(crate) fn session_view(&self, session: &sessions::Session, current: Option<LoginSessionId>) -> SessionView {
        SessionView {
            session_id: session.id,
            current: current == Some(session.id),
            created_at: session.created_at,
            confirmed_until: session.confirmed_at.plus(self.parts.config.auth.step_up_ttl.get()),
            expires_at: session.expires_at,
        }
    }

    /// Fails unless the password is that of the caller; a wrong one is audited like any refusal.
    /// Returns the hash that it was compared with.
    pub(crate) async fn require_password(
        &self,
        allowed: &Allowed<actions::SelfUpdate>,
        pointer: &str,
        password: &Secret,
    ) -> Result<String, Problem> {
        let account = {
            let reader = self.parts.database.reader().await.or_problem()?;
            people::account(&reader, allowed.actor().principal).await.or_problem()?
        };
        let hash = account.and_then(|account| account.password_hash);
        let right = self.passwords.verify(pointer, password.expose().to_owned(), hash.as_deref()).await?;
        if let (true, Some(hash)) = (right, hash) {
            return Ok(hash);
        }
        let resource = Some(allowed.resource());
        let entry = AuditEntry::denial(allowed.actor(), Action::SelfUpdate, resource, None, Reason::StepUpRequired);
        self.parts.audit.record_alone(&self.parts.database, &entry).await.or_problem()?;
        Err(Problem::invalid(pointer, "is not your password"))
    }
}

/// The session that a request was made in.
pub(crate) fn current<A: bothy_domain::action::ActionType>(allowed: &Allowed<A>) -> Option<LoginSessionId> {
    match allowed.actor().credential {
        Credential::Session { id, .. } => Some(id),
        Credential::PersonalToken { .. } | Credential::ApiToken { .. } => None,
    }
}
