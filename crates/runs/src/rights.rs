//! Decisions without a request: may this person instruct agents here, may this agent work here, at
//! this moment. The rights come from authz and the rules from `domain::policy`; nothing is derived
//! here.

use std::collections::HashMap;
use std::sync::Arc;

use bothy_chat::ThreadFacts;
use bothy_domain::action::Action;
use bothy_domain::actor::{ActingFor, Actor, Credential};
use bothy_domain::ids::{PrincipalId, TokenId};
use bothy_domain::policy::{Decision, Judgement, Mode, Reason, Resource, Snapshot, decide};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, UnitOfWork};
use futures::lock::Mutex;

use crate::Runs;

/// Where rights are read.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// The newest committed state.
    Reader(&'a Reader),
    /// The state that a unit of work sees, its own changes included.
    Unit(&'a UnitOfWork),
}

impl<'a> Source<'a> {
    pub(crate) fn reader(self) -> &'a Reader {
        match self {
            Self::Reader(reader) => reader,
            Self::Unit(unit) => unit,
        }
    }
}

/// The rights of people and agents at one moment; each principal is loaded once.
pub(crate) struct RightsNow<'a> {
    runs: &'a Runs,
    source: Source<'a>,
    now: Timestamp,
    known: Mutex<HashMap<PrincipalId, Arc<Snapshot>>>,
}

impl Runs {
    pub(crate) fn rights<'a>(&'a self, source: Source<'a>) -> RightsNow<'a> {
        RightsNow { runs: self, source, now: self.now(), known: Mutex::new(HashMap::new()) }
    }
}

impl RightsNow<'_> {
    /// The rights of a principal, with ownership: an owner instructs from any session, and whether
    /// there is one is not known here (AF-10). Agents own nothing.
    async fn of(&self, principal: PrincipalId) -> Result<Arc<Snapshot>, Problem> {
        let mut known = self.known.lock().await;
        if let Some(snapshot) = known.get(&principal) {
            return Ok(Arc::clone(snapshot));
        }
        let authz = &self.runs.authz;
        let snapshot = match self.source {
            Source::Reader(reader) => authz.snapshot(reader, principal, true).await?,
            Source::Unit(unit) => authz.snapshot_in(unit, principal, true).await?,
        };
        known.insert(principal, Arc::clone(&snapshot));
        Ok(snapshot)
    }

    /// Whether the person passes `agent.invoke` for the agent here; otherwise why not. In a channel
    /// that is level `trigger`; in a direct message it is taking part and being admitted by the
    /// agent's policy (chapter 06 section 1 point 3).
    pub(crate) async fn invoke(
        &self,
        person: PrincipalId,
        agent: PrincipalId,
        thread: &ThreadFacts,
        direct: bool,
    ) -> Result<Result<(), Reason>, Problem> {
        let rights = self.of(person).await?;
        if !direct {
            return Ok(self.judge(&rights, Action::AgentInvoke, &thread.channel.resource()));
        }
        if let Err(reason) = self.judge(&rights, Action::MessageCreate, &thread.resource()) {
            return Ok(Err(reason));
        }
        let admitted = self.runs.admits_in_direct(self.source.reader(), agent, person).await?;
        Ok(if admitted { Ok(()) } else { Err(Reason::LevelInsufficient) })
    }

    /// Whether the agent is active and may read and write here in its own right.
    pub(crate) async fn works(&self, agent: PrincipalId, thread: &ThreadFacts) -> Result<bool, Problem> {
        let rights = self.of(agent).await?;
        Ok(self.judge(&rights, Action::MessageCreate, &thread.resource()).is_ok())
    }

    /// Whether the principal is active and may read here in its own right.
    pub(crate) async fn reads(&self, principal: PrincipalId, thread: &ThreadFacts) -> Result<bool, Problem> {
        let rights = self.of(principal).await?;
        Ok(self.judge(&rights, Action::ThreadRead, &thread.resource()).is_ok())
    }

    /// Whether the principal is active.
    pub(crate) async fn is_active(&self, principal: PrincipalId) -> Result<bool, Problem> {
        Ok(self.of(principal).await?.is_active())
    }

    fn judge(&self, rights: &Snapshot, action: Action, resource: &Resource) -> Result<(), Reason> {
        // There is no request, so there is no credential; none of these actions asks for one.
        let actor = Actor {
            principal: rights.principal(),
            kind: rights.kind(),
            credential: Credential::PersonalToken { id: TokenId::from_uuid(rights.principal().uuid()) },
            rights_version: 0,
            acting_for: ActingFor::Absent,
            requires_binding: false,
        };
        let judgement = Judgement {
            actor: &actor,
            own: rights,
            person: None,
            action,
            resource: Some(resource),
            mode: Mode::Delivery,
            now: self.now,
        };
        match decide(&judgement) {
            Decision::Allow => Ok(()),
            Decision::Deny(denial) => Err(denial.reason),
        }
    }
}
