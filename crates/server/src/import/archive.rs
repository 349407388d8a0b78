//! The files of an export: a folder, or a zip file.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;
use zip::result::ZipError;

use super::source::SourceError;

/// No file of a day is that large; a zip file may claim anything.
const MAX_MIB: u64 = 512;

/// Where the files of an export are.
#[derive(Debug)]
pub(super) enum Archive {
    Folder(PathBuf),
    Zip { path: PathBuf, archive: Box<ZipArchive<File>> },
}

impl Archive {
    pub(super) fn open(path: &Path) -> Result<Self, SourceError> {
        if path.is_dir() {
            return Ok(Self::Folder(path.to_owned()));
        }
        let failed = |cause| SourceError::Read { path: path.to_owned(), cause };
        let file = File::open(path).map_err(failed)?;
        let archive = ZipArchive::new(file).map_err(|error| failed(io(error)))?;
        Ok(Self::Zip { path: path.to_owned(), archive: Box::new(archive) })
    }

    /// The JSON files of a folder of the export, in the order of their names.
    pub(super) fn files_of(&self, folder: &str) -> Result<Vec<String>, SourceError> {
        // A channel can have any name, but none leads out of the export.
        if folder.is_empty() || folder.contains(['/', '\\']) || folder == ".." || folder == "." {
            return Ok(Vec::new());
        }
        let prefix = format!("{folder}/");
        let names: BTreeSet<String> = match self {
            Self::Folder(root) => {
                let path = root.join(folder);
                let failed = |cause| SourceError::Read { path: path.clone(), cause };
                match std::fs::read_dir(&path) {
                    Err(error) if error.kind() == ErrorKind::NotFound => BTreeSet::new(),
                    entries => entries
                        .map_err(failed)?
                        .map(|entry| Ok(format!("{prefix}{}", entry.map_err(failed)?.file_name().to_string_lossy())))
                        .collect::<Result<_, SourceError>>()?,
                }
            }
            Self::Zip { path, archive } => {
                let names = archive.file_names().map(|name| Ok(name.map_err(io)?.into_owned()));
                let names: std::io::Result<Vec<String>> = names.collect();
                names
                    .map_err(|cause| SourceError::Read { path: path.clone(), cause })?
                    .into_iter()
                    .filter(|name| name.strip_prefix(&prefix).is_some_and(|rest| !rest.contains('/')))
                    .collect()
            }
        };
        Ok(names.into_iter().filter(|name| name.ends_with(".json")).collect())
    }

    /// The text of a file; `None` when there is none of this name.
    pub(super) fn read(&mut self, name: &str) -> Result<Option<String>, SourceError> {
        match self {
            Self::Folder(root) => {
                let path = root.join(name);
                let failed = |cause| SourceError::Read { path: path.clone(), cause };
                match File::open(&path) {
                    Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                    file => bounded(file.map_err(failed)?, name, failed).map(Some),
                }
            }
            Self::Zip { path, archive } => {
                let failed = |cause| SourceError::Read { path: path.join(name), cause };
                match archive.by_name(name) {
                    Err(ZipError::FileNotFound) => Ok(None),
                    Err(error) => Err(failed(io(error))),
                    Ok(file) => bounded(file, name, failed).map(Some),
                }
            }
        }
    }
}

fn bounded(
    file: impl Read,
    name: &str,
    failed: impl FnOnce(std::io::Error) -> SourceError,
) -> Result<String, SourceError> {
    let most = MAX_MIB << 20;
    let mut text = String::new();
    match file.take(most + 1).read_to_string(&mut text) {
        Err(error) => Err(failed(error)),
        Ok(read) if u64::try_from(read).unwrap_or(u64::MAX) > most => {
            Err(SourceError::TooLarge { file: name.to_owned(), max_mib: MAX_MIB })
        }
        Ok(_) => Ok(text),
    }
}

fn io(error: ZipError) -> std::io::Error {
    match error {
        ZipError::Io(error) => error,
        other => std::io::Error::new(ErrorKind::InvalidData, other.to_string()),
    }
}
