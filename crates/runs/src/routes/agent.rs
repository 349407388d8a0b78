use std::sync::Arc;
use std::time::Duration;

use bothy_domain::action::actions;
use bothy_domain::context::Trust;
use bothy_domain::ids::{AgentSessionId, ChannelId, MessageId, RunId, SpaceId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::run::{CancelReason, RunState, TriggerKind};
use bothy_domain::session::SessionMode;
use bothy_domain::time::Timestamp;
use bothy_platform::audit::Checkpoint;
use bothy_platform::http::{Allowed, Body, Json, Query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Runs;
use crate::deliver::{Envelope, Pulse};

/// From where to read, and how long to wait.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PollQuery {
    /// Only events after this position; after what was acknowledged when absent. `cursor_expired` when
    /// events after it were removed already.
    #[serde(default)]
    cursor: Option<i64>,
    /// How many seconds to wait for an event when there is none; at most `agent.poll_max_wait`.
    #[serde(default)]
    wait: Option<u32>,
}

/// What happened for an agent since a cursor.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentEvents")]
pub(super) struct AgentEventsView {
    /// The events, in order.
    items: Vec<AgentEventView>,
    /// Up to where the log was looked at. Acknowledge this once the events are dealt with.
    cursor: i64,
    /// There and true when the agent was away for longer than events are kept: what happened before the
    /// first of these events was in part removed. Read what matters from the lists.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    missed: bool,
    /// The newest checkpoint of the audit log, once there is one. Keep it: a later one must have at
    /// least this `position` and `count`, and the same `hash` at the same position.
    #[serde(skip_serializing_if = "Option::is_none")]
    audit_checkpoint: Option<Checkpoint>,
}

/// One event for an agent: ids only, no content.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentEvent")]
pub struct AgentEventView {
    /// Its place in the log. The same event has the same position when it is delivered again.
    position: i64,
    /// When it was written.
    at: Timestamp,
    /// `agent.invocation`, `agent.followup`, `run.cancel_requested`, `run.input_received`,
    /// `run.question_expired`, or
    /// `message.*`, `thread.*`, `channel.*` of what the agent may read.
    kind: &'static str,
    /// The space.
    #[serde(skip_serializing_if = "Option::is_none")]
    space_id: Option<SpaceId>,
    /// The channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    channel_id: Option<ChannelId>,
    /// The thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_id: Option<ThreadId>,
    /// The message.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<MessageId>,
    /// The run.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<RunId>,
    /// With an invocation: the token of the run, for the header `Invocation-Token` of every request
    /// in it and for the body of `startRun`.
    #[serde(skip_serializing_if = "Option::is_none")]
    invocation_token: Option<String>,
    /// With an invocation: what the agent knows of the thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<SessionView>,
    /// With an invocation: what started the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger_kind: Option<TriggerKind>,
    /// With an invocation: until when the run has to start.
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline: Option<Timestamp>,
    /// With an invocation: whether it was delivered before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    redelivered: bool,
    /// With a follow-up or an answer: how far the agent may follow the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<Trust>,
    /// With a request to cancel: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    cancel_reason: Option<CancelReason>,
}

/// The continuity of the agent's memory in the thread.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InvocationSession")]
pub(super) struct SessionView {
    /// `new`, `resume`, `bind` or `guest`.
    mode: SessionMode,
    /// The session; a guest has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_session_id: Option<AgentSessionId>,
    /// The runtime's own reference, as it was reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
}

impl From<Envelope> for AgentEventView {
    fn from(envelope: Envelope) -> Self {
        let event = envelope.event;
        let mut view = Self {
            position: envelope.position,
            at: envelope.at,
            kind: event.kind.as_str(),
            space_id: event.space,
            channel_id: event.channel,
            thread_id: event.thread,
            message_id: event.message,
            run_id: event.run,
            invocation_token: None,
            session: None,
            trigger_kind: None,
            deadline: None,
            redelivered: false,
            trust: envelope.trust,
            cancel_reason: envelope.cancel_reason,
        };
        if let Some(invocation) = envelope.invocation {
            let session = invocation.session;
            view.invocation_token = Some(invocation.token);
            view.session =
                Some(SessionView { mode: session.mode, agent_session_id: session.id, reference: session.reference });
            view.trigger_kind = Some(invocation.trigger_kind);
            view.deadline = Some(invocation.deadline);
            view.redelivered = invocation.redelivered;
        }
        view
    }
}

/// Up to where the agent has dealt with its events.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AckAgentEvents {
    /// A position that a poll answered: the `cursor`, or the `position` of an event.
    cursor: i64,
}

/// Where the consumer of the agent stands.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentConsumer")]
pub(super) struct ConsumerView {
    /// Everything up to here was acknowledged.
    cursor: i64,
}

/// Which runs the adapter works on.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentHeartbeat {
    /// The runs whose leases are renewed; all running runs of the agent when absent. An adapter that
    /// may have lost a run names those that it has.
    #[serde(default)]
    run_ids: Option<Vec<RunId>>,
}

/// What the server knows of the agent's work.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentPulse")]
pub(super) struct PulseView {
    /// The active runs of the agent. A run that is missing here has ended.
    runs: Vec<PulseRunView>,
    /// The next heartbeat must come before.
    lease_expires_at: Timestamp,
}

/// An active run of the agent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentPulseRun")]
pub(super) struct PulseRunView {
    /// The run.
    run_id: RunId,
    /// `queued`, `running` or `waiting_input`.
    state: RunState,
    /// Why it should end, if somebody asked for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    cancel_reason: Option<CancelReason>,
}

impl From<Pulse> for PulseView {
    fn from(pulse: Pulse) -> Self {
        let runs = pulse.runs.into_iter();
        Self {
            runs: runs
                .map(|run| PulseRunView { run_id: run.id, state: run.state, cancel_reason: run.cancel_reason })
                .collect(),
            lease_expires_at: pulse.lease_expires_at,
        }
    }
}

pub(super) async fn poll_agent_events(
    allowed: Allowed<actions::AgentEventsConsume>,
    runs: Arc<Runs>,
    Query(query): Query<PollQuery>,
) -> Result<Json<AgentEventsView>, Problem> {
    let wait = Duration::from_secs(query.wait.unwrap_or(0).into());
    let polled = runs.poll_agent_events(allowed, query.cursor, wait).await?;
    let items = polled.events.into_iter().map(AgentEventView::from).collect();
    Ok(Json::new(AgentEventsView {
        items,
        cursor: polled.cursor,
        missed: polled.missed,
        audit_checkpoint: polled.checkpoint,
    }))
}

pub(super) async fn ack_agent_events(
    allowed: Allowed<actions::AgentEventsConsume>,
    runs: Arc<Runs>,
    Body(input): Body<AckAgentEvents>,
) -> Result<Json<ConsumerView>, Problem> {
    let cursor = runs.ack_agent_events(allowed, input.cursor).await?;
    Ok(Json::new(ConsumerView { cursor }))
}

pub(super) async fn agent_heartbeat(
    allowed: Allowed<actions::AgentHeartbeat>,
    runs: Arc<Runs>,
    Body(input): Body<AgentHeartbeat>,
) -> Result<Json<PulseView>, Problem> {
    Ok(Json::new(runs.agent_heartbeat(allowed, input.run_ids).await?.into()))
}
