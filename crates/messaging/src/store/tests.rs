//! Statements as such: both engines take them, and what reads messages is restricted or named.

use std::collections::{BTreeMap, BTreeSet};

use bothy_storage::{Database, OpenOptions, prepare_all};
use bothy_testkit::both_databases;

use super::statements;

/// The sources of the statements, to see their text.
const SOURCES: [&str; 2] = [include_str!("messages.rs"), include_str!("windows.rs")];

const THREAD: &str = "reads one thread that was authorized in the same request, and whose fixed operator may not see \
                      the channel (AZ-4); each message is judged once more";

/// Statements that may read without the visible-channel predicate, and why (chapter 03 section 6).
/// The tables of channels belong to chat, so a list across channels will have to ask it.
const EXCEPTIONS: [(&str, &str); 6] = [
    ("CONTEXT_WINDOW", THREAD),
    ("MESSAGES_BACKWARD", THREAD),
    ("MESSAGES_FORWARD", THREAD),
    ("MESSAGE_BY_CLIENT_ID", "finds what the caller itself wrote; shown only in a thread that was authorized"),
    ("MESSAGE_BY_ID", "loads one row that has been, or is about to be, authorized"),
    ("MESSAGE_PLACE", "resolution for authorize; a reply target only counts in the thread that was authorized"),
];

#[test]
fn every_reading_statement_is_restricted_to_visible_channels_or_a_named_exception() {
    let exceptions: BTreeMap<&str, &str> = EXCEPTIONS.into_iter().collect();
    let mut used = BTreeSet::new();
    for statement in statements() {
        let name = statement.name();
        let text =
            SOURCES.iter().find_map(|source| written(source, name)).unwrap_or_else(|| panic!("no text of {name}"));
        // Only its own row is read by what writes.
        let reads = text.contains("SELECT");
        let restricted = text.contains("visible_channel!");
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

/// The text of a statement as it stands in a source.
fn written<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    let start = source.find(&format!("    {name} ="))?;
    source.get(start..)?.split(";\n").next()
}

both_databases! {
    async fn both_engines_take_every_statement(db: TestDb) {
        let database = Database::open(&OpenOptions::new(db.url().parse().unwrap())).await.unwrap();
        if let Err(failures) = prepare_all(&database, &statements()).await {
            panic!("{failures:#?}");
        }
    }
}
