use std::collections::HashMap;

use super::markup::{Names, to_markdown};

/// What a message says, in the words of its system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// CommonMark.
    Markdown(String),
    /// The markup of Slack, and the names of files that belong to it when it says nothing else.
    Slack { text: String, files: Vec<String> },
}

impl Content {
    /// The content as CommonMark. `people` says what to write for somebody who is mentioned.
    pub(super) fn markdown(&self, people: &HashMap<String, String>) -> String {
        match self {
            Self::Markdown(text) => text.clone(),
            Self::Slack { text, .. } if !text.trim().is_empty() => to_markdown(text, &Names { people }),
            // So that what was said about a file still has something to stand under.
            Self::Slack { files, .. } => {
                let lines: Vec<String> =
                    files.iter().map(|name| format!("File: `{}`", name.replace('`', "'"))).collect();
                lines.join("\n")
            }
        }
    }
}
