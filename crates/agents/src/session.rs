//! The continuity of an agent's memory in a thread (chapter 06 section 4).

use bothy_domain::ids::{AgentSessionId, PrincipalId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_storage::{Reader, UnitOfWork};

use crate::{Agents, store};

/// A session of an agent in a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// The session.
    pub id: AgentSessionId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its agent.
    pub agent: PrincipalId,
    /// Whether new runs of the agent in the thread get it.
    pub is_current: bool,
    /// Whether the agent reported it in a run, or a person attached a reference to it.
    pub started: bool,
    /// The runtime's own name for it.
    pub reference: Option<String>,
}

/// A runtime's own name for a session: an opaque text that is handed back with the next
/// invocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionReference(String);

/// A text that is no reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to 512 bytes of visible characters without spaces")]
pub struct InvalidSessionReference;

impl SessionReference {
    /// The longest reference in bytes. It is part of the format, like the characters.
    pub const MAX_LEN: usize = 512;

    /// Checks what an agent sent.
    ///
    /// # Errors
    /// [`InvalidSessionReference`] when it is empty, too long, or not visible ASCII: it is copied
    /// into command lines and logs of runtimes.
    pub fn new(text: &str) -> Result<Self, InvalidSessionReference> {
        let fits = !text.is_empty() && text.len() <= Self::MAX_LEN;
        if fits && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSessionReference)
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Agents {
    /// The session that a new run of the agent in the thread gets; made when there is none yet. Two
    /// units of work that ask at once get the same one (unique index `agent_sessions_one_current`).
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn current_session(
        &self,
        unit: &UnitOfWork,
        thread: ThreadId,
        agent: PrincipalId,
    ) -> Result<SessionRow, Problem> {
        if let Some(session) = store::session::current(unit, thread, agent).await? {
            return Ok(session);
        }
        store::session::insert(unit, self.ids.next(), thread, agent, self.now()).await?;
        store::session::current(unit, thread, agent)
            .await?
            .ok_or_else(|| Problem::internal("a session was made and cannot be found"))
    }

    /// A session by its id, as a run keeps it. Read without a predicate on channels: it belongs to
    /// a run that the caller has loaded already.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn session(&self, reader: &Reader, id: AgentSessionId) -> Result<Option<SessionRow>, Problem> {
        store::session::by_id(reader, id).await
    }

    /// Takes the reference that an agent reported in a run; the session has started thereby.
    ///
    /// # Errors
    /// `unavailable` when the database fails, `internal_error` when there is no such session.
    pub async fn report(
        &self,
        unit: &UnitOfWork,
        session: AgentSessionId,
        reference: &SessionReference,
    ) -> Result<SessionRow, Problem> {
        store::session::report(unit, session, reference.as_str())
            .await?
            .ok_or_else(|| Problem::internal("the session of a run does not exist"))
    }
}
