//! The form of the secrets that callers show (chapter 04 section 2): `bothy_`, three letters for
//! the kind, `_`, 43 random characters (256 bits) and a checksum of six.
//!
//! The prefix and the checksum let secret scanners find a leaked token and let the server refuse a
//! mistyped one without a look into the database. Only the SHA-256 of the text is stored.

use std::fmt;

use bothy_platform::entropy::{Entropy, bytes};
use sha2::{Digest, Sha256};

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The largest multiple of 62 that fits into a byte: bytes from here on would favour some characters.
const UNBIASED: u8 = 248;
const RANDOM_CHARS: usize = 43;
const CHECK_CHARS: usize = 6;

/// What a secret is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Session,
    Personal,
    Agent,
    App,
    Invite,
}

impl TokenKind {
    const ALL: [Self; 5] = [Self::Session, Self::Personal, Self::Agent, Self::App, Self::Invite];

    const fn prefix(self) -> &'static str {
        match self {
            Self::Session => "bothy_ses_",
            Self::Personal => "bothy_per_",
            Self::Agent => "bothy_agt_",
            Self::App => "bothy_app_",
            Self::Invite => "bothy_inv_",
        }
    }
}

/// What is stored of a secret.
pub(crate) type TokenHash = [u8; 32];

/// A secret that was just made. It is shown once and never printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SecretToken(String);

impl fmt::Debug for SecretToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretToken")
    }
}

impl SecretToken {
    pub(crate) fn generate(kind: TokenKind, entropy: &dyn Entropy) -> Self {
        let mut text = String::with_capacity(kind.prefix().len() + RANDOM_CHARS + CHECK_CHARS);
        text.push_str(kind.prefix());
        let full = text.len() + RANDOM_CHARS;
        while text.len() < full {
            let fresh = bytes::<64>(entropy);
            let chars = fresh.iter().filter(|byte| **byte < UNBIASED).map(|byte| character(u32::from(*byte)));
            text.extend(chars.take(full - text.len()));
        }
        let check = checksum(&text);
        text.push_str(&check);
        Self(text)
    }

    pub(crate) fn hash(&self) -> TokenHash {
        hash(&self.0)
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// The kind and hash of a text in the form of a token; `None` for anything else.
pub(crate) fn parse(text: &str) -> Option<(TokenKind, TokenHash)> {
    let kind = TokenKind::ALL.into_iter().find(|kind| text.starts_with(kind.prefix()))?;
    if text.len() != kind.prefix().len() + RANDOM_CHARS + CHECK_CHARS {
        return None;
    }
    let (body, check) = text.split_at_checked(text.len() - CHECK_CHARS)?;
    let random = body.get(kind.prefix().len()..)?;
    let good = random.bytes().all(|byte| ALPHABET.contains(&byte)) && checksum(body) == check;
    good.then(|| (kind, hash(text)))
}

fn hash(text: &str) -> TokenHash {
    Sha256::digest(text.as_bytes()).into()
}

fn checksum(text: &str) -> String {
    let mut rest = crc32(text.as_bytes());
    let mut chars = [' '; CHECK_CHARS];
    for place in chars.iter_mut().rev() {
        *place = character(rest % 62);
        rest /= 62;
    }
    chars.iter().collect()
}

fn character(value: u32) -> char {
    let index = usize::try_from(value % 62).unwrap_or(0);
    ALPHABET.get(index).copied().map_or('0', char::from)
}

/// CRC-32 as in IEEE 802.3, bit by bit: tokens are short.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

#[cfg(test)]
mod tests;
