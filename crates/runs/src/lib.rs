//! The work of agents: when a message starts a run, how a run lives and ends, what its agent is
//! handed and may read, and whom it works for (chapters 05 section 5, 06, 07 and 08).
//!
//! [`Runs`] implements the ports of the crates below: [`MessageWritten`](bothy_messaging::MessageWritten)
//! (a message starts, follows up or waits), [`RightsChanged`](bothy_authz::RightsChanged) (a
//! revocation ends runs in its own unit of work), [`ActingForSource`](bothy_identity::ActingForSource)
//! (what an `Invocation-Token` means) and [`Locate`](bothy_platform::authorize::Locate) for runs.
//!
//! # Reads without the visible-channel predicate
//!
//! - `RUN_BINDING` loads one run by its key for authentication, before anything is authorized, and to
//!   locate a run that is to be judged; nothing of it leaves the server (seed 003 note 3f).
//! - `RUN_BY_ID` loads one run by its key to be judged, or one that was judged already.
//! - The other statements read rows of one run, one thread or one agent that was judged before, or
//!   serve the server's own duties (expiry, revocation, hand-over), which show nothing to anybody.

mod acting_for;
mod active;
mod attach;
mod context;
mod deleted;
mod deliver;
mod direct;
mod end;
mod event;
mod evidence;
mod expire;
mod hand_over;
mod life;
mod locate;
mod place;
mod read;
mod request;
mod revoked;
mod rights;
mod routes;
mod settings;
mod stopped;
mod store;
mod token;
mod unbound;
mod written;

use std::sync::Arc;

use bothy_agents::Agents;
use bothy_authz::Authz;
use bothy_chat::Chat;
use bothy_domain::ids::InstanceId;
use bothy_domain::time::Timestamp;
use bothy_identity::Identity;
use bothy_messaging::Messaging;
use bothy_platform::audit::AuditLog;
use bothy_platform::authorize::{Authorizer, TriggerHolders};
use bothy_platform::clock::SharedClock;
use bothy_platform::entropy::IdSource;
use bothy_platform::events::EventLog;
use bothy_platform::http::RouteTable;
use bothy_platform::keys::KeyRing;
use bothy_storage::{Database, Statement};

pub use deliver::{Ground, Told};
pub use expire::Expired;
pub use routes::{AgentEventView, RunView};
pub use settings::RunSettings;
pub use token::{InvocationTokens, TokenRefused, Verified};

/// What the module stands on.
#[allow(missing_debug_implementations)]
pub struct RunsDeps {
    /// The database.
    pub database: Database,
    /// Names of principals.
    pub identity: Arc<Identity>,
    /// The rights of people and agents at this moment.
    pub authz: Arc<Authz>,
    /// Channels, threads and their switches.
    pub chat: Arc<Chat>,
    /// Messages of a context.
    pub messaging: Arc<Messaging>,
    /// Agents, their sessions and their reading positions.
    pub agents: Arc<Agents>,
    /// Where what was done is recorded.
    pub audit: AuditLog,
    /// Where changes are told.
    pub events: EventLog,
    /// The keys that sign invocation tokens.
    pub keys: KeyRing,
    /// The issuer of invocation tokens.
    pub instance: InstanceId,
    /// The time.
    pub clock: SharedClock,
    /// Ids.
    pub ids: IdSource,
    /// Limits and periods.
    pub settings: RunSettings,
}

/// The runs of agents.
#[allow(missing_debug_implementations)]
pub struct Runs {
    database: Database,
    identity: Arc<Identity>,
    authz: Arc<Authz>,
    chat: Arc<Chat>,
    messaging: Arc<Messaging>,
    agents: Arc<Agents>,
    audit: AuditLog,
    events: EventLog,
    tokens: InvocationTokens,
    clock: SharedClock,
    ids: IdSource,
    settings: RunSettings,
    noted: stopped::Noted,
    unbound: Arc<unbound::Counted>,
}

impl Runs {
    /// The module over its dependencies.
    pub fn new(deps: RunsDeps) -> Arc<Self> {
        let RunsDeps {
            database,
            identity,
            authz,
            chat,
            messaging,
            agents,
            audit,
            events,
            keys,
            instance,
            clock,
            ids,
            settings,
        } = deps;
        let tokens = InvocationTokens::new(keys, instance, Arc::clone(&clock), ids.clone(), &settings);
        Arc::new(Self {
            database,
            identity,
            authz,
            chat,
            messaging,
            agents,
            audit,
            events,
            tokens,
            clock,
            ids,
            settings,
            noted: stopped::Noted::default(),
            unbound: Arc::default(),
        })
    }

    /// The operations of the module.
    pub fn routes(self: &Arc<Self>) -> RouteTable {
        routes::table(self)
    }

    /// Every statement of the module, for the test that prepares them on both engines.
    pub fn statements() -> Vec<&'static Statement> {
        store::statements()
    }

    /// The tokens that bind an agent to a run.
    pub const fn tokens(&self) -> &InvocationTokens {
        &self.tokens
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn authorizer(&self) -> &dyn Authorizer {
        &*self.authz
    }

    fn trigger_holders(&self) -> &dyn TriggerHolders {
        &*self.authz
    }
}
