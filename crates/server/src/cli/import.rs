use std::collections::HashMap;

use bothy_domain::ids::ChannelId;
use bothy_sdk::Client;
use serde::Serialize;

use super::Failure;
use super::arguments::Import as Arguments;
use super::output::{note, say, say_json};
use super::replay::read;
use crate::import::{Import, Left, Options, Report, Source, Why};

/// How many refused messages are named on standard error; `--report` names all.
const NAMED: usize = 20;

/// What the report file holds, and `--json` prints.
#[derive(Serialize)]
struct Summary<'a> {
    complete: bool,
    #[serde(flatten)]
    report: &'a Report,
}

pub(super) async fn run(arguments: Arguments) -> Result<(), Failure> {
    let token = read(&arguments.token_file)?;
    let client = Client::new(&arguments.server, &token)?;
    let options = Options { space: arguments.space, channels: mapped(&arguments.channel_map)? };
    let mut source = Source::open(&arguments.path, arguments.include_private)
        .map_err(|error| Failure::Refused(error.to_string()))?;
    let mut import = Import::new(client, options, &progress);
    let done = import.run(&mut source).await;
    let report = import.report();
    let summary = Summary { complete: done.is_ok() && report.refused() == 0, report };
    if let Some(path) = &arguments.report {
        let text = serde_json::to_string_pretty(&summary)
            .map_err(|error| Failure::Refused(format!("the report cannot be written as JSON ({error})")))?;
        std::fs::write(path, text + "\n")
            .map_err(|error| Failure::Refused(format!("cannot write {}: {error}", path.display())))?;
    }
    let refused = report.left.iter().filter(|left| left.why == Why::Refused);
    for Left { file, at, what, .. } in refused.take(NAMED) {
        note(at.map_or_else(|| format!("{file}: {what}"), |at| format!("{file}:{at}: {what}")));
    }
    if arguments.json {
        say_json(&summary)?;
    } else {
        say(report.table())?;
    }
    done.map_err(|error| Failure::Refused(error.to_string()))?;
    match report.refused() {
        0 => Ok(()),
        count => Err(Failure::Refused(format!("{count} elements were refused; --report FILE names each"))),
    }
}

/// The channels that are mapped by hand.
fn mapped(arguments: &[String]) -> Result<HashMap<String, ChannelId>, Failure> {
    arguments
        .iter()
        .map(|argument| {
            let pair = argument.split_once('=').and_then(|(name, id)| Some((name.to_owned(), id.parse().ok()?)));
            pair.ok_or_else(|| Failure::Refused(format!("--channel-map {argument}: expected NAME=CHANNEL_ID")))
        })
        .collect()
}

fn progress(channel: &str, done: usize, all: usize) {
    note(format!("import: {channel}: {done} of {all} messages"));
}
