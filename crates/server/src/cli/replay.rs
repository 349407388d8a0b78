use std::io::{IsTerminal, Read};
use std::path::Path;
use std::sync::Arc;

use bothy_platform::entropy::SystemEntropy;
use bothy_sdk::Client;
use serde::Serialize;

use super::Failure;
use super::arguments::{Format, Replay as Arguments};
use super::output::{note, say, say_json};
use crate::replay::{Kept, Refusal, Replay, Report, from_agentdojo_slack, parse};

/// How many elements are loaded between two lines of progress.
const STEP: usize = 100;

/// What the command prints with `--json`.
#[derive(Serialize)]
struct Summary<'a> {
    complete: bool,
    #[serde(flatten)]
    report: &'a Report,
}

pub(super) async fn run(arguments: Arguments) -> Result<(), Failure> {
    if arguments.file == Path::new("-") && arguments.token_file == Path::new("-") {
        return Err(Failure::Refused(
            "transcript and token cannot both come from standard input: name a file".to_owned(),
        ));
    }
    let token = read(&arguments.token_file)?;
    let owner = Client::new(&arguments.server, &token)?;
    let text = read(&arguments.file)?;
    let read = match arguments.format {
        Format::Transcript => parse(&text),
        Format::AgentdojoSlack => from_agentdojo_slack(&text),
    };
    let (transcript, refused) =
        read.map_err(|error| Failure::Refused(format!("{}: {error}", arguments.file.display())))?;
    let kept = match &arguments.out {
        Some(path) => Kept::read(path, owner.server()).map_err(|error| Failure::Refused(error.to_string()))?,
        None => Kept { server: owner.server().to_owned(), ..Kept::default() },
    };
    let entropy = SystemEntropy::new().map_err(|error| Failure::Refused(error.to_string()))?;
    let mut replay = Replay::new(owner, Arc::new(entropy), kept, refused, &progress);
    let loaded = replay.run(&transcript).await;
    // Kept first: whoever was made has a password that stands nowhere else.
    if let Some(path) = &arguments.out {
        replay.kept().write(path).map_err(|error| Failure::Refused(error.to_string()))?;
    }
    let report = replay.report();
    for Refusal { at, message } in &report.refused {
        note(format!("{at}: {message}"));
    }
    if arguments.json {
        say_json(&Summary { complete: loaded.is_ok() && report.is_complete(), report })?;
    } else {
        say(format!("{} people, {} channels, {} messages loaded", report.people, report.channels, report.messages))?;
    }
    loaded.map_err(|error| Failure::Refused(error.to_string()))?;
    match report.refused.len() {
        0 => Ok(()),
        1 => Err(Failure::Refused("one element was not taken; it is named above".to_owned())),
        count => Err(Failure::Refused(format!("{count} elements were not taken; they are named above"))),
    }
}

fn progress(what: &str, done: usize, all: usize) {
    if done == all || done > 0 && done.is_multiple_of(STEP) {
        note(format!("replay: {done} of {all} {what}"));
    }
}

/// What a file or, for `-`, standard input holds.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    if path != Path::new("-") {
        return std::fs::read_to_string(path)
            .map_err(|error| Failure::Refused(format!("cannot read {}: {error}", path.display())));
    }
    let mut stdin = std::io::stdin();
    if stdin.is_terminal() {
        note("reading standard input; end it with Ctrl-D");
    }
    let mut text = String::new();
    stdin
        .read_to_string(&mut text)
        .map_err(|error| Failure::Refused(format!("cannot read standard input: {error}")))?;
    Ok(text)
}
