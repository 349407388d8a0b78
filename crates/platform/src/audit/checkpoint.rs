use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, StorageError};
use ed25519_dalek::{Signature, Signer as _, VerifyingKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::audit::draft::json;
use crate::audit::hex::Hex;
use crate::audit::store::checkpoints;
use crate::keys::Signer;

/// A statement about the audit log, signed with the instance's audit key: the log had this many
/// entries, the last of them with this hash. Kept elsewhere, it shows later whether entries that it
/// covers were changed or cut off. `docs/audit-format.md` says how it is checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// The position of the last entry that it covers.
    pub position: i64,
    /// The hash of that entry.
    pub hash: Hex<32>,
    /// How many entries there are up to that position.
    pub count: i64,
    /// When it was signed.
    pub at: Timestamp,
    /// The id of the key that signed it.
    pub kid: String,
    /// The public half of that key.
    pub public_key: Hex<32>,
    /// The Ed25519 signature.
    pub signature: Hex<64>,
}

/// What is signed: canonical JSON like that of the entries. `type` keeps the statement apart from
/// everything else that a key might sign.
#[derive(Serialize)]
struct Statement<'a> {
    at: i64,
    count: i64,
    hash: Hex<32>,
    kid: &'a str,
    position: i64,
    #[serde(rename = "type")]
    kind: &'static str,
}

const KIND: &str = "bothy.audit.checkpoint";

impl Checkpoint {
    pub(super) fn sign(signer: &Signer, position: i64, hash: [u8; 32], count: i64, at: Timestamp) -> Self {
        let public_key = Hex(signer.key().verifying_key().to_bytes());
        let unsigned = Self {
            position,
            hash: Hex(hash),
            count,
            at,
            kid: signer.kid().to_owned(),
            public_key,
            signature: Hex([0; 64]),
        };
        let signature = Hex(signer.key().sign(unsigned.statement().as_bytes()).to_bytes());
        Self { signature, ..unsigned }
    }

    /// Whether the key that it names signed it. Whether that key is the instance's is another
    /// question.
    pub fn is_signed(&self) -> bool {
        let Ok(key) = VerifyingKey::from_bytes(&self.public_key.0) else { return false };
        let signature = Signature::from_bytes(&self.signature.0);
        !key.is_weak() && key.verify_strict(self.statement().as_bytes(), &signature).is_ok()
    }

    /// Whether it says of an entry what is so: the entries up to it are the ones that were signed.
    pub(super) fn covers(&self, position: i64, hash: &[u8; 32]) -> bool {
        self.position == position && self.count == position && self.hash.0 == *hash
    }

    fn statement(&self) -> String {
        json(&Statement {
            at: self.at.micros(),
            count: self.count,
            hash: self.hash,
            kid: &self.kid,
            position: self.position,
            kind: KIND,
        })
    }
}

/// The newest checkpoint, if there is one yet.
///
/// # Errors
/// [`StorageError`].
pub async fn newest_checkpoint(reader: &Reader) -> Result<Option<Checkpoint>, StorageError> {
    checkpoints::newest(reader).await
}
