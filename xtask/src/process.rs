//! Starting programs in the root of the repository.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::TaskError;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_path_buf()
}

/// Prints a command and runs it with the task's own input and output.
///
/// Errors: `Run` when there is no such program, `Failed` when it reports a failure.
pub(crate) fn run<S: AsRef<OsStr>>(program: &str, arguments: &[S]) -> Result<(), TaskError> {
    let mut command = command(program, arguments);
    let shown = show(&command);
    println!("$ {shown}");
    let status = command.status().map_err(|cause| TaskError::Run { command: shown.clone(), cause })?;
    if status.success() { Ok(()) } else { Err(TaskError::Failed { command: shown, status }) }
}

/// Prints a command, runs it and gives back what it wrote to its standard output.
///
/// Errors: as [`run`], and `Output` when the text is not UTF-8.
pub(crate) fn capture<S: AsRef<OsStr>>(program: &str, arguments: &[S]) -> Result<String, TaskError> {
    let mut command = command(program, arguments);
    let shown = show(&command);
    println!("$ {shown}");
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|cause| TaskError::Run { command: shown.clone(), cause })?;
    if !output.status.success() {
        return Err(TaskError::Failed { command: shown, status: output.status });
    }
    String::from_utf8(output.stdout)
        .map_err(|_| TaskError::Output { command: shown, problem: "printed something that is not UTF-8".to_owned() })
}

/// Whether a program is there: it starts and reports success for these arguments.
pub(crate) fn answers(program: &str, arguments: &[&str]) -> bool {
    command(program, arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// A command that will run in the root of the repository.
pub(crate) fn command<S: AsRef<OsStr>>(program: &str, arguments: &[S]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// A command as one would type it.
pub(crate) fn show(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy()];
    words.extend(command.get_args().map(OsStr::to_string_lossy));
    words.join(" ")
}
