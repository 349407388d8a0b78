//! What is said: messages and the mentions in them (chapter 05 section 1).
//!
//! [`Messaging`] owns the messages. It also opens, closes, reopens and moves threads, because that
//! concerns a message: the one that a thread is opened from, or the system line that tells of it. Whoever
//! must act on a message in the unit of work that writes it implements [`MessageWritten`].

mod close;
mod components;
mod content;
mod context;
mod create;
mod delete;
mod edit;
mod emoji;
#[cfg(fuzzing)]
pub mod fuzz;
mod import;
mod list;
mod locate;
mod mentions;
mod message;
mod messaging;
mod move_thread;
mod notices;
mod open_thread;
mod reactions;
mod read_states;
mod request;
mod routes;
mod search;
mod shown;
mod store;
mod system_line;
mod view;
mod write;

pub use components::{PlacedComponent, check_message_components};
pub use context::{ContextPage, ContextQuery};
pub use message::{DeletedMessage, Effects, MessageWritten, Notice, StoredMessage, WrittenMessage};
pub use messaging::{Messaging, Parts};
pub use notices::{NewNotice, NoticeView};
pub use reactions::ReactionCount;
pub use read_states::{ReadMark, ThreadUnread, UnreadPage};
pub use request::{MessageStanding, WrittenRequest};
pub use shown::ShownMessage;
pub use system_line::SystemCode;
pub use view::MessageView;
pub use write::NewMessage;
