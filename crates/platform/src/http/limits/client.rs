use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::http::{Extensions, HeaderMap};

use crate::config::Network;
use crate::serve::Peer;

const FORWARDED_FOR: &str = "x-forwarded-for";
/// Whoever has one address of IPv6 has all with the same first 64 bits.
const NETWORK_BITS: u128 = !0 << 64;

/// Where a request comes from. Without a connection, as in tests, it is nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::http) struct ClientAddress(Option<IpAddr>);

impl ClientAddress {
    /// The other end of the connection, or, when that is a trusted proxy, whom it and the trusted
    /// proxies before it name in `X-Forwarded-For`. What others wrote there is never believed: each
    /// proxy adds at the end whom it saw, so the list is read backwards and only as long as the
    /// speaker is trusted.
    pub(super) fn of(extensions: &Extensions, headers: &HeaderMap, proxies: &[Network]) -> Self {
        let Some(Peer(peer)) = extensions.get::<Peer>() else { return Self(None) };
        let trusted = |address: &IpAddr| proxies.iter().any(|proxy| proxy.contains(*address));
        let mut client = peer.ip().to_canonical();
        for line in headers.get_all(FORWARDED_FOR).iter().rev() {
            for named in line.as_bytes().rsplit(|byte| *byte == b',') {
                if !trusted(&client) {
                    return Self::masked(client);
                }
                match parse(named) {
                    Some(named) => client = named,
                    None => return Self::masked(client),
                }
            }
        }
        Self::masked(client)
    }

    fn masked(address: IpAddr) -> Self {
        Self(Some(match address {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & NETWORK_BITS)),
        }))
    }
}

/// An address, with or without a port.
fn parse(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let address = match text.parse::<SocketAddr>() {
        Ok(address) => address.ip(),
        Err(_) => text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text).parse().ok()?,
    };
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests;
