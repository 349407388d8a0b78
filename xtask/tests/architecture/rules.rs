//! The rules themselves, as functions of names and paths.

/// The crates from the bottom to the top: each may depend on those before it.
const ORDER: &[&str] = &[
    "domain",
    "storage",
    "platform",
    "authz",
    "identity",
    "chat",
    "messaging",
    "agents",
    "runs",
    "delivery",
    "server",
];

/// Crates beside the order: `sdk` is what adapters link, `testkit` is for tests alone.
const BESIDE: &[&str] = &["sdk", "testkit"];

/// All crates that the rules know.
pub(crate) fn all_crates() -> impl Iterator<Item = &'static str> {
    ORDER.iter().chain(BESIDE).copied()
}

/// What is wrong with a dependency of `from` on `to` that is no dev-dependency.
pub(crate) fn edge(from: &str, to: &str) -> Option<String> {
    let place = |name: &str| ORDER.iter().position(|one| *one == name);
    let why = match (from, to) {
        (_, "testkit") => "testkit may only be a dev-dependency",
        ("testkit", _) | ("sdk", "domain") | ("server", "sdk") => return None,
        ("sdk", _) => "sdk may depend on nothing of ours but domain",
        (_, "sdk") => "only server may depend on sdk",
        _ => match (place(from), place(to)) {
            (Some(from), Some(to)) if to < from => return None,
            (Some(_), Some(_)) => "it does not go downwards",
            _ => "a crate without a place in the order",
        },
    };
    Some(format!("{from} -> {to}: {why}"))
}

/// Whether a file may hold SQL: stores, storage, tests, and testkit, which makes databases.
pub(crate) fn may_hold_sql(path: &str) -> bool {
    path.starts_with("crates/storage/")
        || path.starts_with("crates/testkit/")
        || path.ends_with("/store.rs")
        || path.contains("/store/")
        || is_test(path)
}

/// Whether a file is compiled for tests or benchmarks only, by its name.
pub(crate) fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/") || path.contains("/benches/")
}

/// The first SQL keyword that a text holds as a statement would.
pub(crate) fn sql_keyword(text: &str) -> Option<&'static str> {
    // Line ends are as good as blanks, also when they are written as escapes.
    let escapes = text.replace("\\n", " ").replace('\\', " ");
    let words: Vec<&str> = escapes.split_whitespace().collect();
    let text = format!(" {} ", words.join(" "));
    ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM "]
        .into_iter()
        .find(|keyword| {
            text.match_indices(keyword).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
            })
        })
        .map(str::trim_end)
}

/// Whether a word names axum or one of its companions.
pub(crate) fn is_axum(word: &str) -> bool {
    word == "axum" || word.starts_with("axum_")
}

/// Whether a file may name axum: routes, the HTTP chain of platform, and server.
pub(crate) fn may_name_axum(path: &str) -> bool {
    path.starts_with("crates/server/")
        || path.starts_with("crates/platform/src/http/")
        || path == "crates/platform/src/http.rs"
        || path.ends_with("/routes.rs")
        || path.contains("/routes/")
}

/// Whether a word names a database driver.
pub(crate) fn is_driver(word: &str) -> bool {
    matches!(word, "rusqlite" | "tokio_postgres" | "deadpool_postgres")
}

/// Whether a file may name a driver: storage, and testkit, which makes databases.
pub(crate) fn may_name_driver(path: &str) -> bool {
    path.starts_with("crates/storage/") || path.starts_with("crates/testkit/")
}

#[test]
fn edges_are_judged() {
    for (from, to) in [
        ("storage", "domain"),
        ("server", "runs"),
        ("server", "sdk"),
        ("sdk", "domain"),
        ("testkit", "domain"),
        ("identity", "authz"),
    ] {
        assert_eq!(edge(from, to), None);
    }
    for (from, to) in [
        ("domain", "storage"),
        ("authz", "identity"),
        ("runs", "server"),
        ("sdk", "platform"),
        ("runs", "sdk"),
        ("runs", "testkit"),
        ("chat", "other"),
        ("chat", "chat"),
    ] {
        assert!(edge(from, to).is_some(), "{from} -> {to}");
    }
}

#[test]
fn sql_is_recognised() {
    for (text, keyword) in [
        ("SELECT id FROM spaces", "SELECT"),
        ("WITH a AS (SELECT 1)", "SELECT"),
        ("SELECT\n  id", "SELECT"),
        ("SELECT\\n id", "SELECT"),
        ("INSERT   INTO a", "INSERT INTO"),
        ("ON CONFLICT DO UPDATE SET", "UPDATE"),
        ("DELETE\nFROM a", "DELETE FROM"),
    ] {
        assert_eq!(sql_keyword(text), Some(keyword), "{text}");
    }
    for text in ["select a channel", "UPDATES and news", "PRESELECT it", "UPDATED", ""] {
        assert_eq!(sql_keyword(text), None, "{text}");
    }
}

#[test]
fn places_are_judged() {
    for path in [
        "crates/chat/src/store.rs",
        "crates/runs/src/store/claim.rs",
        "crates/storage/src/row.rs",
        "crates/chat/tests/spaces.rs",
    ] {
        assert!(may_hold_sql(path), "{path}");
    }
    for path in ["crates/chat/src/spaces.rs", "crates/chat/src/restore.rs"] {
        assert!(!may_hold_sql(path), "{path}");
    }
    for path in [
        "crates/chat/src/routes.rs",
        "crates/chat/src/routes/space.rs",
        "crates/platform/src/http/chain.rs",
        "crates/server/src/main.rs",
    ] {
        assert!(may_name_axum(path), "{path}");
    }
    for path in ["crates/chat/src/lib.rs", "crates/platform/src/https/a.rs"] {
        assert!(!may_name_axum(path), "{path}");
    }
    assert!(may_name_driver("crates/testkit/src/lib.rs"));
    assert!(!may_name_driver("crates/chat/src/store.rs"));
}
