//! What a program needs to talk to a Bothy server: a typed client of the API, a [`Run`] handle that
//! cannot forget its `Invocation-Token`, and an [`Adapter`] that turns one async function into an
//! agent (chapter 10 section 1).
//!
//! ```no_run
//! use bothy_sdk::{Adapter, Answer, Client, Invocation, Run};
//!
//! # async fn start() -> Result<(), bothy_sdk::Error> {
//! let client = Client::new("https://chat.example.com", "bothy_agt_...")?;
//! Adapter::new(client)
//!     .run(
//!         |invocation: Invocation, _run: Run| async move {
//!             Ok(Answer::text(format!("You said: {}", invocation.context.trigger_message.content_md)))
//!         },
//!         std::future::pending(),
//!     )
//!     .await
//! # }
//! ```
//!
//! Unknown members of answers are ignored, so that an older program works with a newer server.

mod adapter;
mod calls;
mod client;
mod error;
mod run;
mod transport;
mod wait;
pub mod wire;
mod witness;

pub use adapter::{Adapter, Answer, Failure, Invocation};
pub use client::Client;
pub use error::{Error, FieldError, Problem};
pub use run::Run;
pub use transport::Retry;
pub use wait::{SharedWait, SystemWait, Wait};
pub use witness::{Breach, Witness};
