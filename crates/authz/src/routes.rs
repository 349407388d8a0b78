use std::sync::Arc;

use bothy_domain::action::{Action, actions};
use bothy_domain::problem::Problem;
use bothy_platform::http::{Allowed, Body, Created, Json, NoContent, Query, RouteTable, Routes, delete, get, post};
use bothy_platform::paging::Page;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Authz, CreateGrant, GrantView};

/// A page of a list.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListGrants {
    /// How many items at most.
    #[serde(default)]
    limit: Option<u32>,
    /// `next_cursor` of the page before.
    #[serde(default)]
    cursor: Option<String>,
}

pub(crate) fn table(authz: &Arc<Authz>) -> RouteTable {
    let mut routes = Routes::new(Arc::clone(authz));
    routes.add(
        post("createGrant", "/access/{target_kind}/{target_id}/grants", "Give rights on a target").creates().recheck(Action::GrantRevoke).describe(
            "Nobody gives more than they hold on the target. Grants add up: the highest level and all capabilities count.",
        ),
        create_grant,
    );
    routes.add(
        get("listGrants", "/access/{target_kind}/{target_id}/grants", "List the grants on a target")
            .describe("The grants on exactly this target that give something now, oldest first."),
        list_grants,
    );
    routes.add(
        delete("revokeGrant", "/grants/{grant_id}", "Take a grant back")
            .describe("Counts on the next request, in every process. What other grants give stays."),
        revoke_grant,
    );
    routes.into_table()
}

async fn create_grant(
    allowed: Allowed<actions::GrantCreate>,
    authz: Arc<Authz>,
    Body(input): Body<CreateGrant>,
) -> Result<Created<GrantView>, Problem> {
    authz.create_grant(allowed, input).await.map(Created::new)
}

async fn list_grants(
    allowed: Allowed<actions::GrantRead>,
    authz: Arc<Authz>,
    Query(query): Query<ListGrants>,
) -> Result<Json<Page<GrantView>>, Problem> {
    authz.list_grants(allowed, query.limit, query.cursor.as_deref()).await.map(Json::new)
}

async fn revoke_grant(allowed: Allowed<actions::GrantRevoke>, authz: Arc<Authz>, (): ()) -> Result<NoContent, Problem> {
    authz.revoke_grant(allowed).await.map(|()| NoContent)
}
