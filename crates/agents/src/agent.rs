//! Agents as members: making, reading and changing them.

use bothy_domain::action::{Action, actions};
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::audit::AuditEntry;
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_identity::{NewPrincipal, PrincipalRef};
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::instance::lock_instance;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{Reader, work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::account::description;
use crate::store::account::{self, AgentRow};
use crate::{Agents, store};

/// Whom an agent answers in direct messages (chapter 06 section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DmPolicy {
    /// Nobody.
    Nobody,
    /// Who may instruct it in a channel.
    Triggerers,
    /// Everybody who takes part in the direct message.
    Everyone,
}

impl DmPolicy {
    /// The word that is stored and sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nobody => "nobody",
            Self::Triggerers => "triggerers",
            Self::Everyone => "everyone",
        }
    }

    /// Reads the stored word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Nobody, Self::Triggerers, Self::Everyone].into_iter().find(|policy| policy.as_str() == text)
    }
}

/// An agent, as the module hands it out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFacts {
    /// Its id.
    pub id: PrincipalId,
    /// Its handle.
    pub handle: String,
    /// The name that is shown.
    pub display_name: String,
    /// Whether it may act.
    pub status: PrincipalStatus,
    /// What it is for.
    pub description: String,
    /// Whom it answers in direct messages.
    pub dm_policy: DmPolicy,
    /// Whether it may act only inside a run (AF-17).
    pub requires_binding: bool,
    /// Who made it.
    pub created_by: PrincipalId,
    /// Counts its changes.
    pub version: i64,
}

impl AgentFacts {
    fn new(row: AgentRow, principal: PrincipalRef) -> Self {
        let AgentRow { id, description, dm_policy, created_by, version } = row;
        let PrincipalRef { handle, display_name, status, requires_binding, .. } = principal;
        Self { id, handle, display_name, status, description, dm_policy, requires_binding, created_by, version }
    }
}

/// What a new agent is.
#[derive(Debug, Clone)]
pub(crate) struct NewAgent {
    pub(crate) handle: String,
    pub(crate) display_name: String,
    pub(crate) description: String,
    pub(crate) dm_policy: DmPolicy,
    pub(crate) requires_binding: bool,
}

/// What is to change about an agent; what is absent stays.
#[derive(Debug, Clone, Default)]
pub(crate) struct AgentChange {
    pub(crate) display_name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) dm_policy: Option<DmPolicy>,
    pub(crate) requires_binding: Option<bool>,
}

impl Agents {
    /// How an agent stands to direct messages; `None` when it is no agent.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn dm_policy(&self, reader: &Reader, agent: PrincipalId) -> Result<Option<DmPolicy>, Problem> {
        account::dm_policy(reader, agent).await
    }

    /// Makes an agent. It has no right anywhere until somebody grants it one, and its consumer
    /// begins at the end of the event log: what was before it is not its business.
    pub(crate) async fn create_agent(
        &self,
        allowed: Allowed<actions::AgentCreate>,
        input: NewAgent,
    ) -> Result<AgentFacts, Problem> {
        let description = description(&input.description)?;
        let (description, input) = (&description, &input);
        let allowed = &allowed;
        let actor = allowed.actor();
        transact(&self.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                allowed.takes_effect(unit).await?;
                let id = self
                    .identity
                    .create_principal(
                        unit,
                        NewPrincipal {
                            kind: PrincipalKind::Agent,
                            handle: &input.handle,
                            display_name: &input.display_name,
                            status: PrincipalStatus::Active,
                            requires_binding: input.requires_binding,
                        },
                    )
                    .await?;
                account::insert_agent(unit, id, description, input.dm_policy, actor.principal).await?;
                let end = self.events.head(unit).await?;
                store::consumer::insert(unit, id, end).await?;
                self.audit.record(unit, &AuditEntry::done(actor, Action::AgentCreate, Some(id.cast()))).await?;
                Ok(self.present_agent(unit, id).await?)
            })
        })
        .await
    }

    /// The agents, in the order in which they were made. Everybody who is signed in may know them,
    /// as they may know people; what an agent may do is said by grants.
    pub(crate) async fn list_agents(
        &self,
        _allowed: Allowed<actions::AgentRead>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<AgentFacts>, Problem> {
        let paging = Paging::parse(limit, cursor, self.pages)?;
        let reader = self.database.reader().await.or_problem()?;
        let rows = account::agents(&reader, paging.after_id()?, paging.fetch()).await?;
        let Page { items, next_cursor } = page(rows, paging.limit, |row| Cursor::id(row.id));
        let items = self.with_principals(&reader, items, |row| row.id, AgentFacts::new).await?;
        Ok(Page { items, next_cursor })
    }

    /// One agent.
    pub(crate) async fn get_agent(&self, allowed: Allowed<actions::AgentRead>) -> Result<AgentFacts, Problem> {
        let reader = self.database.reader().await.or_problem()?;
        self.present_agent(&reader, allowed.id()).await
    }

    /// Changes what an agent is called, what it is for, whom it admits, and whether it may act outside
    /// of a run.
    pub(crate) async fn update_agent(
        &self,
        allowed: Allowed<actions::AgentUpdate>,
        change: AgentChange,
    ) -> Result<AgentFacts, Problem> {
        let id: PrincipalId = allowed.id();
        let text = change.description.as_deref().map(description).transpose()?;
        let (allowed, text, change) = (&allowed, &text, &change);
        transact(&self.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                let row = self.present_agent(unit, id).await?;
                allowed.require_version(row.version)?;
                let text = text.as_deref().unwrap_or(&row.description);
                let policy = change.dm_policy.unwrap_or(row.dm_policy);
                if !account::update_agent(unit, id, text, policy, row.version).await? {
                    return Err(Problem::conflict("it was changed since you read it").into());
                }
                self.identity.set_names(unit, id, None, change.display_name.as_deref()).await?;
                if let Some(required) = change.requires_binding {
                    self.identity.set_requires_binding(unit, id, required).await?;
                }
                self.audit
                    .record(unit, &AuditEntry::done(allowed.actor(), Action::AgentUpdate, Some(id.cast())))
                    .await?;
                Ok(self.present_agent(unit, id).await?)
            })
        })
        .await
    }

    /// Shuts an agent out: its tokens, its polls and its runs end at once (C34).
    pub(crate) async fn disable_agent(&self, allowed: Allowed<actions::AgentDisable>) -> Result<AgentFacts, Problem> {
        self.set_agent_status(allowed, PrincipalStatus::Disabled).await
    }

    /// Lets an agent in again. Runs that ended stay ended.
    pub(crate) async fn enable_agent(&self, allowed: Allowed<actions::AgentDisable>) -> Result<AgentFacts, Problem> {
        self.set_agent_status(allowed, PrincipalStatus::Active).await
    }

    async fn set_agent_status(
        &self,
        allowed: Allowed<actions::AgentDisable>,
        status: PrincipalStatus,
    ) -> Result<AgentFacts, Problem> {
        let id: PrincipalId = allowed.id();
        let allowed = &allowed;
        let actor = allowed.actor();
        transact(&self.database, |unit| {
            work(async move {
                lock_instance(unit).await?;
                allowed.judged_in(unit).await?;
                self.identity.set_status(unit, id, status).await?;
                let entry =
                    AuditEntry::done(actor, Action::AgentDisable, Some(id.cast())).with("status", status.as_str());
                self.audit.record(unit, &entry).await?;
                Ok(self.present_agent(unit, id).await?)
            })
        })
        .await
    }

    async fn present_agent(&self, reader: &Reader, id: PrincipalId) -> Result<AgentFacts, Problem> {
        let row = account::agent(reader, id).await?;
        let rows = row.into_iter().collect();
        let found = self.with_principals(reader, rows, |row| row.id, AgentFacts::new).await?.pop();
        found.ok_or(Problem::new(ProblemCode::NotFound))
    }
}
