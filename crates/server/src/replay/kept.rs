//! What a run made, kept for the next one and for whoever wants to act as those people.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, SpaceId, ThreadId};
use serde::{Deserialize, Serialize};

/// What a run made. Holds passwords and session tokens.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The server that it was made on.
    pub server: String,
    /// The people.
    pub people: Vec<KeptPerson>,
    /// The channels.
    pub channels: Vec<KeptChannel>,
    /// The messages.
    pub messages: Vec<KeptMessage>,
}

/// A person, with what is needed to act as them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptPerson {
    /// The handle.
    pub handle: String,
    /// The id.
    pub id: PrincipalId,
    /// The address for the login.
    pub email: String,
    /// The password.
    pub password: String,
    /// The token of a login session.
    pub session_token: String,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptChannel {
    /// The name.
    pub name: String,
    /// The id.
    pub id: ChannelId,
    /// The space.
    pub space_id: SpaceId,
    /// The main thread.
    pub main_thread_id: ThreadId,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptMessage {
    /// Its position in the transcript.
    pub at: String,
    /// The id.
    pub id: MessageId,
    /// The thread.
    pub thread_id: ThreadId,
}

/// The file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// It cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        cause: std::io::Error,
    },
    /// It is something else.
    #[error("{} was not written by `bothy replay --out` (line {line}): name another file", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Where it differs.
        line: usize,
    },
    /// It belongs to another server.
    #[error("{} was written for {kept}: name another file for {asked}", path.display())]
    OtherServer {
        /// The file.
        path: PathBuf,
        /// Its server.
        kept: String,
        /// The server of this run.
        asked: String,
    },
    /// It cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        cause: std::io::Error,
    },
}

impl Kept {
    /// Reads what a run before has kept for this server; nothing when there is no such file.
    ///
    /// # Errors
    /// [`KeptError`] when the file is there but cannot be used.
    pub fn read(path: &Path, server: &str) -> Result<Self, KeptError> {
        let fresh = || Self { server: server.to_owned(), ..Self::default() };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(fresh()),
            Err(cause) => return Err(KeptError::Read { path: path.to_owned(), cause }),
        };
        let kept: Self = serde_json::from_str(&text)
            .map_err(|error| KeptError::Foreign { path: path.to_owned(), line: error.line() })?;
        if kept.server != server {
            return Err(KeptError::OtherServer { path: path.to_owned(), kept: kept.server, asked: server.to_owned() });
        }
        Ok(kept)
    }

    /// Writes the file so that only its owner can read it. It is there whole or not at all.
    ///
    /// # Errors
    /// [`KeptError::Write`].
    pub fn write(&self, path: &Path) -> Result<(), KeptError> {
        let failed = |cause| KeptError::Write { path: path.to_owned(), cause };
        let mut text = serde_json::to_vec_pretty(self).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
        let mut name = path.as_os_str().to_owned();
        name.push(".new");
        let fresh = PathBuf::from(name);
        // Left over from a run that broke off; a new file gets the mode, an old one would keep its own.
        drop(std::fs::remove_file(&fresh));
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&fresh).map_err(failed)?;
        file.write_all(&text).and_then(|()| file.sync_all()).map_err(failed)?;
        std::fs::rename(&fresh, path).map_err(failed)
    }

    pub(super) fn person(&self, handle: &str) -> Option<&KeptPerson> {
        self.people.iter().find(|person| person.handle == handle)
    }

    pub(super) fn keep_person(&mut self, person: KeptPerson) {
        self.people.retain(|other| other.handle != person.handle);
        self.people.push(person);
    }

    pub(super) fn keep_channel(&mut self, channel: KeptChannel) {
        self.channels.retain(|other| other.id != channel.id);
        self.channels.push(channel);
    }

    pub(super) fn keep_message(&mut self, message: KeptMessage) {
        self.messages.push(message);
    }
}

#[cfg(test)]
mod tests;
