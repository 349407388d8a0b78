//! What an export is made of, whatever its form.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bothy_domain::time::Timestamp;

use super::archive::Archive;
use super::content::Content;
use super::lines::Lines;
use super::report::Left;
use super::slack::Slack;

/// The export cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// A file of the export is larger than any real one.
    #[error("{file} holds more than {max_mib} MiB")]
    TooLarge {
        /// The file.
        file: String,
        /// The bound.
        max_mib: u64,
    },
    /// What must be there is not.
    #[error("{file}: {problem}")]
    Form {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// Somebody in an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourcePerson {
    pub(super) name: String,
    pub(super) email: Option<String>,
}

/// A channel of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceChannel {
    pub(super) id: String,
    pub(super) name: String,
}

/// Who wrote a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Author {
    /// Somebody whom the export lists.
    Listed(String),
    /// A name alone.
    Named(String),
}

/// A message of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceMessage {
    pub(super) file: String,
    pub(super) at: usize,
    pub(super) key: String,
    pub(super) parent_key: Option<String>,
    pub(super) author: Author,
    pub(super) content: Content,
    pub(super) created_at: Timestamp,
    pub(super) edited_at: Option<Timestamp>,
    pub(super) deleted_at: Option<Timestamp>,
    pub(super) revisions: Vec<(String, Timestamp)>,
}

/// An export.
#[derive(Debug)]
pub struct Source(Form);

#[derive(Debug)]
enum Form {
    Slack(Slack),
    Lines(Lines),
}

impl Source {
    /// Opens an export: a folder or a `.zip` is one of Slack, any other file holds JSON Lines.
    ///
    /// # Errors
    /// [`SourceError`] when there is nothing that could be read.
    pub fn open(path: &Path, include_private: bool) -> Result<Self, SourceError> {
        let is_zip = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip"));
        Ok(Self(if path.is_dir() || is_zip {
            Form::Slack(Slack::open(Archive::open(path)?, include_private)?)
        } else {
            Form::Lines(Lines::read(path)?)
        }))
    }

    /// The people that it lists, by their id in it.
    pub(super) const fn people(&self) -> &HashMap<String, SourcePerson> {
        match &self.0 {
            Form::Slack(slack) => &slack.people,
            Form::Lines(lines) => &lines.people,
        }
    }

    /// The channels whose messages can be taken.
    pub(super) fn channels(&self) -> &[SourceChannel] {
        match &self.0 {
            Form::Slack(slack) => &slack.channels,
            Form::Lines(lines) => &lines.channels,
        }
    }

    /// What is already known not to be taken.
    pub(super) fn left(&self) -> &[Left] {
        match &self.0 {
            Form::Slack(slack) => &slack.left,
            Form::Lines(lines) => &lines.left,
        }
    }

    /// The messages of a channel, oldest first, and what of it cannot be taken.
    ///
    /// # Errors
    /// [`SourceError`] when a file went away or cannot be read.
    pub(super) fn messages(&mut self, channel: &SourceChannel) -> Result<(Vec<SourceMessage>, Vec<Left>), SourceError> {
        let (mut messages, left) = match &mut self.0 {
            Form::Slack(slack) => slack.messages(channel)?,
            Form::Lines(lines) => (lines.take(channel), Vec::new()),
        };
        // Stable, so that what has one time stays in the order of the file.
        messages.sort_by_key(|message| message.created_at);
        Ok((messages, left))
    }
}
