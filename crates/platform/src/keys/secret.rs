use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hkdf::Hkdf;
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::config::Server;
use crate::entropy::{Entropy, bytes};

/// The file of the secret in the data folder.
const FILE: &str = "instance.secret";
const SALT: &[u8] = b"bothy instance secret v1";

/// The secret of the instance, from which the keys that seal other keys are derived. It is never
/// stored in the database and never printed.
#[derive(Clone)]
pub struct InstanceSecret(Hkdf<Sha256>);

/// Why there is no usable secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// Too short to be unguessable.
    #[error("{source}: the instance secret must have at least {least} characters; make one with `openssl rand -base64 32`", source = .0, least = InstanceSecret::SHORTEST)]
    Short(String),
    /// Others on the machine could read the file.
    #[error("{path} can be read by others on this machine; run `chmod 600 {path}`", path = .0.display())]
    Exposed(PathBuf),
    /// The file cannot be read or made.
    #[error("cannot {doing} {path}: {cause}", path = .path.display())]
    File {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        cause: io::Error,
    },
}

impl InstanceSecret {
    /// The fewest bytes of a secret.
    pub const SHORTEST: usize = 32;

    /// The secret that the configuration gives, else the one in the data folder, which is made when
    /// there is none yet.
    ///
    /// # Errors
    /// Says what is wrong and what to do.
    pub fn load_or_create(server: &Server, entropy: &dyn Entropy) -> Result<Self, SecretError> {
        match &server.secret {
            Some(secret) => {
                Self::new(secret.expose().as_bytes()).ok_or_else(|| SecretError::Short("server.secret".to_owned()))
            }
            None => Self::in_folder(&server.data_folder, entropy),
        }
    }

    /// A secret from its bytes; `None` when it is too short.
    pub fn new(secret: &[u8]) -> Option<Self> {
        (secret.len() >= Self::SHORTEST).then(|| Self(Hkdf::new(Some(SALT), secret)))
    }

    /// A key for one purpose. Keys of different labels tell nothing of each other.
    pub(crate) fn derive(&self, label: &str) -> Zeroizing<[u8; 32]> {
        let mut key = Zeroizing::new([0; 32]);
        // Fails only for more than 255 times the length of the hash.
        let expanded = self.0.expand(label.as_bytes(), key.as_mut());
        debug_assert!(expanded.is_ok());
        key
    }

    fn in_folder(folder: &Path, entropy: &dyn Entropy) -> Result<Self, SecretError> {
        let path = folder.join(FILE);
        match Self::read(&path) {
            Err(SecretError::File { cause, .. }) if cause.kind() == ErrorKind::NotFound => {
                create(folder, &path, entropy)?;
                Self::read(&path)
            }
            other => other,
        }
    }

    fn read(path: &Path) -> Result<Self, SecretError> {
        let failed = |cause| SecretError::File { doing: "read", path: path.to_owned(), cause };
        let text = Zeroizing::new(fs::read_to_string(path).map_err(failed)?);
        if others_can_read(&fs::metadata(path).map_err(failed)?) {
            return Err(SecretError::Exposed(path.to_owned()));
        }
        Self::new(text.trim_end().as_bytes()).ok_or_else(|| SecretError::Short(path.display().to_string()))
    }
}

impl fmt::Debug for InstanceSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InstanceSecret")
    }
}

/// Makes the file as a whole or not at all. Of two processes that do it at once one wins, and both
/// use its secret.
fn create(folder: &Path, path: &Path, entropy: &dyn Entropy) -> Result<(), SecretError> {
    let failed = |cause| SecretError::File { doing: "create", path: path.to_owned(), cause };
    fs::create_dir_all(folder).map_err(failed)?;
    let draft = folder.join(format!(".{FILE}.{}", URL_SAFE_NO_PAD.encode(bytes::<12>(entropy))));
    let text = Zeroizing::new(URL_SAFE_NO_PAD.encode(*Zeroizing::new(bytes::<32>(entropy))) + "\n");
    let placed = write_private(&draft, text.as_bytes()).and_then(|()| fs::hard_link(&draft, path));
    let removed = fs::remove_file(&draft);
    match placed {
        Ok(()) => removed.and_then(|()| sync_folder(folder)).map_err(failed),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(failed(error)),
    }
}

fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Makes a new name in a folder survive a power cut.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(unix)]
fn others_can_read(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::mode(metadata) & 0o077 != 0
}

#[cfg(not(unix))]
fn others_can_read(_: &fs::Metadata) -> bool {
    false
}
