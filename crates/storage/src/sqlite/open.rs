//! Opening and closing the file.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::ErrorCode;

use super::connection::{self, Role};
use super::error::{Stage, translate};
use super::names::UniqueNames;
use super::readers::{Readers, Snapshot};
use super::unit::Unit;
use super::writer::Writer;
use super::{lock, migrate};
use crate::statement::Statement;
use crate::{OpenError, OpenOptions, StorageError};

/// The oldest SQLite that cannot corrupt a database by resetting its log.
const OLDEST: i32 = 3_051_003;

/// An open file.
pub(crate) struct Sqlite {
    readers: Arc<Readers>,
    writer: Writer,
    lock: Mutex<Option<File>>,
}

impl Sqlite {
    /// Opens the file, creates its folder when needed, and migrates. Blocks.
    pub(crate) fn open(file: &Path, options: &OpenOptions) -> Result<Self, OpenError> {
        if rusqlite::version_number() < OLDEST {
            return Err(OpenError::SqliteTooOld { found: rusqlite::version().to_owned() });
        }
        if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|error| OpenError::Folder { folder: folder.to_owned(), cause: error.to_string() })?;
        }
        let lock = lock::acquire(file)?;
        let failed = |error| classify(file, error);
        let mut first = connection::open(file, Role::Writer).map_err(failed)?;
        if !connection::write_ahead(&first).map_err(failed)? {
            return Err(OpenError::NoWriteAheadLog { file: file.to_owned() });
        }
        migrate::migrate(&mut first, options.migrate, options.migrations)?;
        let names = Arc::new(UniqueNames::read(&first).map_err(failed)?);
        let readers =
            Readers::open(file, options.readers.max(1), options.checkout, Arc::clone(&names)).map_err(failed)?;
        let writer = Writer::start(first, options.checkout, names)?;
        Ok(Self { readers, writer, lock: Mutex::new(Some(lock)) })
    }

    pub(crate) fn readers(&self) -> Arc<Readers> {
        Arc::clone(&self.readers)
    }

    pub(crate) async fn snapshot(&self) -> Result<Snapshot, StorageError> {
        Snapshot::begin(&self.readers).await
    }

    pub(crate) async fn begin(&self) -> Result<Unit, StorageError> {
        self.writer.begin().await.map(Unit::new)
    }

    pub(crate) fn commits(&self) -> u64 {
        self.writer.commits()
    }

    pub(crate) async fn prepare(&self, statement: &'static Statement) -> Result<(), StorageError> {
        self.readers.prepare(statement).await
    }

    /// Lets work under way end, then closes the connections and lets go of the file.
    pub(crate) async fn close(&self) {
        self.readers.close();
        self.writer.close().await;
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// What an error while opening means for the person who starts the server.
fn classify(file: &Path, error: rusqlite::Error) -> OpenError {
    let cause = error.sqlite_error().map_or_else(String::new, ToString::to_string);
    match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            OpenError::Folder { folder: file.parent().unwrap_or(file).to_owned(), cause }
        }
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            OpenError::Damaged { file: file.to_owned(), cause }
        }
        _ => translate(error, Stage::Prepare, "open", &UniqueNames::default()).into(),
    }
}
