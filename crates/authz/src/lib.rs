//! Facts into decisions (chapter 03, chapter 08 section 4): grants, snapshots of rights by rights
//! version, and the judge of a request.
//!
//! The rules themselves are in `bothy_domain::policy`. This crate loads what they need, keeps it as
//! long as it is true, and tells when it changed. Who is who comes from identity and what stands
//! where from chat, through the ports in [`facts`](PrincipalFacts).

mod cache;
mod changed;
mod expiry;
mod explain;
mod facts;
mod grants;
mod judge;
mod load;
mod locate;
mod routes;
mod store;
mod subject;
mod trigger;

use std::sync::Arc;

use bothy_domain::ids::PrincipalId;
use bothy_domain::policy::Snapshot;
use bothy_domain::problem::Problem;
use bothy_platform::audit::AuditLog;
use bothy_platform::clock::SharedClock;
use bothy_platform::config::Config;
use bothy_platform::entropy::IdSource;
use bothy_platform::events::EventLog;
use bothy_platform::http::RouteTable;
use bothy_storage::{Database, Reader, Statement, UnitOfWork};

pub use changed::Touched;
pub use explain::{AccessEntry, AccessSource, AccessSourceKind};
pub use facts::{Operators, PrincipalFact, PrincipalFacts, RightsChanged, TreeFacts};
pub use grants::{CreateGrant, GrantView, RightsChange, RightsView};

/// What authz stands on.
#[allow(missing_debug_implementations)]
pub struct Parts {
    /// The database.
    pub database: Database,
    /// Where what was done and denied is recorded.
    pub audit: AuditLog,
    /// Where changes are told.
    pub events: EventLog,
    /// The time that expiry is judged by.
    pub clock: SharedClock,
    /// Ids of grants.
    pub ids: IdSource,
    /// `authz.snapshot_cache_max_entries`, `http.page_limit_*`.
    pub config: Arc<Config>,
}

/// All permission logic of the server; one value a process, shared by everybody.
#[allow(missing_debug_implementations)]
pub struct Authz {
    parts: Parts,
    ports: facts::Ports,
    cache: cache::Cache,
}

impl Authz {
    /// Authz that knows nobody yet: the ports are connected by the wiring of the server, because
    /// those behind them need authz first.
    pub fn new(parts: Parts) -> Self {
        let cache = cache::Cache::new(parts.config.authz.snapshot_cache_max_entries.to_usize());
        Self { parts, ports: facts::Ports::default(), cache }
    }

    /// Connects who knows principals (identity). Kept weakly, here and for the other ports: the
    /// wiring keeps the modules alive, and no module keeps another one alive in a circle.
    pub fn set_principal_facts(&self, facts: &Arc<dyn PrincipalFacts>) {
        facts::connect(&self.ports.principals, facts);
    }

    /// Connects who knows the tree of spaces and channels (chat).
    pub fn set_tree_facts(&self, facts: &Arc<dyn TreeFacts>) {
        facts::connect(&self.ports.tree, facts);
    }

    /// Connects who ends work when rights are lost (runs).
    pub fn set_rights_changed(&self, hook: &Arc<dyn RightsChanged>) {
        facts::connect(&self.ports.rights_changed, hook);
    }

    /// The rights of a principal now, with ownership or without it. Warm ones cost one read of the
    /// rights version.
    ///
    /// The reader must not belong to a unit of work, whose state nobody else may ever see: there
    /// use [`Authz::snapshot_in`].
    ///
    /// # Errors
    /// `unavailable` when a source fails; never weaker or stronger rights.
    pub async fn snapshot(
        &self,
        reader: &Reader,
        principal: PrincipalId,
        ownership: bool,
    ) -> Result<Arc<Snapshot>, Problem> {
        let version = self.rights_version(reader).await?;
        self.snapshot_at(reader, version, principal, ownership).await
    }

    /// The rights of a principal as a unit of work sees them, its own changes included. Never from
    /// the cache and never into it.
    ///
    /// # Errors
    /// As [`Authz::snapshot`].
    pub async fn snapshot_in(
        &self,
        unit: &UnitOfWork,
        principal: PrincipalId,
        ownership: bool,
    ) -> Result<Arc<Snapshot>, Problem> {
        let version = self.rights_version(unit).await?;
        let loaded = self.load_one(unit, version, principal).await?;
        Ok(Arc::new(loaded.value.snapshot(ownership)))
    }

    /// The operations of this module.
    pub fn routes(self: &Arc<Self>) -> RouteTable {
        routes::table(self)
    }

    /// Every statement of this crate, for the test that prepares them on both engines.
    pub const fn statements() -> &'static [&'static Statement] {
        store::STATEMENTS
    }
}

#[cfg(test)]
mod tests;
