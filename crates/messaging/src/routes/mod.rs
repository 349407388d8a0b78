//! The operations of this module and what they send and take.

mod messages;
mod threads;

use std::sync::Arc;

use bothy_platform::http::{RouteTable, Routes};

use crate::Messaging;

impl Messaging {
    /// The operations on messages, and those on threads that write or need one.
    pub fn routes(self: &Arc<Self>) -> RouteTable {
        let mut routes = Routes::new(Arc::clone(self));
        messages::add(&mut routes);
        threads::add(&mut routes);
        routes.into_table()
    }
}
