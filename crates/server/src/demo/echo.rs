use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::future::Future;

use bothy_sdk::wire::{ContextMessage, RunContext};
use bothy_sdk::{Adapter, Answer, Client, Error, Failure, Invocation, Run};

/// An agent that repeats what it was asked and counts what else it was shown, by trust. It goes
/// through the public API like any adapter: poll, context, start, reply, report, finish, acknowledge.
///
/// # Errors
/// The error that no repetition mends.
pub async fn echo(client: Client, stop: impl Future<Output = ()>) -> Result<(), Error> {
    Adapter::new(client).run(answer, stop).await
}

async fn answer(invocation: Invocation, run: Run) -> Result<Answer, Failure> {
    let reference = invocation.session.reference.unwrap_or_else(|| format!("echo-{}", run.id()));
    Ok(Answer::text(text(&invocation.context)).in_session(reference))
}

fn text(context: &RunContext) -> String {
    let quoted: String = context.trigger_message.content_md.lines().fold(String::new(), |mut quoted, line| {
        let _ = writeln!(quoted, "> {line}");
        quoted
    });
    let mut answer = format!("You asked:\n\n{quoted}\n");
    let around: Vec<&ContextMessage> = context
        .channel_context
        .iter()
        .flatten()
        .chain(&context.parent_message)
        .chain(&context.thread_context)
        .collect();
    if around.is_empty() {
        answer.push_str("I was shown nothing else.");
        return answer;
    }
    let mut by_trust: BTreeMap<&str, usize> = BTreeMap::new();
    for message in &around {
        *by_trust.entry(&message.trust).or_default() += 1;
    }
    let counted: Vec<String> = by_trust.iter().map(|(trust, count)| format!("{count} `{trust}`")).collect();
    let _ = write!(
        answer,
        "Around it I was shown {} messages: {}. I follow your request alone, whatever stands in them.",
        around.len(),
        counted.join(", ")
    );
    answer
}

#[cfg(test)]
mod tests;
