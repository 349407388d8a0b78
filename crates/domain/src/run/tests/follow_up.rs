//! Follow-ups: their states, and the run that comes next.

use proptest::prelude::*;
use uuid::Uuid;

use super::super::{
    FollowUp, FollowUpChange as Change, FollowUpRefused as Refused, FollowUpState as State, NextRun, Waiting, next_run,
};
use crate::ids::{Id, MessageId, PrincipalId};

const ALEX: PrincipalId = Id::from_uuid(Uuid::from_u128(1));
const SAM: PrincipalId = Id::from_uuid(Uuid::from_u128(2));
const ROBIN: PrincipalId = Id::from_uuid(Uuid::from_u128(3));

fn message(seq: i64) -> MessageId {
    Id::from_uuid(Uuid::from_u128(1_000 + u128::try_from(seq).unwrap()))
}

fn follow_up(thread_seq: i64, state: State) -> FollowUp {
    FollowUp { message: message(thread_seq), thread_seq, state }
}

fn waiting(thread_seq: i64, author: PrincipalId) -> Waiting {
    Waiting { message: message(thread_seq), thread_seq, author }
}

#[test]
fn every_state_with_every_change() {
    let table = [
        (State::Pending, Change::Acknowledge, Ok(State::Delivered)),
        (State::Pending, Change::Absorb, Ok(State::Absorbed)),
        (State::Pending, Change::Move, Ok(State::Moved)),
        (State::Delivered, Change::Acknowledge, Ok(State::Delivered)),
        (State::Delivered, Change::Absorb, Ok(State::Absorbed)),
        (State::Delivered, Change::Move, Ok(State::Moved)),
        (State::Absorbed, Change::Acknowledge, Ok(State::Absorbed)),
        (State::Absorbed, Change::Absorb, Ok(State::Absorbed)),
        (State::Absorbed, Change::Move, Err(Refused::Absorbed)),
        (State::Moved, Change::Acknowledge, Err(Refused::Moved)),
        (State::Moved, Change::Absorb, Err(Refused::Moved)),
        (State::Moved, Change::Move, Ok(State::Moved)),
    ];
    assert_eq!(table.len(), State::ALL.len() * 3);
    for (state, change, expected) in table {
        assert_eq!(state.apply(change), expected, "{state} {change:?}");
    }
}

#[test]
fn rc15_c71_only_acknowledged_or_absorbed_follow_ups_reached_the_agent() {
    let reached: Vec<_> = State::ALL.iter().filter(|state| state.reached_agent()).collect();
    assert_eq!(reached, [&State::Delivered, &State::Absorbed]);
    let open: Vec<_> = State::ALL.iter().filter(|state| state.is_open()).collect();
    assert_eq!(open, [&State::Pending, &State::Delivered]);
    for state in State::ALL {
        assert_eq!(State::parse(state.as_str()), Ok(*state));
    }
}

#[test]
fn nothing_open_starts_nothing() {
    assert_eq!(next_run(ALEX, &[], &[]), None);
    let done = [follow_up(4, State::Absorbed), follow_up(5, State::Moved)];
    assert_eq!(next_run(ALEX, &done, &[]), None);
}

#[test]
fn the_oldest_open_follow_up_triggers_and_the_rest_follow() {
    let follow_ups = [
        follow_up(9, State::Pending),
        follow_up(4, State::Absorbed),
        follow_up(7, State::Delivered),
        follow_up(5, State::Pending),
    ];
    assert_eq!(
        next_run(ALEX, &follow_ups, &[]),
        Some(NextRun {
            trigger: message(5),
            triggered_by: ALEX,
            follow_ups: vec![message(7), message(9)],
            waiting: vec![],
        })
    );
}

#[test]
fn af19_a_waiting_message_starts_a_run_of_its_author() {
    let others = [waiting(6, SAM), waiting(8, ROBIN), waiting(9, SAM)];
    assert_eq!(
        next_run(ALEX, &[], &others),
        Some(NextRun {
            trigger: message(6),
            triggered_by: SAM,
            follow_ups: vec![message(9)],
            waiting: vec![waiting(8, ROBIN)],
        })
    );
}

#[test]
fn af19_who_waited_longest_is_next_and_the_former_person_waits_in_turn() {
    let follow_ups = [follow_up(7, State::Delivered), follow_up(9, State::Pending)];
    assert_eq!(
        next_run(ALEX, &follow_ups, &[waiting(6, SAM)]),
        Some(NextRun {
            trigger: message(6),
            triggered_by: SAM,
            follow_ups: vec![],
            waiting: vec![waiting(7, ALEX), waiting(9, ALEX)],
        })
    );
}

proptest! {
    /// AF-19: nothing is lost or doubled, one run holds one person's messages, and the trigger is
    /// the oldest.
    #[test]
    fn every_open_message_has_exactly_one_place(
        states in proptest::collection::vec((any::<bool>(), 0usize..4, 0usize..3), 0..12),
    ) {
        let mut follow_ups = Vec::new();
        let mut others = Vec::new();
        for (position, (own, state, author)) in states.into_iter().enumerate() {
            let seq = i64::try_from(position).unwrap();
            if own {
                follow_ups.push(follow_up(seq, State::ALL[state]));
            } else {
                others.push(waiting(seq, [ALEX, SAM, ROBIN][author]));
            }
        }
        let mut open: Vec<(i64, PrincipalId)> = follow_ups
            .iter()
            .filter(|item| item.state.is_open())
            .map(|item| (item.thread_seq, ALEX))
            .chain(others.iter().map(|item| (item.thread_seq, item.author)))
            .collect();
        open.sort_unstable();

        let Some(next) = next_run(ALEX, &follow_ups, &others) else {
            prop_assert!(open.is_empty());
            return Ok(());
        };
        prop_assert_eq!((next.trigger, next.triggered_by), (message(open[0].0), open[0].1));
        let own: Vec<_> = open[1..].iter().filter(|(_, author)| *author == next.triggered_by)
            .map(|(seq, _)| message(*seq)).collect();
        let rest: Vec<_> = open[1..].iter().filter(|(_, author)| *author != next.triggered_by)
            .map(|(seq, author)| waiting(*seq, *author)).collect();
        prop_assert_eq!(next.follow_ups, own);
        prop_assert_eq!(next.waiting, rest);
    }
}
