//! Random worlds: both evaluators decide alike, and lists show alike.

use std::collections::BTreeMap;

use bothy_domain::policy::Decision;

use crate::bridge::Fault;
use crate::compare::disagreement;
use crate::generate;
use crate::random::{Random, seeds};
use crate::reference;

const WORLDS: u64 = 12_000;
const QUESTIONS: usize = 60;

/// AZ-P8: what is cached and quick decides as what is slow and plain.
#[test]
fn random_worlds_are_decided_and_listed_alike() {
    for seed in seeds(WORLDS) {
        let mut random = Random::new(seed);
        let world = generate::world(&mut random);
        for _ in 0..QUESTIONS {
            let question = generate::question(&mut random, &world);
            if let Some(what) = disagreement(&world, &question, Fault::None) {
                panic!("BOTHY_TEST_SEED={seed}: the evaluators disagree on\n  {what}\n{world:#?}");
            }
        }
    }
}

/// The worlds and questions are worth asking: every action is allowed to somebody, and every reason
/// of a refusal is met often.
#[test]
fn random_questions_reach_every_answer() {
    let mut allowed = BTreeMap::new();
    let mut refused = BTreeMap::new();
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let world = generate::world(&mut random);
        for _ in 0..QUESTIONS {
            let question = generate::question(&mut random, &world);
            match reference::decide(&world, &question) {
                Decision::Allow => *allowed.entry(question.action).or_insert(0) += 1,
                Decision::Deny(denial) => *refused.entry(denial.reason).or_insert(0) += 1,
            }
        }
    }
    for action in bothy_domain::action::Action::ALL {
        assert!(
            allowed.get(action).is_some_and(|times| *times >= 10),
            "{action:?} was allowed too seldom: {allowed:?}"
        );
    }
    for reason in bothy_domain::policy::Reason::ALL {
        assert!(refused.get(&reason).is_some_and(|times| *times >= 50), "{reason:?} was met too seldom: {refused:?}");
    }
}
