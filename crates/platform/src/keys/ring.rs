use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bothy_domain::time::Timestamp;
use bothy_storage::{Database, Reader, UnitOfWork};
use ed25519_dalek::{SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use crate::clock::SharedClock;
use crate::entropy::{SharedEntropy, bytes};
use crate::instance::lock_instance;
use crate::keys::seal::Sealer;
use crate::keys::store::{self, StoredKey};
use crate::keys::{InstanceSecret, KeyError, KeyPurpose};

/// After this time a node looks whether another one has rotated the keys, so that it does not sign
/// with a retired one for long.
const REFRESH: Duration = Duration::from_secs(60);
/// Key ids are this many random bytes in base64url; nothing else is looked up.
const KID_BYTES: usize = 16;
const KID_LEN: usize = 22;

/// The signing keys of the instance. Clones share what they have loaded.
#[derive(Clone)]
pub struct KeyRing {
    database: Database,
    clock: SharedClock,
    entropy: SharedEntropy,
    sealer: Sealer,
    keys: Arc<RwLock<Arc<Keys>>>,
}

/// The live key of a purpose.
pub struct Signer {
    kid: String,
    key: SigningKey,
}

impl Signer {
    /// The id under which the key is found again.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// The key.
    pub const fn key(&self) -> &SigningKey {
        &self.key
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({})", self.kid)
    }
}

/// What was loaded at one moment.
struct Keys {
    at: Timestamp,
    verifiers: HashMap<String, (KeyPurpose, VerifyingKey)>,
    signers: Vec<(KeyPurpose, Arc<Signer>)>,
}

impl KeyRing {
    /// Loads the keys and makes the ones that are missing. Nodes that start at once agree on one
    /// live key a purpose.
    ///
    /// # Errors
    /// [`KeyError`]; a weak, damaged or foreign key stops the start.
    pub async fn open(
        database: Database,
        clock: SharedClock,
        entropy: SharedEntropy,
        secret: &InstanceSecret,
    ) -> Result<Self, KeyError> {
        let sealer = Sealer::new(secret);
        let nothing = Keys { at: clock.now(), verifiers: HashMap::new(), signers: Vec::new() };
        let ring = Self { database, clock, entropy, sealer, keys: Arc::new(RwLock::new(Arc::new(nothing))) };
        let loaded = ring.reload().await?;
        let missing: Vec<KeyPurpose> =
            KeyPurpose::ALL.into_iter().filter(|purpose| loaded.signer(*purpose).is_none()).collect();
        if !missing.is_empty() {
            let unit = ring.database.begin().await?;
            for purpose in missing {
                ring.add(&unit, purpose).await?;
            }
            unit.commit().await?;
            ring.reload().await?;
        }
        Ok(ring)
    }

    /// The live key of a purpose.
    ///
    /// # Errors
    /// [`KeyError`], also when keys that were loaded a while ago cannot be loaded again.
    pub async fn signer(&self, purpose: KeyPurpose) -> Result<Arc<Signer>, KeyError> {
        let mut keys = self.loaded();
        if self.clock.now().since(keys.at) > REFRESH {
            keys = self.reload().await?;
        }
        keys.signer(purpose).ok_or(KeyError::Missing { purpose })
    }

    /// The public half of a key, also of a retired one: tokens of it may live in active runs. A key
    /// that another node has just made is found too, with the reader of the caller: strangers can name
    /// as many keys as they like, and must not make requests wait for a second connection.
    ///
    /// # Errors
    /// [`KeyError`] when the database has to be asked and does not answer.
    pub async fn verifier(
        &self,
        reader: &Reader,
        purpose: KeyPurpose,
        kid: &str,
    ) -> Result<Option<VerifyingKey>, KeyError> {
        let keys = self.loaded();
        if keys.verifiers.contains_key(kid) {
            return Ok(keys.verifier(purpose, kid));
        }
        if !is_kid(kid) || !store::exists(reader, kid).await? {
            return Ok(None);
        }
        Ok(self.reload_with(reader).await?.verifier(purpose, kid))
    }

    /// Makes a new live key of a purpose and retires the one before. Returns its id.
    ///
    /// # Errors
    /// [`KeyError`]; nothing has changed then.
    pub async fn rotate(&self, purpose: KeyPurpose) -> Result<String, KeyError> {
        let unit = self.database.begin().await?;
        // Two rotations at once would both retire the same key and one could not add its own.
        lock_instance(&unit).await?;
        store::retire(&unit, purpose, self.clock.now()).await?;
        let kid = self.add(&unit, purpose).await?;
        unit.commit().await?;
        self.reload().await?;
        Ok(kid)
    }

    /// Adds a live key unless there is one.
    async fn add(&self, unit: &UnitOfWork, purpose: KeyPurpose) -> Result<String, KeyError> {
        let kid = URL_SAFE_NO_PAD.encode(bytes::<KID_BYTES>(&*self.entropy));
        let private = Zeroizing::new(bytes::<32>(&*self.entropy));
        let public = SigningKey::from_bytes(&private).verifying_key();
        let sealed = self
            .sealer
            .seal(&*self.entropy, &kid, purpose, &private)
            .ok_or_else(|| KeyError::Damaged { kid: kid.clone() })?;
        store::add(unit, &kid, purpose, public.as_bytes(), sealed, self.clock.now()).await?;
        Ok(kid)
    }

    fn loaded(&self) -> Arc<Keys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    async fn reload(&self) -> Result<Arc<Keys>, KeyError> {
        let reader = self.database.reader().await?;
        self.reload_with(&reader).await
    }

    async fn reload_with(&self, reader: &Reader) -> Result<Arc<Keys>, KeyError> {
        let keys = Arc::new(self.load(reader, self.clock.now()).await?);
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&keys);
        Ok(keys)
    }

    async fn load(&self, reader: &Reader, at: Timestamp) -> Result<Keys, KeyError> {
        let mut keys = Keys { at, verifiers: HashMap::new(), signers: Vec::new() };
        for stored in store::all(reader).await? {
            let (purpose, public) = public_half(&stored)?;
            if stored.retired_at.is_none() {
                let key = self.private_half(&stored, purpose, &public)?;
                keys.signers.push((purpose, Arc::new(Signer { kid: stored.kid.clone(), key })));
            }
            keys.verifiers.insert(stored.kid, (purpose, public));
        }
        Ok(keys)
    }

    fn private_half(
        &self,
        stored: &StoredKey,
        purpose: KeyPurpose,
        public: &VerifyingKey,
    ) -> Result<SigningKey, KeyError> {
        let private = self
            .sealer
            .open(&stored.kid, purpose, &stored.sealed_private_key)
            .ok_or_else(|| KeyError::Sealed { kid: stored.kid.clone() })?;
        let key = SigningKey::from_bytes(&private);
        if key.verifying_key() == *public { Ok(key) } else { Err(KeyError::Damaged { kid: stored.kid.clone() }) }
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyRing")
    }
}

impl Keys {
    fn signer(&self, purpose: KeyPurpose) -> Option<Arc<Signer>> {
        self.signers.iter().find(|(of, _)| *of == purpose).map(|(_, signer)| Arc::clone(signer))
    }

    fn verifier(&self, purpose: KeyPurpose, kid: &str) -> Option<VerifyingKey> {
        self.verifiers.get(kid).filter(|(of, _)| *of == purpose).map(|(_, key)| *key)
    }
}

fn public_half(stored: &StoredKey) -> Result<(KeyPurpose, VerifyingKey), KeyError> {
    let damaged = || KeyError::Damaged { kid: stored.kid.clone() };
    let purpose = KeyPurpose::parse(&stored.purpose).ok_or_else(damaged)?;
    let bytes: &[u8; 32] = stored.public_key.as_slice().try_into().map_err(|_| damaged())?;
    let public = VerifyingKey::from_bytes(bytes).map_err(|_| damaged())?;
    if public.is_weak() { Err(KeyError::Weak { kid: stored.kid.clone() }) } else { Ok((purpose, public)) }
}

fn is_kid(text: &str) -> bool {
    text.len() == KID_LEN && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}
