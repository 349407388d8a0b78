//! The tokens of agents and apps. Their secrets are shown once and stored as hashes, by identity.

use bothy_domain::action::ActionType;
use bothy_domain::audit::AuditEntry;
use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::{PrincipalId, TokenId};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::time::Timestamp;
use bothy_identity::{IssuedToken, NewToken, TokenUse, TokenView};
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Page, Paging};
use bothy_storage::work;

use crate::Agents;

/// What a new token is.
#[derive(Debug, Clone)]
pub(crate) struct TokenRequest {
    pub(crate) name: String,
    pub(crate) expires_at: Option<Timestamp>,
}

impl Agents {
    /// Makes a token of the agent or app that was judged.
    pub(crate) async fn issue_token<A: ActionType>(
        &self,
        allowed: Allowed<A>,
        token_use: TokenUse,
        request: TokenRequest,
    ) -> Result<IssuedToken, Problem> {
        let principal: PrincipalId = allowed.id();
        let (allowed, request) = (&allowed, &request);
        let actor = allowed.actor();
        transact(&self.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                allowed.takes_effect(unit).await?;
                let token = NewToken {
                    token_use,
                    principal,
                    name: &request.name,
                    created_by: actor.principal,
                    expires_at: request.expires_at,
                };
                let issued = self.identity.issue_token(unit, token).await?;
                let entry = AuditEntry::done(actor, A::ACTION, Some(principal.cast())).with("token", issued.id);
                self.audit.record(unit, &entry).await?;
                Ok(issued)
            })
        })
        .await
    }

    /// The tokens of an agent or an app, without their secrets.
    pub(crate) async fn list_tokens<A: ActionType>(
        &self,
        allowed: Allowed<A>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<TokenView>, Problem> {
        let paging = Paging::parse(limit, cursor, self.pages)?;
        let reader = self.database.reader().await.or_problem()?;
        self.identity.list_tokens(&reader, allowed.id(), &paging).await
    }

    /// Revokes a token: its next request fails, and a poll that waits with it ends at once.
    pub(crate) async fn revoke_token<A: ActionType>(&self, allowed: Allowed<A>) -> Result<(), Problem> {
        let principal: PrincipalId = allowed.id();
        let token: TokenId = allowed.path_id("api_token_id")?;
        let allowed = &allowed;
        let actor = allowed.actor();
        transact(&self.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                if !self.identity.revoke_token(unit, principal, token).await? {
                    return Err(Problem::new(ProblemCode::NotFound).into());
                }
                // Wakes a poll that waits with the token, so that it looks at its credential again.
                let event = NewEvent {
                    subject: Some(token.cast()),
                    ..NewEvent::new(EventKind::RightsChanged, Audience::Principal(principal))
                };
                self.events.append(unit, &[event]).await?;
                let entry = AuditEntry::done(actor, A::ACTION, Some(principal.cast())).with("revoked_token", token);
                self.audit.record(unit, &entry).await?;
                Ok(())
            })
        })
        .await
    }
}
