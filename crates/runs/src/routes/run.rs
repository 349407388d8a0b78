use std::sync::Arc;

use bothy_agents::AgentSessionView;
use bothy_domain::action::actions;
use bothy_domain::ids::{MessageId, PrincipalId, RunId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::request::Component;
use bothy_domain::run::{CancelReason, EndReason, ErrorClass, Outcome, RunState, TriggerKind};
use bothy_domain::time::Timestamp;
use bothy_platform::http::{Allowed, Body, Json, Query};
use bothy_platform::paging::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Runs;
use crate::life::{Finish, Question, RunPatch};
use crate::read::ShownRun;
use crate::store::row::RunRow;

/// A run: one piece of work of one agent for one person in one thread.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Run")]
pub struct RunView {
    /// The run.
    run_id: RunId,
    /// The thread.
    thread_id: ThreadId,
    /// The agent.
    agent_id: PrincipalId,
    /// The person who asked, and whose rights bound the agent.
    triggered_by: PrincipalId,
    /// What started it.
    trigger_kind: TriggerKind,
    /// The message that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    triggering_message_id: Option<MessageId>,
    /// Where it stands.
    state: RunState,
    /// When it was asked for.
    queued_at: Timestamp,
    /// When the agent took it.
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<Timestamp>,
    /// Why it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_reason: Option<EndReason>,
    /// Which kind of failure it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_class: Option<String>,
    /// Since when it should end.
    #[serde(skip_serializing_if = "Option::is_none")]
    cancel_requested_at: Option<Timestamp>,
    /// Why it should end.
    #[serde(skip_serializing_if = "Option::is_none")]
    cancel_reason: Option<CancelReason>,
    /// One line about what the agent is doing.
    #[serde(skip_serializing_if = "Option::is_none")]
    status_line: Option<String>,
    /// How far it is, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<i64>,
    /// The answer as far as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    draft_md: Option<String>,
    /// What the agent asks the person; the person's next message in the thread answers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    question_md: Option<String>,
    /// The message of the agent that the question stands on, when it can be answered by a component.
    #[serde(skip_serializing_if = "Option::is_none")]
    question_message_id: Option<MessageId>,
    /// Until when an answer to the question counts, if not as long as the run waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    question_expires_at: Option<Timestamp>,
    /// There and true when that time is over: what is said now is no answer, and the agent may go on.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    question_expired: bool,
    /// The answer, once it has arrived and until the agent goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    input_message_id: Option<MessageId>,
    /// How many calls its agent made without `Invocation-Token` while it worked on the run, as far as they
    /// are counted by now: an adapter that forgets the header shows here.
    #[serde(skip_serializing_if = "is_zero", default)]
    unbound_calls: i64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_zero(count: &i64) -> bool {
    *count == 0
}

impl From<ShownRun> for RunView {
    fn from(shown: ShownRun) -> Self {
        let question = shown.question;
        Self {
            question_message_id: question.and_then(|question| question.message),
            question_expires_at: question.and_then(|question| question.expires_at),
            question_expired: question.is_some_and(|question| question.expired_at.is_some()),
            ..shown.run.into()
        }
    }
}

impl From<RunRow> for RunView {
    /// A run that does not wait with a question of its own.
    fn from(run: RunRow) -> Self {
        Self {
            run_id: run.id,
            thread_id: run.thread,
            agent_id: run.agent,
            triggered_by: run.triggered_by,
            trigger_kind: run.trigger_kind,
            triggering_message_id: run.trigger.map(|trigger| trigger.message),
            state: run.state,
            queued_at: run.queued_at,
            started_at: run.started_at,
            ended_at: run.ended_at,
            end_reason: run.end_reason,
            error_class: run.error_class,
            cancel_requested_at: run.cancel_requested_at,
            cancel_reason: run.cancel_reason,
            status_line: run.status_line,
            progress: run.progress,
            draft_md: run.draft,
            question_md: run.question,
            question_message_id: None,
            question_expires_at: None,
            question_expired: false,
            input_message_id: run.input,
            unbound_calls: run.unbound_calls,
        }
    }
}

/// Which page of a list of runs.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PageOfRuns {
    /// How many items the page has at most.
    #[serde(default)]
    limit: Option<u32>,
    /// Where the page begins: `next_cursor` of the page before.
    #[serde(default)]
    cursor: Option<String>,
}

/// The token that proves that the invocation reached the caller.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ShowToken {
    /// The invocation token of the run, as delivered or renewed.
    invocation_token: String,
}

/// A fresh token of a run.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InvocationToken")]
pub(super) struct TokenView {
    /// The invocation token.
    invocation_token: String,
}

/// What the agent asks.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AwaitRunInput {
    /// The question to the triggering person, in Markdown.
    question_md: String,
    /// What the person can press to answer. The question is then also posted as a message of the agent
    /// in the thread, which the components stand under (`question_message_id`).
    #[serde(default)]
    components: Vec<Component>,
    /// Until when an answer counts; at most `agent.question_max_ttl` ahead. After it a pressed component
    /// is refused, a text is an ordinary message, and the agent gets `run.question_expired` and may go on
    /// with `resumeRun`.
    #[serde(default)]
    expires_at: Option<Timestamp>,
}

/// What the agent shows of its work; what is absent stays, an empty text takes away.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PatchRun {
    /// One line about what the agent is doing.
    #[serde(default)]
    status_line: Option<String>,
    /// How far it is, in percent.
    #[serde(default)]
    progress: Option<u8>,
    /// The answer as far as it is written, in Markdown.
    #[serde(default)]
    draft_md: Option<String>,
    /// Follow-ups that the work covers; they start no run of their own.
    #[serde(default)]
    absorbed_message_ids: Vec<MessageId>,
}

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OutcomeName {
    /// The work is done.
    Completed,
    /// It could not be done.
    Failed,
    /// It was given up, usually because somebody asked for that.
    Cancelled,
}

/// The end of a run.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FinishRun {
    /// How it ends.
    outcome: OutcomeName,
    /// Which kind of failure: `a` to `z`, `0` to `9` and `_`. Required for `failed`, refused
    /// otherwise.
    #[serde(default)]
    error_class: Option<String>,
}

/// The runtime's own name of the session.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportAgentSession {
    /// Handed back with the next invocation: visible characters without spaces.
    reference: String,
}

fn finish_of(input: &FinishRun) -> Result<Finish, Problem> {
    let outcome = match (input.outcome, input.error_class.as_deref()) {
        (OutcomeName::Failed, Some(class)) => {
            let error_class =
                ErrorClass::new(class).map_err(|error| Problem::invalid("/error_class", error.to_string()))?;
            Outcome::Failed { error_class }
        }
        (OutcomeName::Failed, None) => return Err(Problem::invalid("/error_class", "is required for a failed run")),
        (_, Some(_)) => return Err(Problem::invalid("/error_class", "belongs to a failed run")),
        (OutcomeName::Completed, None) => Outcome::Completed,
        (OutcomeName::Cancelled, None) => Outcome::Cancelled,
    };
    Ok(Finish { outcome })
}

pub(super) async fn list_thread_runs(
    allowed: Allowed<actions::ThreadRead>,
    runs: Arc<Runs>,
    Query(query): Query<PageOfRuns>,
) -> Result<Json<Page<RunView>>, Problem> {
    let page = runs.list_thread_runs(allowed, query.limit, query.cursor.as_deref()).await?;
    Ok(Json::new(page.map(RunView::from)))
}

pub(super) async fn list_active_runs(
    allowed: Allowed<actions::RunRead>,
    runs: Arc<Runs>,
    Query(query): Query<PageOfRuns>,
) -> Result<Json<Page<RunView>>, Problem> {
    let page = runs.list_active_runs(allowed, query.limit, query.cursor.as_deref()).await?;
    Ok(Json::new(page.map(RunView::from)))
}

pub(super) async fn get_run(
    allowed: Allowed<actions::RunRead>,
    runs: Arc<Runs>,
    _: (),
) -> Result<Json<RunView>, Problem> {
    Ok(Json::new(runs.get_run(allowed).await?.into()))
}

pub(super) async fn patch_run(
    allowed: Allowed<actions::RunUpdate>,
    runs: Arc<Runs>,
    Body(input): Body<PatchRun>,
) -> Result<Json<RunView>, Problem> {
    let PatchRun { status_line, progress, draft_md, absorbed_message_ids } = input;
    let patch = RunPatch { status_line, progress, draft: draft_md, absorbed: absorbed_message_ids };
    Ok(Json::new(runs.patch_run(allowed, patch).await?.into()))
}

pub(super) async fn start_run(
    allowed: Allowed<actions::RunStart>,
    runs: Arc<Runs>,
    Body(input): Body<ShowToken>,
) -> Result<Json<RunView>, Problem> {
    Ok(Json::new(runs.start_run(allowed, &input.invocation_token).await?.into()))
}

pub(super) async fn await_run_input(
    allowed: Allowed<actions::RunFinish>,
    runs: Arc<Runs>,
    Body(input): Body<AwaitRunInput>,
) -> Result<Json<RunView>, Problem> {
    let AwaitRunInput { question_md, components, expires_at } = input;
    let question = Question { text: question_md, components, expires_at };
    Ok(Json::new(runs.await_run_input(allowed, question).await?.into()))
}

pub(super) async fn resume_run(
    allowed: Allowed<actions::RunStart>,
    runs: Arc<Runs>,
    Body(input): Body<ShowToken>,
) -> Result<Json<RunView>, Problem> {
    Ok(Json::new(runs.resume_run(allowed, &input.invocation_token).await?.into()))
}

pub(super) async fn renew_invocation_token(
    allowed: Allowed<actions::RunTokenRenew>,
    runs: Arc<Runs>,
    _: (),
) -> Result<Json<TokenView>, Problem> {
    let invocation_token = runs.renew_invocation_token(allowed).await?;
    Ok(Json::new(TokenView { invocation_token }))
}

pub(super) async fn finish_run(
    allowed: Allowed<actions::RunFinish>,
    runs: Arc<Runs>,
    Body(input): Body<FinishRun>,
) -> Result<Json<RunView>, Problem> {
    let finish = finish_of(&input)?;
    Ok(Json::new(runs.finish_run(allowed, finish).await?.into()))
}

pub(super) async fn cancel_run(
    allowed: Allowed<actions::RunCancel>,
    runs: Arc<Runs>,
    _: (),
) -> Result<Json<RunView>, Problem> {
    Ok(Json::new(runs.cancel_run(allowed).await?.into()))
}

pub(super) async fn report_agent_session(
    allowed: Allowed<actions::AgentSessionReport>,
    runs: Arc<Runs>,
    Body(input): Body<ReportAgentSession>,
) -> Result<Json<AgentSessionView>, Problem> {
    Ok(Json::new(runs.report_agent_session(allowed, &input.reference).await?.into()))
}
