//! Taking over messages from another system, through the public API. `docs/import.md` describes the
//! forms that can be read.
//!
//! Nothing is lost silently: whatever is not taken, from a reaction to a message that the server
//! refuses, is in the [`Report`] with the file and the place in it. Each message has a key of its own,
//! so an import that broke off is simply run again.

mod archive;
mod content;
mod lines;
mod load;
mod markup;
mod report;
mod slack;
mod source;

pub use load::{Import, ImportError, Options, Progress};
pub use report::{Left, Report, Why};
pub use source::{Source, SourceError};
