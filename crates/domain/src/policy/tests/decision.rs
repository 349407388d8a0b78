use super::*;

fn message(space: SpaceId, channel: ChannelId) -> Resource {
    in_thread(ResourceKind::Message, 601, space, channel, other_thread())
}

fn reader() -> Snapshot {
    person(vec![grant(GrantTarget::Space(support()), Level::Read)])
}

#[test]
fn az_6_hidden_and_unknown_are_answered_alike() {
    let alex = actor(PrincipalKind::Person, ActingFor::Absent);
    let hidden = message(engineering(), projekt_a());
    for action in [Action::MessageRead, Action::MessageDelete, Action::MessageUpdate] {
        let on_hidden = judge(&alex, &reader(), None, action, Some(&hidden), Mode::Request);
        let on_unknown = judge(&alex, &reader(), None, action, None, Mode::Request);
        assert_eq!(on_hidden, denied(Outcome::NotFound, Reason::NoGrant));
        assert_eq!(on_unknown, denied(Outcome::NotFound, Reason::UnknownTarget));
    }
}

#[test]
fn the_order_of_judgement_is_that_of_section_3() {
    let person_actor = actor(PrincipalKind::Person, ActingFor::Absent);
    let agent_actor = actor(PrincipalKind::Agent, ActingFor::Absent);
    let visible = message(support(), allgemein());
    let run = in_thread(ResourceKind::Run, 301, support(), allgemein(), own_thread());
    let decided =
        |action, resource: &Resource| judge(&person_actor, &reader(), None, action, Some(resource), Mode::Request);

    // Visibility comes before the kind of subject, that before self, that before level.
    let hidden_run = in_thread(ResourceKind::Run, 301, engineering(), projekt_a(), own_thread());
    assert_eq!(decided(Action::RunFinish, &hidden_run), denied(Outcome::NotFound, Reason::NoGrant));
    assert_eq!(decided(Action::RunFinish, &run), denied(Outcome::Forbidden, Reason::SubjectKindNotAllowed));
    let foreign = judge(
        &agent_actor,
        &agent(vec![grant(GrantTarget::Space(support()), Level::Read)]),
        None,
        Action::RunFinish,
        Some(&run),
        Mode::Request,
    );
    assert_eq!(foreign, denied(Outcome::Forbidden, Reason::NotSelf));
    assert_eq!(decided(Action::ReactionAdd, &visible), denied(Outcome::Forbidden, Reason::LevelInsufficient));
    let mut own = visible;
    own.author = Some(alex());
    assert_eq!(decided(Action::MessageUpdate, &own), denied(Outcome::Forbidden, Reason::LevelInsufficient));
    assert_eq!(decided(Action::MessageDelete, &visible), denied(Outcome::Forbidden, Reason::CapabilityMissing));
    assert_eq!(decided(Action::MessageUpdate, &visible), denied(Outcome::Forbidden, Reason::NotSelf));
}

#[test]
fn an_archived_target_that_would_suffice_says_so() {
    let alex = actor(PrincipalKind::Person, ActingFor::Absent);
    let mut archived = in_thread(ResourceKind::Thread, 201, support(), allgemein(), own_thread());
    archived.path.archived = true;
    let writer = person(vec![grant(GrantTarget::Space(support()), Level::Write)]);
    let post = |own: &Snapshot| judge(&alex, own, None, Action::MessageCreate, Some(&archived), Mode::Request);
    assert_eq!(post(&writer), denied(Outcome::Forbidden, Reason::Archived));
    assert_eq!(post(&reader()), denied(Outcome::Forbidden, Reason::LevelInsufficient));
}

#[test]
fn owner_actions_need_ownership_a_session_and_a_fresh_confirmation() {
    let somebody = Resource::new(ResourceKind::Person, id(103), Path::PATHLESS);
    let decided = |own: &Snapshot, credential| {
        let mut actor = actor(PrincipalKind::Person, ActingFor::Absent);
        actor.credential = credential;
        judge(&actor, own, None, Action::PersonDisable, Some(&somebody), Mode::Request)
    };
    let fresh = Credential::Session { id: id(501), confirmed: true };
    let stale = Credential::Session { id: id(501), confirmed: false };
    let token = Credential::PersonalToken { id: id(502) };
    assert_eq!(decided(&owner(), fresh), Decision::Allow);
    assert_eq!(decided(&owner(), stale), denied(Outcome::Forbidden, Reason::StepUpRequired));
    assert_eq!(decided(&reader(), fresh), denied(Outcome::Forbidden, Reason::OwnerRequired));
    assert_eq!(decided(&reader(), token), denied(Outcome::Forbidden, Reason::OwnerRequired));
}

#[test]
fn what_is_private_is_hidden_from_everybody_else_owners_included() {
    let robin = actor(PrincipalKind::Person, ActingFor::Absent);
    let token = Resource::new(ResourceKind::Token, id(701), Path::of(Place::Private(alex())));
    let decided = judge(&robin, &owner(), None, Action::TokenRevoke, Some(&token), Mode::Request);
    assert_eq!(decided, denied(Outcome::NotFound, Reason::NoGrant));
    assert_eq!(judge(&robin, &reader(), None, Action::TokenRevoke, Some(&token), Mode::Request), Decision::Allow);
}

#[test]
fn an_inactive_principal_is_nobody() {
    let disabled = Snapshot::new(SnapshotFacts {
        principal: alex(),
        kind: PrincipalKind::Person,
        status: PrincipalStatus::Disabled,
        owner: true,
        grants: Vec::new(),
        directs: Vec::new(),
    });
    let alex = actor(PrincipalKind::Person, ActingFor::Absent);
    for &action in Action::ALL {
        for mode in [Mode::Request, Mode::Filter, Mode::Delivery] {
            let decided = judge(&alex, &disabled, None, action, Some(&message(support(), allgemein())), mode);
            assert_eq!(decided, denied(Outcome::Unauthenticated, Reason::NotLive));
        }
    }
}

#[test]
fn a_decision_says_whether_it_allows_and_a_path_whether_it_reaches_a_channel() {
    assert!(Decision::Allow.is_allow());
    assert!(!denied(Outcome::NotFound, Reason::NoGrant).is_allow());
    for (place, channel) in [
        (Place::Channel(support(), allgemein()), Some(allgemein())),
        (Place::Direct(direct()), Some(direct())),
        (Place::Space(support()), None),
        (Place::Instance, None),
        (Place::Pathless, None),
        (Place::Private(alex()), None),
    ] {
        assert_eq!(Path::of(place).channel(), channel);
    }
}
