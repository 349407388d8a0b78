//! Clients as witnesses of the audit log (chapter 09 section 1): every answer to a poll carries the
//! newest checkpoint, and a later one has to extend it.

use std::sync::{Arc, Mutex, PoisonError};

use ed25519_dalek::{Signature, VerifyingKey};
use serde::Serialize;

use crate::wire::Checkpoint;

/// What the server signs; the names are in order, as its canonical form has them.
#[derive(Serialize)]
struct Statement<'a> {
    at: i64,
    count: i64,
    hash: &'a str,
    kid: &'a str,
    position: i64,
    #[serde(rename = "type")]
    kind: &'static str,
}

/// A checkpoint does not extend the one before: somebody has cut or rewritten the audit log, or the
/// server was restored from a backup.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// The log has become shorter.
    #[error("the audit log had {kept} entries and now has {shown}: entries were cut off, or a backup was restored")]
    Shrunk {
        /// The position that was kept.
        kept: i64,
        /// The position that is shown now.
        shown: i64,
    },
    /// The log is another one.
    #[error("entry {position} of the audit log is not the one that was signed before: the log was rewritten")]
    Rewritten {
        /// The position for which two hashes were signed.
        position: i64,
    },
    /// There was a checkpoint, and now there is none.
    #[error("the server shows no checkpoint of its audit log any more; it had {kept} entries")]
    Withheld {
        /// The position that was kept.
        kept: i64,
    },
    /// Entries are missing within the log.
    #[error("the checkpoint of entry {position} counts {count} entries: some are missing or too many")]
    Count {
        /// The position that is shown.
        position: i64,
        /// The number that it states.
        count: i64,
    },
    /// Nobody who has the key said so.
    #[error("the checkpoint of entry {position} has no good signature")]
    Signature {
        /// The position that is shown.
        position: i64,
    },
    /// The key is not the one that is known.
    #[error("the checkpoint of entry {position} is signed with another key than the known one")]
    Key {
        /// The position that is shown.
        position: i64,
    },
}

/// Remembers the newest checkpoint of one server's audit log. Clones share what is remembered.
///
/// It is kept in memory; whoever wants to witness beyond a restart stores [`Witness::kept`] and hands
/// it to [`Witness::since`].
#[derive(Debug, Clone, Default)]
pub struct Witness {
    kept: Arc<Mutex<Option<Checkpoint>>>,
    key: Option<String>,
}

impl Witness {
    /// A witness that goes on from a checkpoint that was stored.
    pub fn since(checkpoint: Checkpoint) -> Self {
        Self { kept: Arc::new(Mutex::new(Some(checkpoint))), key: None }
    }

    /// Lets only this key count, in lower-case hexadecimal digits. Without it, the key that a
    /// checkpoint carries counts, as long as it does not change under the same id.
    #[must_use]
    pub fn trusting(mut self, public_key: impl Into<String>) -> Self {
        self.key = Some(public_key.into());
        self
    }

    /// The newest checkpoint that extended all before.
    pub fn kept(&self) -> Option<Checkpoint> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks at the checkpoint of an answer, or at an answer without one, and remembers it when it
    /// extends what is remembered. Answers are looked at in the order in which they were asked for.
    ///
    /// # Errors
    /// [`Breach`]; what was remembered before stays, as the proof that the log was another one.
    pub fn see(&self, shown: Option<&Checkpoint>) -> Result<(), Breach> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(shown) = shown else {
            return kept.as_ref().map_or(Ok(()), |kept| Err(Breach::Withheld { kept: kept.position }));
        };
        let position = shown.position;
        if !is_signed(shown) {
            return Err(Breach::Signature { position });
        }
        if self.key.as_ref().is_some_and(|key| *key != shown.public_key) {
            return Err(Breach::Key { position });
        }
        if shown.count != position {
            return Err(Breach::Count { position, count: shown.count });
        }
        if let Some(kept) = &*kept {
            if kept.kid == shown.kid && kept.public_key != shown.public_key {
                return Err(Breach::Key { position });
            }
            if position < kept.position {
                return Err(Breach::Shrunk { kept: kept.position, shown: position });
            }
            if position == kept.position && shown.hash != kept.hash {
                return Err(Breach::Rewritten { position });
            }
        }
        *kept = Some(shown.clone());
        Ok(())
    }
}

/// Whether the key that a checkpoint carries has signed it.
fn is_signed(checkpoint: &Checkpoint) -> bool {
    let Checkpoint { position, hash, count, at, kid, public_key, signature } = checkpoint;
    let statement =
        Statement { at: at.micros(), count: *count, hash, kid, position: *position, kind: "bothy.audit.checkpoint" };
    let (Some(key), Some(signature)) = (bytes(public_key), bytes(signature)) else { return false };
    let (Ok(key), Ok(statement)) = (VerifyingKey::from_bytes(&key), serde_json::to_vec(&statement)) else {
        return false;
    };
    !key.is_weak() && key.verify_strict(&statement, &Signature::from_bytes(&signature)).is_ok()
}

/// Bytes from lower-case hexadecimal digits, exactly as many as asked for.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |digit: &u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let decoded: Option<Vec<u8>> = pairs.iter().map(|[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
    decoded.filter(|_| rest.is_empty())?.try_into().ok()
}

#[cfg(test)]
mod tests;
