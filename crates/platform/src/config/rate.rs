use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Number;

/// How many requests a minute, on average.
type PerMinute = Number<1, 1_000_000>;
/// How many requests at once, before the average counts.
type Burst = Number<1, 100_000>;

/// How many requests a caller may send. Each class of operations has a budget of its own, which a
/// caller has once, however many tokens, sessions and runs it uses. A budget that was used up fills
/// again evenly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rate {
    /// How many requests a minute an address may send without valid credentials: sign-in, setup,
    /// invitations and requests whose credentials do not count. Addresses of IPv6 count by their
    /// first 64 bits.
    pub public_auth: PerMinute,
    /// How many of them at once.
    pub public_auth_burst: Burst,
    /// How many reading requests a minute a person, agent or app may send.
    pub read: PerMinute,
    /// How many of them at once.
    pub read_burst: Burst,
    /// How many writing requests a minute a person, agent or app may send.
    pub write: PerMinute,
    /// How many of them at once.
    pub write_burst: Burst,
    /// How many requests of adapters a minute an agent may send: polling, acknowledging,
    /// heartbeats and the life of runs.
    pub agent_runtime: PerMinute,
    /// How many of them at once.
    pub agent_runtime_burst: Burst,
    /// How many administrative requests a minute a person may send.
    pub admin: PerMinute,
    /// How many of them at once.
    pub admin_burst: Burst,
    /// How many nodes serve the instance. Each node grants its share of every budget, so that all
    /// of them together grant no more than one budget; a caller who reaches a single node has that
    /// node's share.
    pub nodes: Number<1, 1000>,
    /// For how many callers a node remembers what is left of each budget. Beyond that, those who
    /// used the least are forgotten first.
    pub tracked_max: Number<1000, 10_000_000>,
}

impl Default for Rate {
    fn default() -> Self {
        Self {
            public_auth: Number::of(60),
            public_auth_burst: Number::of(30),
            read: Number::of(1200),
            read_burst: Number::of(600),
            write: Number::of(300),
            write_burst: Number::of(150),
            agent_runtime: Number::of(1200),
            agent_runtime_burst: Number::of(300),
            admin: Number::of(300),
            admin_burst: Number::of(200),
            nodes: Number::of(1),
            tracked_max: Number::of(100_000),
        }
    }
}
