//! The texts on a connection. Each is a JSON object with a `type`; absent members are omitted.

use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_platform::audit::Checkpoint;
use bothy_platform::http::{Answered, Frame, problem_form};
use bothy_runs::AgentEventView;
use serde::Serialize;
use serde_json::Value;

use crate::cursor;
use crate::shown::{EventView, Representation};

/// What the server says.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Saying<'a> {
    /// The first frame.
    Greeting {
        /// Names the connection in logs.
        session_id: String,
        /// Who is connected.
        principal_id: PrincipalId,
        /// Where it goes on.
        cursor: String,
        /// The same for agents, in the form of the poll.
        #[serde(skip_serializing_if = "Option::is_none")]
        position: Option<i64>,
        /// Seconds between two heartbeats of the server; the client says something as often.
        heartbeat_interval: u64,
        /// Seconds of silence after which the client is cut off.
        idle_timeout: u64,
        /// Largest frame that the client may send, in bytes.
        max_frame_bytes: u64,
        /// The newest checkpoint of the audit log; keep it, a later one must extend it.
        #[serde(skip_serializing_if = "Option::is_none")]
        audit_checkpoint: Option<Checkpoint>,
    },
    /// Something changed.
    Event {
        #[serde(flatten)]
        event: EventView,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        about: &'a Option<Representation>,
        /// For agents: what to acknowledge.
        #[serde(skip_serializing_if = "Option::is_none")]
        position: Option<i64>,
    },
    /// Something reached the agent.
    AgentEvent {
        /// Where to go on after it.
        cursor: String,
        #[serde(flatten)]
        event: AgentEventView,
    },
    /// The server is there.
    Heartbeat {
        /// Everything up to here was looked at.
        cursor: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        position: Option<i64>,
    },
    /// What an op answered.
    Result {
        #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
        reference: Option<String>,
        status: u16,
        #[serde(skip_serializing_if = "Option::is_none")]
        body: Option<Value>,
    },
    /// Why an op was refused.
    Problem {
        #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
        reference: Option<String>,
        status: u16,
        problem: Value,
    },
}

impl Saying<'_> {
    /// The text. It consists of texts, numbers and values that were parsed, so it can always be
    /// written; if it could not, an empty object says nothing.
    pub(crate) fn frame(&self) -> Frame {
        serde_json::to_string(self).unwrap_or_else(|_| "{}".to_owned()).into()
    }

    /// What an operation answered to an op.
    pub(crate) fn answered(reference: Option<String>, answered: &Answered) -> Self {
        let body: Option<Value> = serde_json::from_slice(&answered.body).ok();
        let status = answered.status;
        if status < 400 {
            Self::Result { reference, status, body }
        } else {
            Self::Problem { reference, status, problem: body.unwrap_or_default() }
        }
    }

    /// A refusal that never reached an operation.
    pub(crate) fn refused(reference: Option<String>, problem: &Problem) -> Self {
        Self::Problem { reference, status: problem.code().status(), problem: problem_form(problem) }
    }

    /// Where a connection stands.
    pub(crate) fn heartbeat(position: i64, agent: bool) -> Self {
        Self::Heartbeat { cursor: cursor::text(position), position: agent.then_some(position) }
    }
}
