//! RC-11, RC-12 and RC-19: what is kept is one newest piece within the budget.

use proptest::prelude::*;

use super::{Candidates, Fitted, fit_budget, truncated_before_seq};

/// An element of a context: its place in time and its size.
type Item = (u32, usize);

fn fit(parent: Option<usize>, channel: &[usize], thread: &[usize], max: usize) -> Fitted<Item> {
    let mut time = 0..;
    let mut item = |size: &usize| (time.next().unwrap(), *size);
    let channel: Vec<Item> = channel.iter().map(&mut item).collect();
    let parent = parent.as_ref().map(&mut item);
    let thread = thread.iter().map(&mut item).collect();
    fit_budget(Candidates { parent, channel, thread }, |(_, size)| *size, max)
}

fn sizes(items: &[Item]) -> Vec<usize> {
    items.iter().map(|(_, size)| *size).collect()
}

#[test]
fn rc11_everything_stays_while_the_sum_is_within_the_budget() {
    let fitted = fit(None, &[1, 2], &[3, 4], 10);
    assert_eq!((sizes(&fitted.channel), sizes(&fitted.thread)), (vec![1, 2], vec![3, 4]));
    assert!(!fitted.dropped_channel && !fitted.dropped_thread && !fitted.dropped_parent);
}

#[test]
fn rc11_the_channel_goes_before_the_thread_and_old_before_new() {
    let fitted = fit(None, &[1, 2], &[3, 4], 9);
    assert_eq!((sizes(&fitted.channel), sizes(&fitted.thread)), (vec![2], vec![3, 4]));
    assert!(fitted.dropped_channel && !fitted.dropped_thread);

    let fitted = fit(None, &[1, 2], &[3, 4], 4);
    assert_eq!((sizes(&fitted.channel), sizes(&fitted.thread)), (vec![], vec![4]));
    assert!(fitted.dropped_channel && fitted.dropped_thread);
}

#[test]
fn rc11_nothing_older_fills_the_hole_of_what_did_not_fit() {
    let fitted = fit(None, &[1], &[1, 9, 2], 4);
    assert_eq!((sizes(&fitted.channel), sizes(&fitted.thread)), (vec![], vec![2]));
    assert!(fitted.dropped_channel && fitted.dropped_thread);
}

#[test]
fn rc11_an_element_larger_than_the_budget_drops_everything_older_too() {
    let fitted = fit(None, &[1], &[2, 3, 50], 10);
    assert_eq!((sizes(&fitted.channel), sizes(&fitted.thread)), (vec![], vec![]));
    assert!(fitted.dropped_thread);
}

#[test]
fn rc11_an_empty_message_costs_nothing_but_does_not_jump_a_gap() {
    let fitted = fit(None, &[], &[0, 5, 0], 4);
    assert_eq!(sizes(&fitted.thread), [0]);
    let fitted = fit(None, &[], &[0, 4, 0], 4);
    assert_eq!(sizes(&fitted.thread), [0, 4, 0]);
}

#[test]
fn rc11_nothing_to_fit_drops_nothing() {
    let fitted = fit(None, &[], &[], 0);
    assert!(!fitted.dropped_parent && !fitted.dropped_channel && !fitted.dropped_thread);
    // A channel without messages loses none when the thread does.
    assert!(!fit(None, &[], &[5], 1).dropped_channel);
}

#[test]
fn rc19_the_parent_counts_first() {
    let fitted = fit(Some(6), &[1], &[3, 4], 10);
    assert_eq!(fitted.parent.map(|(_, size)| size), Some(6));
    assert_eq!((sizes(&fitted.channel), sizes(&fitted.thread)), (vec![], vec![4]));
    assert!(fitted.dropped_thread && fitted.dropped_channel && !fitted.dropped_parent);

    let fitted = fit(Some(10), &[], &[1], 10);
    assert!(fitted.parent.is_some());
    assert_eq!(sizes(&fitted.thread), Vec::<usize>::new());
}

#[test]
fn rc19_c09_a_parent_that_alone_exceeds_the_budget_is_reported_and_costs_nothing() {
    let fitted = fit(Some(11), &[3], &[3, 4], 10);
    assert_eq!(fitted.parent, None);
    assert!(fitted.dropped_parent);
    assert_eq!((sizes(&fitted.channel), sizes(&fitted.thread)), (vec![3], vec![3, 4]));
}

#[test]
fn rc12_the_gap_is_marked_by_the_oldest_kept_message_or_the_trigger() {
    let table = [
        (false, false, Some(5), None),
        (false, false, None, None),
        (true, false, Some(5), Some(5)),
        (false, true, Some(5), Some(5)),
        (true, true, Some(5), Some(5)),
        (true, false, None, Some(9)),
        (false, true, None, Some(9)),
        (true, true, None, Some(9)),
    ];
    for (has_older, dropped, oldest, expected) in table {
        assert_eq!(truncated_before_seq(has_older, dropped, oldest, 9), expected);
    }
}

fn some_sizes() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(0usize..20, 0..8)
}

proptest! {
    #[test]
    fn rc11_kept_is_the_longest_newest_suffix_within_the_budget(
        parent in proptest::option::of(0usize..40),
        channel in some_sizes(),
        thread in some_sizes(),
        max in 0usize..60,
    ) {
        let fitted = fit(parent, &channel, &thread, max);
        let kept_parent = fitted.parent.map_or(0, |(_, size)| size);
        prop_assert_eq!(fitted.parent.is_some(), parent.is_some_and(|size| size <= max));
        prop_assert_eq!(fitted.dropped_parent, parent.is_some() && fitted.parent.is_none());

        let all: Vec<usize> = channel.iter().chain(&thread).copied().collect();
        let kept: Vec<usize> =
            sizes(&fitted.channel).into_iter().chain(sizes(&fitted.thread)).collect();
        prop_assert!(all.ends_with(&kept));
        prop_assert!(thread.ends_with(&sizes(&fitted.thread)));
        prop_assert!(channel.ends_with(&sizes(&fitted.channel)));
        if !fitted.channel.is_empty() {
            prop_assert_eq!(fitted.thread.len(), thread.len());
        }

        let sum: usize = kept.iter().sum();
        prop_assert!(kept_parent + sum <= max);
        if let Some(next) = all.iter().rev().nth(kept.len()) {
            prop_assert!(kept_parent + sum + next > max, "one more would have fitted");
        }
        prop_assert_eq!(fitted.dropped_channel, fitted.channel.len() < channel.len());
        prop_assert_eq!(fitted.dropped_thread, fitted.thread.len() < thread.len());
    }

    #[test]
    fn rc11_sizes_that_overflow_a_sum_do_not_panic(
        channel in proptest::collection::vec(any::<usize>(), 0..4),
        thread in proptest::collection::vec(any::<usize>(), 0..4),
        parent in proptest::option::of(any::<usize>()),
        max in any::<usize>(),
    ) {
        let fitted = fit(parent, &channel, &thread, max);
        let kept = fitted.parent.iter().chain(&fitted.channel).chain(&fitted.thread);
        let sum: u128 = kept.map(|(_, size)| *size as u128).sum();
        prop_assert!(sum <= max as u128);
    }
}
