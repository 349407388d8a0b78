use std::path::PathBuf;

use bothy_platform::entropy::EntropyUnavailable;
use bothy_platform::instance::{InstanceError, SetupError};
use bothy_platform::keys::{KeyError, SecretError};
use bothy_platform::serve::BindError;
use bothy_storage::{InvalidDatabaseUrl, OpenError, StorageError};

/// Why the server cannot start. Each says in one line what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The machine gives no randomness.
    #[error(transparent)]
    Entropy(#[from] EntropyUnavailable),
    /// The address is taken, or must not be listened on.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The database cannot be opened.
    #[error(transparent)]
    Database(#[from] OpenError),
    /// `server.database_url` is no database URL.
    #[error("server.database_url: {0}")]
    DatabaseUrl(#[from] InvalidDatabaseUrl),
    /// The instance secret cannot be read or made.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The database belongs to another secret, or fails.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// The signing keys cannot be used.
    #[error("{0}: restore the database together with its instance secret")]
    Keys(KeyError),
    /// The database fails right after it was opened.
    #[error("the database fails ({0}): look at its own log")]
    Storage(#[from] StorageError),
    /// No setup code can be made.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// No folder for what is not to last.
    #[error("cannot create {} ({cause}): make room for temporary files, or name a folder with --data", path.display())]
    Scratch {
        /// The folder.
        path: PathBuf,
        /// What the operating system says.
        cause: std::io::Error,
    },
    /// The demo wants to fill an instance that has something in it.
    #[error(
        "{0} is in use already: the demo needs an empty folder and an empty database; leave out --demo to go on with what is there"
    )]
    NotEmpty(String),
    /// The demo's world could not be built.
    #[error("the demo could not be prepared ({0}): please report this")]
    Demo(bothy_sdk::Error),
}
