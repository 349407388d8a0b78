//! Signed tokens: compact JWS with EdDSA over Ed25519 and nothing else (chapter 06 section 5).
//!
//! There is one spelling of a token and it is the one that [`sign`] writes. The algorithm and the
//! type are fixed by the caller, the key is looked up among the server's own, and the header may
//! hold nothing that is not expected, so that nothing in a token can choose how it is judged
//! (RFC 8725). Verification is strict (RFC 8032 with canonical encodings, no weak keys).

mod cache;
mod claims;
mod header;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

pub use cache::SignatureCache;
pub use claims::claims;

/// Why a token is refused. For logs and tests; callers of the API learn only that it binds nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JwsError {
    /// Longer than a token of this type can be.
    #[error("too long")]
    TooLong,
    /// Not three segments.
    #[error("not a compact JWS")]
    Form,
    /// A segment is not base64url in its one spelling.
    #[error("not canonical base64url")]
    Encoding,
    /// The header is not the JSON object that it should be.
    #[error("not the expected header")]
    Header,
    /// Another algorithm than EdDSA.
    #[error("another algorithm")]
    Algorithm,
    /// A token of another type.
    #[error("another type")]
    Type,
    /// No such key for this purpose.
    #[error("unknown key")]
    UnknownKey,
    /// A key for which one signature fits many messages.
    #[error("weak key")]
    WeakKey,
    /// The signature does not fit.
    #[error("wrong signature")]
    Signature,
    /// The claims are not what they should be.
    #[error("not the expected claims")]
    Claims,
}

/// Signs claims.
///
/// `typ` says what the token is for, `kid` names the key; both must be made of letters, digits and
/// `-`, `_`, `+`, `.`, `/`, since the header is written without escapes. `claims` is JSON.
pub fn sign(typ: &str, kid: &str, key: &SigningKey, claims: &[u8]) -> String {
    let mut token = URL_SAFE_NO_PAD.encode(header::write(typ, kid));
    token.push('.');
    URL_SAFE_NO_PAD.encode_string(claims, &mut token);
    let signature = key.sign(token.as_bytes());
    token.push('.');
    URL_SAFE_NO_PAD.encode_string(signature.to_bytes(), &mut token);
    token
}

/// A token whose form is right, but whose signature nobody has checked.
#[derive(Debug)]
pub struct Unverified<'t> {
    token: &'t str,
    signed: &'t str,
    kid: String,
    payload: Vec<u8>,
    signature: Signature,
}

impl<'t> Unverified<'t> {
    /// Takes a token apart.
    ///
    /// # Errors
    /// Says what about its form is wrong: longer than `max_len` bytes, not three segments, not
    /// canonical, another header than one of type `typ`.
    pub fn parse(token: &'t str, typ: &str, max_len: usize) -> Result<Self, JwsError> {
        if token.len() > max_len {
            return Err(JwsError::TooLong);
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(JwsError::Form)?;
        let (header, payload) = signed.split_once('.').ok_or(JwsError::Form)?;
        if payload.contains('.') {
            return Err(JwsError::Form);
        }
        let header = decode(header)?;
        let payload = decode(payload)?;
        let signature: [u8; 64] = decode(signature)?.try_into().map_err(|_| JwsError::Signature)?;
        let kid = header::read(&header, typ)?;
        Ok(Self { token, signed, kid, payload, signature: Signature::from_bytes(&signature) })
    }

    /// The key that the token says it was signed with.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// Checks the signature and hands out the claims.
    ///
    /// # Errors
    /// [`JwsError::WeakKey`], [`JwsError::Signature`].
    pub fn verify(self, key: &VerifyingKey) -> Result<Vec<u8>, JwsError> {
        self.check(key)?;
        Ok(self.payload)
    }

    /// Like [`verify`](Self::verify), but an equal token whose signature was good with this key
    /// before is not computed again.
    ///
    /// # Errors
    /// [`JwsError::WeakKey`], [`JwsError::Signature`].
    pub fn verify_cached(self, key: &VerifyingKey, cache: &SignatureCache) -> Result<Vec<u8>, JwsError> {
        cache.check(&self, key)?;
        Ok(self.payload)
    }

    fn check(&self, key: &VerifyingKey) -> Result<(), JwsError> {
        check_signature(key, self.signed.as_bytes(), &self.signature)
    }
}

fn check_signature(key: &VerifyingKey, message: &[u8], signature: &Signature) -> Result<(), JwsError> {
    if key.is_weak() {
        return Err(JwsError::WeakKey);
    }
    key.verify_strict(message, signature).map_err(|_| JwsError::Signature)
}

/// Verifies a token of type `typ` and returns its claims as they were signed. `lookup` finds the key
/// of a key id, for the right purpose only.
///
/// # Errors
/// Says why the token is refused.
pub fn verify(
    token: &str,
    typ: &str,
    max_len: usize,
    lookup: impl FnOnce(&str) -> Option<VerifyingKey>,
) -> Result<Vec<u8>, JwsError> {
    let token = Unverified::parse(token, typ, max_len)?;
    let key = lookup(token.kid()).ok_or(JwsError::UnknownKey)?;
    token.verify(&key)
}

/// Base64url without padding and with zero spare bits.
fn decode(segment: &str) -> Result<Vec<u8>, JwsError> {
    URL_SAFE_NO_PAD.decode(segment).map_err(|_| JwsError::Encoding)
}

#[cfg(test)]
mod tests;
