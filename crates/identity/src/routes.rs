mod account;
mod groups;
mod people;

use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::problem::Problem;
use bothy_platform::http::{Allowed, Json, Query, RouteTable, Routes, get};
use bothy_platform::paging::Page;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Identity;
use crate::audit_events::{AuditEventView, ListAuditEvents};

/// A page of a list.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct List {
    /// How many items at most.
    #[serde(default)]
    limit: Option<u32>,
    /// `next_cursor` of the page before.
    #[serde(default)]
    cursor: Option<String>,
}

pub(crate) fn table(identity: &Arc<Identity>) -> RouteTable {
    let mut routes = Routes::new(Arc::clone(identity));
    account::add(&mut routes);
    people::add(&mut routes);
    groups::add(&mut routes);
    routes.add(
        get("listAuditEvents", "/audit/events", "Read the audit log")
            .describe("Newest first. Every denial of a request and every action of administration, with ids only."),
        list_audit_events,
    );
    routes.into_table()
}

async fn list_audit_events(
    allowed: Allowed<actions::AuditRead>,
    identity: Arc<Identity>,
    Query(query): Query<ListAuditEvents>,
) -> Result<Json<Page<AuditEventView>>, Problem> {
    identity.list_audit_events(allowed, query).await.map(Json::new)
}
