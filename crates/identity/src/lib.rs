//! Who is calling (chapter 04 section 2, chapter 08 sections 1 and 2): people, groups, owners,
//! sessions, tokens, and the authentication of every request.
//!
//! Others ask here who a principal is ([`Identity::principals`]), make principals and tokens of
//! their own kinds ([`Identity::create_principal`], [`Identity::issue_token`]), and never read its
//! tables.

mod acting_for;
mod audit_events;
mod authenticate;
mod email;
mod facts;
mod groups;
mod invites;
mod locate;
mod login;
mod me;
mod owners;
mod password;
mod people;
mod personal_tokens;
mod principals;
mod routes;
mod sessions;
mod setup;
mod store;
mod token;
mod tokens;
mod views;

use std::sync::{Arc, OnceLock, Weak};

use bothy_authz::Authz;
use bothy_platform::audit::AuditLog;
use bothy_platform::clock::SharedClock;
use bothy_platform::config::Config;
use bothy_platform::entropy::{IdSource, SharedEntropy};
use bothy_platform::events::EventLog;
use bothy_platform::http::RouteTable;
use bothy_platform::instance::Instance;
use bothy_storage::{Database, Statement};

pub use acting_for::ActingForSource;
pub use groups::{CreateGroup, GroupView, UpdateGroup};
pub use invites::{AcceptInvite, InvitePerson, InviteView};
pub use login::{CreateSession, SignedIn};
pub use me::{ChangePassword, MeView, UpdateMe};
pub use people::UpdatePerson;
pub use personal_tokens::CreatePersonalToken;
pub use principals::{NewPrincipal, PrincipalRef};
pub use sessions::{ConfirmSession, SessionView};
pub use setup::{InstanceView, SetupInstance};
pub use tokens::{IssuedToken, NewToken, TokenUse};
pub use views::{IssuedTokenView, PersonView, PrincipalView, TokenView};

/// What identity stands on.
#[allow(missing_debug_implementations)]
pub struct Parts {
    /// The database.
    pub database: Database,
    /// Who is told when a right changes.
    pub authz: Arc<Authz>,
    /// The instance, which knows whether it is set up.
    pub instance: Instance,
    /// Where administration and failed logins are recorded.
    pub audit: AuditLog,
    /// Where changes are told.
    pub events: EventLog,
    /// The time that sessions and codes expire by.
    pub clock: SharedClock,
    /// Ids.
    pub ids: IdSource,
    /// Secrets of tokens and salts of passwords.
    pub entropy: SharedEntropy,
    /// `auth.*`, `http.page_limit_*`, `server.public_url`.
    pub config: Arc<Config>,
}

/// People, groups, sessions and tokens; one value a process, shared by everybody.
#[allow(missing_debug_implementations)]
pub struct Identity {
    parts: Parts,
    passwords: password::Passwords,
    acting_for: OnceLock<Weak<dyn ActingForSource>>,
    last_use: tokens::LastUse,
}

impl Identity {
    /// Identity without a source of bindings: until [`Identity::set_acting_for_source`], every
    /// `Invocation-Token` is invalid.
    pub fn new(parts: Parts) -> Self {
        let passwords = password::Passwords::new(&parts.config.auth, Arc::clone(&parts.entropy));
        Self { parts, passwords, acting_for: OnceLock::new(), last_use: tokens::LastUse::default() }
    }

    /// Connects who knows runs (AF-6). Kept weakly: the wiring of the server keeps the modules
    /// alive, and no module keeps another one alive in a circle.
    pub fn set_acting_for_source(&self, source: &Arc<dyn ActingForSource>) {
        if self.acting_for.set(Arc::downgrade(source)).is_err() {
            tracing::error!("the source of bindings was connected twice; the first connection counts");
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
}

#[cfg(test)]
mod tests;
