//! What can go wrong in a task.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// Why a task ended without success. Each variant prints what to do about it.
#[derive(Debug)]
pub(crate) enum TaskError {
    /// The command line was not understood; holds the text to show.
    Usage(String),
    /// A program could not be started or watched.
    Run { command: String, cause: io::Error },
    /// A program ran and reported a failure; its own output says more.
    Failed { command: String, status: ExitStatus },
    /// A program printed something other than what the task needs from it.
    Output { command: String, problem: String },
    /// A file could not be read or written.
    File { path: PathBuf, cause: io::Error },
    /// The machine lacks something that the task may or can not install.
    Machine(String),
    /// A check found these places.
    Findings(Vec<String>),
    /// These steps of `check` failed.
    Steps(Vec<&'static str>),
}

impl fmt::Display for TaskError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskError::Usage(text) | TaskError::Machine(text) => out.write_str(text),
            TaskError::Run { command, cause } => {
                write!(out, "could not run `{command}`: {cause}")
            }
            TaskError::Failed { command, status } => write!(out, "`{command}` failed: {status}"),
            TaskError::Output { command, problem } => write!(out, "`{command}`: {problem}"),
            TaskError::File { path, cause } => write!(out, "{}: {cause}", path.display()),
            TaskError::Findings(findings) => write!(out, "{} problem(s)\n  {}", findings.len(), findings.join("\n  ")),
            TaskError::Steps(steps) => write!(out, "failed: {}", steps.join(", ")),
        }
    }
}

impl std::error::Error for TaskError {}
