//! From the configuration to a server that answers: who knows what is connected to who needs it, the
//! loops that work in the background are started, and everything ends in order.

mod app;
mod background;
mod error;
mod modules;
mod probes;
pub mod scratch;
mod stopping;

use bothy_platform::clock::{SharedClock, SystemClock};
use bothy_platform::entropy::{SharedEntropy, SystemEntropy};
use serde_json::Value;

pub use app::App;
pub use error::StartError;
pub use modules::{Modules, open_to_read};

/// Where time and randomness come from.
#[derive(Debug, Clone)]
pub struct Ports {
    /// The time.
    pub clock: SharedClock,
    /// The randomness.
    pub entropy: SharedEntropy,
}

impl Ports {
    /// Those of the machine.
    ///
    /// # Errors
    /// [`StartError::Entropy`] when it gives no randomness.
    pub fn system() -> Result<Self, StartError> {
        Ok(Self { clock: std::sync::Arc::new(SystemClock), entropy: std::sync::Arc::new(SystemEntropy::new()?) })
    }
}

/// The OpenAPI description of this server. The modules that it is made from stand on an empty
/// database, which is gone afterwards.
///
/// # Errors
/// [`StartError`] when the folder for temporary files cannot be written.
pub async fn openapi() -> Result<Value, StartError> {
    let ports = Ports::system()?;
    let folder = scratch::Folder::new(&ports)?;
    let config = folder.config();
    let modules = Modules::open(config, &ports).await?;
    let described = modules.openapi();
    modules.close().await;
    Ok(described)
}
