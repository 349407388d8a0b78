use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_platform::http::{Allowed, Body, Created, Json, Query};
use bothy_platform::paging::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PageQuery;
use crate::Agents;
use crate::app::{AppFacts, NewApp};

/// An app.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "App")]
pub(super) struct AppView {
    /// The app.
    app_id: PrincipalId,
    /// The handle, without `@`.
    handle: String,
    /// The name that is shown.
    display_name: String,
    /// `active`, `disabled` or `deleted`.
    status: &'static str,
    /// What it is for.
    description: String,
    /// Who made it.
    created_by: PrincipalId,
}

impl From<AppFacts> for AppView {
    fn from(facts: AppFacts) -> Self {
        Self {
            app_id: facts.id,
            handle: facts.handle,
            display_name: facts.display_name,
            status: facts.status.as_str(),
            description: facts.description,
            created_by: facts.created_by,
        }
    }
}

/// An app to be made.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateApp {
    /// The handle: letters, digits, `.`, `_` and `-`.
    handle: String,
    /// The name that is shown.
    display_name: String,
    /// What it is for.
    #[serde(default)]
    description: String,
}

pub(super) async fn create_app(
    allowed: Allowed<actions::AppCreate>,
    agents: Arc<Agents>,
    Body(input): Body<CreateApp>,
) -> Result<Created<AppView>, Problem> {
    let CreateApp { handle, display_name, description } = input;
    let facts = agents.create_app(allowed, NewApp { handle, display_name, description }).await?;
    Ok(Created::new(facts.into()))
}

pub(super) async fn list_apps(
    allowed: Allowed<actions::AppRead>,
    agents: Arc<Agents>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<AppView>>, Problem> {
    let page = agents.list_apps(allowed, query.limit, query.cursor.as_deref()).await?;
    Ok(Json::new(page.map(AppView::from)))
}

pub(super) async fn get_app(
    allowed: Allowed<actions::AppRead>,
    agents: Arc<Agents>,
    _: (),
) -> Result<Json<AppView>, Problem> {
    Ok(Json::new(agents.get_app(allowed).await?.into()))
}

pub(super) async fn disable_app(
    allowed: Allowed<actions::AppDisable>,
    agents: Arc<Agents>,
    _: (),
) -> Result<Json<AppView>, Problem> {
    Ok(Json::new(agents.disable_app(allowed).await?.into()))
}

pub(super) async fn enable_app(
    allowed: Allowed<actions::AppDisable>,
    agents: Arc<Agents>,
    _: (),
) -> Result<Json<AppView>, Problem> {
    Ok(Json::new(agents.enable_app(allowed).await?.into()))
}
