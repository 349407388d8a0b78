use axum::http::HeaderMap;
use bothy_domain::actor::{ActingFor, Actor};
use bothy_domain::problem::Problem;
use sha2::{Digest as _, Sha256};

use crate::http::allowed::PathMembers;

/// The header.
const HEADER: &str = "idempotency-key";
/// The longest key in bytes.
pub(in crate::http) const LONGEST_KEY: usize = 128;
const POINTER: &str = "/header/Idempotency-Key";

/// The key of a request, if it has one.
///
/// # Errors
/// `validation_failed` when it is sent twice, is empty or too long, or is not printable ASCII.
pub(in crate::http) fn key_of(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let mut values = headers.get_all(HEADER).iter();
    let value = match (values.next(), values.next()) {
        (None, _) => return Ok(None),
        (Some(value), None) => value,
        (Some(_), Some(_)) => return Err(Problem::invalid(POINTER, "must be sent once")),
    };
    let printable = |key: &&str| key.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    let key =
        value.to_str().ok().filter(printable).ok_or_else(|| Problem::invalid(POINTER, "must be printable ASCII"))?;
    if (1..=LONGEST_KEY).contains(&key.len()) {
        Ok(Some(key))
    } else {
        Err(Problem::invalid(POINTER, format!("must have 1 to {LONGEST_KEY} characters")))
    }
}

/// A request with a key, as it is recognised again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) struct Asked {
    /// Who asks for what with which key. A hash, so that all have one size and no key is kept.
    pub(super) slot: [u8; 32],
    /// What is asked: the query and the body, byte for byte.
    pub(super) request_hash: [u8; 32],
}

impl Asked {
    /// C104: another principal, run, operation or target is another entry, whatever the key.
    pub(in crate::http) fn new(
        actor: &Actor,
        operation: &'static str,
        path: &PathMembers,
        key: &str,
        (query, body): (&str, &[u8]),
    ) -> Self {
        let run = match &actor.acting_for {
            ActingFor::Bound(binding) => Some(binding.run.uuid()),
            ActingFor::Absent | ActingFor::Invalid | ActingFor::RunInactive(_) => None,
        };
        let principal = actor.principal.uuid();
        let mut parts: Vec<&[u8]> = vec![
            principal.as_bytes(),
            run.as_ref().map_or(&[], |run| run.as_bytes().as_slice()),
            operation.as_bytes(),
            key.as_bytes(),
        ];
        parts.extend(path.0.iter().map(|(_, value)| value.as_bytes()));
        Self { slot: hash(&parts), request_hash: hash(&[query.as_bytes(), body]) }
    }
}

/// The parts with their lengths, so that no two lists of parts give one text.
fn hash(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}
