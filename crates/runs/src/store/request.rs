//! What people asked for by commands and components, and what agents answered them (RC-17). What was
//! asked stands in the message; here is only what it was and what came of it.

use std::collections::HashMap;

use bothy_domain::ids::{MessageId, PrincipalId};
use bothy_domain::problem::Problem;
use bothy_domain::run::TriggerKind;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, Row, UnitOfWork, params, statements};

use super::row::{get, word};

macro_rules! request_columns {
    () => {
        "message_id, agent_id, person_id, name, created_at, response_md, response_private, responded_at"
    };
}

statements! {
    /// A request.
    INSERT_REQUEST =
        "INSERT INTO run_requests (message_id, agent_id, person_id, kind, name, target_message_id, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)";
    /// The kinds of those of some messages that are requests.
    REQUEST_KINDS = "SELECT message_id, kind FROM run_requests WHERE message_id IN (ID_LIST($1))";
    /// The agent answers who pressed a component.
    RESPOND = concat!(
        "UPDATE run_requests SET response_md = $3, response_private = $4, responded_at = $5",
        " WHERE message_id = $1 AND agent_id = $2 AND kind = 'interaction'",
        " RETURNING target_message_id, ", request_columns!()
    );
    /// A page of what was pressed under a message, oldest first.
    INTERACTIONS = concat!(
        "SELECT target_message_id, ", request_columns!(), " FROM run_requests",
        " WHERE target_message_id = $1 AND message_id > $2 ORDER BY message_id LIMIT $3"
    );
    /// Forgets what was said about a message that is deleted.
    FORGET_RESPONSES =
        "UPDATE run_requests SET response_md = NULL, response_private = NULL, responded_at = NULL \
         WHERE message_id = $1 OR target_message_id = $1";
}

/// A request to be kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewRequest<'a> {
    pub(crate) message: MessageId,
    pub(crate) agent: PrincipalId,
    pub(crate) person: PrincipalId,
    pub(crate) kind: TriggerKind,
    /// The command or the component.
    pub(crate) name: &'a str,
    /// The message that the component stands under.
    pub(crate) target: Option<MessageId>,
}

/// Somebody pressed a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InteractionRow {
    pub(crate) message: MessageId,
    pub(crate) target: MessageId,
    pub(crate) agent: PrincipalId,
    pub(crate) person: PrincipalId,
    pub(crate) component: String,
    pub(crate) created_at: Timestamp,
    pub(crate) response: Option<Response>,
}

/// What the agent answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) content: String,
    /// Whether only the person who pressed sees it.
    pub(crate) private: bool,
    pub(crate) at: Timestamp,
}

fn interaction_of(row: &Row) -> Result<InteractionRow, Problem> {
    let content: Option<String> = get(row, "response_md")?;
    let response = match content {
        Some(content) => {
            Some(Response { content, private: get(row, "response_private")?, at: get(row, "responded_at")? })
        }
        None => None,
    };
    Ok(InteractionRow {
        message: get(row, "message_id")?,
        target: get(row, "target_message_id")?,
        agent: get(row, "agent_id")?,
        person: get(row, "person_id")?,
        component: get(row, "name")?,
        created_at: get(row, "created_at")?,
        response,
    })
}

pub(crate) async fn insert(unit: &UnitOfWork, new: NewRequest<'_>, now: Timestamp) -> Result<(), Problem> {
    let row = params![new.message, new.agent, new.person, new.kind.as_str(), new.name, new.target, now];
    unit.execute(&INSERT_REQUEST, row).await.or_problem().map(drop)
}

/// What started each of `messages` that is a request; texts are left out.
pub(crate) async fn kinds(reader: &Reader, messages: &[MessageId]) -> Result<HashMap<MessageId, TriggerKind>, Problem> {
    if messages.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = reader.all(&REQUEST_KINDS, params![messages]).await.or_problem()?;
    rows.iter().map(|row| Ok((get(row, "message_id")?, word(row, "kind", TriggerKind::parse)?))).collect()
}

/// The interaction as it is then; `None` when the message is none of this agent.
pub(crate) async fn respond(
    unit: &UnitOfWork,
    message: MessageId,
    agent: PrincipalId,
    response: &Response,
) -> Result<Option<InteractionRow>, Problem> {
    let row = params![message, agent, &response.content, response.private, response.at];
    unit.returning_optional(&RESPOND, row).await.or_problem()?.as_ref().map(interaction_of).transpose()
}

/// What was pressed under a message after `after`, oldest first.
pub(crate) async fn of_target(
    reader: &Reader,
    target: MessageId,
    after: MessageId,
    fetch: i64,
) -> Result<Vec<InteractionRow>, Problem> {
    reader.all(&INTERACTIONS, params![target, after, fetch]).await.or_problem()?.iter().map(interaction_of).collect()
}

pub(crate) async fn forget_responses(unit: &UnitOfWork, message: MessageId) -> Result<(), Problem> {
    unit.execute(&FORGET_RESPONSES, params![message]).await.or_problem().map(drop)
}
