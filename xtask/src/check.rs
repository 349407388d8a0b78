//! `cargo xtask check`: everything that must hold besides the tests.

use crate::error::TaskError;
use crate::{generated, process, text};

type Step = (&'static str, fn() -> Result<(), TaskError>);

const STEPS: &[Step] = &[
    ("formatting", formatting),
    ("text", text::check),
    ("clippy", clippy),
    ("dependencies", dependencies),
    ("generated files", generated::compare),
];

/// Runs all steps, also after one of them failed, so that one run shows everything.
///
/// Errors: `Steps` with the names of those that failed.
pub(crate) fn run() -> Result<(), TaskError> {
    let mut failed = Vec::new();
    for (name, step) in STEPS {
        println!("== {name}");
        if let Err(error) = step() {
            println!("{name}: {error}");
            failed.push(*name);
        }
    }
    if failed.is_empty() {
        println!("== all {} checks passed", STEPS.len());
        Ok(())
    } else {
        Err(TaskError::Steps(failed))
    }
}

fn formatting() -> Result<(), TaskError> {
    process::run("cargo", &["fmt", "--all", "--check"])
}

fn clippy() -> Result<(), TaskError> {
    process::run("cargo", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
}

/// Advisories are left out: they need a network that CI lacks.
fn dependencies() -> Result<(), TaskError> {
    if !process::answers("cargo", &["deny", "--version"]) {
        process::run("cargo", &["install", "--locked", "cargo-deny", "--version", "^0.20"])?;
    }
    process::run("cargo", &["deny", "check", "licenses", "bans", "sources"])
}
