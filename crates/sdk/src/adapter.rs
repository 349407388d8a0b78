//! From one async function to an agent: polling, context, start, heartbeat, answer, report, finish
//! and acknowledgement, in the order of chapter 06 section 6.

mod alarm;
mod at_work;
mod ledger;
mod turn;

use std::collections::HashSet;
use std::future::Future;
use std::time::Duration;

use bothy_domain::ids::{ChannelId, MessageId, RunId, ThreadId};
use futures::StreamExt;
use futures::stream::FuturesUnordered;

use crate::client::Client;
use crate::error::Error;
use crate::run::Run;
use crate::wire::{AgentEvent, AgentEvents, InvocationSession, RunContext};
use crate::witness::{Breach, Witness};
use alarm::Alarm;
use at_work::{AtWork, Cancelled};
use ledger::Ledger;

/// The event that asks a run to stop.
const CANCEL: &str = "run.cancel_requested";

/// A request of a person that waits for this agent.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The run.
    pub run_id: RunId,
    /// The thread that the answer goes to.
    pub thread_id: ThreadId,
    /// The channel of the thread.
    pub channel_id: Option<ChannelId>,
    /// The message that asks.
    pub message_id: Option<MessageId>,
    /// The continuity of the agent's memory.
    pub session: InvocationSession,
    /// What the agent may know, with origin and trust.
    pub context: RunContext,
}

/// What a handler gives back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The text for the thread, in Markdown; no text posts nothing.
    pub content_md: Option<String>,
    /// The runtime's own reference of the session, to be resumed next time.
    pub session_reference: Option<String>,
}

impl Answer {
    /// An answer that is just a text.
    pub fn text(content_md: impl Into<String>) -> Self {
        Self { content_md: Some(content_md.into()), session_reference: None }
    }

    /// Adds the runtime's reference of the session.
    #[must_use]
    pub fn in_session(mut self, reference: impl Into<String>) -> Self {
        self.session_reference = Some(reference.into());
        self
    }
}

/// Why a handler has no answer.
#[derive(Debug)]
pub enum Failure {
    /// The server was asked and refused or did not answer.
    Server(Error),
    /// Anything else; the class is kept with the run (`model_error`, `timeout`).
    Class(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Server(error)
    }
}

/// Runs an agent: one async function from [`Invocation`] to [`Answer`].
///
/// Runs of one agent are worked on at the same time. When somebody asks a run to stop, the handler's
/// future is dropped and the run ends as cancelled. An event is acknowledged only when it and all
/// events before it are done with, so whatever a crash interrupts is delivered again.
///
/// It also witnesses the server's audit log: each poll carries the newest checkpoint, and when one does
/// not extend the one before, that is logged as an error and told to [`Adapter::on_breach`]. The agent
/// goes on working.
#[derive(Debug, Clone)]
pub struct Adapter {
    client: Client,
    poll_wait: Duration,
    heartbeat: Duration,
    pause: Duration,
    alarm: Alarm,
}

impl Adapter {
    /// An adapter for the agent whose token the client holds.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            poll_wait: Duration::from_secs(25),
            heartbeat: Duration::from_secs(15),
            pause: Duration::from_secs(2),
            alarm: Alarm::default(),
        }
    }

    /// How long the server may hold a poll open.
    #[must_use]
    pub const fn poll_wait(mut self, wait: Duration) -> Self {
        self.poll_wait = wait;
        self
    }

    /// How often to say that the adapter is alive; has to be well below the server's
    /// `agent.lease_timeout`.
    #[must_use]
    pub const fn heartbeat(mut self, every: Duration) -> Self {
        self.heartbeat = every;
        self
    }

    /// Witnesses the audit log with this witness, which may know a key or an earlier checkpoint.
    #[must_use]
    pub fn witness(mut self, witness: Witness) -> Self {
        self.alarm.witness = witness;
        self
    }

    /// Whom to tell when the server's audit log is not what it was, once for each different breach.
    #[must_use]
    pub fn on_breach(mut self, tell: impl Fn(&Breach) + Send + Sync + 'static) -> Self {
        self.alarm = self.alarm.telling(tell);
        self
    }

    /// Works until `stop` is ready, then gives up what is under way: it will be delivered again or
    /// fail by its lease.
    ///
    /// # Errors
    /// The error that no repetition mends, such as `unauthenticated`.
    pub async fn run<H, F>(&self, handler: H, stop: impl Future<Output = ()>) -> Result<(), Error>
    where
        H: Fn(Invocation, Run) -> F,
        F: Future<Output = Result<Answer, Failure>>,
    {
        let wait = self.client.transport.wait().clone();
        let mut stop = std::pin::pin!(stop);
        let mut ledger = Ledger::default();
        let mut work = FuturesUnordered::new();
        let mut at_work = AtWork::default();
        let mut cursor = None;
        let mut poll = Box::pin(self.poll_after(Duration::ZERO, cursor));
        let mut beat = wait.wait(self.heartbeat);
        loop {
            tokio::select! {
                () = &mut stop => return Ok(()),
                batch = &mut poll => {
                    let mut pause = Duration::ZERO;
                    match batch {
                        Ok(batch) => {
                            for event in batch.items {
                                if event.kind == CANCEL {
                                    at_work.cancel(event.run_id);
                                }
                                if ledger.begin(event.position) {
                                    let cancelled = at_work.begin(&event);
                                    work.push(self.turn(event, cancelled, &handler));
                                }
                            }
                            cursor = Some(batch.cursor);
                        }
                        Err(error) if error.is_temporary() => {
                            tracing::warn!(%error, "polling failed, trying again");
                            pause = self.pause;
                        }
                        Err(error) => return Err(error),
                    }
                    poll = Box::pin(self.poll_after(pause, cursor));
                }
                Some((position, done)) = work.next(), if !work.is_empty() => {
                    at_work.end(position);
                    match done {
                        Ok(()) => {
                            if let Some(acknowledged) = ledger.finish(position) {
                                self.acknowledge(acknowledged).await?;
                            }
                        }
                        Err(error) if error.is_temporary() => {
                            tracing::warn!(%error, "a run could not be worked on, trying again");
                            ledger.give_back(position);
                            // From what is acknowledged: what was given back comes again.
                            cursor = None;
                            poll = Box::pin(self.poll_after(self.pause, cursor));
                        }
                        Err(error) => return Err(error),
                    }
                }
                () = &mut beat => {
                    self.pulse(&mut at_work).await?;
                    beat = wait.wait(self.heartbeat);
                }
            }
        }
    }

    /// Works on everything that waits right now, one after the other, and acknowledges it: one round
    /// for scripts and tests. Answers how many runs were worked on.
    ///
    /// # Errors
    /// Any error; what was not finished is delivered again.
    pub async fn round<H, F>(&self, handler: H) -> Result<usize, Error>
    where
        H: Fn(Invocation, Run) -> F,
        F: Future<Output = Result<Answer, Failure>>,
    {
        let batch = self.poll(None, Duration::ZERO).await?;
        let mut runs = HashSet::new();
        for event in batch.items {
            runs.extend(event.run_id.filter(|_| event.invocation_token.is_some()));
            let (position, done) = self.turn(event, Cancelled::never(), &handler).await;
            done?;
            self.client.ack_agent_events(position).await?;
        }
        Ok(runs.len())
    }

    async fn turn<H, F>(&self, event: AgentEvent, cancelled: Cancelled, handler: &H) -> (i64, Result<(), Error>)
    where
        H: Fn(Invocation, Run) -> F,
        F: Future<Output = Result<Answer, Failure>>,
    {
        let position = event.position;
        let done = match event.invocation_token.as_deref() {
            Some(token) => turn::work(&self.client, &event, token, cancelled, handler).await,
            None => Ok(()),
        };
        (position, done)
    }

    async fn poll_after(&self, pause: Duration, cursor: Option<i64>) -> Result<AgentEvents, Error> {
        if !pause.is_zero() {
            self.client.transport.wait().wait(pause).await;
        }
        self.poll(cursor, self.poll_wait).await
    }

    async fn poll(&self, cursor: Option<i64>, wait: Duration) -> Result<AgentEvents, Error> {
        let polled = self.client.poll_agent_events(cursor, wait).await?;
        self.alarm.look(polled.audit_checkpoint.as_ref());
        Ok(polled)
    }

    /// Names the runs that are worked on here, so that one which a crash has lost ends by its lease.
    /// A lost heartbeat is made up for by the next one.
    async fn pulse(&self, at_work: &mut AtWork) -> Result<(), Error> {
        let runs = at_work.runs();
        if runs.is_empty() {
            return Ok(());
        }
        match self.client.agent_heartbeat(&runs).await {
            Ok(pulse) => at_work.keep(&pulse),
            Err(error) if error.is_temporary() => tracing::warn!(%error, "the heartbeat failed"),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// A lost acknowledgement is made up for by the next one.
    async fn acknowledge(&self, position: i64) -> Result<(), Error> {
        match self.client.ack_agent_events(position).await {
            Err(error) if error.is_temporary() => {
                tracing::warn!(%error, "acknowledging failed");
                Ok(())
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests;
