use crate::entropy::Entropy;

/// The randomness of the operating system.
#[derive(Debug, Clone)]
pub struct SystemEntropy {
    checked: (),
}

/// The operating system gives no randomness.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the operating system gives no randomness ({0}): check that getrandom or /dev/urandom can be used here")]
pub struct EntropyUnavailable(getrandom::Error);

impl SystemEntropy {
    /// Makes sure that the operating system gives randomness.
    ///
    /// # Errors
    /// Says why it does not.
    #[allow(clippy::disallowed_methods, reason = "the one place that asks the operating system for randomness")]
    pub fn new() -> Result<Self, EntropyUnavailable> {
        getrandom::fill(&mut [0; 32]).map_err(EntropyUnavailable)?;
        Ok(Self { checked: () })
    }
}

impl Entropy for SystemEntropy {
    #[allow(clippy::disallowed_methods, reason = "the one place that asks the operating system for randomness")]
    fn fill(&self, buffer: &mut [u8]) {
        let () = self.checked;
        if let Err(error) = getrandom::fill(buffer) {
            tracing::error!(%error, "the operating system gives no randomness any more; stopping");
            std::process::abort();
        }
    }
}
