use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::ids::TokenId;
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_identity::{IssuedToken, TokenFacts};
use bothy_platform::http::{Allowed, Body, Created, Json, NoContent, Query};
use bothy_platform::paging::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PageQuery;
use crate::Agents;
use crate::token::TokenRequest;

/// A token to be made.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateToken {
    /// What it is for.
    name: String,
    /// Until when it is valid; for ever when absent.
    #[serde(default)]
    expires_at: Option<Timestamp>,
}

/// A token that was just made. Its secret is shown this once.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IssuedApiToken")]
pub(super) struct IssuedView {
    /// The token's id.
    id: TokenId,
    /// The secret, for `Authorization: Bearer`.
    token: String,
}

impl From<IssuedToken> for IssuedView {
    fn from(issued: IssuedToken) -> Self {
        Self { id: issued.id, token: issued.secret }
    }
}

/// A token, without its secret.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApiToken")]
pub(super) struct TokenView {
    /// The token's id.
    id: TokenId,
    /// What it is for.
    name: String,
    /// When it was made.
    created_at: Timestamp,
    /// Until when it is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
    /// Since when it is revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<Timestamp>,
}

impl From<TokenFacts> for TokenView {
    fn from(facts: TokenFacts) -> Self {
        Self {
            id: facts.id,
            name: facts.name,
            created_at: facts.created_at,
            expires_at: facts.expires_at,
            revoked_at: facts.revoked_at,
        }
    }
}

pub(super) async fn create_agent_token(
    allowed: Allowed<actions::AgentTokenIssue>,
    agents: Arc<Agents>,
    Body(input): Body<CreateToken>,
) -> Result<Created<IssuedView>, Problem> {
    let CreateToken { name, expires_at } = input;
    Ok(Created::new(agents.create_agent_token(allowed, TokenRequest { name, expires_at }).await?.into()))
}

pub(super) async fn create_app_token(
    allowed: Allowed<actions::AppTokenIssue>,
    agents: Arc<Agents>,
    Body(input): Body<CreateToken>,
) -> Result<Created<IssuedView>, Problem> {
    let CreateToken { name, expires_at } = input;
    Ok(Created::new(agents.create_app_token(allowed, TokenRequest { name, expires_at }).await?.into()))
}

pub(super) async fn list_agent_tokens(
    allowed: Allowed<actions::AgentTokenRead>,
    agents: Arc<Agents>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<TokenView>>, Problem> {
    let page = agents.list_tokens(allowed, query.limit, query.cursor.as_deref()).await?;
    Ok(Json::new(page.map(TokenView::from)))
}

pub(super) async fn list_app_tokens(
    allowed: Allowed<actions::AppTokenRead>,
    agents: Arc<Agents>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<TokenView>>, Problem> {
    let page = agents.list_tokens(allowed, query.limit, query.cursor.as_deref()).await?;
    Ok(Json::new(page.map(TokenView::from)))
}

pub(super) async fn revoke_agent_token(
    allowed: Allowed<actions::AgentTokenIssue>,
    agents: Arc<Agents>,
    _: (),
) -> Result<NoContent, Problem> {
    agents.revoke(allowed).await?;
    Ok(NoContent)
}

pub(super) async fn revoke_app_token(allowed: Allowed<actions::AppTokenIssue>, agents: Arc<Agents>, _: ()) -> Result<NoContent, Problem> {
    agents.revoke(allowed).await?;
    Ok(NoContent)
}
