use std::fmt;
use std::str::FromStr;

use http::Uri;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The public address of the server: scheme, host and perhaps a port, in the form in which a
/// browser writes an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    secure: bool,
    authority: String,
}

/// A text that is no public address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an address without a path, such as https://chat.example.com")]
pub struct InvalidOrigin;

impl PublicUrl {
    /// Whether people reach the server through TLS.
    pub const fn is_secure(&self) -> bool {
        self.secure
    }

    /// Host and port, as the `Host` header names them.
    pub fn authority(&self) -> &str {
        &self.authority
    }
}

impl FromStr for PublicUrl {
    type Err = InvalidOrigin;

    fn from_str(text: &str) -> Result<Self, InvalidOrigin> {
        let uri: Uri = text.parse().map_err(|_| InvalidOrigin)?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(InvalidOrigin),
        };
        let authority = uri.authority().ok_or(InvalidOrigin)?;
        let plain = uri.path() == "/" && uri.query().is_none() && !text.contains(['#', '@']);
        if !plain || authority.host().is_empty() {
            return Err(InvalidOrigin);
        }
        let host = authority.host().to_ascii_lowercase();
        let default_port = if secure { 443 } else { 80 };
        let authority = match authority.port_u16() {
            Some(port) if port != default_port => format!("{host}:{port}"),
            _ => host,
        };
        Ok(Self { secure, authority })
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.secure { "https" } else { "http" }, self.authority)
    }
}

impl Serialize for PublicUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PublicUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
