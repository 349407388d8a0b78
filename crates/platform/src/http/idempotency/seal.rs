use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};

use super::Asked;
use crate::entropy::{SharedEntropy, bytes};
use crate::keys::InstanceSecret;

const LABEL: &str = "bothy seals kept answers v1";
const NONCE_LEN: usize = 24;

/// Seals answers with XChaCha20-Poly1305 under a key of their own. What is sealed opens only for the
/// request that it answered, so that rows cannot be exchanged.
pub(super) struct Sealer {
    cipher: XChaCha20Poly1305,
    entropy: SharedEntropy,
}

impl Sealer {
    pub(super) fn new(secret: &InstanceSecret, entropy: SharedEntropy) -> Self {
        Self { cipher: XChaCha20Poly1305::new(&Key::from(*secret.derive(LABEL))), entropy }
    }

    /// `None` stands for the library's error, which comes only with more than 256 GiB.
    pub(super) fn seal(&self, asked: &Asked, answer: &[u8]) -> Option<Vec<u8>> {
        let nonce: [u8; NONCE_LEN] = bytes(&*self.entropy);
        let payload = Payload { msg: answer, aad: &associated(asked) };
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), payload).ok()?;
        Some([nonce.as_slice(), &sealed].concat())
    }

    /// `None` when it was sealed with another secret or for another request, or was changed.
    pub(super) fn open(&self, asked: &Asked, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_LEN>()?;
        self.cipher.decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: &associated(asked) }).ok()
    }
}

fn associated(asked: &Asked) -> Vec<u8> {
    [asked.slot, asked.request_hash].concat()
}
