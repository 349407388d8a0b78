//! `cargo xtask mutants`: a mutation run over the pure rules; `docs/mutants.md` explains what survives.

use crate::error::TaskError;
use crate::process;

/// The rules that are changed.
const FILES: [&str; 5] = [
    "crates/domain/src/policy/**/*.rs",
    "crates/domain/src/acting_for.rs",
    "crates/domain/src/trigger.rs",
    "crates/domain/src/context/**/*.rs",
    "crates/domain/src/action/row.rs",
];

/// Tests that judge for longer than a mutant is worth, or that judge the tests and not the rules.
const LEFT_OUT: [&str; 3] =
    ["every_small_world_is_decided_alike", "random_questions_reach_every_answer", "teeth::finds"];

/// Runs cargo-mutants in a copy of the tree. Fewer random worlds are asked than in the tests, so
/// that each mutant takes seconds.
///
/// Errors: `Failed` when a mutant survives.
pub(crate) fn run() -> Result<(), TaskError> {
    if !process::answers("cargo", &["mutants", "--version"]) {
        process::run("cargo", &["install", "--locked", "cargo-mutants", "--version", "^27"])?;
    }
    process::run("env", &arguments())
}

fn arguments() -> Vec<&'static str> {
    let mut arguments = vec!["BOTHY_TEST_WORLDS=400", "PROPTEST_CASES=64"];
    arguments.extend(["cargo", "mutants", "--package", "bothy-domain", "--output", "target"]);
    arguments.extend(FILES.iter().flat_map(|file| ["--file", file]));
    arguments.extend(["--", "--lib", "--test", "policy", "--"]);
    arguments.extend(LEFT_OUT.iter().flat_map(|test| ["--skip", test]));
    arguments
}
