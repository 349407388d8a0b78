use bothy_agents::SessionRow;
use bothy_chat::ThreadFacts;
use bothy_domain::problem::Problem;
use bothy_domain::session::{ContextPlan, PlanFacts, SessionFacts, plan};
use bothy_storage::Reader;

use crate::store::row::RunRow;
use crate::{Runs, store};

/// The plan of a run, and the session that it rests on.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) plan: ContextPlan,
    /// The session of the run, when it belongs to its agent and the agent operates the thread.
    pub(crate) session: Option<SessionRow>,
}

impl Runs {
    /// The plan of a run (RC-4): the same for the invocation that announces the mode and for the
    /// context that is read later.
    pub(crate) async fn plan(&self, reader: &Reader, run: &RunRow, thread: &ThreadFacts) -> Result<Planned, Problem> {
        let operates = self.place_of(reader, thread).await?.is_operated_by(run.agent);
        let session = match run.session {
            Some(session) => self.agents.session(reader, session).await?,
            None => None,
        };
        let session = session.filter(|row| operates && row.agent == run.agent);
        let earlier = match &session {
            Some(row) if row.started => store::run::earlier_in_session(reader, row.id, run).await?,
            _ => Vec::new(),
        };
        let plan = plan(&PlanFacts {
            run: run.id,
            agent: run.agent,
            thread: run.thread,
            queued_at: run.queued_at,
            operates,
            session: session.as_ref().map(|row| SessionFacts { agent: row.agent, started: row.started }),
            same_session: &earlier,
        });
        Ok(Planned { plan, session })
    }
}
