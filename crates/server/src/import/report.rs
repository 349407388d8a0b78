use std::collections::BTreeMap;

use serde::Serialize;

/// Why something was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// There is no place for it here, such as a reaction or a file; `docs/import.md` lists it.
    LeftOut,
    /// It is malformed, or the server refuses it.
    Refused,
}

/// Something that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The file, as it is named in the export.
    pub file: String,
    /// Where in the file: the line, counted from 1, of JSON Lines; the position in the list, counted
    /// from 0, of an export of Slack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// Why.
    pub why: Why,
    /// What it was. Says nothing of what somebody wrote.
    pub what: String,
}

impl Left {
    /// Something without a place here.
    pub(super) fn out(file: &str, at: impl Into<Option<usize>>, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), at: at.into(), why: Why::LeftOut, what: what.into() }
    }

    /// Something that cannot be taken.
    pub(super) fn refused(file: &str, at: impl Into<Option<usize>>, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), at: at.into(), why: Why::Refused, what: what.into() }
    }
}

/// What became of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// How many channels were worked on.
    pub channels: usize,
    /// How many messages were written by this run.
    pub taken: usize,
    /// How many messages a run before had written.
    pub known: usize,
    /// What was not taken, in the order in which it was met.
    pub left: Vec<Left>,
}

impl Report {
    /// How many elements could not be taken, although there is a place for such.
    pub fn refused(&self) -> usize {
        self.left.iter().filter(|left| left.why == Why::Refused).count()
    }

    /// The report in a few lines: what was not taken, by kind.
    pub fn table(&self) -> String {
        let mut table = format!(
            "{:>8} messages taken\n{:>8} taken before\n{:>8} not taken\n",
            self.taken,
            self.known,
            self.left.len()
        );
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for left in &self.left {
            *kinds.entry(left.what.as_str()).or_default() += 1;
        }
        for (what, count) in kinds {
            table.push_str(&format!("{count:>16} {what}\n"));
        }
        table
    }
}
