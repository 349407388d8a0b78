//! The keys with which the instance signs (chapter 06 section 5): private ones lie in the database
//! sealed with the instance secret, which does not.

mod ring;
mod seal;
mod secret;
pub(crate) mod store;

use bothy_storage::StorageError;

pub use ring::{KeyRing, Signer};
pub use secret::{InstanceSecret, SecretError};

/// What a key signs. A key of one purpose never counts for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyPurpose {
    /// Invocation tokens.
    Invocation,
    /// Checkpoints of the audit log.
    Audit,
}

impl KeyPurpose {
    /// Every purpose.
    pub const ALL: [Self; 2] = [Self::Invocation, Self::Audit];

    /// The name in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invocation => "invocation",
            Self::Audit => "audit",
        }
    }

    /// The purpose with this name, if there is one.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.as_str() == text)
    }
}

/// What can be wrong with keys.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The private half cannot be opened: it was sealed with another secret, or changed since.
    #[error("signing key {kid} cannot be opened with the instance secret")]
    Sealed {
        /// The key.
        kid: String,
    },
    /// The stored halves do not belong together, or are no keys.
    #[error("signing key {kid} is damaged")]
    Damaged {
        /// The key.
        kid: String,
    },
    /// A key for which one signature fits many messages.
    #[error("signing key {kid} is weak")]
    Weak {
        /// The key.
        kid: String,
    },
    /// No key signs for this purpose.
    #[error("there is no live signing key for {}", .purpose.as_str())]
    Missing {
        /// The purpose.
        purpose: KeyPurpose,
    },
}

#[cfg(test)]
mod tests;
