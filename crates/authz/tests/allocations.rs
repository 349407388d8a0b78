//! AZ-7: a decision on warm snapshots allocates nothing, in whatever mode, bound or not, allowed or
//! refused. The test counts the allocations of its own thread.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

use std::sync::Arc;

use bothy_domain::action::{Action, ResourceKind};
use bothy_domain::actor::{ActingFor, Actor, Binding, Credential, PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{ChannelId, Id, PrincipalId, SpaceId, ThreadId};
use bothy_domain::policy::{
    Capabilities, GrantFact, GrantTarget, Level, Mode, Path, Place, Resource, Rights, Snapshot, SnapshotFacts,
};
use bothy_domain::time::Timestamp;
use bothy_platform::authorize::Judge;
use uuid::Uuid;

const NOW: Timestamp = Timestamp::from_micros(1_000);
const MODES: [Mode; 3] = [Mode::Request, Mode::Filter, Mode::Delivery];

fn id<K>(number: u128) -> Id<K> {
    Id::from_uuid(Uuid::from_u128(number))
}

/// Rights on many places; on the first channel one that has ended and one that will.
fn snapshot(principal: PrincipalId, kind: PrincipalKind, owner: bool) -> Arc<Snapshot> {
    let rights = Rights { level: Level::Write, capabilities: Capabilities::ALL };
    let grant = |target, expires_at| GrantFact { target, rights, expires_at };
    let in_channel = |channel: u128| GrantTarget::Channel(id(1 + channel % 20), id(1_000 + channel));
    let mut grants: Vec<GrantFact> = (1..=10).map(|space| grant(GrantTarget::Space(id(space)), None)).collect();
    grants.extend((0..200).map(|channel| grant(in_channel(channel), None)));
    grants.extend([999, 1_000, 1_001].map(|micros| grant(in_channel(0), Some(Timestamp::from_micros(micros)))));
    let directs = (0..20).map(|channel| id(5_000 + channel)).collect();
    let status = PrincipalStatus::Active;
    Arc::new(Snapshot::new(SnapshotFacts { principal, kind, status, owner, grants, directs }))
}

/// Targets of every kind: seen and hidden, archived, direct, in the run's own thread and elsewhere.
fn targets(agent: PrincipalId) -> Vec<Option<Resource>> {
    let channel = |space: u128, channel: u128| -> Place {
        Place::Channel(SpaceId::from_uuid(Uuid::from_u128(space)), ChannelId::from_uuid(Uuid::from_u128(channel)))
    };
    let places = [
        Place::Pathless,
        Place::Private(agent),
        Place::Private(id(77)),
        Place::Instance,
        Place::Space(id(1)),
        Place::Space(id(15)),
        Place::Space(id(99)),
        channel(1, 1_000),
        channel(20, 1_199),
        channel(99, 9_999),
        Place::Direct(id(5_000)),
        Place::Direct(id(6_000)),
    ];
    let mut targets = vec![None];
    for place in places {
        for archived in [false, true] {
            for thread in [None, Some(id(7)), Some(id(8))] {
                let path = Path { archived, thread, thread_operator: Some(agent), ..Path::of(place) };
                let mut resource = Resource::new(ResourceKind::Run, id(9), path);
                (resource.author, resource.agent, resource.triggered_by) = (Some(agent), Some(agent), Some(agent));
                targets.push(Some(resource));
            }
        }
    }
    targets
}

fn callers() -> Vec<Judge> {
    let (agent, person) = (id(70), id(71));
    let own = snapshot(agent, PrincipalKind::Agent, false);
    let thread: ThreadId = id(7);
    let bound = Binding { person, run: id(9), thread, token: id(10) };
    let caller = |principal, kind, credential, acting_for, requires_binding| Actor {
        principal,
        kind,
        credential,
        rights_version: 1,
        acting_for,
        requires_binding,
    };
    let token = Credential::ApiToken { id: id(11) };
    let mut callers = Vec::new();
    for acting_for in [ActingFor::Absent, ActingFor::Invalid, ActingFor::RunInactive(bound), ActingFor::Bound(bound)] {
        for requires_binding in [false, true] {
            let actor = caller(agent, PrincipalKind::Agent, token, acting_for, requires_binding);
            for lender in [None, Some(false), Some(true)] {
                let person = lender.map(|owner| snapshot(person, PrincipalKind::Person, owner));
                callers.push(Judge::new(actor, Arc::clone(&own), person, NOW));
            }
        }
    }
    for owner in [false, true] {
        for confirmed in [false, true] {
            let session = Credential::Session { id: id(12), confirmed };
            let actor = caller(person, PrincipalKind::Person, session, ActingFor::Absent, false);
            callers.push(Judge::new(actor, snapshot(person, PrincipalKind::Person, owner), None, NOW));
        }
    }
    callers
}

#[test]
fn a_decision_on_warm_snapshots_allocates_nothing() {
    let targets = targets(id(70));
    let (mut allowed, mut refused) = (0_u32, 0_u32);
    for judge in callers() {
        let counted = allocation_counter::measure(|| {
            for action in Action::ALL {
                for target in &targets {
                    for mode in MODES {
                        if judge.decide(*action, target.as_ref(), mode).is_allow() {
                            allowed += 1;
                        } else {
                            refused += 1;
                        }
                    }
                }
            }
        });
        assert_eq!(counted.count_total, 0, "{:?}", judge.actor());
    }
    assert!(allowed > 5_000 && refused > 5_000, "{allowed} allowed, {refused} refused");
}

/// The count has teeth: one allocation among the decisions is seen.
#[test]
fn an_allocation_is_counted() {
    let judge = callers().remove(0);
    let counted = allocation_counter::measure(|| {
        judge.decide(Action::MessageRead, None, Mode::Request);
        drop(std::hint::black_box(Box::new(1)));
    });
    assert_eq!(counted.count_total, 1);
}
