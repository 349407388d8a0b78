//! Who answers: agents and apps, their tokens, the sessions of agents in threads, and how far each
//! agent has read in the event log (chapter 02, chapter 06 section 4, chapter 05 section 5).
//!
//! Other crates use [`Agents`] for what a run needs to know of its agent: how it stands to direct
//! messages ([`Agents::dm_policy`]), its session in a thread ([`Agents::current_session`],
//! [`Agents::session`], [`Agents::report`]) and its reading position ([`Agents::cursor`],
//! [`Agents::advance`], [`Agents::seen`]), and the commands that an agent offers ([`Agents::command`]).

mod account;
mod agent;
mod app;
mod command;
mod consumer;
mod locate;
mod renew_session;
mod routes;
mod session;
mod store;
mod token;

use std::sync::Arc;

use bothy_domain::time::Timestamp;
use bothy_identity::Identity;
use bothy_platform::audit::AuditLog;
use bothy_platform::clock::SharedClock;
use bothy_platform::entropy::IdSource;
use bothy_platform::events::EventLog;
use bothy_platform::http::RouteTable;
use bothy_platform::paging::PageLimits;
use bothy_storage::{Database, Statement};

pub use agent::{AgentFacts, DmPolicy};
pub use routes::AgentSessionView;
pub use session::{SessionReference, SessionRow};

/// What the module stands on.
#[allow(missing_debug_implementations)]
pub struct AgentsDeps {
    /// The database.
    pub database: Database,
    /// People, agents and apps as principals, and their tokens.
    pub identity: Arc<Identity>,
    /// Where changes are recorded.
    pub audit: AuditLog,
    /// Where the beginning of a new consumer is read, and waiting polls are woken.
    pub events: EventLog,
    /// The time.
    pub clock: SharedClock,
    /// Ids.
    pub ids: IdSource,
    /// The lengths of pages.
    pub pages: PageLimits,
    /// How many commands an agent may offer (`agent.max_commands`).
    pub commands_max: usize,
}

/// Agents and apps.
#[allow(missing_debug_implementations)]
pub struct Agents {
    database: Database,
    identity: Arc<Identity>,
    audit: AuditLog,
    events: EventLog,
    clock: SharedClock,
    ids: IdSource,
    pages: PageLimits,
    commands_max: usize,
}

impl Agents {
    /// The module over its dependencies.
    pub fn new(deps: AgentsDeps) -> Arc<Self> {
        let AgentsDeps { database, identity, audit, events, clock, ids, pages, commands_max } = deps;
        Arc::new(Self { database, identity, audit, events, clock, ids, pages, commands_max })
    }

    /// The operations of the module.
    pub fn routes(self: &Arc<Self>) -> RouteTable {
        routes::table(self)
    }

    /// Every statement of the module, for the test that prepares them on both engines.
    pub fn statements() -> Vec<&'static Statement> {
        store::statements()
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
