use super::*;

fn channel() -> Path {
    Path::of(Place::Channel(support(), allgemein()))
}

#[test]
fn az_3_grants_add_up_along_the_path() {
    let mut instance = grant(GrantTarget::Instance, Level::Read);
    instance.rights.capabilities = Capabilities::NONE.with(Capability::Upload);
    let mut on_channel = grant(GrantTarget::Channel(support(), allgemein()), Level::Trigger);
    on_channel.rights.capabilities = Capabilities::NONE.with(Capability::Moderate);
    let alex = person(vec![instance, grant(GrantTarget::Space(support()), Level::Write), on_channel]);
    let rights = alex.rights_on(&channel(), NOW);
    assert_eq!(rights.level, Level::Trigger);
    assert!(rights.capabilities.contains(Capability::Upload) && rights.capabilities.contains(Capability::Moderate));
    assert_eq!(alex.rights_on(&Path::of(Place::Space(support())), NOW).level, Level::Write);
    assert_eq!(alex.rights_on(&Path::of(Place::Space(engineering())), NOW).level, Level::Read);
}

#[test]
fn az_3_a_grant_ends_at_its_time_without_any_write() {
    let mut ending = grant(GrantTarget::Space(support()), Level::Write);
    ending.expires_at = Some(NOW);
    let alex = person(vec![ending]);
    let before = Timestamp::from_micros(NOW.micros() - 1);
    assert_eq!(alex.rights_on(&channel(), before).level, Level::Write);
    assert_eq!(alex.rights_on(&channel(), NOW).level, Level::None, "expires_at must lie in the future");
    assert!(!scope(&alex, None, NOW).shows_channel(Some(support()), allgemein()));
}

#[test]
fn az_3_only_active_principals_have_rights() {
    for status in PrincipalStatus::ALL {
        let snapshot = Snapshot::new(SnapshotFacts {
            principal: robin(),
            kind: PrincipalKind::Person,
            status,
            owner: true,
            grants: vec![grant(GrantTarget::Instance, Level::Trigger)],
            directs: vec![direct()],
        });
        let active = status == PrincipalStatus::Active;
        for place in
            [Place::Instance, Place::Space(support()), Place::Channel(support(), allgemein()), Place::Direct(direct())]
        {
            assert_eq!(snapshot.sees(&Path::of(place), NOW), active, "{status:?} {place:?}");
        }
        assert_eq!(scope(&snapshot, None, NOW).instance_wide, active);
    }
}

#[test]
fn az_3_in_a_direct_message_only_participants_have_rights() {
    let path = Path::of(Place::Direct(direct()));
    assert_eq!(owner().rights_on(&path, NOW), Rights::NONE, "owners included");
    assert_eq!(person(vec![grant(GrantTarget::Instance, Level::Trigger)]).rights_on(&path, NOW), Rights::NONE);
    let participant = Snapshot::new(SnapshotFacts {
        principal: alex(),
        kind: PrincipalKind::Person,
        status: PrincipalStatus::Active,
        owner: false,
        grants: Vec::new(),
        directs: vec![direct()],
    });
    assert_eq!(participant.rights_on(&path, NOW), Rights { level: Level::Write, capabilities: Capabilities::NONE });
}

#[test]
fn az_4_the_fixed_operator_writes_in_its_thread_and_nowhere_else() {
    let lotse_has_nothing = agent(Vec::new());
    let mut thread = channel();
    thread.thread = Some(own_thread());
    thread.thread_operator = Some(lotse());
    assert_eq!(lotse_has_nothing.rights_on(&thread, NOW).level, Level::Write);
    assert_eq!(lotse_has_nothing.rights_on(&channel(), NOW).level, Level::None);
    assert!(!scope(&lotse_has_nothing, None, NOW).shows_channel(Some(support()), allgemein()));
    thread.archived = true;
    assert_eq!(lotse_has_nothing.rights_on(&thread, NOW).level, Level::Read, "AZ-5 comes last");
}

#[test]
fn az_5_in_the_archive_nobody_is_above_read() {
    let mut archived = channel();
    archived.archived = true;
    let rights = owner().rights_on(&archived, NOW);
    assert_eq!(rights, Rights { level: Level::Read, capabilities: Capabilities::NONE.with(Capability::Manage) });
}

#[test]
fn a_space_is_seen_through_one_of_its_channels_but_not_its_other_channels() {
    let sam = person(vec![grant(GrantTarget::Channel(support(), allgemein()), Level::Read)]);
    assert!(sam.sees(&Path::of(Place::Space(support())), NOW));
    assert_eq!(sam.rights_on(&Path::of(Place::Space(support())), NOW).level, Level::None);
    assert!(!sam.sees(&Path::of(Place::Channel(support(), id(12))), NOW));
}

#[test]
fn nobody_covers_more_than_they_hold() {
    let writer = Rights { level: Level::Write, capabilities: Capabilities::NONE.with(Capability::Manage) };
    assert!(writer.covers(Rights { level: Level::Write, capabilities: Capabilities::NONE }));
    assert!(!writer.covers(Rights { level: Level::Trigger, capabilities: Capabilities::NONE }));
    assert!(!writer.covers(Rights { level: Level::Read, capabilities: Capabilities::NONE.with(Capability::Moderate) }));
}

#[test]
fn capabilities_come_back_from_their_bits_and_in_their_order() {
    for bits in 0..=u8::MAX {
        let capabilities = Capabilities::from_bits(bits);
        assert_eq!(capabilities.bits(), bits % 8, "unknown bits are dropped");
        assert_eq!(capabilities.iter().collect::<Capabilities>(), capabilities);
    }
    assert_eq!(Capabilities::ALL.iter().collect::<Vec<_>>(), Capability::ALL);
    assert_eq!(Capabilities::NONE.iter().count(), 0);
    let upload = Capabilities::NONE.with(Capability::Upload);
    assert_eq!(upload.with(Capability::Upload), upload);
}

#[test]
fn levels_come_back_from_their_names() {
    for level in Level::ALL {
        assert_eq!(Level::parse(level.as_str()), Some(level));
    }
    assert_eq!(Level::parse("admin"), None);
    assert_eq!(Level::ALL.map(Level::as_str), ["none", "read", "write", "trigger"]);
    assert_eq!(Capability::ALL.map(Capability::as_str), ["upload", "moderate", "manage"]);
}
