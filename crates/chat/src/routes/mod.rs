//! The operations of this module and what they send and take.

mod agent_config;
mod channels;
mod directs;
mod spaces;
mod threads;

use std::sync::Arc;

use bothy_domain::ids::PrincipalId;
use bothy_platform::http::{RouteTable, Routes};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Chat;

pub use channels::ChannelView;
pub use directs::DirectView;
pub use spaces::SpaceView;
pub use threads::ThreadView;

impl Chat {
    /// The operations on spaces, channels, threads and direct messages. Opening, closing, reopening and
    /// moving threads concern messages too and stand in messaging.
    pub fn routes(self: &Arc<Self>) -> RouteTable {
        let mut routes = Routes::new(Arc::clone(self));
        spaces::add(&mut routes);
        channels::add(&mut routes);
        agent_config::add(&mut routes);
        threads::add(&mut routes);
        directs::add(&mut routes);
        routes.into_table()
    }
}

/// Which page of a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PageQuery {
    /// How many items at most.
    limit: Option<u32>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
}

/// Who is to be in charge.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetOperator {
    /// The agent; without it nobody is set here.
    agent_id: Option<PrincipalId>,
}

/// A new name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rename {
    /// The name; without it nothing changes.
    name: Option<String>,
}
