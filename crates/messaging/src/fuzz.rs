//! What the fuzz targets (`fuzz/`) reach of this crate. It is there only when they are built.

use crate::search::{Query, snippet};

/// The piece of a message that a search shows, and the ranges of its characters that were hit; `None`
/// when the query is refused.
pub fn hits_of_search(query: &str, content: &str) -> Option<(String, Vec<(usize, usize)>)> {
    let query = Query::parse(query).ok()?;
    let shown = snippet(content, &query);
    Some((shown.text, shown.hits))
}
