//! Snapshots: true at the version of the request, kept as long as they are, and not longer.

use std::sync::Arc;
use std::time::Duration;

use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::policy::{GrantTarget, Level};
use bothy_testkit::both_databases;

use super::support::{SUPPORT, TRIGGER, WRITE, World, channel, channel_path, group, principal};
use crate::subject::Subject;

const ALEX: bothy_domain::ids::PrincipalId = principal(1);
const SAM: bothy_domain::ids::PrincipalId = principal(2);

async fn world(db: &bothy_testkit::TestDb) -> World {
    let world = World::new(db).await;
    for person in [ALEX, SAM] {
        world.facts.set(person, PrincipalKind::Person);
    }
    world
}

both_databases! {
    async fn two_processes_on_one_database_see_a_revocation_at_once(db: TestDb) {
        let first = world(&db).await;
        let second = first.second_node(&db).await;
        for round in 0..20 {
            let grant = first.grant(Subject::Principal(ALEX), channel(), WRITE, None).await;
            for node in [&first, &second] {
                assert_eq!(node.level(ALEX, false).await, Level::Write, "{round}");
            }
            let (revoker, other) = if round % 2 == 0 { (&first, &second) } else { (&second, &first) };
            revoker.revoke(grant).await;
            for node in [revoker, other] {
                assert_eq!(node.level(ALEX, false).await, Level::None, "{round}");
            }
        }
    }

    async fn a_grant_ends_at_its_time_without_any_write(db: TestDb) {
        let world = world(&db).await;
        world.grant(Subject::Principal(ALEX), channel(), WRITE, Some(Duration::from_secs(60))).await;
        let version = world.version().await;
        world.clock.advance(Duration::from_secs(59));
        assert_eq!(world.level(ALEX, false).await, Level::Write);
        let asked = world.facts.asked();
        world.clock.advance(Duration::from_secs(1));
        assert_eq!(world.level(ALEX, false).await, Level::None);
        assert_eq!((world.version().await, world.facts.asked()), (version, asked), "nothing was written or read");
        // A cold snapshot agrees with the warm one.
        assert_eq!(world.second_node(&db).await.level(ALEX, false).await, Level::None);
    }

    async fn whoever_had_a_grant_that_ended_is_named_with_its_last_time(db: TestDb) {
        let world = world(&db).await;
        world.facts.set(principal(3), PrincipalKind::Agent);
        world.facts.edit(SAM, |fact| fact.groups = vec![group(8), group(9)]);
        let start = world.now();
        let seconds = Duration::from_secs;
        for lasts in [20, 10, 40] {
            world.grant(Subject::Principal(ALEX), channel(), WRITE, Some(seconds(lasts))).await;
        }
        let revoked = world.grant(Subject::Principal(ALEX), channel(), WRITE, Some(seconds(25))).await;
        world.revoke(revoked).await;
        world.grant(Subject::Principal(SAM), channel(), WRITE, Some(seconds(15))).await;
        world.grant(Subject::Group(group(9)), channel(), WRITE, Some(seconds(30))).await;
        world.grant(Subject::Principal(principal(3)), channel(), WRITE, None).await;
        world.clock.advance(seconds(30));
        let reader = world.reader().await;
        let ended = world.authz.last_expiry(&reader, &[ALEX, SAM, principal(3)]).await.unwrap();
        let times = [(ALEX, start.plus(seconds(20))), (SAM, start.plus(seconds(30)))];
        assert_eq!(ended, std::collections::HashMap::from(times));
    }

    async fn grants_add_up_and_each_ends_for_itself(db: TestDb) {
        let world = world(&db).await;
        world.facts.edit(ALEX, |fact| fact.groups = vec![group(9)]);
        let direct = world.grant(Subject::Principal(ALEX), channel(), WRITE, None).await;
        let through = world.grant(Subject::Group(group(9)), GrantTarget::Space(SUPPORT), TRIGGER, None).await;
        assert_eq!(world.level(ALEX, false).await, Level::Trigger);
        assert_eq!(world.level(SAM, false).await, Level::None);
        world.revoke(through).await;
        assert_eq!(world.level(ALEX, false).await, Level::Write);
        world.revoke(direct).await;
        assert_eq!(world.level(ALEX, false).await, Level::None);
    }

    async fn a_change_reads_anew_only_whom_it_touches(db: TestDb) {
        let world = world(&db).await;
        world.level(ALEX, false).await;
        world.level(SAM, false).await;
        let asked = world.facts.asked();
        world.grant(Subject::Principal(ALEX), channel(), WRITE, None).await;
        assert_eq!(world.level(SAM, false).await, Level::None);
        assert_eq!(world.facts.asked(), asked, "the rights of Sam were not read again");
        assert_eq!(world.level(ALEX, false).await, Level::Write);
        assert_eq!(world.facts.asked(), asked + 1);
        // The tree touches nobody's snapshot.
        world.changed(crate::Touched::Space(SUPPORT)).await;
        world.level(ALEX, false).await;
        assert_eq!(world.facts.asked(), asked + 1);
    }

    async fn ownership_is_a_variant_of_its_own(db: TestDb) {
        let world = world(&db).await;
        world.facts.edit(ALEX, |fact| fact.owner = true);
        assert_eq!(world.level(ALEX, false).await, Level::None);
        assert_eq!(world.level(ALEX, true).await, Level::Trigger);
        assert_eq!(world.level(ALEX, false).await, Level::None);
        world.facts.edit(ALEX, |fact| fact.owner = false);
        world.changed(crate::Touched::Principals(vec![ALEX])).await;
        assert_eq!(world.level(ALEX, true).await, Level::None);
    }

    async fn nobody_but_the_active_has_rights(db: TestDb) {
        let world = world(&db).await;
        world.grant(Subject::Principal(ALEX), channel(), WRITE, None).await;
        for status in PrincipalStatus::ALL {
            world.facts.edit(ALEX, |fact| fact.status = status);
            world.changed(crate::Touched::Principals(vec![ALEX])).await;
            let expected = if status == PrincipalStatus::Active { Level::Write } else { Level::None };
            assert_eq!(world.level(ALEX, false).await, expected, "{status:?}");
        }
        world.grant(Subject::Principal(principal(99)), channel(), WRITE, None).await;
        assert_eq!(world.level(principal(99), true).await, Level::None, "somebody who does not exist");
    }

    async fn a_reader_that_began_before_a_change_cannot_bring_an_old_snapshot_back(db: TestDb) {
        let world = world(&db).await;
        let grant = world.grant(Subject::Principal(ALEX), channel(), WRITE, None).await;
        let old = world.database.consistent_reader().await.unwrap();
        let old_version = bothy_platform::instance::rights_version(&old).await.unwrap();
        world.revoke(grant).await;
        assert_eq!(world.level(SAM, false).await, Level::None);
        // The old reader still sees the grant, and may: its request began before the change.
        let seen = world.authz.snapshot_at(&old, old_version, ALEX, false).await.unwrap();
        assert_eq!(seen.rights_on(&channel_path(), world.now()).level, Level::Write);
        assert_eq!(world.level(ALEX, false).await, Level::None);
    }

    async fn a_revocation_in_the_middle_of_a_look_up_is_not_missed(db: TestDb) {
        let world = Arc::new(world(&db).await);
        let grant = world.grant(Subject::Principal(ALEX), channel(), WRITE, None).await;
        let group_grant = world.grant(Subject::Group(group(9)), channel(), TRIGGER, None).await;
        world.facts.edit(ALEX, |fact| fact.groups = vec![group(9)]);
        world.changed(crate::Touched::Principals(vec![ALEX])).await;
        let meanwhile = Arc::clone(&world);
        *world.facts.meanwhile.lock().unwrap() = Some(Box::pin(async move {
            // Alex leaves the group, and loses the other grant, after the facts were read.
            meanwhile.facts.edit(ALEX, |fact| fact.groups.clear());
            meanwhile.changed(crate::Touched::Principals(vec![ALEX])).await;
            meanwhile.revoke(grant).await;
        }));
        assert_eq!(world.level(ALEX, false).await, Level::None);
        assert_eq!(world.level(ALEX, false).await, Level::None);
        world.revoke(group_grant).await;
    }

    async fn changes_of_others_do_not_keep_a_look_up_from_ending(db: TestDb) {
        let world = Arc::new(world(&db).await);
        world.grant(Subject::Principal(ALEX), channel(), WRITE, None).await;
        let meanwhile = Arc::clone(&world);
        *world.facts.meanwhile.lock().unwrap() =
            Some(Box::pin(async move { meanwhile.changed(crate::Touched::Principals(vec![SAM])).await }));
        let asked = world.facts.asked();
        assert_eq!(world.level(ALEX, false).await, Level::Write);
        assert_eq!(world.facts.asked(), asked + 1, "it was not read again");
    }

    async fn a_unit_of_work_sees_its_own_changes_and_nobody_else_does(db: TestDb) {
        let world = world(&db).await;
        let grant = world.grant(Subject::Principal(ALEX), channel(), WRITE, None).await;
        assert_eq!(world.level(ALEX, false).await, Level::Write);
        let unit = world.database.begin().await.unwrap();
        crate::store::revoke_grant(&unit, grant, SAM, world.now()).await.unwrap();
        let seen = world.authz.snapshot_in(&unit, ALEX, false).await.unwrap();
        assert_eq!(seen.rights_on(&channel_path(), world.now()).level, Level::None);
        unit.rollback().await.unwrap();
        assert_eq!(world.level(ALEX, false).await, Level::Write);
    }

    async fn far_behind_it_starts_afresh(db: TestDb) {
        let first = world(&db).await;
        let second = first.second_node(&db).await;
        let grant = first.grant(Subject::Principal(ALEX), channel(), WRITE, None).await;
        assert_eq!(second.level(ALEX, false).await, Level::Write);
        let many: Vec<_> = (1000..11_001).map(principal).collect();
        first.changed(crate::Touched::Principals(many)).await;
        first.revoke(grant).await;
        assert_eq!(second.level(ALEX, false).await, Level::None);
        let asked = second.facts.asked();
        assert_eq!(second.level(ALEX, false).await, Level::None);
        assert_eq!(second.facts.asked(), asked, "and is warm again");
    }
}
