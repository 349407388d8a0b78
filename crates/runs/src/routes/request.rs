use std::collections::BTreeMap;
use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::ids::{MessageId, PrincipalId, RunId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::request::{Arguments, Pressed};
use bothy_domain::time::Timestamp;
use bothy_platform::http::{Allowed, Body, Created, Json, Query};
use bothy_platform::paging::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::evidence::PageQuery;
use crate::Runs;
use crate::request::{Asked, CommandCall, Press, Respond};
use crate::store::request::InteractionRow;

/// A command to be run.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RunAgentCommand {
    /// Whose command it is.
    agent_id: PrincipalId,
    /// The command, as `listAgentCommands` names it.
    name: String,
    /// The arguments by name.
    #[serde(default)]
    arguments: Arguments,
}

/// A component to be pressed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PressComponent {
    /// Which component of the message.
    component_id: String,
    /// What was chosen, for a selection.
    #[serde(default)]
    values: Vec<String>,
    /// What was typed, by the names of the fields, for a form.
    #[serde(default)]
    fields: BTreeMap<String, String>,
}

/// What was asked of an agent, and what came of it. The latter is told once.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RunRequest")]
pub(super) struct AskedView {
    /// The message that records it, of kind `run_request`.
    message_id: MessageId,
    /// Where that stands.
    thread_id: ThreadId,
    /// The run that it started, or whose question it answered. Absent when it reached a run that was
    /// active already, or waits for one of somebody else to end.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<RunId>,
    /// The thread that was opened for the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    opened_thread_id: Option<ThreadId>,
}

impl From<Asked> for AskedView {
    fn from(asked: Asked) -> Self {
        Self { message_id: asked.message, thread_id: asked.thread, run_id: asked.run, opened_thread_id: asked.opened }
    }
}

/// What the agent answers to somebody who pressed a component.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RespondToInteraction {
    /// The answer, in Markdown.
    content_md: String,
    /// Whether only the person who pressed sees it; otherwise everybody who may read the message does.
    #[serde(default)]
    private: bool,
    /// Which request is answered: one that reached this run as a follow-up or an answer; the one that
    /// started the run when absent.
    #[serde(default)]
    message_id: Option<MessageId>,
}

/// Somebody pressed a component of a message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessageInteraction")]
pub(super) struct InteractionView {
    /// The message that records it.
    message_id: MessageId,
    /// The message that the component stands under.
    target_message_id: MessageId,
    /// The component.
    component_id: String,
    /// Who pressed it.
    person_id: PrincipalId,
    /// Whose component it is.
    agent_id: PrincipalId,
    /// When.
    created_at: Timestamp,
    /// What the agent answered, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    response_md: Option<String>,
    /// There and true when only you see the answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    response_private: bool,
    /// When it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    responded_at: Option<Timestamp>,
}

impl From<InteractionRow> for InteractionView {
    fn from(row: InteractionRow) -> Self {
        let responded_at = row.response.as_ref().map(|response| response.at);
        let response_private = row.response.as_ref().is_some_and(|response| response.private);
        Self {
            message_id: row.message,
            target_message_id: row.target,
            component_id: row.component,
            person_id: row.person,
            agent_id: row.agent,
            created_at: row.created_at,
            response_md: row.response.map(|response| response.content),
            response_private,
            responded_at,
        }
    }
}

pub(super) async fn run_agent_command(
    allowed: Allowed<actions::CommandRun>,
    runs: Arc<Runs>,
    Body(input): Body<RunAgentCommand>,
) -> Result<Created<AskedView>, Problem> {
    let RunAgentCommand { agent_id, name, arguments } = input;
    let asked = runs.run_agent_command(allowed, CommandCall { agent: agent_id, name, arguments }).await?;
    Ok(Created::new(asked.into()))
}

pub(super) async fn press_component(
    allowed: Allowed<actions::InteractionPress>,
    runs: Arc<Runs>,
    Body(input): Body<PressComponent>,
) -> Result<Created<AskedView>, Problem> {
    let PressComponent { component_id, values, fields } = input;
    let press = Press { component_id, pressed: Pressed { values, fields } };
    Ok(Created::new(runs.press_component(allowed, press).await?.into()))
}

pub(super) async fn list_message_interactions(
    allowed: Allowed<actions::MessageRead>,
    runs: Arc<Runs>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<InteractionView>>, Problem> {
    let page = runs.list_message_interactions(allowed, query.limit, query.cursor.as_deref()).await?;
    Ok(Json::new(page.map(InteractionView::from)))
}

pub(super) async fn respond_to_interaction(
    allowed: Allowed<actions::InteractionRespond>,
    runs: Arc<Runs>,
    Body(input): Body<RespondToInteraction>,
) -> Result<Json<InteractionView>, Problem> {
    let RespondToInteraction { content_md, private, message_id } = input;
    let respond = Respond { content: content_md, private, request: message_id };
    Ok(Json::new(runs.respond_to_interaction(allowed, respond).await?.into()))
}
