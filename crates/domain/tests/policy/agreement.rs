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
        assert!(allowed.get(action).is_some_and(|times| *times >= 10), "{action:?} was allowed too seldom: {allowed:?}");
    }
    for reason in bothy_domain::policy::Reason::ALL {
        assert!(refused.get(&reason).is_some_and(|times| *times >= 50), "{reason:?} was met too seldom: {refused:?}");
    }
}

#[test]
fn tmp_categories() {
    let mut groups: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let world = generate::world(&mut random);
        for _ in 0..QUESTIONS {
            let question = generate::question(&mut random, &world);
            if let Some(what) = disagreement(&world, &question, Fault::None) {
                let key = what.split("fast").nth(1).unwrap_or("").to_owned();
                let key = if key.contains("Lists") && what.starts_with("Question") { format!("SCOPE {:?} {:?} {}", question.mode, question.action.row().binding, key.split("reference").next().unwrap()) } else if key.contains("channel_ids") { format!("LIST {}", what.split(' ').next().unwrap()) } else { format!("{:?} {key}", question.action.row().resource) };
                let entry = groups.entry(key).or_insert((0, what));
                entry.0 += 1;
            }
        }
    }
    for (key, (count, what)) in groups {
        println!("{count} {key}\n     e.g. {what}\n");
    }
}
