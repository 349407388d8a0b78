//! What is said: messages and the mentions in them (chapter 05 section 1).
//!
//! [`Messaging`] owns the messages. It also opens, closes and reopens threads, because that concerns
//! a message: the one that a thread is opened from, or the system line that tells of it. Whoever
//! must act on a message in the unit of work that writes it implements [`MessageWritten`].

mod close;
mod content;
mod context;
mod create;
mod list;
mod locate;
mod mentions;
mod message;
mod messaging;
mod open_thread;
mod routes;
mod store;
mod system_line;
mod write;

pub use context::{ContextPage, ContextQuery};
pub use message::{Effects, MessageWritten, Notice, StoredMessage, WrittenMessage};
pub use messaging::{Messaging, Parts};
pub use system_line::SystemCode;
pub use write::NewMessage;
