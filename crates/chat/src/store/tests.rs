//! Statements as such: both engines take them, and lists of what belongs to channels are restricted.

use std::collections::{BTreeMap, BTreeSet};

use bothy_storage::{Database, OpenOptions, prepare_all};
use bothy_testkit::both_databases;

use super::statements;

/// The sources of the statements, to see their text.
const SOURCES: [&str; 5] = [
    include_str!("agent_config.rs"),
    include_str!("channels.rs"),
    include_str!("directs.rs"),
    include_str!("spaces.rs"),
    include_str!("threads.rs"),
];

const ONE: &str = "loads one row that has been, or is about to be, authorized";
const STANDING: &str = "says where threads stand that the server itself asks about; it shows nothing to anybody";
const SPACE: &str = "reads spaces, which a scope names one by one; it holds no row of a channel";

/// Statements that may read without the visible-channel predicate, and why (chapter 03 section 6).
const EXCEPTIONS: [(&str, &str); 15] = [
    ("AGENT_CONFIG", ONE),
    ("CHANNEL_BY_ID", ONE),
    ("CHANNEL_PATH", "resolution for authorize"),
    ("DIRECTS_OF", "the facts that a snapshot of rights is made of"),
    ("DIRECT_PARTICIPANTS", "the participants of one direct message, for whoever decides on runs in it"),
    ("FIXED_OPERATORS", "who has access to a channel, for whoever was judged to manage it; it shows no thread"),
    ("MAIN_THREAD", ONE),
    ("MAIN_THREAD_IDS", "the main threads of channels that have just been judged one by one"),
    ("SPACES_IN_SCOPE", SPACE),
    ("SPACE_BY_ID", SPACE),
    ("SPACE_PATH", "resolution for authorize"),
    ("THREADS_IN_CHANNEL", STANDING),
    ("THREADS_IN_SPACE", STANDING),
    ("THREAD_BY_ID", ONE),
    ("THREAD_PATH", "resolution for authorize"),
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
        let reads = text.contains("SELECT") || text.contains("_select!()");
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
