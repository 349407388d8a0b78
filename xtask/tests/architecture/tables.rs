//! Which crate owns which table, and which tables a piece of SQL names.

use std::collections::BTreeSet;
use std::fs;

use crate::tree;

/// Every table and the crate that alone reads and writes it.
const OWNERS: &[(&str, &[&str])] = &[
    (
        "platform",
        &[
            "instance",
            "rights_changes",
            "signing_keys",
            "idempotency_keys",
            "events",
            "event_sequence",
            "event_floor",
            "audit_events",
            "audit_pending",
            "audit_head",
            "audit_checkpoints",
        ],
    ),
    ("identity", &["principals", "people", "owners", "groups", "group_members", "invites", "sessions", "api_tokens"]),
    ("authz", &["grants"]),
    ("chat", &["spaces", "channels", "dm_participants", "threads"]),
    (
        "messaging",
        &[
            "messages",
            "message_revisions",
            "mentions",
            "message_components",
            "reactions",
            "read_states",
            "notices",
            "search_terms",
            "search_documents",
            "imported_messages",
        ],
    ),
    ("agents", &["agents", "apps", "agent_sessions", "agent_consumers", "agent_commands"]),
    ("runs", &["runs", "run_followups", "run_waiting", "run_evidence", "run_reads", "run_requests", "run_questions"]),
    ("delivery", &["presence"]),
];

/// The crate that owns a table; `None` for what is no table of ours, such as a name from `WITH`.
pub(crate) fn owner(table: &str) -> Option<&'static str> {
    OWNERS.iter().find_map(|(owner, tables)| tables.contains(&table).then_some(*owner))
}

/// All pairs of a crate and a table that it owns.
pub(crate) fn owned() -> impl Iterator<Item = (&'static str, &'static str)> {
    OWNERS.iter().flat_map(|(owner, tables)| tables.iter().map(|table| (*owner, *table)))
}

/// The tables that the migrations make.
pub(crate) fn made() -> BTreeSet<String> {
    let folder = tree::root().join("crates/storage/migrations");
    let mut files: Vec<_> = tree::entries(&folder);
    files.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    files.sort();
    assert!(!files.is_empty(), "no migrations in {}", folder.display());
    let texts: Vec<String> = files
        .iter()
        .map(|path| fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        .collect();
    made_by(&texts.join("\n"))
}

/// The tables that are there after the migrations.
fn made_by(text: &str) -> BTreeSet<String> {
    let lines: Vec<&str> = text.lines().map(|line| line.split_once("--").map_or(line, |(code, _)| code)).collect();
    let tokens = tokens(&lines.join("\n"));
    let mut made = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        if !token.eq_ignore_ascii_case("TABLE") || at == 0 || is(&tokens, at - 1, &["ALTER"]) {
            continue;
        }
        let name = tokens[at + 1..]
            .iter()
            .find(|token| !["IF", "NOT", "EXISTS"].contains(&token.to_ascii_uppercase().as_str()));
        match name {
            Some(name) if is(&tokens, at - 1, &["DROP"]) => drop(made.remove(name)),
            name => made.extend(name.cloned()),
        }
    }
    made
}

/// What a piece of SQL names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    /// What stands where a table stands: also names from `WITH`, and functions.
    pub(crate) tables: Vec<String>,
    /// Whether it breaks off where a table has to follow.
    pub(crate) open: bool,
}

/// Reads the places of a string literal where a table stands. Keywords are in capitals, as they
/// are for [`crate::rules::sql_keyword`].
pub(crate) fn named(text: &str) -> Named {
    let tokens = tokens(text);
    let mut named = Named::default();
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "FROM" | "JOIN" | "INTO" | "USING" => {}
            // What follows `FOR UPDATE` and `DO UPDATE` is no table.
            "UPDATE" if at == 0 || !is(&tokens, at - 1, &["FOR", "DO", "KEY", "ON"]) => {}
            _ => continue,
        }
        let mut next = at + 1;
        loop {
            while is(&tokens, next, &["ONLY", "LATERAL", "OR", "ROLLBACK", "ABORT", "REPLACE", "FAIL", "IGNORE"]) {
                next += 1;
            }
            let Some(first) = tokens.get(next) else {
                named.open = true;
                break;
            };
            if !is_name(first) {
                break;
            }
            let mut table = first;
            next += 1;
            while is(&tokens, next, &["."]) {
                table = tokens.get(next + 1).unwrap_or(table);
                next += 2;
            }
            named.tables.push(table.clone());
            if is(&tokens, next, &["AS"]) {
                next += 1;
            }
            if tokens.get(next).is_some_and(|token| is_name(token) && !is_keyword(token)) {
                next += 1;
            }
            if token != "FROM" || !is(&tokens, next, &[","]) {
                break;
            }
            next += 1;
        }
    }
    named
}

/// Words and single signs. Quotes around names are left out, and so are escapes of line ends.
fn tokens(text: &str) -> Vec<String> {
    let text = text.replace("\\n", " ").replace("\\t", " ");
    let mut tokens: Vec<String> = Vec::new();
    let mut in_word = false;
    for letter in text.chars() {
        let of_word = letter.is_alphanumeric() || letter == '_';
        if of_word && in_word {
            if let Some(word) = tokens.last_mut() {
                word.push(letter);
            }
        } else if of_word || !(letter.is_whitespace() || matches!(letter, '\\' | '"')) {
            tokens.push(letter.to_string());
        }
        in_word = of_word;
    }
    tokens
}

fn is(tokens: &[String], at: usize, words: &[&str]) -> bool {
    tokens.get(at).is_some_and(|token| words.contains(&token.as_str()))
}

fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

fn is_keyword(token: &str) -> bool {
    token.chars().all(|letter| letter.is_ascii_uppercase())
}

#[test]
fn tables_of_statements_are_read() {
    for (text, tables) in [
        ("SELECT id FROM spaces WHERE a = 'from'", &["spaces"][..]),
        ("SELECT 1 FROM runs r JOIN threads t ON t.id = r.id", &["runs", "threads"]),
        ("SELECT 1 FROM runs AS r, threads t, channels WHERE", &["runs", "threads", "channels"]),
        (" LEFT JOIN spaces s ON", &["spaces"]),
        ("INSERT INTO grants (id) VALUES ($1)", &["grants"]),
        ("INSERT INTO a (id) SELECT id FROM b ON CONFLICT DO UPDATE SET c = 1", &["a", "b"]),
        ("UPDATE runs SET a = 1 FROM threads", &["runs", "threads"]),
        ("DELETE\\n FROM\n\\\"main\\\".\\\"owners\\\"", &["owners"]),
        ("DELETE FROM a USING b WHERE", &["a", "b"]),
        ("EXISTS (SELECT 1 FROM grants g, (SELECT 2 FROM owners))", &["grants", "owners"]),
        ("SELECT id FROM a JOIN b USING (id) FOR UPDATE", &["a", "b"]),
        ("UPDATES come FROMAGE joined INTOLERANT", &[]),
        ("", &[]),
    ] {
        let named = named(text);
        assert_eq!(named.tables, tables, "{text}");
        assert!(!named.open, "{text}");
    }
    for text in ["SELECT 1 FROM ", "SELECT 1 FROM a, ", "INSERT INTO", " JOIN", "UPDATE "] {
        assert!(named(text).open, "{text}");
    }
}

#[test]
fn tables_of_migrations_are_read() {
    let text = "\
-- CREATE TABLE commented (a);
CREATE TABLE one (id UUID);
create table if not exists two (id UUID); ALTER TABLE three ADD a; CREATE TABLE four (id UUID); DROP TABLE four;
CREATE UNIQUE INDEX one_id ON one (id);
CREATE TEMPORARY TABLE five(id UUID);
";
    assert_eq!(made_by(text).into_iter().collect::<Vec<_>>(), ["five", "one", "two"]);
}
