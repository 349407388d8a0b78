//! Statements as such: both engines take them, and what reads messages is restricted or named.

use bothy_storage::{Database, OpenOptions, Statement, prepare_all};
use bothy_testkit::{Restricted, both_databases};

use super::statements;

const THREAD: &str = "reads one thread that was authorized in the same request, and whose fixed operator may not see \
                      the channel (AZ-4); each message is judged once more";
const ONE: &str = "loads one row that has been, or is about to be, authorized";
const MESSAGE: &str = "reads what belongs to messages that were judged one by one";
const INDEX: &str = "keeps the index; it shows nothing to anybody";

/// Statements that may read without the visible-channel predicate, and why (chapter 03 section 6).
const EXCEPTIONS: &[(&str, &str)] = &[
    ("BEGINNING_COUNT", "says whether a word or a beginning is rarer; nothing of it is shown"),
    ("BEGINNING_WORDS", "says which words a search goes by; nothing of it is shown"),
    ("COMPONENTS_OF", MESSAGE),
    ("CONTEXT_WINDOW", THREAD),
    ("COUNT_REVISIONS", MESSAGE),
    ("DOCUMENT", INDEX),
    ("DOCUMENTS_OF_THREAD", INDEX),
    ("EMOJI_OF", MESSAGE),
    ("IMPORTED", "finds what was imported into one channel, for whoever was judged to import into it"),
    ("INSERT_TERMS", INDEX),
    ("MESSAGES_BACKWARD", THREAD),
    ("MESSAGES_BY_IDS", "loads rows that are judged one by one by whoever shows them"),
    ("MESSAGES_FORWARD", THREAD),
    ("MESSAGE_BY_CLIENT_ID", "finds what the caller itself wrote; shown only in a thread that was authorized"),
    ("MESSAGE_BY_ID", ONE),
    ("MESSAGE_PLACE", "resolution for authorize"),
    ("NEWEST_SEQ", THREAD),
    ("NOTICE_FOR", "loads one notice for its own person; it is shown when a scope shows its channel"),
    ("REACTIONS", MESSAGE),
    ("REACTION_COUNTS", MESSAGE),
    ("REVISIONS", MESSAGE),
    (
        "STANDING",
        "loads what is known of one message that was judged; a reply target counts only in the thread that was",
    ),
    ("TERM_COUNTS", "says which word of a search is rarest; nothing of it is shown"),
    ("TRIM_NOTICES", "removes the oldest notices for one person"),
];

#[test]
fn every_reading_statement_is_restricted_to_visible_channels_or_a_named_exception() {
    let sources = [
        include_str!("changes.rs"),
        include_str!("components.rs"),
        include_str!("import.rs"),
        include_str!("mentions.rs"),
        include_str!("messages.rs"),
        include_str!("notices.rs"),
        include_str!("reactions.rs"),
        include_str!("read_states.rs"),
        include_str!("search.rs"),
        include_str!("standing.rs"),
        include_str!("windows.rs"),
    ];
    // What every hit of a search must be holds the predicate.
    let marks = ["visible_channel!", "visible_channel_ids!", "visible_thread!", "found!()", "by_channel_sqlite!"];
    Restricted { sources: &sources, marks: &marks, exceptions: EXCEPTIONS }
        .check(statements().into_iter().map(Statement::name));
}

both_databases! {
    async fn both_engines_take_every_statement(db: TestDb) {
        let database = Database::open(&OpenOptions { checkout: bothy_testkit::PATIENCE, ..OpenOptions::new(db.url().parse().unwrap()) }).await.unwrap();
        if let Err(failures) = prepare_all(&database, &statements()).await {
            panic!("{failures:#?}");
        }
    }
}
