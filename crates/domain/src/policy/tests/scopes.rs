use super::*;

#[test]
fn a_scope_names_what_its_owner_can_see() {
    let sam = person(vec![
        grant(GrantTarget::Space(engineering()), Level::Read),
        grant(GrantTarget::Channel(support(), allgemein()), Level::Trigger),
        grant(GrantTarget::Channel(support(), id(12)), Level::None),
    ]);
    let scope = scope(&sam, None, NOW);
    assert_eq!(scope.channel_ids, [allgemein()]);
    assert_eq!(scope.space_ids, [support(), engineering()]);
    assert_eq!(scope.fully_visible_space_ids, [engineering()]);
    assert!(!scope.instance_wide);
    assert!(scope.shows_channel(Some(engineering()), id(999)), "AZ-9: a channel made later needs nothing new");
    assert!(!scope.shows_channel(Some(support()), id(12)));
}

#[test]
fn instance_wide_does_not_reach_direct_messages() {
    let scope = scope(&owner(), None, NOW);
    assert!(scope.instance_wide);
    assert!(!scope.shows_channel(None, direct()));
}

/// AF-12: each list intersected, ascending, whichever side is the wider one.
#[test]
fn af_12_bound_scopes_intersect() {
    let lotse = agent(vec![
        grant(GrantTarget::Space(support()), Level::Write),
        grant(GrantTarget::Space(engineering()), Level::Read),
    ]);
    let alex = person(vec![
        grant(GrantTarget::Channel(support(), allgemein()), Level::Trigger),
        grant(GrantTarget::Channel(engineering(), projekt_a()), Level::Read),
    ]);
    let both = scope(&lotse, Some(&alex), NOW);
    assert_eq!(both.channel_ids, [allgemein(), projekt_a()]);
    assert_eq!(both.space_ids, [support(), engineering()]);
    assert_eq!(both.fully_visible_space_ids, []);
    assert!(!both.instance_wide);
    assert_eq!(scope(&alex_as_agent(&alex), Some(&lotse), NOW), both, "it does not matter who is who");

    let with_owner = scope(&lotse, Some(&owner()), NOW);
    assert_eq!(with_owner, scope(&lotse, None, NOW), "an owner sees whatever the agent sees");
}

fn alex_as_agent(snapshot: &Snapshot) -> Snapshot {
    snapshot.clone()
}

#[test]
fn a_scope_for_a_person_without_rights_is_empty() {
    let lotse = agent(vec![grant(GrantTarget::Instance, Level::Trigger)]);
    assert_eq!(scope(&lotse, Some(&person(Vec::new())), NOW), Scope::default());
}

#[test]
fn lists_agree_with_checks_for_every_pair_of_small_snapshots() {
    let places = [(support(), allgemein()), (support(), id(12)), (engineering(), projekt_a())];
    let targets = [
        GrantTarget::Instance,
        GrantTarget::Space(support()),
        GrantTarget::Space(engineering()),
        GrantTarget::Channel(support(), allgemein()),
        GrantTarget::Channel(support(), id(12)),
        GrantTarget::Channel(engineering(), projekt_a()),
    ];
    let subsets = || {
        (0_u32..64).map(|set| {
            let chosen = targets.iter().enumerate().filter(move |(bit, _)| set & (1 << bit) != 0);
            chosen.map(|(_, target)| grant(*target, Level::Read)).collect::<Vec<_>>()
        })
    };
    for mine in subsets() {
        let lotse = agent(mine);
        for theirs in subsets() {
            let alex = person(theirs);
            let scope = scope(&lotse, Some(&alex), NOW);
            for (space, channel) in places {
                let path = Path::of(Place::Channel(space, channel));
                let sees = lotse.sees(&path, NOW) && alex.sees(&path, NOW);
                assert_eq!(scope.shows_channel(Some(space), channel), sees);
                let path = Path::of(Place::Space(space));
                assert_eq!(scope.shows_space(space), lotse.sees(&path, NOW) && alex.sees(&path, NOW));
            }
        }
    }
}
