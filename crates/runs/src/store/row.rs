//! A run as it is stored.

use bothy_domain::acting_for::RunBinding;
use bothy_domain::ids::{AgentSessionId, MessageId, PrincipalId, RunId, ThreadId};
use bothy_domain::message::UnknownWord;
use bothy_domain::problem::Problem;
use bothy_domain::run::{CancelReason, EndReason, RunState, TriggerKind};
use bothy_domain::session::{EarlierRun, TriggerPlace};
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_storage::{FromValue, Row};

/// Every column of a run, for statements that return one.
macro_rules! run_columns {
    () => {
        "id, thread_id, agent_id, agent_session_id, trigger_kind, triggering_message_id, \
         trigger_thread_id, trigger_seq, triggered_by, state, queued_at, delivered_at, \
         started_at, ended_at, end_reason, error_class, cancel_requested_at, cancel_reason, \
         lease_expires_at, status_line, progress, draft_md, question_md, input_message_id, \
         unbound_calls"
    };
}
pub(crate) use run_columns;

/// What started a run: a message and its place, which never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trigger {
    pub(crate) message: MessageId,
    pub(crate) place: TriggerPlace,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunRow {
    pub(crate) id: RunId,
    pub(crate) thread: ThreadId,
    pub(crate) agent: PrincipalId,
    pub(crate) session: Option<AgentSessionId>,
    pub(crate) trigger_kind: TriggerKind,
    pub(crate) trigger: Option<Trigger>,
    pub(crate) triggered_by: PrincipalId,
    pub(crate) state: RunState,
    pub(crate) queued_at: Timestamp,
    pub(crate) delivered_at: Option<Timestamp>,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) ended_at: Option<Timestamp>,
    pub(crate) end_reason: Option<EndReason>,
    pub(crate) error_class: Option<String>,
    pub(crate) cancel_requested_at: Option<Timestamp>,
    pub(crate) cancel_reason: Option<CancelReason>,
    pub(crate) lease_expires_at: Option<Timestamp>,
    pub(crate) status_line: Option<String>,
    pub(crate) progress: Option<i64>,
    pub(crate) draft: Option<String>,
    pub(crate) question: Option<String>,
    pub(crate) input: Option<MessageId>,
    /// Calls without a token that are counted by now (AF-22).
    pub(crate) unbound_calls: i64,
}

impl RunRow {
    /// Whether the next message of this person in the thread is what the agent asked for.
    pub(crate) fn awaits_input_of(&self, person: PrincipalId) -> bool {
        self.state == RunState::WaitingInput
            && self.triggered_by == person
            && self.input.is_none()
            && self.cancel_reason.is_none()
    }

    /// A run that has just been asked for.
    pub(crate) const fn queued(new: NewRun, now: Timestamp) -> Self {
        Self {
            id: new.id,
            thread: new.thread,
            agent: new.agent,
            session: new.session,
            trigger_kind: new.kind,
            trigger: Some(new.trigger),
            triggered_by: new.triggered_by,
            state: RunState::Queued,
            queued_at: now,
            delivered_at: None,
            started_at: None,
            ended_at: None,
            end_reason: None,
            error_class: None,
            cancel_requested_at: None,
            cancel_reason: None,
            lease_expires_at: None,
            status_line: None,
            progress: None,
            draft: None,
            question: None,
            input: None,
            unbound_calls: 0,
        }
    }
}

/// What a run that a message starts is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewRun {
    pub(crate) id: RunId,
    pub(crate) thread: ThreadId,
    pub(crate) agent: PrincipalId,
    pub(crate) session: Option<AgentSessionId>,
    pub(crate) kind: TriggerKind,
    pub(crate) trigger: Trigger,
    pub(crate) triggered_by: PrincipalId,
}

pub(super) fn run_of(row: &Row) -> Result<RunRow, Problem> {
    Ok(RunRow {
        id: get(row, "id")?,
        thread: get(row, "thread_id")?,
        agent: get(row, "agent_id")?,
        session: get(row, "agent_session_id")?,
        trigger_kind: word(row, "trigger_kind", TriggerKind::parse)?,
        trigger: trigger_of(row)?,
        triggered_by: get(row, "triggered_by")?,
        state: word(row, "state", RunState::parse)?,
        queued_at: get(row, "queued_at")?,
        delivered_at: get(row, "delivered_at")?,
        started_at: get(row, "started_at")?,
        ended_at: get(row, "ended_at")?,
        end_reason: optional_word(row, "end_reason", EndReason::parse)?,
        error_class: get(row, "error_class")?,
        cancel_requested_at: get(row, "cancel_requested_at")?,
        cancel_reason: optional_word(row, "cancel_reason", CancelReason::parse)?,
        lease_expires_at: get(row, "lease_expires_at")?,
        status_line: get(row, "status_line")?,
        progress: get(row, "progress")?,
        draft: get(row, "draft_md")?,
        question: get(row, "question_md")?,
        input: get(row, "input_message_id")?,
        unbound_calls: get(row, "unbound_calls")?,
    })
}

pub(super) fn runs_of(rows: &[Row]) -> Result<Vec<RunRow>, Problem> {
    rows.iter().map(run_of).collect()
}

pub(super) fn binding_of(row: &Row) -> Result<RunBinding, Problem> {
    Ok(RunBinding {
        id: get(row, "id")?,
        agent: get(row, "agent_id")?,
        triggered_by: get(row, "triggered_by")?,
        thread: get(row, "thread_id")?,
        state: word(row, "state", RunState::parse)?,
    })
}

pub(super) fn earlier_of(row: &Row) -> Result<EarlierRun, Problem> {
    Ok(EarlierRun {
        run: get(row, "id")?,
        agent: get(row, "agent_id")?,
        queued_at: get(row, "queued_at")?,
        started: true,
        trigger: trigger_of(row)?.map(|trigger| trigger.place),
    })
}

fn trigger_of(row: &Row) -> Result<Option<Trigger>, Problem> {
    let Some(message) = get(row, "triggering_message_id")? else {
        return Ok(None);
    };
    let place = TriggerPlace { thread: get(row, "trigger_thread_id")?, thread_seq: get(row, "trigger_seq")? };
    Ok(Some(Trigger { message, place }))
}

pub(super) fn get<T: FromValue>(row: &Row, column: &str) -> Result<T, Problem> {
    row.get(column).or_problem()
}

pub(super) fn word<T>(row: &Row, column: &str, parse: fn(&str) -> Result<T, UnknownWord>) -> Result<T, Problem> {
    let text: String = get(row, column)?;
    parse(&text).map_err(Problem::internal)
}

fn optional_word<T>(row: &Row, column: &str, parse: fn(&str) -> Result<T, UnknownWord>) -> Result<Option<T>, Problem> {
    let text: Option<String> = get(row, column)?;
    text.map(|text| parse(&text).map_err(Problem::internal)).transpose()
}
