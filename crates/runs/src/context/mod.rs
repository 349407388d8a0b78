//! The context of a run (chapter 07): what its agent may know, each message labelled by the server
//! with author, origin, role, channel and trust of this moment.

mod element;
mod plan;
mod read;
mod window;

pub(crate) use element::{ContextAuthor, ContextMessage};
pub(crate) use plan::Planned;
pub(crate) use read::RunContext;
