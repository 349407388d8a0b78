//! Points 1 and 2: who is spoken to, in each kind of place.

use super::{
    ALEX, HERE, LOTSE, MAIN, MessageFacts, Outcome, Place, RUNNER, RespondTo, SWITCHES, Standing, Switches, TEXTER,
    THREAD, candidates, message, outcomes,
};
use crate::message::{MessageKind, Origin};

#[test]
fn only_text_of_a_person_triggers() {
    let every = Switches { respond_to: RespondTo::EveryMessage, respond_in_threads: true, ..SWITCHES };
    let mentioned = [LOTSE, TEXTER];
    let origins = Origin::ALL.iter().copied().map(Some).chain([None]);
    for origin in origins {
        for kind in MessageKind::ALL {
            for place in [MAIN, THREAD, Place::Direct { people: 1, agents: &[LOTSE] }] {
                let facts = MessageFacts { origin, kind: *kind, ..message(place, every, &mentioned) };
                let triggers = origin == Some(Origin::Human) && *kind == MessageKind::Text;
                assert_eq!(!candidates(&facts).is_empty(), triggers, "{origin:?} {kind}");
            }
        }
    }
}

#[test]
fn main_thread_the_operator_when_mentioned() {
    assert_eq!(outcomes(&message(MAIN, SWITCHES, &[])), []);
    assert_eq!(outcomes(&message(MAIN, SWITCHES, &[LOTSE])), [(LOTSE, HERE)]);
}

#[test]
fn main_thread_the_operator_always_with_every_message() {
    let every = Switches { respond_to: RespondTo::EveryMessage, ..SWITCHES };
    assert_eq!(outcomes(&message(MAIN, every, &[])), [(LOTSE, HERE)]);
    // Also when another agent is mentioned: only threads make that difference.
    assert_eq!(outcomes(&message(MAIN, every, &[TEXTER])), [(LOTSE, HERE), (TEXTER, HERE)]);
}

#[test]
fn respond_in_threads_says_nothing_about_the_main_thread_and_the_reverse() {
    let threads = Switches { respond_in_threads: true, ..SWITCHES };
    assert_eq!(outcomes(&message(MAIN, threads, &[])), []);
    let every = Switches { respond_to: RespondTo::EveryMessage, ..SWITCHES };
    assert_eq!(outcomes(&message(THREAD, every, &[])), []);
}

#[test]
fn thread_the_operator_when_mentioned_or_when_it_responds_in_threads() {
    let threads = Switches { respond_in_threads: true, ..SWITCHES };
    assert_eq!(outcomes(&message(THREAD, SWITCHES, &[])), []);
    assert_eq!(outcomes(&message(THREAD, SWITCHES, &[LOTSE])), [(LOTSE, HERE)]);
    assert_eq!(outcomes(&message(THREAD, threads, &[])), [(LOTSE, HERE)]);
}

#[test]
fn thread_the_operator_keeps_out_when_another_agent_is_mentioned() {
    let threads = Switches { respond_in_threads: true, ..SWITCHES };
    assert_eq!(outcomes(&message(THREAD, threads, &[TEXTER])), [(TEXTER, HERE)]);
    assert_eq!(outcomes(&message(THREAD, threads, &[TEXTER, LOTSE])), [(LOTSE, HERE), (TEXTER, HERE)]);
    // Also when that agent may not be called here: the author did not speak to the operator.
    let no_guests = Switches { allow_mentioned_agents: false, ..threads };
    assert_eq!(outcomes(&message(THREAD, no_guests, &[TEXTER])), [(TEXTER, Outcome::NotAdmitted)]);
}

#[test]
fn guests_only_where_the_channel_admits_them() {
    let no_guests = Switches { allow_mentioned_agents: false, ..SWITCHES };
    for place in [MAIN, THREAD] {
        assert_eq!(outcomes(&message(place, SWITCHES, &[TEXTER])), [(TEXTER, HERE)]);
        assert_eq!(
            outcomes(&message(place, no_guests, &[TEXTER, LOTSE])),
            [(LOTSE, HERE), (TEXTER, Outcome::NotAdmitted)]
        );
    }
}

#[test]
fn a_place_without_an_operator_has_guests_only() {
    let every = Switches { respond_to: RespondTo::EveryMessage, respond_in_threads: true, ..SWITCHES };
    for place in [Place::Main { operator: None }, Place::Thread { operator: None }] {
        assert_eq!(outcomes(&message(place, every, &[])), []);
        assert_eq!(outcomes(&message(place, every, &[LOTSE])), [(LOTSE, HERE)]);
        assert_eq!(place.standing(LOTSE), Standing::Guest);
    }
}

#[test]
fn off_means_nobody_anywhere() {
    let off = Switches {
        respond_to: RespondTo::Off,
        respond_in_threads: true,
        allow_mentioned_agents: true,
        auto_thread: true,
    };
    for place in [MAIN, THREAD, Place::Direct { people: 1, agents: &[LOTSE] }] {
        assert_eq!(outcomes(&message(place, off, &[])), []);
        assert_eq!(outcomes(&message(place, off, &[LOTSE])), [(LOTSE, Outcome::NotAdmitted)]);
    }
}

#[test]
fn a_direct_message_of_one_person_and_one_agent_speaks_to_the_agent() {
    let place = Place::Direct { people: 1, agents: &[LOTSE] };
    let no_guests = Switches { allow_mentioned_agents: false, ..SWITCHES };
    assert_eq!(outcomes(&message(place, no_guests, &[])), [(LOTSE, HERE)]);
    assert_eq!(outcomes(&message(place, no_guests, &[LOTSE])), [(LOTSE, HERE)]);
    assert_eq!(place.standing(LOTSE), Standing::Operator);
    assert_eq!(place.standing(TEXTER), Standing::Guest);
}

#[test]
fn other_direct_messages_speak_to_the_agents_that_they_mention() {
    let no_guests = Switches { allow_mentioned_agents: false, ..SWITCHES };
    let larger = [Place::Direct { people: 2, agents: &[LOTSE] }, Place::Direct { people: 1, agents: &[LOTSE, TEXTER] }];
    for place in larger {
        assert_eq!(outcomes(&message(place, no_guests, &[])), []);
        assert_eq!(outcomes(&message(place, no_guests, &[LOTSE])), [(LOTSE, HERE)]);
        assert_eq!(place.standing(LOTSE), Standing::Guest);
    }
    let people_only = Place::Direct { people: 2, agents: &[] };
    assert_eq!(outcomes(&message(people_only, SWITCHES, &[LOTSE])), []);
}

#[test]
fn a_direct_message_reaches_nobody_outside_it() {
    let place = Place::Direct { people: 1, agents: &[LOTSE] };
    assert_eq!(outcomes(&message(place, SWITCHES, &[RUNNER])), [(LOTSE, HERE)]);
}

#[test]
fn c69_an_agent_mentioned_twice_is_asked_once_and_the_order_is_fixed() {
    let mentioned = [RUNNER, TEXTER, RUNNER, LOTSE, LOTSE, TEXTER];
    assert_eq!(outcomes(&message(MAIN, SWITCHES, &mentioned)), [(LOTSE, HERE), (RUNNER, HERE), (TEXTER, HERE)]);
}

#[test]
fn candidates_say_how_they_stand_and_whether_they_were_mentioned() {
    let every = Switches { respond_to: RespondTo::EveryMessage, ..SWITCHES };
    let facts = message(MAIN, every, &[TEXTER]);
    let found: Vec<_> = candidates(&facts)
        .into_iter()
        .map(|found| (found.agent, found.standing, found.mentioned, found.admitted))
        .collect();
    assert_eq!(found, [(LOTSE, Standing::Operator, false, true), (TEXTER, Standing::Guest, true, true)]);
    assert_eq!(facts.author, ALEX);
}
