//! Chapter 08 in the decision: the cases that seed 003 names.

use super::*;

fn bound() -> Actor {
    actor(PrincipalKind::Agent, ActingFor::Bound(binding()))
}

fn unbound() -> Actor {
    actor(PrincipalKind::Agent, ActingFor::Absent)
}

fn lotse_everywhere(level: Level) -> Snapshot {
    agent(vec![grant(GrantTarget::Space(support()), Level::Write), grant(GrantTarget::Space(engineering()), level)])
}

fn alex_in_support() -> Snapshot {
    person(vec![grant(GrantTarget::Space(support()), Level::Trigger)])
}

fn hidden_message() -> Resource {
    in_thread(ResourceKind::Message, 601, engineering(), projekt_a(), other_thread())
}

fn run_in(thread: ThreadId, run: RunId) -> Resource {
    let mut resource = in_thread(ResourceKind::Run, 0, support(), allgemein(), thread);
    resource.id = run.cast();
    resource.agent = Some(lotse());
    resource
}

/// AZ-M44, AZ-M45: the same read inside a run of Alex and outside of any run.
#[test]
fn az_m44_and_m45_acting_for_insufficient() {
    let (lotse, alex) = (lotse_everywhere(Level::Read), alex_in_support());
    let message = hidden_message();
    let inside = judge(&bound(), &lotse, Some(&alex), Action::MessageRead, Some(&message), Mode::Request);
    assert_eq!(inside, denied(Outcome::NotFound, Reason::ActingForInsufficient));
    assert_eq!(judge(&unbound(), &lotse, None, Action::MessageRead, Some(&message), Mode::Request), Decision::Allow);
    let listed = decide_scope(&Judgement {
        actor: &bound(),
        own: &lotse,
        person: Some(&alex),
        action: Action::MessageRead,
        resource: None,
        mode: Mode::Filter,
        now: NOW,
    })
    .unwrap();
    assert!(!listed.shows_channel(Some(engineering()), projekt_a()) && !listed.shows_space(engineering()));
}

#[test]
fn af_11_reasons_of_403() {
    let thread = in_thread(ResourceKind::Thread, 202, engineering(), projekt_a(), other_thread());
    let alex = person(vec![grant(GrantTarget::Space(engineering()), Level::Read)]);
    let post = |own: &Snapshot| judge(&bound(), own, Some(&alex), Action::MessageCreate, Some(&thread), Mode::Request);
    assert_eq!(post(&lotse_everywhere(Level::Write)), denied(Outcome::Forbidden, Reason::ActingForInsufficient));
    assert_eq!(post(&lotse_everywhere(Level::Read)), denied(Outcome::Forbidden, Reason::LevelInsufficient));
}

/// Hidden from the person is hidden, whatever the agent alone would have been told.
#[test]
fn af_11_visibility_for_the_person_comes_before_the_agents_own_refusal() {
    let thread = in_thread(ResourceKind::Thread, 202, engineering(), projekt_a(), other_thread());
    for action in [Action::MessageCreate, Action::ThreadClose, Action::ThreadOperatorSet] {
        let decided = judge(
            &bound(),
            &lotse_everywhere(Level::Read),
            Some(&alex_in_support()),
            action,
            Some(&thread),
            Mode::Request,
        );
        assert_eq!(decided, denied(Outcome::NotFound, Reason::ActingForInsufficient), "{}", action.as_str());
    }
}

#[test]
fn af_13_own_exceptions_use_the_agents_rights_on_the_own_thread_and_run_alone() {
    let lotse = lotse_everywhere(Level::Write);
    let alex_lost_everything = person(Vec::new());
    let decided = |action, resource: &Resource| {
        judge(&bound(), &lotse, Some(&alex_lost_everything), action, Some(resource), Mode::Request)
    };
    let refused = denied(Outcome::NotFound, Reason::ActingForInsufficient);

    let own = in_thread(ResourceKind::Thread, 201, support(), allgemein(), own_thread());
    let other = in_thread(ResourceKind::Thread, 202, support(), allgemein(), other_thread());
    assert_eq!(decided(Action::MessageCreate, &own), Decision::Allow);
    assert_eq!(decided(Action::MessageCreate, &other), refused);
    for action in [Action::RunUpdate, Action::RunFinish, Action::InteractionRespond, Action::AgentSessionReport] {
        assert_eq!(decided(action, &run_in(own_thread(), own_run())), Decision::Allow, "{}", action.as_str());
        assert_eq!(decided(action, &run_in(own_thread(), id(302))), refused, "an earlier run of the thread");
        assert_eq!(decided(action, &run_in(other_thread(), own_run())), refused);
    }
    assert_eq!(decided(Action::RunContextRead, &run_in(own_thread(), own_run())), refused, "no exception for reading");
}

#[test]
fn af_13_start_and_renew_decide_as_without_the_header() {
    let lotse = lotse_everywhere(Level::Write);
    let nobody = person(Vec::new());
    for action in [Action::RunStart, Action::RunTokenRenew] {
        for resource in [run_in(own_thread(), own_run()), run_in(other_thread(), id(302))] {
            let without = judge(&unbound(), &lotse, None, action, Some(&resource), Mode::Request);
            for acting_for in [ActingFor::Bound(binding()), ActingFor::RunInactive(binding())] {
                let actor = actor(PrincipalKind::Agent, acting_for);
                assert_eq!(judge(&actor, &lotse, Some(&nobody), action, Some(&resource), Mode::Request), without);
            }
        }
    }
}

#[test]
fn af_7_an_invalid_token_ends_everything_before_the_path() {
    let invalid = actor(PrincipalKind::Agent, ActingFor::Invalid);
    let lotse = lotse_everywhere(Level::Write);
    let refused = denied(Outcome::InvocationTokenInvalid, Reason::InvocationInvalid);
    for &action in Action::ALL {
        let known = judge(&invalid, &lotse, None, action, Some(&run_in(own_thread(), own_run())), Mode::Request);
        assert_eq!(known, refused, "{}", action.as_str());
        assert_eq!(judge(&invalid, &lotse, None, action, None, Mode::Request), refused, "an unknown id alike");
    }
    let listed = decide_scope(&Judgement {
        actor: &invalid,
        own: &lotse,
        person: None,
        action: Action::ChannelRead,
        resource: None,
        mode: Mode::Filter,
        now: NOW,
    });
    assert_eq!(listed.unwrap_err().reason, Reason::InvocationInvalid);
}

#[test]
fn af_8_an_ended_run_ends_everything_but_the_unbound_actions() {
    let ended = actor(PrincipalKind::Agent, ActingFor::RunInactive(binding()));
    let lotse = lotse_everywhere(Level::Write);
    let resource = run_in(own_thread(), own_run());
    for &action in Action::ALL {
        let decided = judge(&ended, &lotse, None, action, Some(&resource), Mode::Request);
        let unbound_action = matches!(action, Action::RunStart | Action::RunTokenRenew);
        let refused = decided == denied(Outcome::InvocationTokenInvalid, Reason::RunInactive);
        assert_eq!(refused, !unbound_action, "{}", action.as_str());
    }
}

#[test]
fn af_14_delivery_ignores_the_binding_and_filter_does_not() {
    let (lotse, alex) = (lotse_everywhere(Level::Read), alex_in_support());
    let message = hidden_message();
    for acting_for in
        [ActingFor::Absent, ActingFor::Invalid, ActingFor::RunInactive(binding()), ActingFor::Bound(binding())]
    {
        let actor = actor(PrincipalKind::Agent, acting_for);
        assert_eq!(
            judge(&actor, &lotse, Some(&alex), Action::MessageRead, Some(&message), Mode::Delivery),
            Decision::Allow
        );
    }
    let filtered = judge(&bound(), &lotse, Some(&alex), Action::MessageRead, Some(&message), Mode::Filter);
    assert_eq!(filtered, denied(Outcome::NotFound, Reason::ActingForInsufficient));
}

#[test]
fn af_10_an_owner_who_triggers_does_not_narrow_and_an_inactive_person_allows_nothing() {
    let lotse = lotse_everywhere(Level::Read);
    let message = hidden_message();
    assert_eq!(
        judge(&bound(), &lotse, Some(&owner()), Action::MessageRead, Some(&message), Mode::Request),
        Decision::Allow
    );
    for status in [PrincipalStatus::Pending, PrincipalStatus::Disabled, PrincipalStatus::Deleted] {
        let gone = Snapshot::new(SnapshotFacts {
            principal: robin(),
            kind: PrincipalKind::Person,
            status,
            owner: true,
            grants: vec![grant(GrantTarget::Instance, Level::Trigger)],
            directs: Vec::new(),
        });
        let decided = judge(&bound(), &lotse, Some(&gone), Action::MessageRead, Some(&message), Mode::Request);
        assert_eq!(decided, denied(Outcome::NotFound, Reason::ActingForInsufficient));
    }
}

#[test]
fn a_bound_agent_without_known_person_fails_closed() {
    let decided = judge(
        &bound(),
        &lotse_everywhere(Level::Read),
        None,
        Action::MessageRead,
        Some(&hidden_message()),
        Mode::Request,
    );
    assert_eq!(decided, denied(Outcome::NotFound, Reason::ActingForInsufficient));
}

/// AF-13: actions without a place in the channel tree decide the same with and without the binding.
#[test]
fn af_13_pathless_actions_are_unchanged() {
    let lotse = lotse_everywhere(Level::Read);
    let nobody = person(Vec::new());
    for (action, kind) in [
        (Action::AgentHeartbeat, ResourceKind::Own),
        (Action::AgentEventsConsume, ResourceKind::Own),
        (Action::AgentTriggerersRead, ResourceKind::Agent),
        (Action::SelfRead, ResourceKind::Own),
    ] {
        let mut own = Resource::new(kind, lotse_id(), Path::PATHLESS);
        own.agent = Some(super::lotse());
        let without = judge(&unbound(), &lotse, None, action, Some(&own), Mode::Request);
        assert_eq!(without, Decision::Allow, "{}", action.as_str());
        assert_eq!(judge(&bound(), &lotse, Some(&nobody), action, Some(&own), Mode::Request), without);
    }
    let instance = Resource::new(ResourceKind::Instance, id(0), Path::of(Place::Instance));
    let without = judge(&unbound(), &lotse, None, Action::InstanceRead, Some(&instance), Mode::Request);
    assert_eq!(judge(&bound(), &lotse, Some(&nobody), Action::InstanceRead, Some(&instance), Mode::Request), without);
}

fn lotse_id() -> AnyId {
    lotse().cast()
}

/// AF-17: an agent that may act only inside a run is refused where rights count, and nowhere else.
#[test]
fn af_17_run_only_agents() {
    let mut outside = unbound();
    outside.requires_binding = true;
    let lotse = lotse_everywhere(Level::Write);
    let message = in_thread(ResourceKind::Message, 601, support(), allgemein(), own_thread());
    let refused = denied(Outcome::InvocationTokenRequired, Reason::InvocationRequired);
    assert_eq!(judge(&outside, &lotse, None, Action::MessageRead, Some(&message), Mode::Request), refused);
    assert_eq!(
        judge(&outside, &lotse, None, Action::RunStart, Some(&run_in(own_thread(), own_run())), Mode::Request),
        Decision::Allow
    );
    let own = Resource::new(ResourceKind::Own, lotse_id(), Path::PATHLESS);
    assert_eq!(judge(&outside, &lotse, None, Action::AgentEventsConsume, Some(&own), Mode::Request), Decision::Allow);
    let mut inside = bound();
    inside.requires_binding = true;
    assert_eq!(
        judge(&inside, &lotse, Some(&alex_in_support()), Action::MessageRead, Some(&message), Mode::Request),
        Decision::Allow
    );
}

/// A list fails closed like a decision.
#[test]
fn a_bound_list_without_a_known_person_is_empty() {
    let (bound, lotse, alex) = (bound(), lotse_everywhere(Level::Read), alex_in_support());
    let asked = |person| Judgement {
        actor: &bound,
        own: &lotse,
        person,
        action: Action::MessageRead,
        resource: None,
        mode: Mode::Filter,
        now: NOW,
    };
    assert_eq!(decide_scope(&asked(None)), Ok(Scope::default()));
    assert_ne!(decide_scope(&asked(Some(&alex))), Ok(Scope::default()));
}
