use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_identity::{IssuedTokenView, TokenUse, TokenView};
use bothy_platform::http::{Allowed, Body, Created, Json, NoContent, Query};
use bothy_platform::paging::Page;
use schemars::JsonSchema;
use serde::Deserialize;

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

impl From<CreateToken> for TokenRequest {
    fn from(input: CreateToken) -> Self {
        let CreateToken { name, expires_at } = input;
        Self { name, expires_at }
    }
}

pub(super) async fn create_agent_token(
    allowed: Allowed<actions::AgentTokenIssue>,
    agents: Arc<Agents>,
    Body(input): Body<CreateToken>,
) -> Result<Created<IssuedTokenView>, Problem> {
    Ok(Created::new(agents.issue_token(allowed, TokenUse::Agent, input.into()).await?.into()))
}

pub(super) async fn create_app_token(
    allowed: Allowed<actions::AppTokenIssue>,
    agents: Arc<Agents>,
    Body(input): Body<CreateToken>,
) -> Result<Created<IssuedTokenView>, Problem> {
    Ok(Created::new(agents.issue_token(allowed, TokenUse::App, input.into()).await?.into()))
}

pub(super) async fn list_agent_tokens(
    allowed: Allowed<actions::AgentTokenRead>,
    agents: Arc<Agents>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<TokenView>>, Problem> {
    Ok(Json::new(agents.list_tokens(allowed, query.limit, query.cursor.as_deref()).await?))
}

pub(super) async fn list_app_tokens(
    allowed: Allowed<actions::AppTokenRead>,
    agents: Arc<Agents>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<TokenView>>, Problem> {
    Ok(Json::new(agents.list_tokens(allowed, query.limit, query.cursor.as_deref()).await?))
}

pub(super) async fn revoke_agent_token(
    allowed: Allowed<actions::AgentTokenIssue>,
    agents: Arc<Agents>,
    _: (),
) -> Result<NoContent, Problem> {
    agents.revoke_token(allowed).await?;
    Ok(NoContent)
}

pub(super) async fn revoke_app_token(
    allowed: Allowed<actions::AppTokenIssue>,
    agents: Arc<Agents>,
    _: (),
) -> Result<NoContent, Problem> {
    agents.revoke_token(allowed).await?;
    Ok(NoContent)
}
