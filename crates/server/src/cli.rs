//! The command line.
//!
//! What a command has to say goes to standard output; progress, logs of tools and errors go to
//! standard error, an error as one line that says what is wrong and what to do. The exit codes are
//! those of [`Failure`] and are part of `bothy --help`.

mod admin;
mod arguments;
mod audit;
mod config;
mod failure;
mod healthcheck;
mod import;
mod openapi;
mod output;
mod replay;
mod serve;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
pub use failure::Failure;

/// Runs the command that the arguments of this process name.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Refused(format!("no threads can be started ({error}): free some memory")))
        .and_then(|runtime| runtime.block_on(run(arguments.command)));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::error(&failure);
            failure.exit_code()
        }
    }
}

async fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Serve(arguments) => Box::pin(serve::run(arguments)).await,
        Command::Config { command } => config::run(command),
        Command::Openapi => openapi::run().await,
        Command::Admin { command } => admin::run(command).await,
        Command::Audit { command } => audit::run(command).await,
        Command::Replay(arguments) => Box::pin(replay::run(arguments)).await,
        Command::Import(arguments) => Box::pin(import::run(arguments)).await,
        Command::Healthcheck(arguments) => healthcheck::run(arguments).await,
    }
}
