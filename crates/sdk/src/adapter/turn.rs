//! One invocation, from context to finish.

use std::future::Future;

use super::{Answer, Cancelled, Failure, Invocation};
use crate::client::Client;
use crate::error::Error;
use crate::run::Run;
use crate::wire::{AgentEvent, InvocationSession, Outcome};

/// Works on one invocation. `Ok` means that it is done with, whatever became of it; an error means
/// that it has to be delivered again.
///
/// The order is the one that survives a crash at any step: nothing is done before the server has the
/// start on record, the answer has an id that the run alone determines, and the acknowledgement
/// comes last (chapter 06 section 6).
pub(super) async fn work<H, F>(
    client: &Client,
    event: &AgentEvent,
    token: &str,
    cancelled: Cancelled,
    handler: &H,
) -> Result<(), Error>
where
    H: Fn(Invocation, Run) -> F,
    F: Future<Output = Result<Answer, Failure>>,
{
    let (Some(run_id), Some(thread_id)) = (event.run_id, event.thread_id) else {
        let cause = "an invocation without run or thread".to_owned();
        return Err(Error::Unexpected { operation: "pollAgentEvents", cause });
    };
    let run = Run::new(client, run_id, thread_id, token)?;
    let context = match run.context().await {
        Ok(context) => context,
        Err(error) => return over(error),
    };
    if let Err(error) = run.start().await {
        return over(error);
    }
    let session = event.session.clone().unwrap_or(InvocationSession { mode: "new".to_owned(), reference: None });
    let invocation =
        Invocation { run_id, thread_id, channel_id: event.channel_id, message_id: event.message_id, session, context };
    let answered = tokio::select! {
        biased;
        () = cancelled.requested() => return run.finish(Outcome::Cancelled, None).await.or_else(over),
        answered = handler(invocation, run.clone()) => answered,
    };
    let answered = match answered {
        Ok(answer) => deliver(&run, &answer).await,
        Err(failure) => Err(failure),
    };
    let finished = match answered {
        Ok(()) => run.finish(Outcome::Completed, None).await,
        Err(Failure::Server(error)) if error.is_temporary() => return Err(error),
        Err(Failure::Server(error)) => {
            tracing::warn!(%run_id, %error, "the server refused; the run fails");
            run.finish(Outcome::Failed, Some("server_refused")).await
        }
        Err(Failure::Class(class)) => run.finish(Outcome::Failed, Some(&class)).await,
    };
    finished.or_else(over)
}

async fn deliver(run: &Run, answer: &Answer) -> Result<(), Failure> {
    if let Some(content_md) = &answer.content_md {
        run.reply(content_md).await?;
    }
    if let Some(reference) = &answer.session_reference {
        run.report_session(reference).await?;
    }
    Ok(())
}

/// A run that somebody else started, that has ended, or whose person lost the right, is not ours to
/// work on any more.
fn over(error: Error) -> Result<(), Error> {
    match error.problem().map(|problem| problem.code.as_str()) {
        Some(
            "already_started" | "run_inactive" | "not_found" | "conflict" | "invocation_token_invalid" | "forbidden",
        ) => Ok(()),
        _ => Err(error),
    }
}
