use std::collections::{BTreeMap, BTreeSet};

/// What the statements of a crate are checked against: lists of what belongs to channels are
/// restricted to what a scope shows (chapter 03 section 6).
#[derive(Debug, Clone, Copy)]
pub struct Restricted<'a> {
    /// The sources of the statements, to see their text.
    pub sources: &'a [&'a str],
    /// What stands in the text of a statement that is restricted, such as `visible_channel!`.
    pub marks: &'a [&'a str],
    /// Statements that may read without it, and why.
    pub exceptions: &'a [(&'a str, &'a str)],
}

impl Restricted<'_> {
    /// Asserts that every statement that reads is restricted or a named exception, and that every
    /// exception is needed.
    pub fn check<'n>(&self, names: impl IntoIterator<Item = &'n str>) {
        let exceptions: BTreeMap<&str, &str> = self.exceptions.iter().copied().collect();
        let mut used = BTreeSet::new();
        for name in names {
            let text = self.sources.iter().find_map(|source| written(source, name));
            let text = text.unwrap_or_else(|| panic!("no text of {name}"));
            // Only its own row is read by what writes.
            let reads = text.contains("SELECT") || text.contains("_select!()");
            let restricted = self.marks.iter().any(|mark| text.contains(mark));
            if reads && !restricted {
                assert!(exceptions.contains_key(name), "{name} reads without the predicate");
                used.insert(name);
            } else {
                assert!(!exceptions.contains_key(name), "{name} needs no exception");
            }
        }
        let stale: Vec<_> = exceptions.keys().filter(|name| !used.contains(*name)).collect();
        assert!(stale.is_empty(), "exceptions without a statement: {stale:?}");
    }
}

/// The text of a statement as it stands in a source.
fn written<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    let start = source.find(&format!("    {name} ="))?;
    source.get(start..)?.split(";\n").next()
}
