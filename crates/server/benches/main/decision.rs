//! A decision on warm snapshots: the agent alone, and together with the person it works for.

use std::hint::black_box;
use std::time::Instant;

use bothy_domain::action::{Action, ResourceKind};
use bothy_domain::actor::{ActingFor, Actor, Binding, Credential, PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{Id, PrincipalId};
use bothy_domain::policy::{
    Capabilities, GrantFact, GrantTarget, Judgement, Level, Mode, Path, Place, Resource, Rights, Snapshot,
    SnapshotFacts, decide,
};
use bothy_domain::time::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

const SPACES: u128 = 20;
const CHANNELS: u128 = 200;
const ROUNDS: u32 = 200_000;

fn id<K>(number: u128) -> Id<K> {
    Id::from_uuid(Uuid::from_u128(number))
}

/// A principal with a grant on each of the spaces and on each of the channels.
fn snapshot(principal: PrincipalId, kind: PrincipalKind) -> Snapshot {
    let rights = Rights { level: Level::Write, capabilities: Capabilities::NONE };
    let grant = |target| GrantFact { target, rights, expires_at: None };
    let spaces = (1..=SPACES).map(|space| grant(GrantTarget::Space(id(space))));
    let channels =
        (1..=CHANNELS).map(|channel| grant(GrantTarget::Channel(id(1 + channel % SPACES), id(1000 + channel))));
    Snapshot::new(SnapshotFacts {
        principal,
        kind,
        status: PrincipalStatus::Active,
        owner: false,
        grants: spaces.chain(channels).collect(),
        directs: Vec::new(),
    })
}

fn median_ns(actor: &Actor, own: &Snapshot, person: Option<&Snapshot>) -> f64 {
    let resources: Vec<Resource> = (1..=CHANNELS)
        .map(|channel| {
            let place = Place::Channel(id(1 + channel % SPACES), id(1000 + channel));
            let mut resource = Resource::new(ResourceKind::Message, id(9000 + channel), Path::of(place));
            resource.path.thread = Some(id(5000 + channel));
            resource
        })
        .collect();
    let mut batches: Vec<f64> = (0..21)
        .map(|_| {
            let started = Instant::now();
            for resource in resources.iter().cycle().take(ROUNDS as usize) {
                let judgement = Judgement {
                    actor: black_box(actor),
                    own,
                    person,
                    action: Action::MessageRead,
                    resource: Some(resource),
                    mode: Mode::Request,
                    now: Timestamp::from_micros(1),
                };
                black_box(decide(black_box(&judgement)));
            }
            started.elapsed().as_secs_f64() * 1e9 / f64::from(ROUNDS)
        })
        .collect();
    batches.sort_by(f64::total_cmp);
    batches[batches.len() / 2]
}

/// Runs it and says the medians in nanoseconds.
pub(crate) fn run() -> Value {
    let agent = snapshot(id(1), PrincipalKind::Agent);
    let person = snapshot(id(2), PrincipalKind::Person);
    let mut actor = Actor {
        principal: id(1),
        kind: PrincipalKind::Agent,
        credential: Credential::ApiToken { id: id(3) },
        rights_version: 1,
        acting_for: ActingFor::Absent,
        requires_binding: false,
    };
    let alone = median_ns(&actor, &agent, None);
    actor.acting_for = ActingFor::Bound(Binding { person: id(2), run: id(4), thread: id(5), token: id(6) });
    let bound = median_ns(&actor, &agent, Some(&person));
    println!("decision, warm, {} grants: alone {alone:.0} ns, bound {bound:.0} ns", SPACES + CHANNELS);
    json!({ "grants": (SPACES + CHANNELS) as u64, "alone_ns": alone, "bound_ns": bound })
}
