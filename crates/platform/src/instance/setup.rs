use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bothy_storage::{Database, StorageError, UnitOfWork};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;

use crate::config::Secret;
use crate::entropy::bytes;
use crate::instance::{Instance, store};

/// Random bytes of a setup code.
const CODE_BYTES: usize = 24;

/// Why an instance cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// It has an owner already.
    #[error("the instance is set up already")]
    AlreadySetUp,
    /// Not the code that was issued last, or one whose time is over.
    #[error("the setup code is wrong or has expired; `bothy admin setup-code` makes another")]
    WrongCode,
}

impl Instance {
    /// Makes a code with which the first owner can be made once within `ttl`. Earlier codes no
    /// longer count. The caller prints it; only its hash is stored.
    ///
    /// # Errors
    /// [`SetupError::AlreadySetUp`], [`SetupError::Storage`].
    pub async fn issue_setup_code(&self, database: &Database, ttl: Duration) -> Result<Secret, SetupError> {
        let code = Secret::new(URL_SAFE_NO_PAD.encode(bytes::<CODE_BYTES>(&*self.entropy)));
        let unit = database.begin().await?;
        let expires = self.clock.now().plus(ttl);
        if !store::set_code(&unit, hash(code.expose()), expires).await? {
            return Err(SetupError::AlreadySetUp);
        }
        unit.commit().await?;
        Ok(code)
    }

    /// Uses up the code, in the unit of work that makes the first owner. Of two that try at once,
    /// one wins.
    ///
    /// # Errors
    /// [`SetupError`]; the unit must not be committed then.
    pub async fn consume_setup_code(&self, unit: &UnitOfWork, code: &str) -> Result<(), SetupError> {
        store::lock_instance(unit).await?;
        let setup = store::setup(unit).await?;
        if setup.set_up {
            return Err(SetupError::AlreadySetUp);
        }
        let now = self.clock.now();
        // Compared also when there is none to compare with, so that the time tells nothing.
        let expected = setup.code_hash.unwrap_or_else(|| vec![0; 32]);
        let right = bool::from(expected.as_slice().ct_eq(&hash(code)));
        if !right || setup.expires_at.is_none_or(|expires| expires <= now) {
            return Err(SetupError::WrongCode);
        }
        store::mark_set_up(unit, now).await?;
        Ok(())
    }
}

fn hash(code: &str) -> [u8; 32] {
    Sha256::digest(code.as_bytes()).into()
}
