//! Who has access and why (chapter 03 section 8, AZ-M45), and what a grant would change.

use std::time::Duration;

use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{ChannelId, GroupId, PrincipalId, SpaceId};
use bothy_domain::policy::{Capabilities, Capability, GrantTarget, Level, Path, Place, Rights};
use bothy_platform::config::Config;
use bothy_platform::paging::{Page, Paging};
use bothy_testkit::both_databases;
use uuid::Uuid;

use super::support::{SUPPORT, TRIGGER, WRITE, World, channel, group, principal};
use crate::grants::Grant;
use crate::subject::Subject;
use crate::{AccessEntry, AccessSourceKind, Operators, RightsChange};

const ROBIN: PrincipalId = principal(1);
const ALEX: PrincipalId = principal(2);
const SAM: PrincipalId = principal(3);
const LOTSE: PrincipalId = principal(4);
const TEXTER: PrincipalId = principal(5);
const CREW: GroupId = group(1);

const ENGINEERING: SpaceId = SpaceId::from_uuid(Uuid::from_u128(0x52));
const PROJEKT_A: GrantTarget = GrantTarget::Channel(ENGINEERING, ChannelId::from_uuid(Uuid::from_u128(0xc2)));
const IN_ENGINEERING: GrantTarget = GrantTarget::Space(ENGINEERING);
const IN_SUPPORT: GrantTarget = GrantTarget::Space(SUPPORT);
const READ: Rights = Rights { level: Level::Read, capabilities: Capabilities::NONE };

/// Robin owns the instance, Lotse reads Engineering and writes in Support, where Alex triggers.
async fn world(db: &bothy_testkit::TestDb) -> World {
    let world = World::new(db).await;
    for person in [ROBIN, ALEX, SAM] {
        world.facts.set(person, PrincipalKind::Person);
    }
    for agent in [LOTSE, TEXTER] {
        world.facts.set(agent, PrincipalKind::Agent);
    }
    world.facts.edit(ROBIN, |fact| fact.owner = true);
    world.grant(Subject::Principal(LOTSE), IN_ENGINEERING, READ, None).await;
    world.grant(Subject::Principal(LOTSE), IN_SUPPORT, WRITE, None).await;
    world.grant(Subject::Principal(TEXTER), IN_SUPPORT, WRITE, None).await;
    world
}

const fn path(target: GrantTarget) -> Path {
    Path::of(crate::locate::place(target))
}

async fn page_of(world: &World, path: &Path, limit: u32, cursor: Option<&str>) -> Page<AccessEntry> {
    let paging = Paging::parse(Some(limit), cursor, &Config::default()).unwrap();
    world.authz.access_to(&world.reader().await, path, &paging).await.unwrap()
}

async fn access(world: &World, target: GrantTarget) -> Vec<AccessEntry> {
    page_of(world, &path(target), 50, None).await.items
}

async fn entry(world: &World, target: GrantTarget, who: PrincipalId) -> Option<AccessEntry> {
    access(world, target).await.into_iter().find(|entry| entry.principal_id == who)
}

fn kinds(entry: &AccessEntry) -> Vec<AccessSourceKind> {
    entry.sources.iter().map(|source| source.kind).collect()
}

/// The agents through which the content of a place could reach somebody who has no access to it.
async fn agents_to(world: &World, target: GrantTarget, who: PrincipalId) -> Vec<PrincipalId> {
    let Some(entry) = entry(world, target, who).await else { return Vec::new() };
    assert_eq!(entry.level, Level::None);
    entry.sources.iter().filter_map(|source| source.agent_id).collect()
}

async fn preview(
    world: &World,
    subject: Subject,
    target: GrantTarget,
    rights: Rights,
    limit: u32,
) -> Page<RightsChange> {
    let grant = Grant {
        id: bothy_domain::ids::Id::from_uuid(Uuid::from_u128(0x6)),
        subject,
        target,
        rights,
        expires_at: None,
        created_by: ROBIN,
        created_at: world.now(),
    };
    let paging = Paging::parse(Some(limit), None, &Config::default()).unwrap();
    let reader = world.reader().await;
    let archived = world.facts.archived.lock().unwrap().contains(&target);
    world.authz.changes_by(&reader, &Path { archived, ..path(target) }, &grant, &paging).await.unwrap()
}

both_databases! {
    async fn az_m45_a_person_without_access_is_named_with_the_agent_that_they_may_trigger(db: TestDb) {
        let world = world(&db).await;
        assert_eq!(entry(&world, PROJEKT_A, ALEX).await, None);
        let trigger = world.grant(Subject::Principal(ALEX), IN_SUPPORT, TRIGGER, None).await;
        for target in [PROJEKT_A, IN_ENGINEERING] {
            let alex = entry(&world, target, ALEX).await.unwrap();
            assert_eq!((alex.level, alex.capabilities.as_slice()), (Level::None, [].as_slice()));
            assert_eq!(kinds(&alex), [AccessSourceKind::ViaAgent]);
            // Texter answers Alex as well, but cannot read Engineering.
            assert_eq!(alex.sources[0].agent_id, Some(LOTSE));
        }
        world.revoke(trigger).await;
        assert_eq!(entry(&world, PROJEKT_A, ALEX).await, None);
    }

    async fn whoever_has_access_needs_no_agent(db: TestDb) {
        let world = world(&db).await;
        world.grant(Subject::Principal(ALEX), IN_SUPPORT, TRIGGER, None).await;
        world.grant(Subject::Principal(ALEX), PROJEKT_A, READ, None).await;
        let alex = entry(&world, PROJEKT_A, ALEX).await.unwrap();
        assert_eq!((alex.level, kinds(&alex)), (Level::Read, vec![AccessSourceKind::Grant]));
    }

    async fn an_agent_carries_only_where_both_meet_and_only_while_they_may(db: TestDb) {
        let world = world(&db).await;
        // A channel of the space that Lotse writes in; through a group; for some time.
        world.grant(Subject::Group(CREW), channel(), TRIGGER, Some(Duration::from_secs(60))).await;
        assert_eq!(agents_to(&world, PROJEKT_A, SAM).await, []);
        world.facts.edit(SAM, |fact| fact.groups = vec![CREW]);
        world.changed(crate::Touched::Principals(vec![SAM])).await;
        assert_eq!(agents_to(&world, PROJEKT_A, SAM).await, [LOTSE]);
        world.facts.archived.lock().unwrap().push(channel());
        assert_eq!(agents_to(&world, PROJEKT_A, SAM).await, []);
        world.facts.archived.lock().unwrap().clear();
        world.facts.edit(SAM, |fact| fact.status = PrincipalStatus::Disabled);
        world.changed(crate::Touched::Principals(vec![SAM])).await;
        assert_eq!(agents_to(&world, PROJEKT_A, SAM).await, []);
        world.facts.edit(SAM, |fact| fact.status = PrincipalStatus::Active);
        world.changed(crate::Touched::Principals(vec![SAM])).await;
        assert_eq!(agents_to(&world, PROJEKT_A, SAM).await, [LOTSE]);
        world.clock.advance(Duration::from_secs(60));
        assert_eq!(agents_to(&world, PROJEKT_A, SAM).await, []);
        // Triggering where the agent does not write, or writing where it cannot be triggered.
        let elsewhere = GrantTarget::Space(SpaceId::from_uuid(Uuid::from_u128(0x53)));
        world.grant(Subject::Principal(SAM), elsewhere, TRIGGER, None).await;
        world.grant(Subject::Principal(SAM), IN_SUPPORT, WRITE, None).await;
        assert_eq!(agents_to(&world, PROJEKT_A, SAM).await, []);
        // The agent alone reaches deeper.
        let deeper = GrantTarget::Channel(SpaceId::from_uuid(Uuid::from_u128(0x53)), ChannelId::from_uuid(Uuid::from_u128(0xc3)));
        world.grant(Subject::Principal(LOTSE), deeper, WRITE, None).await;
        assert_eq!(agents_to(&world, PROJEKT_A, SAM).await, [LOTSE]);
        world.facts.edit(LOTSE, |fact| fact.status = PrincipalStatus::Disabled);
        world.changed(crate::Touched::Principals(vec![LOTSE])).await;
        assert_eq!(agents_to(&world, PROJEKT_A, SAM).await, []);
    }

    async fn every_source_is_named_and_together_they_are_the_level(db: TestDb) {
        let world = world(&db).await;
        let manage = Rights { level: Level::None, capabilities: Capabilities::NONE.with(Capability::Manage) };
        world.facts.edit(SAM, |fact| fact.groups = vec![CREW]);
        let on_instance = world.grant(Subject::Group(CREW), GrantTarget::Instance, READ, None).await;
        let on_space = world.grant(Subject::Principal(SAM), IN_ENGINEERING, manage, None).await;
        let on_channel = world.grant(Subject::Principal(SAM), PROJEKT_A, WRITE, Some(Duration::from_secs(9))).await;
        let sam = entry(&world, PROJEKT_A, SAM).await.unwrap();
        assert_eq!((sam.level, sam.capabilities.as_slice()), (Level::Write, [Capability::Manage].as_slice()));
        let named: Vec<_> = sam.sources.iter().map(|source| (source.grant_id, source.group_id)).collect();
        assert_eq!(named, [(Some(on_instance), Some(CREW)), (Some(on_space), None), (Some(on_channel), None)]);
        // A grant on a channel gives nothing on its space.
        assert_eq!(entry(&world, IN_ENGINEERING, SAM).await.unwrap().level, Level::Read);
        world.clock.advance(Duration::from_secs(9));
        assert_eq!(entry(&world, PROJEKT_A, SAM).await.unwrap().level, Level::Read);

        let robin = entry(&world, PROJEKT_A, ROBIN).await.unwrap();
        assert_eq!((robin.level, kinds(&robin)), (Level::Trigger, vec![AccessSourceKind::Ownership]));
        world.facts.edit(ROBIN, |fact| fact.status = PrincipalStatus::Disabled);
        assert_eq!(entry(&world, PROJEKT_A, ROBIN).await, None);
    }

    async fn operators_are_named_with_what_they_have(db: TestDb) {
        let world = world(&db).await;
        *world.facts.operators.lock().unwrap() =
            Operators { answering: Some(LOTSE), fixed_on_threads: vec![TEXTER] };
        let lotse = entry(&world, PROJEKT_A, LOTSE).await.unwrap();
        assert_eq!((lotse.level, kinds(&lotse)), (Level::Read, vec![AccessSourceKind::Grant, AccessSourceKind::Operator]));
        let texter = entry(&world, PROJEKT_A, TEXTER).await.unwrap();
        assert_eq!((texter.level, kinds(&texter)), (Level::None, vec![AccessSourceKind::ThreadOperator]));
    }

    async fn an_archive_caps_the_level_that_is_shown(db: TestDb) {
        let world = world(&db).await;
        let archived = Path { archived: true, ..path(PROJEKT_A) };
        let robin = page_of(&world, &archived, 50, None).await.items.remove(0);
        assert_eq!((robin.level, robin.capabilities.as_slice()), (Level::Read, [Capability::Manage].as_slice()));
    }

    async fn pages_of_any_size_hold_the_same_ascending_entries(db: TestDb) {
        let world = world(&db).await;
        // More people without an entry than are looked up at once, in the middle of the list.
        for number in 0..crate::explain::AT_ONCE + 10 {
            let person = principal(0x1000 + u128::try_from(number).unwrap());
            world.facts.set(person, PrincipalKind::Person);
            world.facts.edit(person, |fact| fact.groups = vec![CREW]);
        }
        let elsewhere = GrantTarget::Space(SpaceId::from_uuid(Uuid::from_u128(0x53)));
        world.grant(Subject::Group(CREW), elsewhere, TRIGGER, None).await;
        let last = principal(0x9000);
        world.facts.set(last, PrincipalKind::Person);
        for person in [ALEX, last] {
            world.grant(Subject::Principal(person), IN_SUPPORT, TRIGGER, None).await;
        }
        let whole = access(&world, PROJEKT_A).await;
        let ids: Vec<PrincipalId> = whole.iter().map(|entry| entry.principal_id).collect();
        assert_eq!(ids, [ROBIN, ALEX, LOTSE, last]);
        for limit in [1, 2, 3, 4] {
            let (mut items, mut cursor) = (Vec::new(), None);
            loop {
                let page = page_of(&world, &path(PROJEKT_A), limit, cursor.as_deref()).await;
                items.extend(page.items);
                cursor = page.next_cursor;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(items, whole, "{limit}");
        }
    }

    async fn a_direct_message_is_explained_to_nobody(db: TestDb) {
        let world = world(&db).await;
        let direct = Path::of(Place::Direct(ChannelId::from_uuid(Uuid::from_u128(0xd))));
        let paging = Paging::parse(None, None, &Config::default()).unwrap();
        assert!(world.authz.access_to(&world.reader().await, &direct, &paging).await.is_err());
    }

    async fn a_preview_says_whose_rights_change_and_changes_nothing(db: TestDb) {
        let world = world(&db).await;
        for person in [ROBIN, ALEX, SAM] {
            world.facts.edit(person, |fact| fact.groups = vec![CREW]);
        }
        world.grant(Subject::Principal(SAM), IN_ENGINEERING, READ, None).await;
        let version = world.version().await;
        let write = preview(&world, Subject::Group(CREW), PROJEKT_A, WRITE, 50).await;
        // Robin has more already.
        let seen: Vec<_> =
            write.items.iter().map(|change| (change.principal_id, change.before.level, change.after.level)).collect();
        assert_eq!(seen, [(ALEX, Level::None, Level::Write), (SAM, Level::Read, Level::Write)]);
        let first = preview(&world, Subject::Group(CREW), PROJEKT_A, WRITE, 1).await;
        assert_eq!((first.items.as_slice(), first.next_cursor.is_some()), (&write.items[..1], true));
        assert_eq!(preview(&world, Subject::Principal(SAM), PROJEKT_A, READ, 50).await.items, []);
        // In an archive the grant gives no more than reading for now.
        world.facts.archived.lock().unwrap().push(PROJEKT_A);
        let archived = preview(&world, Subject::Principal(ALEX), PROJEKT_A, TRIGGER, 50).await;
        assert_eq!(archived.items[0].after.level, Level::Read);
        assert_eq!(world.version().await, version);
        assert_eq!(world.level(ALEX, true).await, Level::None);
    }
}
