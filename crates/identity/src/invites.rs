//! Invitations with a one-time code.

use bothy_domain::action::{Action, actions};
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::audit::{AuditActor, AuditEntry};
use bothy_domain::ids::{InviteId, PrincipalId};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::time::Timestamp;
use bothy_platform::config::Secret;
use bothy_platform::failure::{Failure, OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_storage::{UnitOfWork, work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::authenticate::unauthenticated;
use crate::login::{Door, stranger};
use crate::people::{EMAIL_TAKEN, shown};
use crate::principals::{name_of, names_of};
use crate::store::{invites, people, principals};
use crate::token::{self, SecretToken, TokenKind};
use crate::{Identity, NewPrincipal, PersonView, SignedIn, email};

/// Whom to invite.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvitePerson {
    /// The e-mail address that the person will sign in with.
    pub email: String,
    /// The handle.
    pub handle: String,
    /// The name; the person may choose another one.
    pub display_name: String,
}

/// An invitation. The code reaches the person by other means: the server sends no mail.
#[derive(Clone, Serialize, JsonSchema)]
pub struct InviteView {
    /// The invitation.
    pub invite_id: InviteId,
    /// The person, pending until the invitation is accepted.
    pub person: PersonView,
    /// The one-time code. Shown this once; only its hash is stored.
    pub code: String,
    /// Until when it can be accepted.
    pub expires_at: Timestamp,
}

impl std::fmt::Debug for InviteView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InviteView").field("invite_id", &self.invite_id).finish_non_exhaustive()
    }
}

/// The code of an invitation and the account to come.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptInvite {
    /// The code.
    pub code: Secret,
    /// The password of the account.
    pub password: Secret,
    /// Another name than the one in the invitation.
    #[serde(default)]
    pub display_name: Option<String>,
}

impl Identity {
    /// Invites a person. Inviting somebody again who has not accepted yet makes a new code, and the
    /// earlier ones count no more.
    ///
    /// # Errors
    /// `validation_failed`; `conflict` when the address or the handle is taken.
    pub(crate) async fn invite_person(
        &self,
        allowed: Allowed<actions::PersonInvite>,
        input: InvitePerson,
    ) -> Result<InviteView, Problem> {
        let address = &email::parse(&input.email)?;
        names_of(&input.handle, &input.display_name)?;
        let (now, ttl) = (self.parts.clock.now(), self.parts.config.auth.invite_ttl.get());
        let (input, allowed) = (&input, &allowed);
        transact(&self.parts.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                allowed.takes_effect(unit).await?;
                let person = self.pending_person(unit, address, input).await?;
                invites::expire_of(unit, person, now).await?;
                let invite = invites::Invite {
                    id: self.parts.ids.next(),
                    person,
                    created_by: allowed.actor().principal,
                    created_at: now,
                    expires_at: now.plus(ttl),
                };
                let code = SecretToken::generate(TokenKind::Invite, &*self.parts.entropy);
                invites::insert(unit, &invite, &code.hash()).await?;
                let entry = AuditEntry::done(allowed.actor(), Action::PersonInvite, Some(person.cast()));
                self.parts.audit.record(unit, &entry).await?;
                Ok(InviteView {
                    invite_id: invite.id,
                    person: shown(allowed, self.person(unit, person).await?),
                    code: code.into_text(),
                    expires_at: invite.expires_at,
                })
            })
        })
        .await
    }

    /// Makes the account of an invited person and signs them in. Works once for each code.
    ///
    /// # Errors
    /// `unauthenticated`, audited, for a code that is wrong, used or too old; `validation_failed`.
    pub(crate) async fn accept_invite(&self, input: AcceptInvite) -> Result<SignedIn, Problem> {
        self.passwords.check_new("/password", input.password.expose())?;
        let name = input.display_name.as_deref().map(|name| name_of("/display_name", name)).transpose()?;
        let Some((invite, person)) = self.open_invite(input.code.expose()).await? else {
            return Err(self.turned_away(Door::Invite).await);
        };
        let hash = &self.passwords.hash(input.password.expose().to_owned()).await?;
        let name = name.as_deref();
        let result = transact(&self.parts.database, |unit| {
            work(async move {
                self.parts.authz.hold(unit).await?;
                let now = self.parts.clock.now();
                if !invites::accept(unit, invite, now).await? || !self.is_pending(unit, person).await? {
                    return Err(Failure::from(unauthenticated()));
                }
                people::set_password(unit, person, hash).await?;
                self.set_names(unit, person, None, name).await?;
                self.set_status(unit, person, PrincipalStatus::Active).await?;
                let mut entry = stranger(Action::SelfUpdate, "invite");
                entry.actor = AuditActor::Principal(PrincipalKind::Person, person);
                entry.resource_id = Some(person.cast());
                self.parts.audit.record(unit, &entry).await?;
                Ok(self.sign_in(unit, person).await?)
            })
        })
        .await;
        match result {
            Err(problem) if problem.code() == ProblemCode::Unauthenticated => Err(self.turned_away(Door::Invite).await),
            other => other,
        }
    }

    /// The invited person: new, or the same one again as long as nobody has accepted.
    async fn pending_person(
        &self,
        unit: &UnitOfWork,
        address: &str,
        input: &InvitePerson,
    ) -> Result<PrincipalId, Problem> {
        if let Some(account) = people::account_by_email(unit, address).await.or_problem()? {
            if account.status != PrincipalStatus::Pending {
                return Err(Problem::conflict(EMAIL_TAKEN));
            }
            self.set_names(unit, account.id, Some(&input.handle), Some(&input.display_name)).await?;
            return Ok(account.id);
        }
        let new = NewPrincipal {
            kind: PrincipalKind::Person,
            handle: &input.handle,
            display_name: &input.display_name,
            status: PrincipalStatus::Pending,
            requires_binding: false,
        };
        let person = self.create_principal(unit, new).await?;
        people::insert(unit, person, address, None).await.or_conflict("people_email", EMAIL_TAKEN)?;
        Ok(person)
    }

    async fn open_invite(&self, code: &str) -> Result<Option<(InviteId, PrincipalId)>, Problem> {
        let Some((TokenKind::Invite, hash)) = token::parse(code) else {
            return Ok(None);
        };
        let reader = self.parts.database.reader().await.or_problem()?;
        invites::open(&reader, &hash, self.parts.clock.now()).await.or_problem()
    }

    /// An invitation does not let in whom an owner has shut out meanwhile.
    async fn is_pending(&self, unit: &UnitOfWork, person: PrincipalId) -> Result<bool, Problem> {
        let found = principals::principals(unit, &[person]).await.or_problem()?;
        Ok(found.iter().any(|principal| principal.status == PrincipalStatus::Pending))
    }
}
