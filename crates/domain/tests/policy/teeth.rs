//! The comparison has teeth: with a defect put in on purpose, it finds a difference that is not
//! there without.

use bothy_domain::action::Action;

use crate::bridge::Fault;
use crate::compare::disagreement;
use crate::generate;
use crate::random::Random;

const WORLDS: u64 = 3_000;
const QUESTIONS: usize = 60;

/// How often the defect makes a difference in the same few worlds.
fn differences(fault: Fault) -> usize {
    let mut found = 0;
    for seed in 0..WORLDS {
        let mut random = Random::new(seed);
        let world = generate::world(&mut random);
        for _ in 0..QUESTIONS {
            let question = generate::question(&mut random, &world);
            let differs = disagreement(&world, &question, fault).is_some();
            found += usize::from(differs && disagreement(&world, &question, Fault::None).is_none());
        }
    }
    found
}

macro_rules! finds {
    ($($name:ident: $fault:expr;)*) => {
        $(#[test]
        fn $name() {
            let found = differences($fault);
            assert!(found >= 20, "{:?} made a difference only {found} times", $fault);
        })*
    };
}

finds! {
    finds_that_expiry_is_ignored: Fault::ExpiryIgnored;
    finds_that_a_grant_lives_a_microsecond_too_long: Fault::ExpiryOffByOne;
    finds_that_revoked_grants_count: Fault::RevokedCounts;
    finds_that_group_membership_is_ignored: Fault::GroupMembershipIgnored;
    finds_that_the_archive_is_forgotten: Fault::ArchiveForgotten;
    finds_that_an_archived_space_is_forgotten: Fault::ArchivedSpaceForgotten;
    finds_that_the_fixed_operator_is_forgotten: Fault::OperatorForgotten;
    finds_that_the_status_is_ignored: Fault::StatusIgnored;
    finds_that_an_owner_counts_without_a_session: Fault::OwnerWithoutSession;
    finds_that_a_triggering_owner_counts_for_nothing: Fault::OwnerLostInBinding;
    finds_a_read_that_ignores_the_binding: Fault::BindingIgnored(Action::MessageRead);
    finds_a_write_that_ignores_the_binding: Fault::BindingIgnored(Action::ReactionAdd);
    finds_that_an_ended_run_still_binds: Fault::EndedRunBinds;
    finds_that_a_foreign_run_counts_as_the_agents_own: Fault::ForeignRunIsOwn;
    finds_that_a_delivery_is_narrowed: Fault::DeliveryNarrowed;
    finds_that_a_run_only_agent_acts_alone: Fault::RunOnlyForgotten;
    finds_that_lists_forget_direct_messages: Fault::ListForgetsDirects;
    finds_that_lists_forget_grants_on_channels: Fault::ListForgetsChannelGrants;
    finds_that_lists_ignore_the_binding: Fault::ListIgnoresBinding;
}
