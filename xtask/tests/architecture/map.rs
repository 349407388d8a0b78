//! What `ARCHITECTURE.md` says about folders.

use std::collections::BTreeSet;

/// The paths under `crates/` that a text names: written out (`crates/domain/src/ids.rs`), or as
/// the indented lines below a line `crates/` of a drawn tree.
pub(crate) fn paths(text: &str) -> BTreeSet<String> {
    let mut paths = written_out(text);
    paths.extend(drawn(text));
    paths
}

fn written_out(text: &str) -> BTreeSet<String> {
    text.match_indices("crates/")
        .filter(|(at, _)| !text[..*at].ends_with(|letter| letter != '/' && is_path(letter)))
        .filter_map(|(at, _)| {
            let from = &text[at..];
            let end = from.find(|letter| !is_path(letter)).unwrap_or(from.len());
            // `crates/*/src` and `crates/<name>` name no folder from there on.
            let path = match from[end..].chars().next() {
                Some('*' | '<' | '{') => from[..end].rsplit_once('/')?.0,
                _ => &from[..end],
            };
            let path = path.trim_end_matches(['.', '/']);
            path.contains('/').then(|| path.to_owned())
        })
        .collect()
}

fn drawn(text: &str) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    let mut below = false;
    let mut depth = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let first = line.split_whitespace().next().unwrap_or_default();
        if indent == 0 {
            below = first == "crates/";
            depth = None;
        } else if below
            && indent == *depth.get_or_insert(indent)
            && let Some(name) = first.strip_suffix('/')
        {
            paths.insert(format!("crates/{name}"));
        }
    }
    paths
}

fn is_path(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '/' | '.' | '_' | '-')
}

#[test]
fn written_and_drawn_paths_are_read() {
    let text = "\
See `crates/domain/src/ids.rs` and [storage](./crates/storage/). Each of crates/*/src, mycrates/no.

crates/            all of it
  chat/     where things are said
    deeper/ not a crate
  runs/     the work
docs/
  other/
";
    let found: Vec<String> = paths(text).into_iter().collect();
    assert_eq!(found, ["crates/chat", "crates/domain/src/ids.rs", "crates/runs", "crates/storage"]);
}
