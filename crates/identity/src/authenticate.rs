use std::sync::{Arc, Weak};

use bothy_domain::acting_for::{InvocationClaims, RunBinding, verdict};
use bothy_domain::actor::{ActingFor, Actor, Credential, PrincipalKind, PrincipalStatus};
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_platform::authorize::Authenticator;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Credentials;
use bothy_platform::instance::rights_version;
use bothy_storage::Reader;
use futures::future::BoxFuture;

use crate::store::{sessions, tokens};
use crate::token::{self, TokenHash, TokenKind};
use crate::tokens::TokenUse;
use crate::{ActingForSource, Identity};

/// Says who is calling: in one round trip on PostgreSQL the credential, the status of its
/// principal, the rights version, and the run of an invocation token. Nothing of it is cached.
impl Authenticator for Identity {
    fn authenticate<'a>(
        &'a self,
        reader: &'a Reader,
        credentials: &'a Credentials,
    ) -> BoxFuture<'a, Result<Actor, Problem>> {
        Box::pin(async move {
            // An `Invocation-Token` without credentials ends here too: a run binds nobody (AF-3).
            let shown = credentials.token.as_deref().and_then(token::parse);
            let (kind, hash) = shown.ok_or_else(unauthenticated)?;
            let invocation = self.invocation(reader, kind, &credentials.invocation_tokens).await?;
            let (caller, version, run) = futures::join!(
                self.caller(reader, kind, &hash),
                rights_version(reader),
                Self::run(reader, &invocation),
            );
            let caller = caller?;
            Ok(Actor {
                principal: caller.principal,
                kind: caller.kind,
                credential: caller.credential,
                rights_version: version.or_problem()?,
                acting_for: acting_for(&invocation, run?.as_ref(), caller.principal),
                requires_binding: caller.requires_binding,
            })
        })
    }
}

/// The principal behind a credential that counts.
struct Caller {
    principal: PrincipalId,
    kind: PrincipalKind,
    credential: Credential,
    requires_binding: bool,
}

/// What the values of `Invocation-Token` come to before the run is known (AF-3).
enum Invocation {
    Absent,
    Invalid,
    Claims(InvocationClaims, Arc<dyn ActingForSource>),
}

impl Identity {
    /// Looks further only at exactly one value of an agent: the audience of a token can be nobody
    /// else.
    async fn invocation(&self, reader: &Reader, kind: TokenKind, values: &[Vec<u8>]) -> Result<Invocation, Problem> {
        let value = match values {
            [] => return Ok(Invocation::Absent),
            [value] if kind == TokenKind::Agent => value,
            _ => return Ok(Invocation::Invalid),
        };
        let text = std::str::from_utf8(value).ok().filter(|text| !text.trim().is_empty());
        let source = self.acting_for.get().and_then(Weak::upgrade);
        let (Some(text), Some(source)) = (text, source) else {
            return Ok(Invocation::Invalid);
        };
        let claims = source.claims(reader, text).await.map_err(Problem::unavailable)?;
        Ok(claims.map_or(Invocation::Invalid, |claims| Invocation::Claims(claims, source)))
    }

    async fn run(reader: &Reader, invocation: &Invocation) -> Result<Option<RunBinding>, Problem> {
        let Invocation::Claims(InvocationClaims { run: Some(run), .. }, source) = invocation else {
            return Ok(None);
        };
        source.run(reader, *run).await.map_err(Problem::unavailable)
    }

    async fn caller(&self, reader: &Reader, kind: TokenKind, hash: &TokenHash) -> Result<Caller, Problem> {
        let token_use = match kind {
            TokenKind::Session => {
                let found = sessions::by_token(reader, hash).await.or_problem()?;
                return self.session_caller(found);
            }
            TokenKind::Personal => TokenUse::Personal,
            TokenKind::Agent => TokenUse::Agent,
            TokenKind::App => TokenUse::App,
            TokenKind::Invite => return Err(unauthenticated()),
        };
        let found = tokens::by_secret(reader, hash).await.or_problem()?;
        self.token_caller(found.filter(|found| found.token_use == token_use))
    }

    /// Looks again at who is calling, for a request that has waited: a session that ended, a token
    /// that was revoked and a principal that was shut out end it. The binding stays as it was
    /// authenticated, so the result serves delivery mode only, which ignores it (AF-14).
    ///
    /// # Errors
    /// `unauthenticated` when the credential does not count any more.
    pub async fn recheck(&self, reader: &Reader, actor: &Actor) -> Result<Actor, Problem> {
        let (caller, version) = futures::join!(self.caller_again(reader, actor.credential), rights_version(reader));
        let caller = caller?;
        Ok(Actor {
            principal: caller.principal,
            kind: caller.kind,
            credential: caller.credential,
            rights_version: version.or_problem()?,
            acting_for: actor.acting_for,
            requires_binding: caller.requires_binding,
        })
    }

    async fn caller_again(&self, reader: &Reader, credential: Credential) -> Result<Caller, Problem> {
        match credential {
            Credential::Session { id, .. } => self.session_caller(sessions::by_id(reader, id).await.or_problem()?),
            Credential::PersonalToken { id } | Credential::ApiToken { id } => {
                self.token_caller(tokens::by_id(reader, id).await.or_problem()?)
            }
        }
    }

    fn session_caller(&self, found: Option<sessions::SessionCredential>) -> Result<Caller, Problem> {
        let now = self.parts.clock.now();
        let live = |found: &sessions::SessionCredential| {
            !found.ended
                && found.session.expires_at > now
                && found.status == PrincipalStatus::Active
                && found.kind == PrincipalKind::Person
        };
        let found = found.filter(live).ok_or_else(unauthenticated)?;
        let confirmed = now < found.session.confirmed_at.plus(self.parts.config.auth.step_up_ttl.get());
        Ok(Caller {
            principal: found.session.person,
            kind: found.kind,
            credential: Credential::Session { id: found.session.id, confirmed },
            requires_binding: found.requires_binding,
        })
    }

    fn token_caller(&self, found: Option<tokens::TokenCredential>) -> Result<Caller, Problem> {
        let now = self.parts.clock.now();
        let live = |found: &tokens::TokenCredential| {
            !found.revoked
                && found.expires_at.is_none_or(|expires| expires > now)
                && found.status == PrincipalStatus::Active
                && found.kind == found.token_use.principal_kind()
        };
        let found = found.filter(live).ok_or_else(unauthenticated)?;
        self.note_use(&found, now);
        let credential = match found.token_use {
            TokenUse::Personal => Credential::PersonalToken { id: found.id },
            TokenUse::Agent | TokenUse::App => Credential::ApiToken { id: found.id },
        };
        Ok(Caller {
            principal: found.principal,
            kind: found.kind,
            credential,
            requires_binding: found.requires_binding,
        })
    }
}

/// The binding of a request. The authenticator never rejects because of it: authz decides and the
/// door audits.
fn acting_for(invocation: &Invocation, run: Option<&RunBinding>, caller: PrincipalId) -> ActingFor {
    match invocation {
        Invocation::Absent => ActingFor::Absent,
        Invocation::Invalid => ActingFor::Invalid,
        Invocation::Claims(claims, _) => verdict(claims, run, caller),
    }
}

/// The one answer for whatever is wrong with credentials.
pub(crate) fn unauthenticated() -> Problem {
    Problem::new(ProblemCode::Unauthenticated)
}

#[cfg(test)]
mod tests;
