//! Fitting a context into its budget, from old to new (RC-11, RC-12, RC-19).

/// What could stand in a context beside the triggering message, which is never counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates<T> {
    /// The message that the thread was opened from, where RC-19 wants it.
    pub parent: Option<T>,
    /// Messages of the channel before it, ascending.
    pub channel: Vec<T>,
    /// Messages of the thread, ascending.
    pub thread: Vec<T>,
}

/// What is kept of the candidates, in their order, and what was dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted<T> {
    /// The parent message, unless it alone exceeds the budget.
    pub parent: Option<T>,
    /// The newest messages of the channel. Empty as soon as one of the thread was dropped.
    pub channel: Vec<T>,
    /// The newest messages of the thread.
    pub thread: Vec<T>,
    /// Whether there was a parent message that did not fit.
    pub dropped_parent: bool,
    /// Whether messages of the channel were dropped.
    pub dropped_channel: bool,
    /// Whether messages of the thread were dropped.
    pub dropped_thread: bool,
}

/// Keeps what fits into `max_total` (`agent.context_max_bytes`).
///
/// The parent message counts first and is left out only when it alone exceeds the budget (RC-19).
/// Of the others, channel before thread in time, the newest are kept while the sum stays within
/// what is left; the first that does not fit goes, and so does everything older (RC-11). What is
/// kept is therefore one piece without a hole.
///
/// `size` gives the bytes that count: the content after the cut of the single element.
pub fn fit_budget<T>(candidates: Candidates<T>, size: impl Fn(&T) -> usize, max_total: usize) -> Fitted<T> {
    let Candidates { parent, mut channel, mut thread } = candidates;
    let had_parent = parent.is_some();
    let parent = parent.filter(|parent| size(parent) <= max_total);
    let left = max_total - parent.as_ref().map_or(0, &size);

    let (dropped, left) = split_newest(&mut thread, &size, left);
    let dropped_thread = dropped > 0;
    let dropped_channel = if dropped_thread {
        let had_any = !channel.is_empty();
        channel.clear();
        had_any
    } else {
        split_newest(&mut channel, &size, left).0 > 0
    };
    Fitted { dropped_parent: had_parent && parent.is_none(), parent, channel, thread, dropped_channel, dropped_thread }
}

/// Removes from the front of `items` what does not fit. Returns how many went, and what is left of
/// the budget.
fn split_newest<T>(items: &mut Vec<T>, size: impl Fn(&T) -> usize, budget: usize) -> (usize, usize) {
    let mut left = budget;
    let kept = items
        .iter()
        .rev()
        .take_while(|item| match left.checked_sub(size(item)) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        })
        .count();
    let dropped = items.len() - kept;
    items.drain(..dropped);
    (dropped, left)
}

/// The mark of a gap before the thread's part of the context (RC-12). It speaks of the run's
/// thread only: where older messages than the floor were never wanted, or where the channel was
/// cut, there is no gap.
///
/// - `has_older`: the window has older selectable messages.
/// - `dropped_thread`: the budget dropped messages of the thread.
/// - `oldest_kept`: the `thread_seq` of the oldest kept message of the thread, if any.
/// - `trigger_seq`: the `thread_seq` of the triggering message.
pub const fn truncated_before_seq(
    has_older: bool,
    dropped_thread: bool,
    oldest_kept: Option<i64>,
    trigger_seq: i64,
) -> Option<i64> {
    match (has_older || dropped_thread, oldest_kept) {
        (false, _) => None,
        (true, Some(oldest)) => Some(oldest),
        (true, None) => Some(trigger_seq),
    }
}

#[cfg(test)]
mod tests;
