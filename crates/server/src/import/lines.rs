//! JSON Lines of our own: one object a line, each with its `type`.

use std::collections::HashMap;
use std::path::Path;

use bothy_domain::time::Timestamp;
use serde::Deserialize;

use super::content::Content;
use super::report::Left;
use super::source::{Author, SourceChannel, SourceError, SourceMessage, SourcePerson};

/// A line.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    Person { id: String, name: String, email: Option<String> },
    Message(Message),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    channel: String,
    key: String,
    parent: Option<String>,
    author: Option<String>,
    author_name: Option<String>,
    #[serde(default)]
    content_md: String,
    created_at: Timestamp,
    edited_at: Option<Timestamp>,
    deleted_at: Option<Timestamp>,
    #[serde(default)]
    revisions: Vec<Revision>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Revision {
    content_md: String,
    replaced_at: Timestamp,
}

/// A file, read as a whole.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) people: HashMap<String, SourcePerson>,
    pub(super) channels: Vec<SourceChannel>,
    pub(super) left: Vec<Left>,
    messages: HashMap<String, Vec<SourceMessage>>,
}

impl Lines {
    pub(super) fn read(path: &Path) -> Result<Self, SourceError> {
        let bytes = std::fs::read(path).map_err(|cause| SourceError::Read { path: path.to_owned(), cause })?;
        let file = path.file_name().map_or_else(|| "-".to_owned(), |name| name.to_string_lossy().into_owned());
        Ok(Self::parse(&file, &bytes))
    }

    fn parse(file: &str, bytes: &[u8]) -> Self {
        let mut read =
            Self { people: HashMap::new(), channels: Vec::new(), left: Vec::new(), messages: HashMap::new() };
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        for (at, line) in (1_usize..).zip(bytes.split(|byte| *byte == b'\n')) {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match serde_json::from_slice::<Line>(line) {
                Ok(Line::Person { id, name, email }) => {
                    let email = email.map(|email| email.trim().to_lowercase());
                    read.people.insert(id, SourcePerson { name, email });
                }
                Ok(Line::Message(message)) => read.message(file, at, message),
                // The words of the library may repeat what stands in the line.
                Err(error) => {
                    let what = match error.classify() {
                        serde_json::error::Category::Data => "a line with a wrong or unknown member",
                        _ => "a line that is not JSON",
                    };
                    read.left.push(Left::refused(file, at, what));
                }
            }
        }
        read
    }

    fn message(&mut self, file: &str, at: usize, message: Message) {
        let author = match (message.author, message.author_name) {
            (Some(id), None) => Author::Listed(id),
            (None, Some(name)) => Author::Named(name),
            _ => {
                self.left.push(Left::refused(file, at, "a message needs either author or author_name"));
                return;
            }
        };
        if !self.messages.contains_key(&message.channel) {
            self.channels.push(SourceChannel { id: message.channel.clone(), name: message.channel.clone() });
        }
        self.messages.entry(message.channel).or_default().push(SourceMessage {
            file: file.to_owned(),
            at,
            key: message.key,
            parent_key: message.parent,
            author,
            content: Content::Markdown(message.content_md),
            created_at: message.created_at,
            edited_at: message.edited_at,
            deleted_at: message.deleted_at,
            revisions: message.revisions.into_iter().map(|one| (one.content_md, one.replaced_at)).collect(),
        });
    }

    /// The messages of a channel, which are then taken out.
    pub(super) fn take(&mut self, channel: &SourceChannel) -> Vec<SourceMessage> {
        self.messages.remove(&channel.id).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
