//! The lock that keeps a second process away from the file.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::OpenError;

/// Takes the lock beside the file (`bothy.lock` for `bothy.db`) and holds it as long as the
/// returned file lives. The operating system lets go of it when the process dies.
///
/// SQLite's own locks would allow a second process, whose writes would pass by the wake-ups, the
/// caches and the unique duties of the first.
pub(super) fn acquire(file: &Path) -> Result<File, OpenError> {
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(file.with_extension("lock"))
        .map_err(|error| OpenError::Folder { folder: folder.clone(), cause: error.to_string() })?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse { file: file.to_owned() }),
        Err(TryLockError::Error(error)) => Err(OpenError::Folder { folder, cause: error.to_string() }),
    }
}
