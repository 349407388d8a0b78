//! The engine over connections: a pool, transactions, cached statements.
//!
//! Connections are made without TLS (`sslmode=prefer` and `disable` both work): the database
//! stands beside the server, on a private network or behind a tunnel.

mod decode;
mod encode;
mod error;
mod migrate;
mod open;
mod session;

pub(crate) use decode::cell;
pub(crate) use open::{Postgres, address};
pub(crate) use session::Session;
