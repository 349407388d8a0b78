//! The operations of this module and what they send and take.

mod changes;
mod import;
mod messages;
mod own;
mod reactions;
mod search;
mod threads;

use std::sync::Arc;

use bothy_platform::http::{RouteTable, Routes};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Messaging;

/// Which page of a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct List {
    /// How many at most.
    limit: Option<u32>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
}

impl Messaging {
    /// The operations on messages, and those on threads that write or need one.
    pub fn routes(self: &Arc<Self>) -> RouteTable {
        let mut routes = Routes::new(Arc::clone(self));
        import::add(&mut routes);
        messages::add(&mut routes);
        changes::add(&mut routes);
        reactions::add(&mut routes);
        own::add(&mut routes);
        search::add(&mut routes);
        threads::add(&mut routes);
        routes.into_table()
    }
}
