//! What the stories stand on: a server in this process with a clock that stands still, a client that
//! sees every byte, and the program itself as a child process.

#![allow(dead_code, unused_imports, unreachable_pub, reason = "each story uses its own part of this")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

pub mod dump;
pub mod http;
pub mod process;
pub mod server;
#[path = "../../../identity/tests/support/settle.rs"]
mod settle;
pub mod socket;

pub use dump::Dump;
pub use http::{Answer, Http};
pub use server::TestServer;
pub use socket::Socket;
