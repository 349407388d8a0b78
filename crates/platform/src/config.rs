//! The settings of the server: one typed tree whose doc comments are the manual.
//!
//! A setting comes from a flag, else from the environment (`BOTHY_SECTION__KEY`), else from the TOML
//! file, else from its default. Whatever is set is checked: an unknown key, a value of the wrong
//! form and one out of range each say where they come from and what would be right.

mod database;
mod documents;
mod environment;
mod error;
mod file;
mod keys;
mod load;
mod network;
mod number;
mod origin;
mod rate;
mod secret;
mod sections;
mod span;
mod sync;
mod value;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use documents::{example, reference, schema};
pub use environment::Environment;
pub use error::{ConfigError, Mistake, Source};
pub use load::{ConfigFile, Flag, Loaded, Shown, Sources};
pub use network::{InvalidNetwork, Network};
pub use number::Number;
pub use origin::{InvalidOrigin, PublicUrl};
pub use rate::Rate;
pub use secret::Secret;
pub use sections::{Agent, Audit, Auth, Authz, Channel, Database, Http, Log, LogFormat, Message, MigrateMode, Server};
pub use span::{InvalidSpan, Span};
pub use sync::{Events, Gateway};

/// Every setting of the server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where the server listens and where it keeps its data.
    pub server: Server,
    /// Limits on requests.
    pub http: Http,
    /// Rate limits.
    pub rate: Rate,
    /// Connections to the database.
    pub database: Database,
    /// Sign-in, sessions and tokens.
    pub auth: Auth,
    /// Agents and their runs.
    pub agent: Agent,
    /// Defaults of channels.
    pub channel: Channel,
    /// Limits on messages.
    pub message: Message,
    /// The event log, and what clients read of it.
    pub events: Events,
    /// Connections that follow live.
    pub gateway: Gateway,
    /// Decisions on rights.
    pub authz: Authz,
    /// The record of what was done and what was denied.
    pub audit: Audit,
    /// What the server writes to its log.
    pub log: Log,
}

#[cfg(test)]
mod tests;
