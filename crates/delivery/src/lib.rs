//! What reaches clients (chapter 05 section 5): the state to begin with, the events after it, and
//! connections over which they follow live.
//!
//! Everything is judged at the moment of delivery. A list of events is judged like every list, by
//! scope and then one by one; over a connection, one reader of the log a node looks at each event
//! once, loads once what it shows, and hands it to those connections whose rights of that moment allow
//! it. Rights, sessions and tokens that end take effect on connections that are open, on every node:
//! the event of their end, like every other, wakes them.
//!
//! What a client says over a connection goes through the same door as a request
//! ([`Operations`](bothy_platform::http::Operations)); nothing is decided here that is decided there.

mod cursor;
mod frame;
mod gateway;
mod list;
mod presence;
mod routes;
mod shown;
mod snapshot;
mod store;
mod typing;

use std::sync::{Arc, OnceLock, Weak};

use bothy_authz::Authz;
use bothy_chat::Chat;
use bothy_domain::ids::AnyId;
use bothy_domain::time::Timestamp;
use bothy_identity::Identity;
use bothy_messaging::Messaging;
use bothy_platform::authorize::Authorizer;
use bothy_platform::clock::SharedClock;
use bothy_platform::config::Config;
use bothy_platform::entropy::IdSource;
use bothy_platform::events::EventLog;
use bothy_platform::http::{Operations, RouteTable};
use bothy_platform::paging::PageLimits;
use bothy_runs::Runs;
use bothy_storage::{Database, Statement, StorageError};

use crate::gateway::Hub;
use crate::presence::Here;
use crate::typing::Typing;

/// What delivery stands on.
#[allow(missing_debug_implementations)]
pub struct Parts {
    /// The database.
    pub database: Database,
    /// The time.
    pub clock: SharedClock,
    /// Names this node.
    pub ids: IdSource,
    /// The settings.
    pub config: Arc<Config>,
    /// What changed.
    pub events: EventLog,
    /// Who may be told of it.
    pub authz: Arc<Authz>,
    /// Who is at the other end.
    pub identity: Arc<Identity>,
    /// Spaces, channels and threads as they are shown.
    pub chat: Arc<Chat>,
    /// Messages as they are shown.
    pub messaging: Arc<Messaging>,
    /// Runs as they are shown, and what agents are handed.
    pub runs: Arc<Runs>,
}

/// What reaches clients; one value a process.
#[allow(missing_debug_implementations)]
pub struct Delivery {
    parts: Parts,
    node: AnyId,
    hub: Hub,
    here: Here,
    typing: Typing,
    operations: OnceLock<Weak<Operations>>,
}

impl Delivery {
    /// The module on its parts. It follows the log from here on.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn open(parts: Parts) -> Result<Arc<Self>, StorageError> {
        let head = parts.events.head(&parts.database.reader().await?).await?;
        Ok(Arc::new(Self {
            node: parts.ids.next(),
            hub: Hub::new(head, &parts.config.gateway),
            here: Here::default(),
            typing: Typing::default(),
            operations: OnceLock::new(),
            parts,
        }))
    }

    /// Connects the operations that connections call. Kept weakly: the router behind them keeps this
    /// module alive.
    pub fn set_operations(&self, operations: &Arc<Operations>) {
        if self.operations.set(Arc::downgrade(operations)).is_err() {
            tracing::error!("the operations were connected twice; the first connection counts");
        }
    }

    /// The operations of this module.
    pub fn routes(self: &Arc<Self>) -> RouteTable {
        routes::table(self)
    }

    /// Every statement of this crate, for the test that prepares them on both engines.
    pub fn statements() -> Vec<&'static Statement> {
        store::statements()
    }

    fn now(&self) -> Timestamp {
        self.parts.clock.now()
    }

    fn authorizer(&self) -> &dyn Authorizer {
        &*self.parts.authz
    }

    fn pages(&self) -> PageLimits {
        PageLimits::from(&*self.parts.config)
    }
}
