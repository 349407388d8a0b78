//! Tokens for the scripts of people.

use bothy_domain::action::{Action, ResourceKind, actions};
use bothy_domain::audit::AuditEntry;
use bothy_domain::ids::TokenId;
use bothy_domain::policy::{Path, Place, Resource};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::time::Timestamp;
use bothy_platform::failure::{Failure, OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Page, Paging};
use bothy_storage::work;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::tokens::{NewToken, TokenUse};
use crate::{Identity, IssuedTokenView, TokenView};

/// A token to be made.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreatePersonalToken {
    /// What it is called.
    pub name: String,
    /// From when on it counts no more; never, when absent.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
}

impl Identity {
    /// Makes a personal token of the caller.
    ///
    /// # Errors
    /// `validation_failed` at `/name` or `/expires_at`.
    pub(crate) async fn create_personal_token(
        &self,
        allowed: Allowed<actions::TokenCreate>,
        input: CreatePersonalToken,
    ) -> Result<IssuedTokenView, Problem> {
        let (me, input, allowed) = (allowed.actor().principal, &input, &allowed);
        transact(&self.parts.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                allowed.takes_effect(unit).await?;
                self.lock_active(unit, me).await?;
                let new = NewToken {
                    token_use: TokenUse::Personal,
                    principal: me,
                    name: &input.name,
                    created_by: me,
                    expires_at: input.expires_at,
                };
                let token = self.issue_token(unit, new).await?;
                let entry = AuditEntry::done(allowed.actor(), Action::TokenCreate, Some(token.id.cast()));
                self.parts.audit.record(unit, &entry).await?;
                Ok(IssuedTokenView::from(token))
            })
        })
        .await
    }

    /// The personal tokens of the caller.
    ///
    /// # Errors
    /// `validation_failed` for a limit or cursor that is none.
    pub(crate) async fn list_personal_tokens(
        &self,
        allowed: Allowed<actions::TokenRead>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<TokenView>, Problem> {
        let paging = Paging::parse(limit, cursor, &*self.parts.config)?;
        let reader = self.parts.database.reader().await.or_problem()?;
        let me = allowed.actor().principal;
        let keeps = |token: &TokenView| {
            let path = Path::of(Place::Private(me));
            let resource = Resource::new(ResourceKind::Token, token.token_id.cast(), path);
            allowed.judge().keeps(Action::TokenRead, &resource)
        };
        Ok(self.list_tokens(&reader, me, &paging).await?.retain(keeps))
    }

    /// Revokes a personal token of the caller.
    ///
    /// # Errors
    /// `not_found` when it was revoked meanwhile.
    pub(crate) async fn revoke_personal_token(&self, allowed: Allowed<actions::TokenRevoke>) -> Result<(), Problem> {
        let me = allowed.actor().principal;
        let token: TokenId = allowed.id();
        let entry = &AuditEntry::done(allowed.actor(), Action::TokenRevoke, Some(token.cast()));
        transact(&self.parts.database, |unit| {
            work(async move {
                if !self.revoke_token(unit, me, token).await? {
                    return Err(Failure::from(Problem::new(ProblemCode::NotFound)));
                }
                self.credential_ended(unit, me, token.cast()).await?;
                self.parts.audit.record(unit, entry).await?;
                Ok(())
            })
        })
        .await
    }
}
