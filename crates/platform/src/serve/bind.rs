use std::io::{self, ErrorKind};
use std::net::SocketAddr;

use tokio::net::TcpListener;

use crate::config::Server;

/// Why the server does not listen. Each says in one line what to do.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Passwords and tokens would cross the network in the clear.
    #[error(
        "refusing to listen on {0}, beyond this machine, without TLS: put a proxy in front and name it in \
         `server.trusted_proxies`, or set `server.allow_plain_http = true`"
    )]
    Exposed(SocketAddr),
    /// Another program has the port.
    #[error(
        "cannot listen on {0}: the port is in use; stop the program that has it, or choose another one with \
         `server.listen` (--set server.listen=ADDRESS:PORT)"
    )]
    InUse(SocketAddr),
    /// The port is reserved for root.
    #[error(
        "cannot listen on {0}: permission denied; choose a port from 1024 on with `server.listen`, or allow this \
         one to the server"
    )]
    Denied(SocketAddr),
    /// The machine has no such address.
    #[error("cannot listen on {0}: this machine does not have the address; check `server.listen`")]
    NoSuchAddress(SocketAddr),
    /// Anything else.
    #[error("cannot listen on {address}: {cause}")]
    Other {
        /// Where.
        address: SocketAddr,
        /// Why not.
        cause: io::Error,
    },
}

/// Listens on the configured address, unless that would be reckless.
///
/// # Errors
/// [`BindError`].
pub async fn bind(server: &Server) -> Result<TcpListener, BindError> {
    let address = server.listen;
    let safe =
        address.ip().to_canonical().is_loopback() || !server.trusted_proxies.is_empty() || server.allow_plain_http;
    if !safe {
        return Err(BindError::Exposed(address));
    }
    TcpListener::bind(address).await.map_err(|cause| match cause.kind() {
        ErrorKind::AddrInUse => BindError::InUse(address),
        ErrorKind::PermissionDenied => BindError::Denied(address),
        ErrorKind::AddrNotAvailable => BindError::NoSuchAddress(address),
        _ => BindError::Other { address, cause },
    })
}
