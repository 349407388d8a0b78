//! Documents, held against the code: what `docs/threat-model.md` says a test shows, a test shows.
#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests may fail the test")]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}

#[test]
fn every_test_that_the_threat_model_names_exists() {
    let text = fs::read_to_string(root().join("docs/threat-model.md")).expect("the threat model is there");
    let named = tests_named(&text);
    assert!(named.len() > 20, "only {} tests are named: is the table still read rightly?", named.len());
    let mut sources = String::new();
    read_sources(&root().join("crates"), &mut sources);
    let missing: Vec<&&str> = named.iter().filter(|name| !sources.contains(&format!("fn {name}("))).collect();
    assert!(missing.is_empty(), "no such tests: {missing:#?}");
}

/// What stands in backticks in the last column of the tables.
fn tests_named(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| line.starts_with('|'))
        .filter_map(|line| line.trim_end_matches('|').rsplit('|').next())
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect()
}

fn read_sources(folder: &Path, into: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder of the workspace") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push_str(&fs::read_to_string(&path).expect("a source file"));
        }
    }
}
