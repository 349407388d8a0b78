//! Passwords: Argon2id on threads of its own, a few at once, and the same work for an account that
//! does not exist.

use std::sync::Arc;

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_platform::config::Auth;
use bothy_platform::entropy::{SharedEntropy, bytes};
use tokio::sync::Semaphore;

/// Longest password in bytes: what is longer is no password but an attempt to make the server work.
const MAX_BYTES: usize = 1024;
/// How many may wait for each that is being hashed; further ones are told to come back.
const WAITING_FOR_EACH: usize = 32;
/// A hash of no password, in the form and with the cost of all others.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGlzIGhlcmUuLg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Hashes and compares passwords. Never called inside of a unit of work.
pub(crate) struct Passwords {
    entropy: SharedEntropy,
    min_chars: usize,
    running: Arc<Semaphore>,
    waiting: Semaphore,
}

impl Passwords {
    pub(crate) fn new(config: &Auth, entropy: SharedEntropy) -> Self {
        let at_once = config.max_concurrent_hashes.to_usize();
        Self {
            entropy,
            min_chars: config.password_min_length.to_usize(),
            running: Arc::new(Semaphore::new(at_once)),
            waiting: Semaphore::new(at_once.saturating_mul(WAITING_FOR_EACH)),
        }
    }

    /// Whether a new password may be one.
    ///
    /// # Errors
    /// `validation_failed` at `pointer`.
    pub(crate) fn check_new(&self, pointer: &str, password: &str) -> Result<(), Problem> {
        self.check_length(pointer, password)?;
        if password.chars().count() < self.min_chars {
            return Err(Problem::invalid(pointer, format!("must have at least {} characters", self.min_chars)));
        }
        Ok(())
    }

    /// The hash of a new password.
    ///
    /// # Errors
    /// `rate_limited` when too many wait already.
    pub(crate) async fn hash(&self, password: String) -> Result<String, Problem> {
        let salt = bytes::<16>(&*self.entropy);
        self.run(move || {
            Argon2::default().hash_password_with_salt(password.as_bytes(), &salt).map(|hash| hash.to_string())
        })
        .await?
        .map_err(Problem::internal)
    }

    /// Whether a password belongs to a hash. Without a hash it takes as long and is wrong.
    ///
    /// # Errors
    /// `validation_failed` at `pointer` for what is too long to be a password, `rate_limited` when
    /// too many wait already.
    pub(crate) async fn verify(&self, pointer: &str, password: String, hash: Option<&str>) -> Result<bool, Problem> {
        self.check_length(pointer, &password)?;
        let known = hash.is_some();
        let hash = hash.unwrap_or(NOBODY).to_owned();
        let right =
            self.run(move || Argon2::default().verify_password(password.as_bytes(), hash.as_str()).is_ok()).await?;
        Ok(right && known)
    }

    fn check_length(&self, pointer: &str, password: &str) -> Result<(), Problem> {
        if password.len() > MAX_BYTES {
            return Err(Problem::invalid(pointer, format!("must have at most {MAX_BYTES} bytes")));
        }
        Ok(())
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
        let _place =
            self.waiting.try_acquire().map_err(|_| Problem::new(ProblemCode::RateLimited).with_retry_after(1))?;
        let turn = Arc::clone(&self.running).acquire_owned().await.map_err(Problem::internal)?;
        tokio::task::spawn_blocking(move || {
            // A request that is cancelled gives its turn back only when the work is done.
            let _turn = turn;
            work()
        })
        .await
        .map_err(Problem::internal)
    }
}

#[cfg(test)]
mod tests;
