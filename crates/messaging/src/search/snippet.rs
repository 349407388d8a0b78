use super::fold::words;
use super::query::Query;

/// How many characters of a message a snippet shows at most, and how many of them stand before the
/// first hit.
const CHARS: usize = 240;
const BEFORE: usize = 60;

/// A piece of a message around the first hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snippet {
    pub(crate) text: String,
    /// Ranges of characters of `text`, ascending and apart.
    pub(crate) hits: Vec<(usize, usize)>,
    pub(crate) cut_start: bool,
    pub(crate) cut_end: bool,
}

/// The piece of a message that shows why it was found. The text is as it was written; where the hits
/// stand is told beside it, so that nothing in a message can pass for a mark.
pub(crate) fn snippet(content: &str, query: &Query) -> Snippet {
    let hits = query.hits(&words(content));
    let first = hits.first().map_or(0, |(start, _)| *start);
    let (before, after) = content.split_at_checked(first).unwrap_or(("", content));
    let lead = before.chars().count().saturating_sub(BEFORE);
    let start = before.char_indices().nth(lead).map_or(first, |(at, _)| at);
    let shown = before.get(start..).map_or(0, |lead| lead.chars().count());
    let end = after.char_indices().nth(CHARS.saturating_sub(shown)).map_or(content.len(), |(at, _)| first + at);
    let text = content.get(start..end).unwrap_or_default();
    let place = |at: usize| text.get(..at.saturating_sub(start).min(text.len())).map_or(0, |lead| lead.chars().count());
    let hits = hits
        .into_iter()
        .filter(|(from, to)| *from < end && *to > start)
        .map(|(from, to)| (place(from), place(to)))
        .collect();
    Snippet { text: text.to_owned(), hits, cut_start: start > 0, cut_end: end < content.len() }
}
