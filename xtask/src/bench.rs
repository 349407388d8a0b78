//! `cargo xtask bench`: a benchmark of the server, or a program of its own below `bench/`, its figures
//! kept as JSON.

#[cfg(test)]
mod tests;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::error::TaskError;
use crate::{machine, process};

/// Runs the benchmark `name` and shows what it prints. Its figures are the last line that is a JSON
/// object or list; they are kept in `target/bench/<name>.json`.
///
/// Errors: `Failed` when the benchmark fails, `Output` when it prints no figures, `File` when they
/// cannot be kept.
pub(crate) fn run(name: &str) -> Result<(), TaskError> {
    machine::prepare()?;
    let mut command = command(name);
    let shown = process::show(&command);
    println!("$ {shown}");
    let watch = |cause| TaskError::Run { command: shown.clone(), cause };
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(watch)?;
    let mut figures = None;
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines() {
            let line = line.map_err(watch)?;
            println!("{line}");
            figures = parse(&line).or(figures);
        }
    }
    let status = child.wait().map_err(watch)?;
    if !status.success() {
        return Err(TaskError::Failed { command: shown, status });
    }
    let Some(figures) = figures else {
        return Err(TaskError::Output {
            command: shown,
            problem: "printed no line of JSON with its figures".to_owned(),
        });
    };
    keep(name, &figures)
}

/// Those below `bench/` are packages outside of the workspace: what they compare with must not burden
/// the product.
fn command(name: &str) -> Command {
    let manifest = format!("bench/{name}/Cargo.toml");
    if process::root().join(&manifest).is_file() {
        let target = format!("target/bench-{name}");
        process::command(
            "cargo",
            &["run", "--release", "--locked", "--manifest-path", &manifest, "--target-dir", &target],
        )
    } else {
        process::command("cargo", &["bench", "--package", "bothy", "--bench", name])
    }
}

fn parse(line: &str) -> Option<Value> {
    serde_json::from_str(line).ok().filter(|value: &Value| value.is_object() || value.is_array())
}

fn keep(name: &str, figures: &Value) -> Result<(), TaskError> {
    let folder = process::root().join("target").join("bench");
    let path = folder.join(format!("{name}.json"));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&path, format!("{figures:#}\n")))
        .map_err(|cause| TaskError::File { path: path.clone(), cause })?;
    println!("figures: target/bench/{name}.json");
    Ok(())
}
