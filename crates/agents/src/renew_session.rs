//! What people do with an agent's memory of a thread (chapter 06 section 4). A run keeps the session
//! that it was queued with; what is changed here counts for the next one.

use bothy_domain::action::{Action, ActionType, actions};
use bothy_domain::audit::AuditEntry;
use bothy_domain::ids::{PrincipalId, ThreadId};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::{UnitOfWork, work};

use crate::{Agents, SessionReference, SessionRow, store};

impl Agents {
    /// The agent begins anew in the thread: its next run gets a session that knows nothing (mode
    /// `new`). A session that has not started knows nothing already, and stays.
    ///
    /// # Errors
    /// `not_found` when the path names no agent.
    pub(crate) async fn reset_agent_session(
        &self,
        allowed: Allowed<actions::AgentSessionReset>,
    ) -> Result<SessionRow, Problem> {
        self.renew_session(allowed, Action::AgentSessionReset, None).await
    }

    /// The agent goes on in the thread with a session that its runtime has already (mode `bind`).
    ///
    /// # Errors
    /// `not_found` when the path names no agent, `validation_failed` for what is no reference.
    pub(crate) async fn bind_agent_session(
        &self,
        allowed: Allowed<actions::AgentSessionBind>,
        reference: &str,
    ) -> Result<SessionRow, Problem> {
        let reference =
            SessionReference::new(reference).map_err(|error| Problem::invalid("/reference", error.to_string()))?;
        self.renew_session(allowed, Action::AgentSessionBind, Some(reference)).await
    }

    async fn renew_session<A: ActionType>(
        &self,
        allowed: Allowed<A>,
        action: Action,
        reference: Option<SessionReference>,
    ) -> Result<SessionRow, Problem> {
        let thread: ThreadId = allowed.id();
        let agent: PrincipalId = allowed.path_id("agent_id")?;
        let (allowed, reference) = (&allowed, &reference);
        transact(&self.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                if store::account::dm_policy(unit, agent).await?.is_none() {
                    return Err(Problem::new(ProblemCode::NotFound).into());
                }
                let reference = reference.as_ref().map(SessionReference::as_str);
                let current = store::session::lock_current(unit, thread, agent).await?;
                if let Some(current) = current.filter(|current| is_like(current, reference)) {
                    return Ok(current);
                }
                let renewed = self.replace_session(unit, thread, agent, reference).await?;
                let entry = AuditEntry::done(allowed.actor(), action, Some(thread.cast())).with("agent", agent);
                self.audit.record(unit, &entry).await?;
                Ok(renewed)
            })
        })
        .await
    }

    async fn replace_session(
        &self,
        unit: &UnitOfWork,
        thread: ThreadId,
        agent: PrincipalId,
        reference: Option<&str>,
    ) -> Result<SessionRow, Problem> {
        store::session::retire(unit, thread, agent).await?;
        let made = self.current_session(unit, thread, agent).await?;
        match reference {
            Some(reference) => store::session::report(unit, made.id, reference)
                .await?
                .ok_or_else(|| Problem::internal("a session was made and cannot be found")),
            None => Ok(made),
        }
    }
}

/// Whether a session is what is asked for already, so that asking twice changes nothing.
fn is_like(current: &SessionRow, reference: Option<&str>) -> bool {
    match reference {
        Some(_) => current.started && current.reference.as_deref() == reference,
        None => !current.started,
    }
}
