use serde::Serialize;

/// An element that could not be taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Its position, as a JSON pointer into the file.
    pub at: String,
    /// Why.
    pub message: String,
}

impl Refusal {
    pub(super) fn new(at: impl Into<String>, message: impl Into<String>) -> Self {
        Self { at: at.into(), message: message.into() }
    }
}

/// What became of a transcript. Holds no content and no credentials.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// How many people were taken, new or as before.
    pub people: usize,
    /// How many channels were taken.
    pub channels: usize,
    /// How many messages were taken.
    pub messages: usize,
    /// What could not be taken, in the order of the file.
    pub refused: Vec<Refusal>,
}

impl Report {
    /// Whether everything was taken.
    pub fn is_complete(&self) -> bool {
        self.refused.is_empty()
    }
}
