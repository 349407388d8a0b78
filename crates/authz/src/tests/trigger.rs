//! `with_trigger` case by case (RC-9).

use std::time::Duration;

use bothy_domain::action::ResourceKind;
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{ChannelId, PrincipalId};
use bothy_domain::policy::{GrantTarget, Level, Path, Place, Resource, Rights};
use bothy_domain::problem::ProblemCode;
use bothy_platform::authorize::TriggerHolders;
use bothy_testkit::both_databases;
use uuid::Uuid;

use super::support::{ALLGEMEIN, SUPPORT, TRIGGER, WRITE, World, channel, channel_path, group, principal};
use crate::subject::Subject;

const PERSON: PrincipalId = principal(5);

fn resource(path: Path) -> Resource {
    Resource::new(ResourceKind::Channel, ALLGEMEIN.cast(), path)
}

async fn holders(world: &World, path: Path, people: &[PrincipalId]) -> Vec<PrincipalId> {
    let reader = world.reader().await;
    world.authz.with_trigger(&reader, &resource(path), people).await.unwrap()
}

async fn holds(world: &World) -> bool {
    let found = holders(world, channel_path(), &[PERSON]).await;
    assert!(found.is_empty() || found == [PERSON]);
    !found.is_empty()
}

async fn world(db: &bothy_testkit::TestDb) -> World {
    let world = World::new(db).await;
    world.facts.set(PERSON, PrincipalKind::Person);
    world
}

both_databases! {
    async fn level_trigger_on_channel_space_or_instance_counts_and_less_does_not(db: TestDb) {
        let world = world(&db).await;
        assert!(!holds(&world).await);
        world.grant(Subject::Principal(PERSON), channel(), WRITE, None).await;
        assert!(!holds(&world).await);
        for target in [channel(), GrantTarget::Space(SUPPORT), GrantTarget::Instance] {
            let grant = world.grant(Subject::Principal(PERSON), target, TRIGGER, None).await;
            assert!(holds(&world).await, "{target:?}");
            world.revoke(grant).await;
            assert!(!holds(&world).await, "{target:?}");
        }
        let elsewhere = GrantTarget::Channel(SUPPORT, ChannelId::from_uuid(Uuid::from_u128(0xc2)));
        world.grant(Subject::Principal(PERSON), elsewhere, TRIGGER, None).await;
        assert!(!holds(&world).await);
    }

    async fn a_grant_of_a_group_counts_while_one_is_in_it(db: TestDb) {
        let world = world(&db).await;
        world.grant(Subject::Group(group(1)), channel(), TRIGGER, None).await;
        assert!(!holds(&world).await);
        world.facts.edit(PERSON, |fact| fact.groups = vec![group(1)]);
        world.changed(crate::Touched::Principals(vec![PERSON])).await;
        assert!(holds(&world).await);
        world.facts.edit(PERSON, |fact| fact.groups.clear());
        world.changed(crate::Touched::Principals(vec![PERSON])).await;
        assert!(!holds(&world).await);
    }

    async fn an_expired_grant_does_not_count(db: TestDb) {
        let world = world(&db).await;
        world.grant(Subject::Principal(PERSON), channel(), TRIGGER, Some(Duration::from_secs(5))).await;
        assert!(holds(&world).await);
        world.clock.advance(Duration::from_secs(5));
        assert!(!holds(&world).await);
    }

    async fn an_active_owner_counts_without_a_session(db: TestDb) {
        let world = world(&db).await;
        world.facts.edit(PERSON, |fact| fact.owner = true);
        assert!(holds(&world).await);
        world.facts.edit(PERSON, |fact| fact.status = PrincipalStatus::Disabled);
        world.changed(crate::Touched::Principals(vec![PERSON])).await;
        assert!(!holds(&world).await);
    }

    async fn in_an_archived_channel_nobody_counts(db: TestDb) {
        let world = world(&db).await;
        world.facts.edit(PERSON, |fact| fact.owner = true);
        world.grant(Subject::Principal(PERSON), channel(), Rights::ALL, None).await;
        let archived = Path { archived: true, ..channel_path() };
        assert_eq!(holders(&world, archived, &[PERSON]).await, []);
    }

    async fn in_a_direct_message_nobody_counts(db: TestDb) {
        let world = world(&db).await;
        world.facts.edit(PERSON, |fact| fact.owner = true);
        world.facts.direct(PERSON, ALLGEMEIN);
        assert_eq!(holders(&world, Path::of(Place::Direct(ALLGEMEIN)), &[PERSON]).await, []);
    }

    async fn agents_apps_the_inactive_and_the_unknown_never_count(db: TestDb) {
        let world = world(&db).await;
        let (agent, app, unknown) = (principal(6), principal(7), principal(8));
        world.facts.set(agent, PrincipalKind::Agent);
        world.facts.set(app, PrincipalKind::App);
        for id in [PERSON, agent, app, unknown] {
            world.grant(Subject::Principal(id), channel(), Rights::ALL, None).await;
        }
        assert_eq!(holders(&world, channel_path(), &[unknown, app, agent, PERSON]).await, [PERSON]);
        for status in [PrincipalStatus::Pending, PrincipalStatus::Disabled, PrincipalStatus::Deleted] {
            world.facts.edit(PERSON, |fact| fact.status = status);
            world.changed(crate::Touched::Principals(vec![PERSON])).await;
            assert!(!holds(&world).await, "{status:?}");
        }
    }

    async fn the_answer_ascends_without_duplicates_whether_warm_or_cold(db: TestDb) {
        let world = world(&db).await;
        let people: Vec<PrincipalId> = (10..20).map(principal).collect();
        for person in &people {
            world.facts.set(*person, PrincipalKind::Person);
            world.grant(Subject::Principal(*person), channel(), TRIGGER, None).await;
        }
        // Every other one is in the cache.
        for person in people.iter().step_by(2) {
            assert_eq!(world.level(*person, true).await, Level::Trigger);
        }
        let asked: Vec<_> = people.iter().rev().chain(&people).copied().collect();
        let before = world.facts.asked();
        assert_eq!(holders(&world, channel_path(), &asked).await, people);
        assert_eq!(world.facts.asked(), before + 1, "one look-up for all");
        assert_eq!(holders(&world, channel_path(), &[]).await, []);
    }

    async fn what_is_no_channel_is_an_error(db: TestDb) {
        let world = world(&db).await;
        let thread = Resource { kind: ResourceKind::Thread, ..resource(channel_path()) };
        let reader = world.reader().await;
        let problem = world.authz.with_trigger(&reader, &thread, &[PERSON]).await.unwrap_err();
        assert_eq!(problem.code(), ProblemCode::InternalError);
    }

    async fn a_source_that_fails_is_an_error_and_never_trigger(db: TestDb) {
        let world = world(&db).await;
        world.grant(Subject::Principal(PERSON), channel(), TRIGGER, None).await;
        let reader = world.reader().await;
        world.facts.fails.store(true, std::sync::atomic::Ordering::Relaxed);
        let problem = world.authz.with_trigger(&reader, &resource(channel_path()), &[PERSON]).await.unwrap_err();
        assert_eq!(problem.code(), ProblemCode::Unavailable);
        let problem = world.authz.snapshot(&reader, PERSON, true).await.unwrap_err();
        assert_eq!(problem.code(), ProblemCode::Unavailable);
    }
}
