use std::collections::BTreeMap;

use bothy_domain::ids::AnyId;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::audit::draft::json;
use crate::audit::hex::hex;

/// A row of the log as it is sealed: nothing is interpreted, so that whatever somebody changed in
/// the database changes its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) entry: i64,
    pub(super) id: AnyId,
    pub(super) position: Option<i64>,
    pub(super) at: i64,
    pub(super) actor_kind: String,
    pub(super) actor_id: Option<AnyId>,
    pub(super) action: String,
    pub(super) effect: String,
    pub(super) reason: Option<String>,
    pub(super) resource_kind: Option<String>,
    pub(super) resource_id: Option<AnyId>,
    pub(super) run_id: Option<AnyId>,
    pub(super) acting_for_id: Option<AnyId>,
    pub(super) details: String,
    pub(super) count: i64,
    /// Empty until it is sealed.
    pub(super) previous_hash: Vec<u8>,
    /// Empty until it is sealed.
    pub(super) hash: Vec<u8>,
}

/// The canonical form (`docs/audit-format.md`): members in the order of their names, those without a
/// value left out.
#[derive(Debug, Serialize)]
pub(super) struct Canonical<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    acting_for_id: Option<AnyId>,
    action: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor_id: Option<AnyId>,
    actor_kind: &'a str,
    at: i64,
    count: i64,
    details: Details<'a>,
    effect: &'a str,
    entry: i64,
    id: AnyId,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_id: Option<AnyId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<AnyId>,
}

/// What the server writes is a canonical object and stays one; anything else is kept as its text, so
/// that no two texts have the same form.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Details<'a> {
    Object(BTreeMap<String, String>),
    Text(&'a str),
}

impl Record {
    /// The form that is hashed, at this place of the chain.
    pub(super) fn canonical(&self, position: i64, previous_hash: &[u8]) -> Canonical<'_> {
        Canonical { position: Some(position), previous_hash: Some(hex(previous_hash)), ..self.unsealed() }
    }

    /// The form before it has a place.
    pub(super) fn unsealed(&self) -> Canonical<'_> {
        let details = match serde_json::from_str::<BTreeMap<String, String>>(&self.details) {
            Ok(object) if json(&object) == self.details => Details::Object(object),
            _ => Details::Text(&self.details),
        };
        Canonical {
            acting_for_id: self.acting_for_id,
            action: &self.action,
            actor_id: self.actor_id,
            actor_kind: &self.actor_kind,
            at: self.at,
            count: self.count,
            details,
            effect: &self.effect,
            entry: self.entry,
            id: self.id,
            position: None,
            previous_hash: None,
            reason: self.reason.as_deref(),
            resource_id: self.resource_id,
            resource_kind: self.resource_kind.as_deref(),
            run_id: self.run_id,
        }
    }

    /// The hash that it has at this place of the chain.
    pub(super) fn digest(&self, position: i64, previous_hash: &[u8]) -> [u8; 32] {
        Sha256::digest(json(&self.canonical(position, previous_hash))).into()
    }

    /// Whether its hash is the one that it would have at this position.
    pub(super) fn sealed_as(&self, position: i64) -> bool {
        self.digest(position, &self.previous_hash) == *self.hash
    }
}
