//! Folders for SQLite.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub struct TestFolder(PathBuf);

/// A new, empty folder.
pub fn sqlite_folder() -> TestFolder {
    let path = std::env::temp_dir().join(format!("bothy-test-{}", crate::unique()));
    fs::create_dir_all(&path).expect("tests need a writable folder for temporary files");
    TestFolder(path)
}

impl TestFolder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
