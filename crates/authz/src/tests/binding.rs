//! The judge of an agent inside a run (AF-9 to AF-12), with fresh rights of both.

use bothy_domain::action::{Action, ResourceKind};
use bothy_domain::actor::{ActingFor, Binding, PrincipalKind};
use bothy_domain::ids::{Id, PrincipalId};
use bothy_domain::policy::{Decision, GrantTarget, Level, Mode, Reason, Resource};
use bothy_testkit::both_databases;
use uuid::Uuid;

use super::support::{ALLGEMEIN, SUPPORT, TRIGGER, WRITE, World, actor, channel, channel_path, principal};
use crate::subject::Subject;

const LOTSE: PrincipalId = principal(1);
const ALEX: PrincipalId = principal(2);

const fn bound(person: PrincipalId) -> ActingFor {
    ActingFor::Bound(Binding {
        person,
        run: Id::from_uuid(Uuid::from_u128(1)),
        thread: Id::from_uuid(Uuid::from_u128(2)),
        token: Id::from_uuid(Uuid::from_u128(3)),
    })
}

async fn world(db: &bothy_testkit::TestDb) -> World {
    let world = World::new(db).await;
    world.facts.set(LOTSE, PrincipalKind::Agent);
    world.facts.set(ALEX, PrincipalKind::Person);
    world.grant(Subject::Principal(LOTSE), GrantTarget::Space(SUPPORT), WRITE, None).await;
    world
}

async fn reads(world: &World, acting_for: ActingFor) -> Result<(), Reason> {
    let judge = world.judge(&actor(LOTSE, PrincipalKind::Agent, world.version().await, acting_for)).await;
    let resource = Resource::new(ResourceKind::Channel, ALLGEMEIN.cast(), channel_path());
    match judge.decide(Action::ChannelRead, Some(&resource), Mode::Request) {
        Decision::Allow => Ok(()),
        Decision::Deny(denial) => Err(denial.reason),
    }
}

both_databases! {
    async fn the_rights_of_the_person_count_as_they_are_now(db: TestDb) {
        let world = world(&db).await;
        assert_eq!(reads(&world, ActingFor::Absent).await, Ok(()));
        assert_eq!(reads(&world, bound(ALEX)).await, Err(Reason::ActingForInsufficient));
        let grant = world.grant(Subject::Principal(ALEX), channel(), TRIGGER, None).await;
        assert_eq!(reads(&world, bound(ALEX)).await, Ok(()));
        let second = world.second_node(&db).await;
        assert_eq!(reads(&second, bound(ALEX)).await, Ok(()));
        world.revoke(grant).await;
        for node in [&world, &second] {
            assert_eq!(reads(node, bound(ALEX)).await, Err(Reason::ActingForInsufficient));
        }
    }

    async fn an_owner_lends_ownership_without_a_session_until_it_is_taken(db: TestDb) {
        let world = world(&db).await;
        world.facts.edit(ALEX, |fact| fact.owner = true);
        assert_eq!(reads(&world, bound(ALEX)).await, Ok(()));
        // The same person with a personal token is another variant.
        assert_eq!(world.level(ALEX, false).await, Level::None);
        world.facts.edit(ALEX, |fact| fact.owner = false);
        world.changed(crate::Touched::Principals(vec![ALEX])).await;
        assert_eq!(reads(&world, bound(ALEX)).await, Err(Reason::ActingForInsufficient));
    }

    async fn whoever_is_no_person_lends_nothing(db: TestDb) {
        let world = world(&db).await;
        let texter = principal(3);
        world.facts.set(texter, PrincipalKind::Agent);
        world.grant(Subject::Principal(texter), channel(), TRIGGER, None).await;
        for nobody in [texter, LOTSE, principal(77)] {
            assert_eq!(reads(&world, bound(nobody)).await, Err(Reason::ActingForInsufficient));
        }
    }

    async fn the_scope_is_what_both_may_see(db: TestDb) {
        let world = world(&db).await;
        let version = world.version().await;
        let alone = world.judge(&actor(LOTSE, PrincipalKind::Agent, version, ActingFor::Absent)).await;
        assert_eq!(alone.scope(Action::MessageRead).unwrap().fully_visible_space_ids, [SUPPORT]);
        world.grant(Subject::Principal(ALEX), channel(), TRIGGER, None).await;
        let version = world.version().await;
        let judge = world.judge(&actor(LOTSE, PrincipalKind::Agent, version, bound(ALEX))).await;
        let scope = judge.scope(Action::MessageRead).unwrap();
        assert!(scope.fully_visible_space_ids.is_empty() && !scope.instance_wide);
        assert_eq!(scope.channel_ids, [ALLGEMEIN]);
        assert_eq!(judge.delivery_scope(Action::MessageRead).unwrap().fully_visible_space_ids, [SUPPORT]);
    }
}
