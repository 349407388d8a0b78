//! Tasks of the project: `cargo xtask test`, `check`, `generate`, `bench` and `mutants`.
//!
//! Each task prints the commands it runs, so that they can be repeated by hand.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task talks to the person or the CI job that started it"
)]

mod bench;
mod check;
mod error;
mod generated;
mod machine;
mod mutants;
mod process;
mod test;
mod text;

use std::process::ExitCode;

use error::TaskError;

const USAGE: &str = "\
Tasks of the project.

usage: cargo xtask <task> [arguments]

  test [arguments]   install what the tests need, then run cargo test with the arguments
  check              formatting, clippy, licences, text rules, drift of generated files
  generate           write openapi.json, config.example.toml and docs/configuration.md
  bench [NAME]       run a benchmark (default: main; authz), keep target/bench/NAME.json
  mutants            change the rules in every small way and see that a test fails (takes hours)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            match error {
                TaskError::Usage(_) => ExitCode::from(2),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

fn run(arguments: &[String]) -> Result<(), TaskError> {
    let (task, rest) = match arguments.split_first() {
        Some((task, rest)) => (task.as_str(), rest),
        None => return Err(TaskError::Usage(USAGE.to_owned())),
    };
    match (task, rest) {
        ("test", rest) => test::run(rest),
        ("check", []) => check::run(),
        ("generate", []) => generated::write(),
        ("bench", []) => bench::run("main"),
        ("bench", [name]) => bench::run(name),
        ("mutants", []) => mutants::run(),
        ("help" | "--help" | "-h", _) => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(TaskError::Usage(format!("don't know `{}`\n\n{USAGE}", arguments.join(" ")))),
    }
}
