//! A data folder that is not to last.

use std::path::{Path, PathBuf};

use bothy_platform::config::Config;
use bothy_platform::entropy::bytes;

use super::{Ports, StartError};

/// A new folder of its own among the temporary files, removed when this is dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Makes one that nobody else can read.
    ///
    /// # Errors
    /// [`StartError::Scratch`].
    pub fn new(ports: &Ports) -> Result<Self, StartError> {
        let name: String = bytes::<12>(&*ports.entropy).iter().map(|byte| format!("{byte:02x}")).collect();
        let path = std::env::temp_dir().join(format!("bothy-{name}"));
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&path) {
            Ok(()) => Ok(Self(path)),
            Err(cause) => Err(StartError::Scratch { path, cause }),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The default configuration with this data folder.
    pub fn config(&self) -> Config {
        let mut config = Config::default();
        config.server.data_folder = self.0.clone();
        config
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, "a temporary folder is left over");
        }
    }
}
