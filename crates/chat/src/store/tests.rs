//! Statements as such: both engines take them, and lists of what belongs to channels are restricted.

use bothy_storage::{Database, OpenOptions, Statement, prepare_all};
use bothy_testkit::{Restricted, both_databases};

use super::statements;

/// The sources of the statements, to see their text.
const SOURCES: [&str; 6] = [
    include_str!("agent_config.rs"),
    include_str!("channels.rs"),
    include_str!("directs.rs"),
    include_str!("parents.rs"),
    include_str!("spaces.rs"),
    include_str!("threads.rs"),
];

const ONE: &str = "loads one row that has been, or is about to be, authorized";
const BULK: &str = "loads rows that whoever asks judges one by one before anything of them is shown";
const STANDING: &str = "says where threads stand that the server itself asks about; it shows nothing to anybody";
const SPACE: &str = "reads spaces, which a scope names one by one; it holds no row of a channel";

/// Statements that may read without the visible-channel predicate, and why (chapter 03 section 6).
const EXCEPTIONS: [(&str, &str); 23] = [
    ("AGENT_CONFIG", ONE),
    ("ALL_SPACES", SPACE),
    ("CHANNELS_BY_ID", BULK),
    ("CHANNEL_BY_ID", ONE),
    ("CHANNEL_PATH", "resolution for authorize"),
    ("DIRECTS_OF", "the facts that a snapshot of rights is made of"),
    ("DIRECT_BY_ID", ONE),
    ("DIRECT_BY_KEY", "finds the direct message of a set of participants that the caller is one of"),
    ("DIRECT_PARTICIPANTS", "the participants of one direct message, for whoever decides on runs in it"),
    ("FIXED_OPERATORS", "who has access to a channel, for whoever was judged to manage it; it shows no thread"),
    ("MAIN_THREAD", ONE),
    ("MAIN_THREAD_IDS", "the main threads of channels that have just been judged one by one"),
    ("PARTICIPANTS_OF_DIRECTS", "the participants of direct messages that have just been judged one by one"),
    ("SPACES_BY_ID", BULK),
    ("SPACES_IN_SCOPE", SPACE),
    ("SPACE_BY_ID", SPACE),
    ("SPACE_PATH", "resolution for authorize"),
    ("THREADS_BY_ID", BULK),
    ("THREADS_IN_CHANNEL", STANDING),
    ("THREADS_IN_SPACE", STANDING),
    ("THREAD_BY_ID", ONE),
    (
        "THREAD_FROM_MESSAGE",
        "whether a message has a thread, for whoever writes one from it; it shows nothing to anybody",
    ),
    ("THREAD_PATH", "resolution for authorize"),
];

#[test]
fn every_reading_statement_is_restricted_to_visible_channels_or_a_named_exception() {
    Restricted { sources: &SOURCES, marks: &["visible_channel!", "visible_channel_ids!"], exceptions: &EXCEPTIONS }
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
