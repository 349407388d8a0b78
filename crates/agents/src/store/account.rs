//! Agents and apps. Their names and status are those of the principals that they are, which
//! identity keeps: the use cases ask it for them.

use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, Row, UnitOfWork, params, statements};
use uuid::Uuid;

use crate::agent::DmPolicy;

/// Comes before every id, so that the first page needs no statement of its own.
const FIRST: PrincipalId = PrincipalId::from_uuid(Uuid::nil());

macro_rules! agent_columns {
    () => {
        "principal_id AS id, description, dm_policy, created_by, version"
    };
}

macro_rules! app_columns {
    () => {
        "principal_id AS id, description, created_by"
    };
}

statements! {
    /// One agent by its id.
    AGENT_BY_ID = concat!("SELECT ", agent_columns!(), " FROM agents WHERE principal_id = $1");
    /// A page of agents in the order in which they were made.
    AGENTS_AFTER = concat!(
        "SELECT ", agent_columns!(), " FROM agents WHERE principal_id > $1 ORDER BY principal_id LIMIT $2"
    );
    /// A new agent.
    INSERT_AGENT = "INSERT INTO agents (principal_id, description, dm_policy, created_by, version) VALUES ($1, $2, $3, $4, 1)";
    /// What an agent is for and whom it admits, while it still is the version that was read.
    UPDATE_AGENT = "UPDATE agents SET description = $2, dm_policy = $3, version = version + 1 WHERE principal_id = $1 AND version = $4";
    /// How an agent stands to direct messages.
    DM_POLICY = "SELECT dm_policy FROM agents WHERE principal_id = $1";
    /// One app by its id.
    APP_BY_ID = concat!("SELECT ", app_columns!(), " FROM apps WHERE principal_id = $1");
    /// A page of apps in the order in which they were made.
    APPS_AFTER = concat!(
        "SELECT ", app_columns!(), " FROM apps WHERE principal_id > $1 ORDER BY principal_id LIMIT $2"
    );
    /// A new app.
    INSERT_APP = "INSERT INTO apps (principal_id, description, created_by, version) VALUES ($1, $2, $3, 1)";
}

/// What is stored of an agent beside the principal that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentRow {
    pub(crate) id: PrincipalId,
    pub(crate) description: String,
    pub(crate) dm_policy: DmPolicy,
    pub(crate) created_by: PrincipalId,
    pub(crate) version: i64,
}

/// What is stored of an app beside the principal that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AppRow {
    pub(crate) id: PrincipalId,
    pub(crate) description: String,
    pub(crate) created_by: PrincipalId,
}

fn agent_of(row: &Row) -> Result<AgentRow, Problem> {
    Ok(AgentRow {
        id: row.get("id").or_problem()?,
        description: row.get("description").or_problem()?,
        dm_policy: policy_of(row)?,
        created_by: row.get("created_by").or_problem()?,
        version: row.get("version").or_problem()?,
    })
}

fn app_of(row: &Row) -> Result<AppRow, Problem> {
    Ok(AppRow {
        id: row.get("id").or_problem()?,
        description: row.get("description").or_problem()?,
        created_by: row.get("created_by").or_problem()?,
    })
}

fn policy_of(row: &Row) -> Result<DmPolicy, Problem> {
    let text: String = row.get("dm_policy").or_problem()?;
    DmPolicy::parse(&text).ok_or_else(|| Problem::internal("an agent has an unknown policy for direct messages"))
}

pub(crate) async fn agent(reader: &Reader, id: PrincipalId) -> Result<Option<AgentRow>, Problem> {
    reader.optional(&AGENT_BY_ID, params![id]).await.or_problem()?.as_ref().map(agent_of).transpose()
}

pub(crate) async fn agents(reader: &Reader, after: Option<PrincipalId>, fetch: i64) -> Result<Vec<AgentRow>, Problem> {
    reader.all(&AGENTS_AFTER, params![after.unwrap_or(FIRST), fetch]).await.or_problem()?.iter().map(agent_of).collect()
}

pub(crate) async fn insert_agent(
    unit: &UnitOfWork,
    id: PrincipalId,
    description: &str,
    dm_policy: DmPolicy,
    created_by: PrincipalId,
) -> Result<(), Problem> {
    unit.execute(&INSERT_AGENT, params![id, description, dm_policy.as_str(), created_by]).await.or_problem().map(drop)
}

/// Whether the row still was the version that was read, and so was changed.
pub(crate) async fn update_agent(
    unit: &UnitOfWork,
    id: PrincipalId,
    description: &str,
    dm_policy: DmPolicy,
    version: i64,
) -> Result<bool, Problem> {
    let changed =
        unit.execute(&UPDATE_AGENT, params![id, description, dm_policy.as_str(), version]).await.or_problem()?;
    Ok(changed == 1)
}

pub(crate) async fn dm_policy(reader: &Reader, id: PrincipalId) -> Result<Option<DmPolicy>, Problem> {
    reader.optional(&DM_POLICY, params![id]).await.or_problem()?.as_ref().map(policy_of).transpose()
}

pub(crate) async fn app(reader: &Reader, id: PrincipalId) -> Result<Option<AppRow>, Problem> {
    reader.optional(&APP_BY_ID, params![id]).await.or_problem()?.as_ref().map(app_of).transpose()
}

pub(crate) async fn apps(reader: &Reader, after: Option<PrincipalId>, fetch: i64) -> Result<Vec<AppRow>, Problem> {
    reader.all(&APPS_AFTER, params![after.unwrap_or(FIRST), fetch]).await.or_problem()?.iter().map(app_of).collect()
}

pub(crate) async fn insert_app(
    unit: &UnitOfWork,
    id: PrincipalId,
    description: &str,
    created_by: PrincipalId,
) -> Result<(), Problem> {
    unit.execute(&INSERT_APP, params![id, description, created_by]).await.or_problem().map(drop)
}
