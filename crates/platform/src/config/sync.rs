use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::span::{DAY, HOUR, MINUTE, SECOND};
use super::{Number, Span};

const KIB: u64 = 1024;

/// The event log, and what clients read of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Events {
    /// How long events are kept. A client that was away for longer takes a snapshot.
    pub retention: Span<HOUR, { 3650 * DAY }>,
    /// How long a request for events may wait for one.
    pub max_wait: Span<0, { 5 * MINUTE }>,
    /// How many items each list of a snapshot has at most; the rest is read from the list itself.
    pub snapshot_max_items: Number<1, 10_000>,
}

impl Default for Events {
    fn default() -> Self {
        Self { retention: Span::of(30 * DAY), max_wait: Span::of(30 * SECOND), snapshot_max_items: Number::of(500) }
    }
}

/// Connections that follow live.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Gateway {
    /// How often each side of a connection says that it is there. At the same pace the server looks
    /// whether the credential of the connection still counts.
    pub heartbeat_interval: Span<SECOND, { 10 * MINUTE }>,
    /// How long a client may be silent before it is cut off.
    pub idle_timeout: Span<SECOND, HOUR>,
    /// How many frames may wait for a client that takes them slowly; one more, and it is cut off and
    /// resumes from its cursor.
    pub queue_max: Number<1, 65_536>,
    /// Largest frame that a client may send, in bytes.
    pub max_frame_bytes: Number<KIB, { 16 * KIB * KIB }>,
    /// How many connections of the gateway a node serves at once.
    pub max_connections: Number<1, 1_000_000>,
    /// How many of them one person or agent may have on a node.
    pub max_connections_per_principal: Number<1, 10_000>,
    /// For how long it is shown that somebody writes. Further signs within half of this time are not
    /// told again.
    pub typing_ttl: Span<SECOND, MINUTE>,
}

impl Default for Gateway {
    fn default() -> Self {
        Self {
            heartbeat_interval: Span::of(15 * SECOND),
            idle_timeout: Span::of(45 * SECOND),
            queue_max: Number::of(256),
            max_frame_bytes: Number::of(256 * KIB),
            max_connections: Number::of(10_000),
            max_connections_per_principal: Number::of(32),
            typing_ttl: Span::of(6 * SECOND),
        }
    }
}
