//! RC-3 row by row, then over every combination of origin, author and holders.

use uuid::Uuid;

use super::{AuthorFacts, Role, RunParties, Trust, authors_to_judge, classify};
use crate::ids::{Id, PrincipalId};
use crate::message::Origin;

const ROBIN: PrincipalId = Id::from_uuid(Uuid::from_u128(1));
const ALEX: PrincipalId = Id::from_uuid(Uuid::from_u128(2));
const SAM: PrincipalId = Id::from_uuid(Uuid::from_u128(3));
const WRITER: PrincipalId = Id::from_uuid(Uuid::from_u128(4));
const LOTSE: PrincipalId = Id::from_uuid(Uuid::from_u128(5));
const TEXTER: PrincipalId = Id::from_uuid(Uuid::from_u128(6));
const PARTIES: RunParties = RunParties { agent: LOTSE, triggered_by: ALEX };
const HOLDERS: [PrincipalId; 2] = [ROBIN, SAM];

fn judge(origin: Origin, author: PrincipalId) -> (Role, Trust) {
    classify(AuthorFacts { origin: Some(origin), author }, PARTIES, &HOLDERS)
}

#[test]
fn words_are_sent_as_the_chapter_names_them() {
    let trust: Vec<_> = Trust::ALL.iter().map(|trust| trust.as_str()).collect();
    assert_eq!(trust, ["trigger", "authorized", "self", "unverified", "system"]);
    let roles: Vec<_> = Role::ALL.iter().map(|role| role.as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "other"]);
}

#[test]
fn rc3_system() {
    assert_eq!(judge(Origin::System, LOTSE), (Role::Other, Trust::System));
}

#[test]
fn rc3_system_line_that_names_the_triggering_person_as_author() {
    assert_eq!(judge(Origin::System, ALEX), (Role::Other, Trust::System));
}

#[test]
fn rc3_import() {
    assert_eq!(judge(Origin::Import, WRITER), (Role::Other, Trust::Unverified));
}

#[test]
fn rc3_import_mapped_to_the_triggering_person_or_a_holder() {
    assert_eq!(judge(Origin::Import, ALEX), (Role::Other, Trust::Unverified));
    assert_eq!(judge(Origin::Import, SAM), (Role::Other, Trust::Unverified));
}

#[test]
fn rc3_app() {
    assert_eq!(judge(Origin::App, WRITER), (Role::Other, Trust::Unverified));
}

#[test]
fn rc3_the_runs_agent() {
    assert_eq!(judge(Origin::Agent, LOTSE), (Role::Assistant, Trust::SelfAgent));
}

#[test]
fn rc3_c16_another_agent() {
    assert_eq!(judge(Origin::Agent, TEXTER), (Role::Other, Trust::Unverified));
}

#[test]
fn rc3_the_triggering_person() {
    assert_eq!(judge(Origin::Human, ALEX), (Role::User, Trust::Trigger));
}

#[test]
fn rc3_another_person_who_holds_trigger() {
    assert_eq!(judge(Origin::Human, SAM), (Role::User, Trust::Authorized));
}

#[test]
fn rc3_c01_a_person_without_trigger() {
    assert_eq!(judge(Origin::Human, WRITER), (Role::User, Trust::Unverified));
}

#[test]
fn rc3_an_unknown_origin_is_unverified_whoever_wrote_it() {
    for author in [ALEX, SAM, WRITER, LOTSE, TEXTER] {
        let facts = AuthorFacts { origin: None, author };
        assert_eq!(classify(facts, PARTIES, &HOLDERS), (Role::Other, Trust::Unverified));
    }
}

#[test]
fn c17_trust_follows_the_holders_of_the_moment() {
    let facts = AuthorFacts { origin: Some(Origin::Human), author: SAM };
    assert_eq!(classify(facts, PARTIES, &HOLDERS).1, Trust::Authorized);
    assert_eq!(classify(facts, PARTIES, &[ROBIN]).1, Trust::Unverified);
    assert_eq!(classify(facts, PARTIES, &HOLDERS).1, Trust::Authorized);
}

/// The rows of RC-3 in their order, each as a condition and a result.
fn reference(facts: AuthorFacts, parties: RunParties, holders: &[PrincipalId]) -> (Role, Trust) {
    let is = |origin: Origin| facts.origin == Some(origin);
    let rows = [
        (is(Origin::System), (Role::Other, Trust::System)),
        (is(Origin::Import), (Role::Other, Trust::Unverified)),
        (is(Origin::App), (Role::Other, Trust::Unverified)),
        (is(Origin::Agent) && facts.author == parties.agent, (Role::Assistant, Trust::SelfAgent)),
        (is(Origin::Agent), (Role::Other, Trust::Unverified)),
        (is(Origin::Human) && facts.author == parties.triggered_by, (Role::User, Trust::Trigger)),
        (is(Origin::Human) && holders.contains(&facts.author), (Role::User, Trust::Authorized)),
        (is(Origin::Human), (Role::User, Trust::Unverified)),
        (true, (Role::Other, Trust::Unverified)),
    ];
    rows.into_iter().find(|(matches, _)| *matches).unwrap().1
}

#[test]
fn rc3_every_origin_author_party_and_set_of_holders() {
    let everybody = [ROBIN, ALEX, SAM, WRITER, LOTSE, TEXTER];
    let origins = Origin::ALL.iter().copied().map(Some).chain([None]);
    let mut judged = 0;
    for origin in origins {
        for author in everybody {
            for agent in everybody {
                for triggered_by in everybody {
                    for set in 0u32..64 {
                        let holders: Vec<PrincipalId> = (0u32..)
                            .zip(everybody)
                            .filter(|(bit, _)| set & (1 << bit) != 0)
                            .map(|(_, id)| id)
                            .collect();
                        let facts = AuthorFacts { origin, author };
                        let parties = RunParties { agent, triggered_by };
                        let (role, trust) = classify(facts, parties, &holders);
                        assert_eq!((role, trust), reference(facts, parties, &holders));
                        // Only people's own messages can ever instruct.
                        if matches!(trust, Trust::Trigger | Trust::Authorized) {
                            assert_eq!((origin, role), (Some(Origin::Human), Role::User));
                        }
                        judged += 1;
                    }
                }
            }
        }
    }
    assert_eq!(judged, 6 * 6 * 6 * 6 * 64);
}

#[test]
fn rc9_only_other_human_authors_are_judged_and_each_once() {
    let written = |origin, author| AuthorFacts { origin, author };
    let messages = [
        written(Some(Origin::Human), WRITER),
        written(Some(Origin::Human), SAM),
        written(Some(Origin::Human), ALEX),
        written(Some(Origin::Human), SAM),
        written(Some(Origin::Import), ROBIN),
        written(Some(Origin::System), ROBIN),
        written(Some(Origin::App), ROBIN),
        written(Some(Origin::Agent), LOTSE),
        written(None, ROBIN),
    ];
    assert_eq!(authors_to_judge(messages, PARTIES), [SAM, WRITER]);
    assert_eq!(authors_to_judge([], PARTIES), []);
}
