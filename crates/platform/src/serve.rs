//! The program that listens (chapter 09 section 3): an accept loop of our own, so that a client that
//! is slow to send its headers or to take its answer is cut off, connections are bounded, and a stop
//! lets requests end.
//!
//! HTTP/1.1 alone: TLS, and with it HTTP/2, is the proxy's business.

mod accept;
mod bind;
mod busy;
mod stream;
mod timer;

use std::net::SocketAddr;
use std::time::Duration;

use crate::config::Config;

pub use accept::{Stopped, serve};
pub use bind::{BindError, bind};

/// The other end of the connection, in the extensions of each request. Behind a proxy it is the
/// proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// Limits on connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long the head of a request may take to arrive, from the moment when one may begin.
    pub header_timeout: Duration,
    /// How long a client may take nothing of an answer.
    pub write_timeout: Duration,
    /// Largest head of a request.
    pub max_header_bytes: usize,
    /// How many connections are served at once, upgraded ones included.
    pub max_connections: usize,
    /// How long requests may go on after the stop.
    pub shutdown_grace: Duration,
}

impl Limits {
    /// The limits of a configuration.
    pub fn of(config: &Config) -> Self {
        Self {
            header_timeout: config.http.header_timeout.get(),
            write_timeout: config.http.body_timeout.get(),
            max_header_bytes: config.http.max_header_bytes.to_usize(),
            max_connections: config.http.max_connections.to_usize(),
            shutdown_grace: config.server.shutdown_grace.get(),
        }
    }
}

#[cfg(test)]
mod tests;
