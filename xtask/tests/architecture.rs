//! The architecture, held against the code: which crate depends on which, which crate owns which
//! table, and where SQL, axum and the database drivers may stand.
//!
//! `BOTHY_UPDATE=1 cargo test -p xtask --test architecture` rewrites the list of edges; the list
//! may not grow without a row in `docs/decisions.md`.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests may fail the test")]

#[path = "architecture/map.rs"]
mod map;
#[path = "architecture/rules.rs"]
mod rules;
#[path = "architecture/rust.rs"]
mod rust;
#[path = "architecture/tables.rs"]
mod tables;
#[path = "architecture/tree.rs"]
mod tree;

use std::collections::BTreeSet;
use std::fs;

use tree::Tree;

const EDGES: &str = "docs/architecture-edges.txt";

#[test]
fn every_crate_has_a_place() {
    let tree = Tree::read();
    let folders = tree.folders();
    let crates: BTreeSet<String> = tree.crates.iter().map(|one| one.folder.clone()).collect();
    assert_eq!(folders, crates, "folders under crates/ and crates of the workspace");
    let placed: BTreeSet<String> = rules::all_crates().map(str::to_owned).collect();
    assert_eq!(crates, placed, "crates and the order that this test knows");
}

#[test]
fn edges_go_downwards() {
    let tree = Tree::read();
    let wrong: Vec<String> = tree.edges().iter().filter_map(|(from, to)| rules::edge(from, to)).collect();
    expect_none("edges that the order of the crates forbids", &wrong);
}

#[test]
fn edges_are_the_committed_ones() {
    let tree = Tree::read();
    let found: String = tree.edges().iter().map(|(from, to)| format!("{from} -> {to}\n")).collect();
    let path = tree::root().join(EDGES);
    if update() {
        fs::write(&path, &found).expect("the list of edges can be written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let (found_lines, committed_lines) = (lines(&found), lines(&committed));
    let mut differences: Vec<String> = Vec::new();
    for new in found_lines.difference(&committed_lines) {
        differences.push(format!("new: {new} (needs a row in docs/decisions.md)"));
    }
    for stale in committed_lines.difference(&found_lines) {
        differences.push(format!("gone: {stale}"));
    }
    if differences.is_empty() && committed != found {
        differences.push("the order of the lines, or a line twice".to_owned());
    }
    expect_none("differences to docs/architecture-edges.txt (BOTHY_UPDATE=1 rewrites it)", &differences);
}

#[test]
fn uses_agree_with_the_manifests() {
    let tree = Tree::read();
    let mut wrong = Vec::new();
    for source in tree.sources() {
        let own = tree.owner(&source);
        for (line, folder) in tree.mentions(&source) {
            let allowed = folder == own.folder
                || own.internal.contains(folder)
                || (source.is_test() && own.internal_dev.contains(folder));
            if !allowed {
                wrong.push(format!("{}:{line}: uses {folder}, which its manifest does not name", source.path));
            }
        }
    }
    expect_none("uses without an edge", &wrong);
}

#[test]
fn sql_stands_in_stores() {
    let tree = Tree::read();
    let mut wrong = Vec::new();
    for source in tree.sources() {
        if rules::may_hold_sql(&source.path) {
            continue;
        }
        for literal in &source.rust.literals {
            if let Some(keyword) = rules::sql_keyword(&literal.text) {
                wrong.push(format!("{}:{}: {keyword}", source.path, literal.line));
            }
        }
    }
    expect_none("SQL outside of stores", &wrong);
}

#[test]
fn every_table_has_an_owner() {
    let made = tables::made();
    let owned: Vec<&str> = tables::owned().map(|(_, table)| table).collect();
    let mut wrong: Vec<String> = made
        .iter()
        .filter(|table| !owned.contains(&table.as_str()))
        .map(|table| format!("{table}: no crate owns it"))
        .collect();
    for (at, (owner, table)) in tables::owned().enumerate() {
        if !made.contains(table) {
            wrong.push(format!("{table}: no migration makes it"));
        }
        if owned[..at].contains(&table) {
            wrong.push(format!("{table}: owned twice"));
        }
        if !rules::all_crates().any(|folder| folder == owner) {
            wrong.push(format!("{table}: {owner} is no crate"));
        }
    }
    expect_none("differences between the migrations and the owners of tables", &wrong);
}

#[test]
fn tables_are_used_by_their_owners_alone() {
    let tree = Tree::read();
    let mut wrong = Vec::new();
    let mut used = BTreeSet::new();
    for source in tree.sources().iter().filter(|source| !rules::is_test(&source.path)) {
        let own = &tree.owner(source).folder;
        for literal in &source.rust.literals {
            let place = format!("{}:{}", source.path, literal.line);
            let named = tables::named(&literal.text);
            if named.open && rules::may_hold_sql(&source.path) {
                wrong.push(format!("{place}: breaks off before the name of a table, which nobody can check"));
            }
            for table in &named.tables {
                match tables::owner(table) {
                    Some(owner) if owner == own => {
                        used.insert(table.clone());
                    }
                    Some(owner) => wrong.push(format!("{place}: {own} uses {table}, which {owner} owns")),
                    None => {}
                }
            }
        }
    }
    expect_none("tables used by others than their owners", &wrong);
    assert!(used.len() > 20, "the test sees the tables of the stores: {used:?}");
}

#[test]
fn axum_stands_at_the_edge() {
    words_only_where_allowed("axum", rules::is_axum, rules::may_name_axum);
}

#[test]
fn drivers_stand_in_storage() {
    words_only_where_allowed("database drivers", rules::is_driver, rules::may_name_driver);
    let tree = Tree::read();
    let mut wrong = Vec::new();
    for one in &tree.crates {
        let folder = format!("crates/{}/", one.folder);
        for name in &one.external {
            if rules::is_driver(&name.replace('-', "_")) && !rules::may_name_driver(&folder) {
                wrong.push(format!("{folder}Cargo.toml: {name}"));
            }
        }
    }
    expect_none("dependencies on database drivers outside of storage", &wrong);
}

#[test]
fn the_map_names_what_exists() {
    let tree = Tree::read();
    let text = fs::read_to_string(tree::root().join("ARCHITECTURE.md"))
        .unwrap_or_else(|error| panic!("ARCHITECTURE.md: {error}"));
    let named = map::paths(&text);
    let mut wrong = Vec::new();
    for path in &named {
        if !tree::root().join(path).exists() {
            wrong.push(format!("{path} is named but does not exist"));
        }
    }
    for folder in tree.folders() {
        let path = format!("crates/{folder}");
        let below = format!("{path}/");
        if !named.iter().any(|name| *name == path || name.starts_with(&below)) {
            wrong.push(format!("{path} exists but is not named"));
        }
    }
    expect_none("differences between ARCHITECTURE.md and the folders", &wrong);
}

fn words_only_where_allowed(what: &str, is_meant: fn(&str) -> bool, allowed: fn(&str) -> bool) {
    let tree = Tree::read();
    let mut wrong = Vec::new();
    for source in tree.sources() {
        if allowed(&source.path) {
            continue;
        }
        for word in &source.rust.words {
            if is_meant(&word.text) {
                wrong.push(format!("{}:{}: {}", source.path, word.line, word.text));
            }
        }
    }
    expect_none(&format!("{what} where they may not stand"), &wrong);
}

fn expect_none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n  {}", found.join("\n  "));
}

#[allow(clippy::disallowed_methods, reason = "the one switch that rewrites golden files")]
fn update() -> bool {
    std::env::var_os("BOTHY_UPDATE").is_some_and(|value| value == "1")
}
