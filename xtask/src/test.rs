//! `cargo xtask test`: all tests, on a machine that is made ready for them.

#[cfg(test)]
mod tests;

use crate::error::TaskError;
use crate::{machine, process};

/// Prepares the machine and runs `cargo test` with `--no-fail-fast` and the given arguments: over
/// the whole workspace, unless they name a package.
///
/// Errors: `Machine` when something is missing and cannot be installed, `Failed` when a test fails.
pub(crate) fn run(arguments: &[String]) -> Result<(), TaskError> {
    machine::prepare()?;
    let mut command = vec!["test"];
    if !names_package(arguments) {
        command.push("--workspace");
    }
    command.push("--no-fail-fast");
    command.extend(arguments.iter().map(String::as_str));
    process::run("cargo", &command)
}

/// Cargo ignores a package that is named together with `--workspace`.
fn names_package(arguments: &[String]) -> bool {
    arguments
        .iter()
        .take_while(|argument| *argument != "--")
        .any(|argument| argument.starts_with("-p") || argument.starts_with("--package"))
}
