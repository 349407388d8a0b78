use std::sync::Arc;

use bothy_domain::action::{Action, actions};
use bothy_domain::problem::Problem;
use bothy_platform::http::{Allowed, Body, Created, Json, NoContent, Query, RouteTable, Routes, delete, get, post};
use bothy_platform::paging::Page;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{AccessEntry, Authz, CreateGrant, GrantView, RightsChange};

/// A page of a list.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PageOf {
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
            "Nobody gives more than they hold on the target, nor for longer than they hold it. Grants add up: the highest level and all capabilities count.",
        ),
        create_grant,
    );
    routes.add(
        get("listGrants", "/access/{target_kind}/{target_id}/grants", "List the grants on a target")
            .describe("The grants on exactly this target that give something now, oldest first."),
        list_grants,
    );
    routes.add(
        post("previewGrant", "/access/{target_kind}/{target_id}/grants/preview", "See what a grant would change").describe(
            "Takes what createGrant takes and gives nothing: whose effective rights on the target would change, from what to what, ascending by principal. Refused where createGrant would be refused.",
        ),
        preview_grant,
    );
    routes.add(
        delete("revokeGrant", "/grants/{grant_id}", "Take a grant back")
            .describe("Counts on the next request, in every process. What other grants give stays."),
        revoke_grant,
    );
    routes.add(
        get("explainChannelAccess", "/channels/{channel_id}/access", "See who has access to a channel and why").describe(
            "Everybody with access, with effective level, capabilities and every source. People without access are there when an agent that can read the channel may be triggered by them elsewhere: `via_agent`. Ascending by principal.",
        ),
        explain_channel_access,
    );
    routes.add(
        get("explainSpaceAccess", "/spaces/{space_id}/access", "See who has access to a space and why").describe(
            "As for a channel, for everything in the space. What is given on one channel of the space is explained at that channel. Ascending by principal.",
        ),
        explain_space_access,
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
    Query(query): Query<PageOf>,
) -> Result<Json<Page<GrantView>>, Problem> {
    authz.list_grants(allowed, query.limit, query.cursor.as_deref()).await.map(Json::new)
}

async fn revoke_grant(allowed: Allowed<actions::GrantRevoke>, authz: Arc<Authz>, (): ()) -> Result<NoContent, Problem> {
    authz.revoke_grant(allowed).await.map(|()| NoContent)
}

async fn preview_grant(
    allowed: Allowed<actions::GrantPreview>,
    authz: Arc<Authz>,
    (Query(query), Body(input)): (Query<PageOf>, Body<CreateGrant>),
) -> Result<Json<Page<RightsChange>>, Problem> {
    authz.preview_grant(allowed, input, query.limit, query.cursor.as_deref()).await.map(Json::new)
}

async fn explain_channel_access(
    allowed: Allowed<actions::AccessExplain>,
    authz: Arc<Authz>,
    Query(query): Query<PageOf>,
) -> Result<Json<Page<AccessEntry>>, Problem> {
    authz.explain_channel(allowed, query.limit, query.cursor.as_deref()).await.map(Json::new)
}

async fn explain_space_access(
    allowed: Allowed<actions::SpaceAccessExplain>,
    authz: Arc<Authz>,
    Query(query): Query<PageOf>,
) -> Result<Json<Page<AccessEntry>>, Problem> {
    authz.explain_space(allowed, query.limit, query.cursor.as_deref()).await.map(Json::new)
}
