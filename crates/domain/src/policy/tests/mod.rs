//! The rules of chapter 03 and 08 over a small world: space Support with Allgemein, space
//! Engineering with Projekt-A, and a direct message.

mod binding;
mod course;
mod decision;
mod rights;
mod scopes;

use uuid::Uuid;

use crate::action::{Action, ResourceKind};
use crate::actor::{ActingFor, Actor, Binding, Credential, PrincipalKind, PrincipalStatus};
use crate::ids::*;
use crate::policy::*;
use crate::time::Timestamp;

pub(super) const NOW: Timestamp = Timestamp::from_micros(1_000_000_000);

pub(super) fn id<K>(number: u128) -> Id<K> {
    Id::from_uuid(Uuid::from_u128(number))
}

pub(super) fn support() -> SpaceId {
    id(1)
}
pub(super) fn engineering() -> SpaceId {
    id(2)
}
pub(super) fn allgemein() -> ChannelId {
    id(11)
}
pub(super) fn projekt_a() -> ChannelId {
    id(21)
}
pub(super) fn direct() -> ChannelId {
    id(31)
}
pub(super) fn alex() -> PrincipalId {
    id(101)
}
pub(super) fn robin() -> PrincipalId {
    id(102)
}
pub(super) fn lotse() -> PrincipalId {
    id(103)
}
pub(super) fn own_thread() -> ThreadId {
    id(201)
}
pub(super) fn other_thread() -> ThreadId {
    id(202)
}
pub(super) fn own_run() -> RunId {
    id(301)
}

pub(super) fn grant(target: GrantTarget, level: Level) -> GrantFact {
    GrantFact { target, rights: Rights { level, capabilities: Capabilities::NONE }, expires_at: None }
}

pub(super) fn snapshot(principal: PrincipalId, kind: PrincipalKind, grants: Vec<GrantFact>) -> Snapshot {
    Snapshot::new(SnapshotFacts {
        principal,
        kind,
        status: PrincipalStatus::Active,
        owner: false,
        grants,
        directs: Vec::new(),
    })
}

pub(super) fn person(grants: Vec<GrantFact>) -> Snapshot {
    snapshot(alex(), PrincipalKind::Person, grants)
}

pub(super) fn agent(grants: Vec<GrantFact>) -> Snapshot {
    snapshot(lotse(), PrincipalKind::Agent, grants)
}

pub(super) fn owner() -> Snapshot {
    Snapshot::new(SnapshotFacts {
        principal: robin(),
        kind: PrincipalKind::Person,
        status: PrincipalStatus::Active,
        owner: true,
        grants: Vec::new(),
        directs: Vec::new(),
    })
}

pub(super) fn binding() -> Binding {
    Binding { person: alex(), run: own_run(), thread: own_thread(), token: id(401) }
}

pub(super) fn actor(kind: PrincipalKind, acting_for: ActingFor) -> Actor {
    let principal = if kind == PrincipalKind::Agent { lotse() } else { alex() };
    let credential = match kind {
        PrincipalKind::Person => Credential::Session { id: id(501), confirmed: false },
        _ => Credential::ApiToken { id: id(502) },
    };
    Actor { principal, kind, credential, rights_version: 1, acting_for, requires_binding: false }
}

pub(super) fn in_thread(
    kind: ResourceKind,
    number: u128,
    space: SpaceId,
    channel: ChannelId,
    thread: ThreadId,
) -> Resource {
    let mut resource = Resource::new(kind, id(number), Path::of(Place::Channel(space, channel)));
    resource.path.thread = Some(thread);
    resource
}

pub(super) fn judge(
    actor: &Actor,
    own: &Snapshot,
    person: Option<&Snapshot>,
    action: Action,
    resource: Option<&Resource>,
    mode: Mode,
) -> Decision {
    decide(&Judgement { actor, own, person, action, resource, mode, now: NOW })
}

pub(super) fn denied(outcome: Outcome, reason: Reason) -> Decision {
    Decision::Deny(Denial { outcome, reason })
}
