use serde::Deserialize;

use crate::jws::JwsError;

/// The one algorithm.
const ALGORITHM: &str = "EdDSA";
/// Longest key id.
const KID_MAX: usize = 64;

/// All that a header may hold; duplicate and unknown members are errors.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header<'h> {
    alg: &'h str,
    typ: &'h str,
    kid: &'h str,
}

/// The header in its one spelling.
pub(super) fn write(typ: &str, kid: &str) -> String {
    format!(r#"{{"alg":"{ALGORITHM}","typ":"{typ}","kid":"{kid}"}}"#)
}

/// The key id of a header of type `typ`.
pub(super) fn read(bytes: &[u8], typ: &str) -> Result<String, JwsError> {
    let header: Header<'_> = serde_json::from_slice(bytes).map_err(|_| JwsError::Header)?;
    if header.alg != ALGORITHM {
        return Err(JwsError::Algorithm);
    }
    if header.typ != typ {
        return Err(JwsError::Type);
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if header.kid.is_empty() || header.kid.len() > KID_MAX || !header.kid.bytes().all(plain) {
        return Err(JwsError::Header);
    }
    // Other orders, spaces and the array form of a struct say the same, but are not what we write.
    if write(typ, header.kid).as_bytes() != bytes {
        return Err(JwsError::Header);
    }
    Ok(header.kid.to_owned())
}
