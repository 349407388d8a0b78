//! Files that the server prints and the repository keeps: written by `generate`, compared by
//! `check`.

#[cfg(test)]
mod tests;

use std::fs;
use std::io::ErrorKind;

use crate::error::TaskError;
use crate::process;

/// A committed file and the arguments with which the server prints it.
struct Generated {
    path: &'static str,
    arguments: &'static [&'static str],
}

const FILES: &[Generated] = &[
    Generated { path: "openapi.json", arguments: &["openapi"] },
    Generated { path: "config.example.toml", arguments: &["config", "example"] },
    Generated { path: "docs/configuration.md", arguments: &["config", "reference"] },
];

/// Writes all generated files.
///
/// Errors: `Failed` when the server cannot be built or print one, `File` when it cannot be written.
pub(crate) fn write() -> Result<(), TaskError> {
    for file in FILES {
        let text = print(file)?;
        let path = process::root().join(file.path);
        fs::write(&path, text).map_err(|cause| TaskError::File { path, cause })?;
        println!("wrote {}", file.path);
    }
    Ok(())
}

/// Compares all generated files with what the server prints now.
///
/// Errors: `Findings` with each file that differs or is missing; else as [`write`].
pub(crate) fn compare() -> Result<(), TaskError> {
    let mut findings = Vec::new();
    for file in FILES {
        let wanted = print(file)?;
        let path = process::root().join(file.path);
        let problem = match fs::read_to_string(&path) {
            Ok(kept) => difference(&kept, &wanted),
            Err(cause) if cause.kind() == ErrorKind::NotFound => Some("is missing".to_owned()),
            Err(cause) => return Err(TaskError::File { path, cause }),
        };
        if let Some(problem) = problem {
            findings.push(format!("{} {problem}; write it with `cargo xtask generate` and commit it", file.path));
        }
    }
    if findings.is_empty() { Ok(()) } else { Err(TaskError::Findings(findings)) }
}

fn print(file: &Generated) -> Result<String, TaskError> {
    let mut arguments = vec!["run", "--quiet", "--package", "bothy", "--"];
    arguments.extend(file.arguments);
    process::capture("cargo", &arguments)
}

/// The first place where two texts differ, in words; `None` when they are equal.
fn difference(kept: &str, wanted: &str) -> Option<String> {
    if kept == wanted {
        return None;
    }
    let mut kept_lines = kept.lines();
    let mut wanted_lines = wanted.lines();
    let mut number = 0_usize;
    loop {
        number += 1;
        match (kept_lines.next(), wanted_lines.next()) {
            (None, None) => return Some("differs in its line ends".to_owned()),
            (kept, wanted) if kept == wanted => {}
            (kept, wanted) => {
                return Some(format!(
                    "differs from what the server prints, first in line {number}: has {}, should \
                     have {}",
                    quoted(kept),
                    quoted(wanted)
                ));
            }
        }
    }
}

fn quoted(line: Option<&str>) -> String {
    line.map_or_else(|| "no such line".to_owned(), |line| format!("`{line}`"))
}
