use bothy_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A signed statement of the server about its audit log: it had this many entries, the last of them
/// with this hash. `docs/audit-format.md` says how it is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The position of the last entry that it covers.
    pub position: i64,
    /// The hash of that entry, in lower-case hexadecimal digits like the members below.
    pub hash: String,
    /// How many entries there are up to that position.
    pub count: i64,
    /// When it was signed.
    pub at: Timestamp,
    /// The id of the key that signed it.
    pub kid: String,
    /// The public half of that key.
    pub public_key: String,
    /// The Ed25519 signature.
    pub signature: String,
}
