//! Loading a chat transcript through the public API, as the people in it. `docs/replay.md` describes
//! the form.
//!
//! Nothing is lost silently: whatever cannot be taken, from a malformed element to a message that
//! the server refuses, becomes a [`Refusal`] with the position of the element in the file.

mod agentdojo;
mod json;
mod kept;
mod load;
mod messages;
mod parse;
mod people;
mod places;
mod report;
mod transcript;

pub use agentdojo::from_agentdojo_slack;
pub use kept::{Kept, KeptError, KeptPerson};
pub use load::{Progress, Replay, ReplayError};
pub use parse::{NotATranscript, parse};
pub use report::{Refusal, Report};
pub use transcript::{Channel, Element, Message, Person, Transcript};
