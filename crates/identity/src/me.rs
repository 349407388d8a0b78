//! The caller's own account.

use bothy_domain::action::{Action, actions};
use bothy_domain::actor::{Credential, PrincipalKind, PrincipalStatus};
use bothy_domain::audit::AuditEntry;
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_platform::authorize::Judge;
use bothy_platform::config::Secret;
use bothy_platform::failure::{Failure, OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_storage::{Reader, work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::authenticate::unauthenticated;
use crate::sessions::current;
use crate::store::{people, sessions};
use crate::{Identity, SessionView};

/// The caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MeView {
    /// The principal.
    pub id: PrincipalId,
    /// What kind it is.
    pub kind: PrincipalKind,
    /// The handle.
    pub handle: String,
    /// The name.
    pub display_name: String,
    /// The status.
    pub status: PrincipalStatus,
    /// Whether the caller is an owner and ownership counts in this request.
    pub owner: bool,
    /// The e-mail address of a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The session of this request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionView>,
    /// Whether this agent may act only inside a run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub requires_binding: bool,
}

/// What a person may change of their own account.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateMe {
    /// The new name.
    #[serde(default)]
    pub display_name: Option<String>,
}

/// The old password and the new one.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangePassword {
    /// The password so far.
    pub current_password: Secret,
    /// The new password.
    pub new_password: Secret,
}

impl Identity {
    /// Who the caller is.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub(crate) async fn me(&self, allowed: Allowed<actions::SelfRead>) -> Result<MeView, Problem> {
        let reader = self.parts.database.reader().await.or_problem()?;
        self.me_of(&reader, allowed.judge()).await
    }

    /// Who a caller is, as a reader sees it. Everybody may know that of themselves.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn me_of(&self, reader: &Reader, judge: &Judge) -> Result<MeView, Problem> {
        let actor = judge.actor();
        let session = match actor.credential {
            Credential::Session { id, .. } => sessions::live(reader, id, self.parts.clock.now()).await.or_problem()?,
            Credential::PersonalToken { .. } | Credential::ApiToken { .. } => None,
        };
        self.me_view(reader, actor.principal, judge.own().is_owner(), actor.requires_binding, session).await
    }

    /// Changes the name of the caller.
    ///
    /// # Errors
    /// `validation_failed` at `/display_name`.
    pub(crate) async fn update_me(
        &self,
        allowed: Allowed<actions::SelfUpdate>,
        input: UpdateMe,
    ) -> Result<MeView, Problem> {
        let me = allowed.actor().principal;
        let entry = &AuditEntry::done(allowed.actor(), Action::SelfUpdate, Some(me.cast())).with("what", "name");
        let (input, session, owner) = (&input, current(&allowed), allowed.judge().own().is_owner());
        transact(&self.parts.database, |unit| {
            work(async move {
                if input.display_name.is_some() {
                    self.set_names(unit, me, None, input.display_name.as_deref()).await?;
                    self.parts.audit.record(unit, entry).await?;
                }
                let session = match session {
                    Some(id) => sessions::live(unit, id, self.parts.clock.now()).await?,
                    None => None,
                };
                Ok(self.me_view(unit, me, owner, false, session).await?)
            })
        })
        .await
    }

    /// Gives the caller another password and ends all their other sessions.
    ///
    /// # Errors
    /// `validation_failed` at `/current_password`, audited, or at `/new_password`.
    pub(crate) async fn change_password(
        &self,
        allowed: Allowed<actions::SelfUpdate>,
        input: ChangePassword,
    ) -> Result<(), Problem> {
        self.passwords.check_new("/new_password", input.new_password.expose())?;
        let old = &self.require_password(&allowed, "/current_password", &input.current_password).await?;
        let new = &self.passwords.hash(input.new_password.expose().to_owned()).await?;
        let (me, session, now) = (allowed.actor().principal, current(&allowed), self.parts.clock.now());
        let entry = &AuditEntry::done(allowed.actor(), Action::SelfUpdate, Some(me.cast())).with("what", "password");
        transact(&self.parts.database, |unit| {
            work(async move {
                self.lock_active(unit, me).await?;
                let account = people::account(unit, me).await?;
                if account.and_then(|account| account.password_hash).as_ref() != Some(old) {
                    return Err(Failure::from(Problem::conflict("the password was changed meanwhile")));
                }
                people::set_password(unit, me, new).await?;
                sessions::end_of(unit, me, session, now).await?;
                self.credential_ended(unit, me, me.cast()).await?;
                self.parts.audit.record(unit, entry).await?;
                Ok(())
            })
        })
        .await
    }

    async fn me_view(
        &self,
        reader: &Reader,
        id: PrincipalId,
        owner: bool,
        requires_binding: bool,
        session: Option<sessions::Session>,
    ) -> Result<MeView, Problem> {
        let principal = self.principals(reader, &[id]).await?.pop().ok_or_else(unauthenticated)?;
        let person = match principal.kind {
            PrincipalKind::Person => people::person(reader, id).await.or_problem()?,
            PrincipalKind::Agent | PrincipalKind::App => None,
        };
        Ok(MeView {
            id,
            kind: principal.kind,
            handle: principal.handle,
            display_name: principal.display_name,
            status: principal.status,
            owner,
            email: person.map(|person| person.email),
            session: session.map(|session| self.session_view(&session, Some(session.id))),
            requires_binding,
        })
    }
}
