//! Runs. Every change names the state that it was judged in, so that two changes of one run cannot
//! both win: the loser changes no row.

use bothy_domain::acting_for::RunBinding;
use bothy_domain::ids::{AgentSessionId, MessageId, PrincipalId, RunId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::run::{CancelReason, EndReason, RunState};
use bothy_domain::session::EarlierRun;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, Row, UnitOfWork, Value, params, statements};

use super::row::{RunRow, binding_of, earlier_of, get, run_columns, run_of, runs_of};

statements! {
    /// One run by its key.
    RUN_BY_ID = concat!("SELECT ", run_columns!(), " FROM runs WHERE id = $1");
    /// What an invocation token is compared with: one run by its key, for authentication.
    RUN_BINDING = "SELECT id, agent_id, triggered_by, thread_id, state FROM runs WHERE id = $1";
    /// The active runs of a thread, at most one for each agent.
    ACTIVE_IN_THREAD = concat!(
        "SELECT ", run_columns!(), " FROM runs WHERE thread_id = $1",
        " AND state IN ('queued', 'running', 'waiting_input') ORDER BY id"
    );
    /// Locks a run that is active, so that what is attached to it is seen by whoever ends it.
    LOCK_ACTIVE = concat!(
        "UPDATE runs SET version = version + 1 WHERE id = $1",
        " AND state IN ('queued', 'running', 'waiting_input') RETURNING ", run_columns!()
    );
    /// A new run, unless one is active for its agent in its thread or its message has started one.
    INSERT_RUN =
        "INSERT INTO runs (id, thread_id, agent_id, agent_session_id, trigger_kind, triggering_message_id, \
         trigger_thread_id, trigger_seq, triggered_by, state, queued_at, version) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'queued', $10, 1) ON CONFLICT DO NOTHING";
    /// The agent takes the run.
    START_RUN = concat!(
        "UPDATE runs SET state = 'running', started_at = $2, lease_expires_at = $3, version = version + 1",
        " WHERE id = $1 AND state = 'queued' RETURNING ", run_columns!()
    );
    /// The agent asks something.
    AWAIT_INPUT = concat!(
        "UPDATE runs SET state = 'waiting_input', question_md = $2, input_message_id = NULL, lease_expires_at = NULL,",
        " version = version + 1 WHERE id = $1 AND state = 'running' RETURNING ", run_columns!()
    );
    /// The first answer of the person.
    TAKE_INPUT =
        "UPDATE runs SET input_message_id = $2, version = version + 1 \
         WHERE id = $1 AND state = 'waiting_input' AND input_message_id IS NULL";
    /// The agent goes on.
    RESUME_RUN = concat!(
        "UPDATE runs SET state = 'running', question_md = NULL, input_message_id = NULL, lease_expires_at = $2,",
        " version = version + 1 WHERE id = $1 AND state = 'waiting_input' RETURNING ", run_columns!()
    );
    /// What the agent shows of its work.
    PATCH_RUN = concat!(
        "UPDATE runs SET status_line = $3, progress = $4, draft_md = $5, lease_expires_at = $6, version = version + 1",
        " WHERE id = $1 AND state = $2 RETURNING ", run_columns!()
    );
    /// The end. The draft goes with it: what was not said was not said.
    END_RUN = concat!(
        "UPDATE runs SET state = $3, ended_at = $4, end_reason = $5, error_class = $6, lease_expires_at = NULL,",
        " draft_md = NULL, question_md = NULL, version = version + 1 WHERE id = $1 AND state = $2 RETURNING ", run_columns!()
    );
    /// Somebody wants the run to end. The time of the first request counts, the latest reason is kept.
    REQUEST_CANCEL = concat!(
        "UPDATE runs SET cancel_requested_at = COALESCE(cancel_requested_at, $3), cancel_reason = $4, version = version + 1",
        " WHERE id = $1 AND state = $2 RETURNING ", run_columns!()
    );
    /// The first delivery of an invocation.
    MARK_DELIVERED = "UPDATE runs SET delivered_at = $2 WHERE id IN (ID_LIST($1)) AND delivered_at IS NULL";
    /// The agent is alive.
    RENEW_LEASES =
        "UPDATE runs SET lease_expires_at = $3 WHERE agent_id = $1 AND state = 'running' AND id IN (ID_LIST($2)) RETURNING id";
    /// A class of things that was stopped, unless it was known.
    MARK_STOPPED =
        "UPDATE runs SET stopped_classes = stopped_classes | $2 WHERE id = $1 AND (stopped_classes & $2) = 0";
    /// Calls without a token that an agent made while it worked.
    ADD_UNBOUND = "UPDATE runs SET unbound_calls = unbound_calls + $2 WHERE agent_id = $1 AND state = 'running'";
    /// The active runs of an agent.
    ACTIVE_OF_AGENT = concat!(
        "SELECT ", run_columns!(), " FROM runs WHERE agent_id = $1",
        " AND state IN ('queued', 'running', 'waiting_input') ORDER BY id"
    );
    /// A page of the runs of a thread, newest first.
    RUNS_OF_THREAD = concat!(
        "SELECT ", run_columns!(), " FROM runs WHERE thread_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"
    );
    /// Of the started runs of an agent in a session that were queued before a run: the latest, and
    /// the latest that has a triggering message.
    EARLIER_IN_SESSION =
        "SELECT * FROM (SELECT id, agent_id, queued_at, triggering_message_id, trigger_thread_id, trigger_seq FROM runs \
           WHERE agent_session_id = $1 AND agent_id = $2 AND started_at IS NOT NULL AND (queued_at, id) < ($3, $4) \
           ORDER BY queued_at DESC, id DESC LIMIT 1) latest \
         UNION \
         SELECT * FROM (SELECT id, agent_id, queued_at, triggering_message_id, trigger_thread_id, trigger_seq FROM runs \
           WHERE agent_session_id = $1 AND agent_id = $2 AND started_at IS NOT NULL AND (queued_at, id) < ($3, $4) \
             AND triggering_message_id IS NOT NULL \
           ORDER BY queued_at DESC, id DESC LIMIT 1) with_trigger";
}

async fn run_where(
    reader: &Reader,
    statement: &'static bothy_storage::Statement,
    params: &[Value],
) -> Result<Option<RunRow>, Problem> {
    reader.optional(statement, params).await.or_problem()?.as_ref().map(run_of).transpose()
}

async fn changed(
    unit: &UnitOfWork,
    statement: &'static bothy_storage::Statement,
    params: &[Value],
) -> Result<Option<RunRow>, Problem> {
    unit.returning_optional(statement, params).await.or_problem()?.as_ref().map(run_of).transpose()
}

pub(crate) async fn by_id(reader: &Reader, id: RunId) -> Result<Option<RunRow>, Problem> {
    run_where(reader, &RUN_BY_ID, params![id]).await
}

pub(crate) async fn binding(reader: &Reader, id: RunId) -> Result<Option<RunBinding>, Problem> {
    reader.optional(&RUN_BINDING, params![id]).await.or_problem()?.as_ref().map(binding_of).transpose()
}

pub(crate) async fn active_in_thread(reader: &Reader, thread: ThreadId) -> Result<Vec<RunRow>, Problem> {
    runs_of(&reader.all(&ACTIVE_IN_THREAD, params![thread]).await.or_problem()?)
}

pub(crate) async fn active_of_agent(reader: &Reader, agent: PrincipalId) -> Result<Vec<RunRow>, Problem> {
    runs_of(&reader.all(&ACTIVE_OF_AGENT, params![agent]).await.or_problem()?)
}

/// The run as it is now, held until the unit of work ends; `None` when it has ended.
pub(crate) async fn lock_active(unit: &UnitOfWork, id: RunId) -> Result<Option<RunRow>, Problem> {
    changed(unit, &LOCK_ACTIVE, params![id]).await
}

/// Whether the run was new; otherwise nothing was written.
pub(crate) async fn insert(unit: &UnitOfWork, run: &RunRow) -> Result<bool, Problem> {
    let inserted = unit
        .execute(
            &INSERT_RUN,
            params![
                run.id,
                run.thread,
                run.agent,
                run.session,
                run.trigger_kind.as_str(),
                run.trigger.map(|trigger| trigger.message),
                run.trigger.map(|trigger| trigger.place.thread),
                run.trigger.map(|trigger| trigger.place.thread_seq),
                run.triggered_by,
                run.queued_at,
            ],
        )
        .await
        .or_problem()?;
    Ok(inserted == 1)
}

pub(crate) async fn start(
    unit: &UnitOfWork,
    id: RunId,
    now: Timestamp,
    lease: Timestamp,
) -> Result<Option<RunRow>, Problem> {
    changed(unit, &START_RUN, params![id, now, lease]).await
}

pub(crate) async fn await_input(unit: &UnitOfWork, id: RunId, question: &str) -> Result<Option<RunRow>, Problem> {
    changed(unit, &AWAIT_INPUT, params![id, question]).await
}

/// Whether the message is the answer that the run waited for.
pub(crate) async fn take_input(unit: &UnitOfWork, id: RunId, message: MessageId) -> Result<bool, Problem> {
    Ok(unit.execute(&TAKE_INPUT, params![id, message]).await.or_problem()? == 1)
}

pub(crate) async fn resume(unit: &UnitOfWork, id: RunId, lease: Timestamp) -> Result<Option<RunRow>, Problem> {
    changed(unit, &RESUME_RUN, params![id, lease]).await
}

/// Writes what is shown of a run, as it stands in `run`.
pub(crate) async fn patch(unit: &UnitOfWork, run: &RunRow) -> Result<Option<RunRow>, Problem> {
    let shown = params![run.id, run.state.as_str(), &run.status_line, run.progress, &run.draft, run.lease_expires_at,];
    changed(unit, &PATCH_RUN, shown).await
}

/// Ends a run that still is in the state it was judged in.
pub(crate) async fn end(
    unit: &UnitOfWork,
    run: &RunRow,
    state: RunState,
    now: Timestamp,
    reason: EndReason,
    error_class: Option<&str>,
) -> Result<Option<RunRow>, Problem> {
    let end = params![run.id, run.state.as_str(), state.as_str(), now, reason.as_str(), error_class];
    changed(unit, &END_RUN, end).await
}

/// Notes that a run should end, while it still is in the state it was judged in.
pub(crate) async fn request_cancel(
    unit: &UnitOfWork,
    run: &RunRow,
    now: Timestamp,
    reason: CancelReason,
) -> Result<Option<RunRow>, Problem> {
    changed(unit, &REQUEST_CANCEL, params![run.id, run.state.as_str(), now, reason.as_str()]).await
}

/// Whether the class of a bit was not marked before.
pub(crate) async fn mark_stopped(unit: &UnitOfWork, run: RunId, class: i64) -> Result<bool, Problem> {
    Ok(unit.execute(&MARK_STOPPED, params![run, class]).await.or_problem()? == 1)
}

pub(crate) async fn add_unbound(unit: &UnitOfWork, agent: PrincipalId, calls: i64) -> Result<(), Problem> {
    unit.execute(&ADD_UNBOUND, params![agent, calls]).await.or_problem().map(drop)
}

pub(crate) async fn mark_delivered(unit: &UnitOfWork, runs: &[RunId], now: Timestamp) -> Result<(), Problem> {
    unit.execute(&MARK_DELIVERED, params![runs, now]).await.or_problem().map(drop)
}

/// The runs whose lease was renewed: those of `runs` that the agent works on.
pub(crate) async fn renew_leases(
    unit: &UnitOfWork,
    agent: PrincipalId,
    runs: &[RunId],
    lease: Timestamp,
) -> Result<Vec<RunId>, Problem> {
    let rows: Vec<Row> = unit.returning(&RENEW_LEASES, params![agent, runs, lease]).await.or_problem()?;
    rows.iter().map(|row| get(row, "id")).collect()
}

pub(crate) async fn of_thread(
    reader: &Reader,
    thread: ThreadId,
    before: RunId,
    fetch: i64,
) -> Result<Vec<RunRow>, Problem> {
    runs_of(&reader.all(&RUNS_OF_THREAD, params![thread, before, fetch]).await.or_problem()?)
}

/// What the plan of a run needs to know of earlier runs in its session (RC-4).
pub(crate) async fn earlier_in_session(
    reader: &Reader,
    session: AgentSessionId,
    run: &RunRow,
) -> Result<Vec<EarlierRun>, Problem> {
    let rows =
        reader.all(&EARLIER_IN_SESSION, params![session, run.agent, run.queued_at, run.id]).await.or_problem()?;
    rows.iter().map(earlier_of).collect()
}
