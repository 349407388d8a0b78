//! Points 3 to 6: what happens to each agent that is spoken to.

use super::{
    ALEX, AgentFacts, Decision, HERE, IN_NEW_THREAD, LOTSE, MAIN, MessageFacts, MessageKind, Outcome, Place, RUN,
    RUNNER, RespondTo, SAM, SWITCHES, Standing, Switches, TEXTER, THREAD, addressed, all_ready, busy, decided, message,
    outcomes, ready,
};

fn only(facts: AgentFacts) -> Outcome {
    let mentioned = [facts.agent];
    let decisions = decided(&message(THREAD, SWITCHES, &mentioned), &[facts], 10);
    assert_eq!(decisions.len(), 1);
    decisions[0].outcome
}

#[test]
fn point_3_the_agent_is_active_and_may_read_and_write_and_the_author_may_invoke_it() {
    assert_eq!(only(ready(LOTSE)), HERE);
    assert_eq!(only(AgentFacts { active: false, ..ready(LOTSE) }), Outcome::Unable);
    assert_eq!(only(AgentFacts { may_read_and_write: false, ..ready(LOTSE) }), Outcome::Unable);
    assert_eq!(only(AgentFacts { invocable: false, ..ready(LOTSE) }), Outcome::NotAllowed);
}

#[test]
fn point_3_who_may_not_invoke_an_agent_does_not_learn_its_state() {
    let facts = AgentFacts { active: false, invocable: false, ..ready(LOTSE) };
    assert_eq!(only(facts), Outcome::NotAllowed);
}

#[test]
fn point_3_c74_an_agent_that_could_not_be_looked_up_starts_nothing() {
    let facts = message(MAIN, SWITCHES, &[LOTSE]);
    let decisions = decided(&facts, &[ready(TEXTER)], 10);
    assert_eq!(decisions[0].outcome, Outcome::Unable);
}

#[test]
fn point_4_one_thread_is_opened_for_all_agents_of_a_message_in_the_main_thread() {
    let auto = Switches { auto_thread: true, ..SWITCHES };
    assert_eq!(outcomes(&message(MAIN, auto, &[LOTSE, TEXTER])), [(LOTSE, IN_NEW_THREAD), (TEXTER, IN_NEW_THREAD)]);
    assert_eq!(outcomes(&message(MAIN, SWITCHES, &[LOTSE])), [(LOTSE, HERE)]);
}

#[test]
fn point_4_threads_posts_and_direct_messages_open_none() {
    let auto = Switches { auto_thread: true, ..SWITCHES };
    let direct = Place::Direct { people: 1, agents: &[LOTSE] };
    for place in [THREAD, direct] {
        assert_eq!(outcomes(&message(place, auto, &[LOTSE])), [(LOTSE, HERE)]);
    }
}

#[test]
fn point_5_an_active_run_takes_what_its_own_person_says() {
    assert_eq!(only(busy(LOTSE, ALEX)), Outcome::FollowUp { run: RUN });
}

#[test]
fn point_5_af19_what_another_person_says_waits() {
    assert_eq!(only(busy(LOTSE, SAM)), Outcome::Wait { run: RUN });
}

#[test]
fn point_5_an_active_run_does_not_excuse_from_point_3() {
    assert_eq!(only(AgentFacts { invocable: false, ..busy(LOTSE, ALEX) }), Outcome::NotAllowed);
    assert_eq!(only(AgentFacts { active: false, ..busy(LOTSE, SAM) }), Outcome::Unable);
}

#[test]
fn point_5_a_run_in_the_main_thread_does_not_hold_up_a_new_thread() {
    let auto = Switches { auto_thread: true, ..SWITCHES };
    let facts = message(MAIN, auto, &[LOTSE]);
    for person in [ALEX, SAM] {
        assert_eq!(decided(&facts, &[busy(LOTSE, person)], 10)[0].outcome, IN_NEW_THREAD);
    }
    // Without a thread of its own the run belongs to the main thread, and so does the follow-up.
    let facts = message(MAIN, SWITCHES, &[LOTSE]);
    let decisions = decided(&facts, &[busy(LOTSE, ALEX)], 10);
    assert_eq!(decisions[0].outcome, Outcome::FollowUp { run: RUN });
}

#[test]
fn point_6_at_most_so_many_agents_operator_first() {
    let mentioned = [RUNNER, TEXTER, LOTSE];
    let facts = message(MAIN, SWITCHES, &mentioned);
    let limited = |max| -> Vec<_> {
        decided(&facts, &all_ready(), max).into_iter().map(|decision| (decision.agent, decision.outcome)).collect()
    };
    assert_eq!(limited(2), [(LOTSE, HERE), (RUNNER, HERE), (TEXTER, Outcome::OverLimit)]);
    assert_eq!(limited(0), [(LOTSE, Outcome::OverLimit), (RUNNER, Outcome::OverLimit), (TEXTER, Outcome::OverLimit)]);
}

#[test]
fn point_6_follow_ups_and_waiting_count_but_refusals_take_no_place() {
    let mentioned = [LOTSE, RUNNER, TEXTER];
    let facts = message(MAIN, SWITCHES, &mentioned);
    let refused = AgentFacts { invocable: false, ..ready(LOTSE) };
    let outcomes: Vec<_> = decided(&facts, &[refused, busy(RUNNER, SAM), ready(TEXTER)], 1)
        .into_iter()
        .map(|decision| decision.outcome)
        .collect();
    assert_eq!(outcomes, [Outcome::NotAllowed, Outcome::Wait { run: RUN }, Outcome::OverLimit]);
}

#[test]
fn point_6_c44_the_author_is_told_only_of_agents_that_were_mentioned() {
    let decision = |mentioned, outcome| Decision { agent: LOTSE, standing: Standing::Operator, mentioned, outcome };
    let refusals = [Outcome::NotAdmitted, Outcome::NotAllowed, Outcome::Unable, Outcome::OverLimit];
    for outcome in refusals {
        assert!(decision(true, outcome).notice());
        assert!(!decision(false, outcome).notice());
    }
    for outcome in [HERE, Outcome::FollowUp { run: RUN }, Outcome::Wait { run: RUN }] {
        assert!(!decision(true, outcome).notice());
    }

    // An operator that would answer every message stays silent towards who may not invoke it.
    let every = Switches { respond_to: RespondTo::EveryMessage, ..SWITCHES };
    let refused = AgentFacts { invocable: false, ..ready(LOTSE) };
    let decisions = decided(&message(MAIN, every, &[]), &[refused], 10);
    assert_eq!(decisions[0].outcome, Outcome::NotAllowed);
    assert!(!decisions[0].notice());
}

/// RC-17: what a person asks of one agent by name reaches that agent as a mention does, and nothing
/// else does.
#[test]
fn a_request_that_names_its_agent_is_its_candidate() {
    let asked = |place| MessageFacts { kind: MessageKind::RunRequest, ..message(place, SWITCHES, &[]) };
    let found = addressed(&asked(MAIN), TEXTER).unwrap();
    assert!(found.mentioned && found.agent == TEXTER && found.standing == Standing::Guest);
    assert!(addressed(&asked(MAIN), LOTSE).unwrap().mentioned);
    assert_eq!(addressed(&message(MAIN, SWITCHES, &[]), LOTSE), None, "a text is no request");
    assert_eq!(addressed(&MessageFacts { origin: None, ..asked(MAIN) }, LOTSE), None, "no person asked");
    let direct = Place::Direct { people: 1, agents: &[LOTSE] };
    assert!(addressed(&asked(direct), LOTSE).is_some());
    assert_eq!(addressed(&asked(direct), TEXTER), None, "it takes no part");
}
