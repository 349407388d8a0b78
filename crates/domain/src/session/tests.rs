//! RC-4: the mode, the floor, the agent's own messages and the channel context.

use proptest::prelude::*;
use uuid::Uuid;

use super::{ContextPlan, EarlierRun, PlanFacts, SessionFacts, SessionMode, TriggerPlace, plan};
use crate::ids::{Id, PrincipalId, RunId, ThreadId};
use crate::time::Timestamp;

const LOTSE: PrincipalId = Id::from_uuid(Uuid::from_u128(1));
const TEXTER: PrincipalId = Id::from_uuid(Uuid::from_u128(2));
const THREAD: ThreadId = Id::from_uuid(Uuid::from_u128(10));
const MAIN_THREAD: ThreadId = Id::from_uuid(Uuid::from_u128(11));
const NOW: i64 = 100;

fn run(number: u128) -> RunId {
    Id::from_uuid(Uuid::from_u128(number))
}

fn facts(same_session: &[EarlierRun]) -> PlanFacts<'_> {
    PlanFacts {
        run: run(500),
        agent: LOTSE,
        thread: THREAD,
        queued_at: Timestamp::from_micros(NOW),
        operates: true,
        session: Some(SessionFacts { agent: LOTSE, started: true }),
        same_session,
    }
}

/// An earlier started run of Lotse, triggered in the run's own thread.
fn earlier(queued_at: i64, thread_seq: i64) -> EarlierRun {
    EarlierRun {
        run: run(u128::try_from(queued_at).unwrap()),
        agent: LOTSE,
        queued_at: Timestamp::from_micros(queued_at),
        started: true,
        trigger: Some(TriggerPlace { thread: THREAD, thread_seq }),
    }
}

const fn without_memory(mode: SessionMode) -> ContextPlan {
    ContextPlan { mode, floor: 0, exclude_own: false, channel_context: true }
}

const fn resumed(floor: i64) -> ContextPlan {
    ContextPlan { mode: SessionMode::Resume, floor, exclude_own: true, channel_context: false }
}

#[test]
fn modes_are_stored_and_read_back() {
    for mode in SessionMode::ALL {
        assert_eq!(SessionMode::parse(mode.as_str()), Ok(*mode));
    }
}

#[test]
fn rc4_guest_even_with_a_used_session() {
    let runs = [earlier(50, 7)];
    let guest = PlanFacts { operates: false, ..facts(&runs) };
    assert_eq!(plan(&guest), without_memory(SessionMode::Guest));
}

#[test]
fn rc4_new_without_a_session() {
    let none = PlanFacts { session: None, ..facts(&[]) };
    assert_eq!(plan(&none), without_memory(SessionMode::New));
}

#[test]
fn rc4_new_while_the_session_has_not_started_although_an_earlier_run_failed() {
    let runs = [earlier(50, 7)];
    let session = Some(SessionFacts { agent: LOTSE, started: false });
    let unstarted = PlanFacts { session, ..facts(&runs) };
    assert_eq!(plan(&unstarted), without_memory(SessionMode::New));
}

#[test]
fn rc4_new_when_the_session_belongs_to_another_agent() {
    let runs = [earlier(50, 7)];
    let session = Some(SessionFacts { agent: TEXTER, started: true });
    let foreign = PlanFacts { session, ..facts(&runs) };
    assert_eq!(plan(&foreign), without_memory(SessionMode::New));
}

#[test]
fn rc4_bind_when_started_and_not_used_before() {
    assert_eq!(plan(&facts(&[])), without_memory(SessionMode::Bind));
}

#[test]
fn rc4_only_a_started_run_of_the_agent_queued_before_uses_the_session() {
    let failed_in_queue = EarlierRun { started: false, ..earlier(50, 7) };
    let other_agent = EarlierRun { agent: TEXTER, ..earlier(50, 7) };
    let later = earlier(NOW + 1, 7);
    let itself = EarlierRun { run: run(500), ..earlier(NOW, 7) };
    let bind = without_memory(SessionMode::Bind);
    for unused in [failed_in_queue, other_agent, later, itself] {
        assert_eq!(plan(&facts(&[unused])), bind, "{unused:?}");
    }
}

#[test]
fn rc4_runs_of_one_microsecond_are_ordered_by_their_ids() {
    let before = EarlierRun { run: run(499), ..earlier(NOW, 7) };
    let after = EarlierRun { run: run(501), ..earlier(NOW, 7) };
    assert_eq!(plan(&facts(&[before])), resumed(7));
    assert_eq!(plan(&facts(&[after])), without_memory(SessionMode::Bind));
}

#[test]
fn rc4_resume_starts_above_the_latest_earlier_trigger() {
    let runs = [earlier(40, 3), earlier(60, 9), earlier(50, 5)];
    assert_eq!(plan(&facts(&runs)), resumed(9));
}

#[test]
fn rc4_resume_with_the_previous_trigger_in_the_main_thread_has_floor_zero() {
    let parent = Some(TriggerPlace { thread: MAIN_THREAD, thread_seq: 40 });
    let auto_thread = EarlierRun { trigger: parent, ..earlier(50, 0) };
    assert_eq!(plan(&facts(&[auto_thread])), resumed(0));

    // The latest one decides, even when an older one lies in the thread.
    let runs = [earlier(40, 3), auto_thread];
    assert_eq!(plan(&facts(&runs)), resumed(0));
}

#[test]
fn rc4_a_run_without_a_triggering_message_leaves_the_floor_to_the_one_before() {
    let command = EarlierRun { trigger: None, ..earlier(60, 0) };
    assert_eq!(plan(&facts(&[earlier(50, 7), command])), resumed(7));
    assert_eq!(plan(&facts(&[command])), resumed(0), "used, but there is no earlier trigger");
}

#[test]
fn rc4_a_run_that_was_never_started_sets_no_floor() {
    let failed_in_queue = EarlierRun { started: false, ..earlier(60, 9) };
    assert_eq!(plan(&facts(&[earlier(50, 7), failed_in_queue])), resumed(7));
}

fn any_run() -> impl Strategy<Value = EarlierRun> {
    let trigger =
        proptest::option::of((any::<bool>(), 1i64..50).prop_map(|(inside, seq)| TriggerPlace {
            thread: if inside { THREAD } else { MAIN_THREAD },
            thread_seq: seq,
        }));
    (any::<bool>(), 0i64..200, any::<bool>(), trigger).prop_map(|(own, queued_at, started, trigger)| EarlierRun {
        agent: if own { LOTSE } else { TEXTER },
        started,
        trigger,
        ..earlier(queued_at, 1)
    })
}

/// The table of chapter 07 section 3, read off step by step.
fn reference(facts: &PlanFacts<'_>) -> ContextPlan {
    let mut used: Vec<&EarlierRun> = Vec::new();
    for candidate in facts.same_session {
        let before = candidate.queued_at < facts.queued_at
            || candidate.queued_at == facts.queued_at && candidate.run < facts.run;
        if candidate.agent == facts.agent && candidate.started && before {
            used.push(candidate);
        }
    }
    used.sort_by_key(|run| (run.queued_at, run.run));
    let started = matches!(facts.session, Some(row) if row.agent == facts.agent && row.started);
    if !facts.operates {
        without_memory(SessionMode::Guest)
    } else if !started {
        without_memory(SessionMode::New)
    } else if used.is_empty() {
        without_memory(SessionMode::Bind)
    } else {
        match used.iter().rev().find_map(|run| run.trigger) {
            Some(trigger) if trigger.thread == facts.thread => resumed(trigger.thread_seq),
            _ => resumed(0),
        }
    }
}

proptest! {
    #[test]
    fn rc4_agrees_with_the_table_over_all_facts(
        operates in any::<bool>(),
        session in proptest::option::of((any::<bool>(), any::<bool>())),
        mut runs in proptest::collection::vec(any_run(), 0..6),
    ) {
        // Distinct runs, as the ids of rows are.
        runs.sort_by_key(|run| run.run);
        runs.dedup_by_key(|run| run.run);
        let session = session.map(|(own, started)| SessionFacts {
            agent: if own { LOTSE } else { TEXTER },
            started,
        });
        let facts = PlanFacts { operates, session, ..facts(&runs) };
        let planned = plan(&facts);
        prop_assert_eq!(planned, reference(&facts));

        let resumes = planned.mode == SessionMode::Resume;
        prop_assert_eq!(planned.exclude_own, resumes);
        prop_assert_eq!(planned.channel_context, !resumes);
        prop_assert!(planned.floor == 0 || resumes);

        let mut shuffled = runs.clone();
        shuffled.reverse();
        prop_assert_eq!(plan(&PlanFacts { same_session: &shuffled, ..facts }), planned);
    }

    #[test]
    fn rc4_the_two_deciding_runs_are_enough(
        runs in proptest::collection::vec(any_run(), 0..6),
    ) {
        let all = facts(&runs);
        let before = |run: &&EarlierRun| {
            let earlier = (run.queued_at, run.run) < (all.queued_at, all.run);
            run.agent == LOTSE && run.started && earlier
        };
        let order = |run: &&EarlierRun| (run.queued_at, run.run);
        let latest = runs.iter().filter(before).max_by_key(order);
        let with_trigger =
            runs.iter().filter(before).filter(|run| run.trigger.is_some()).max_by_key(order);
        let two: Vec<EarlierRun> = latest.into_iter().chain(with_trigger).copied().collect();
        prop_assert_eq!(plan(&facts(&two)), plan(&all));
    }
}
