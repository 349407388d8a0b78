use bothy_domain::ids::{MessageId, PrincipalId, RunId, ThreadId};
use serde::{Deserialize, Serialize};

/// A run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunView {
    /// The id.
    pub run_id: RunId,
    /// The thread.
    pub thread_id: ThreadId,
    /// The agent.
    pub agent_id: PrincipalId,
    /// The person who asked.
    pub triggered_by: PrincipalId,
    /// `queued`, `running`, `waiting_input`, `completed`, `failed` or `cancelled`.
    pub state: String,
    /// The message that started it.
    #[serde(default)]
    pub triggering_message_id: Option<MessageId>,
    /// Why it ended.
    #[serde(default)]
    pub end_reason: Option<String>,
    /// Which kind of failure it was.
    #[serde(default)]
    pub error_class: Option<String>,
    /// Why it should end, if somebody asked for that.
    #[serde(default)]
    pub cancel_reason: Option<String>,
    /// What the agent asks the person.
    #[serde(default)]
    pub question_md: Option<String>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The work is done.
    Completed,
    /// It could not be done.
    Failed,
    /// It was given up because somebody asked for that.
    Cancelled,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FinishRun<'a> {
    /// How it ended.
    pub outcome: Outcome,
    /// What kind of failure it was, for `failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_class: Option<&'a str>,
}

/// What a run shows while it works.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RunChange<'a> {
    /// One line about what it is doing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_line: Option<&'a str>,
    /// How far it is, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<u8>,
    /// The answer as far as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft_md: Option<&'a str>,
    /// Follow-ups that the work takes into account.
    #[serde(skip_serializing_if = "<[MessageId]>::is_empty")]
    pub absorbed_message_ids: &'a [MessageId],
}
