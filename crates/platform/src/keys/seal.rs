use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use crate::entropy::{Entropy, bytes};
use crate::keys::{InstanceSecret, KeyPurpose};

const LABEL: &str = "bothy seals private keys v1";
/// The first byte of what is sealed, so that the way of sealing can change.
const VERSION: u8 = 1;
const NONCE_LEN: usize = 24;

/// Seals private keys with XChaCha20-Poly1305. What is sealed opens only for the key id and purpose
/// that it was sealed for, so that rows cannot be exchanged.
#[derive(Clone)]
pub(super) struct Sealer(XChaCha20Poly1305);

impl Sealer {
    pub(super) fn new(secret: &InstanceSecret) -> Self {
        let key = Key::from(*secret.derive(LABEL));
        Self(XChaCha20Poly1305::new(&key))
    }

    /// Seals a private key. `None` cannot happen with 32 bytes and stands for the library's error.
    pub(super) fn seal(
        &self,
        entropy: &dyn Entropy,
        kid: &str,
        purpose: KeyPurpose,
        private: &[u8; 32],
    ) -> Option<Vec<u8>> {
        let nonce: [u8; NONCE_LEN] = bytes(entropy);
        let associated = associated(kid, purpose);
        let sealed = self.0.encrypt(&XNonce::from(nonce), Payload { msg: private, aad: &associated }).ok()?;
        Some([&[VERSION], nonce.as_slice(), &sealed].concat())
    }

    /// Opens a private key; `None` when it was sealed with another secret or for something else, or
    /// was changed.
    pub(super) fn open(&self, kid: &str, purpose: KeyPurpose, sealed: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
        let (version, rest) = sealed.split_first()?;
        let (nonce, sealed) = rest.split_at_checked(NONCE_LEN)?;
        if *version != VERSION {
            return None;
        }
        let nonce: [u8; NONCE_LEN] = nonce.try_into().ok()?;
        let associated = associated(kid, purpose);
        let opened = self.0.decrypt(&XNonce::from(nonce), Payload { msg: sealed, aad: &associated }).ok()?;
        let opened = Zeroizing::new(opened);
        let private: [u8; 32] = opened.as_slice().try_into().ok()?;
        Some(Zeroizing::new(private))
    }
}

/// Purposes are fixed texts without a NUL, so no two pairs share one text.
fn associated(kid: &str, purpose: KeyPurpose) -> Vec<u8> {
    [LABEL.as_bytes(), &[0], purpose.as_str().as_bytes(), &[0], kid.as_bytes()].concat()
}
