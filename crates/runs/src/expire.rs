//! Runs whose time is over (chapter 06 section 2). Nothing is kept in memory: what is due stands in
//! the rows, so a restart loses nothing and nothing stays `running` for ever.

use std::collections::BTreeSet;

use bothy_authz::{RightsChanged, Touched};
use bothy_domain::ids::{PrincipalId, RunId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::run::{Applied, RunCommand, RunState, apply};
use bothy_domain::time::Timestamp;
use bothy_platform::failure::{OrProblem, transact};
use bothy_storage::{Reader, UnitOfWork, work};
use uuid::Uuid;

use crate::rights::Source;
use crate::store::due::OnRights;
use crate::store::row::RunRow;
use crate::{Runs, event, store};

/// How many runs are looked up at once; the pass goes on until none is due.
const BATCH: i64 = 100;

/// How many active runs are looked through at once for rights that ended.
const RIGHTS_BATCH: i64 = 500;

/// How many runs one pass ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Expired {
    /// No agent took them in time.
    pub unavailable: usize,
    /// Their agent fell silent.
    pub lost: usize,
    /// They were to end and did not.
    pub cancelled: usize,
    /// They were told that the time of their question is over.
    pub questions: usize,
    /// Their person or agent lost a right that was given for a time, so they are to end.
    pub revoked: usize,
}

/// What a run may be overdue for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Duty {
    Queue,
    Lease,
    Answer,
    Question,
    Cancel,
}

impl Duty {
    const ALL: [Self; 5] = [Self::Queue, Self::Lease, Self::Answer, Self::Question, Self::Cancel];

    const fn command(self) -> RunCommand {
        match self {
            Self::Queue => RunCommand::ExpireQueue,
            Self::Lease | Self::Answer | Self::Question => RunCommand::LoseLease,
            Self::Cancel => RunCommand::ExpireCancelGrace,
        }
    }

    /// Whether a run is overdue, judged on the locked row: it may have moved on since it was listed.
    fn is_due(self, run: &RunRow, until: Timestamp) -> bool {
        let since = match self {
            Self::Queue => Some(run.queued_at),
            Self::Lease => run.lease_expires_at,
            // The time of the answer stands in its message.
            Self::Answer => return run.input.is_some(),
            // And this one in its question.
            Self::Question => return run.input.is_none(),
            Self::Cancel => run.cancel_requested_at,
        };
        since.is_some_and(|since| since <= until)
    }
}

impl Runs {
    /// One pass of the duty: ends every run that is overdue by the clock. Any number of nodes may
    /// do it at once; each run is claimed by the unit of work that ends it, and whoever comes second
    /// finds it ended.
    ///
    /// # Errors
    /// `unavailable` when the database fails. What was ended before stays ended.
    pub async fn expire(&self) -> Result<Expired, Problem> {
        let revoked = self.end_expired_access().await?;
        let mut expired = Expired { revoked, questions: self.expire_questions().await?, ..Expired::default() };
        for duty in Duty::ALL {
            let ended = self.expire_all(duty).await?;
            match duty {
                Duty::Queue => expired.unavailable = ended,
                Duty::Lease | Duty::Answer | Duty::Question => expired.lost += ended,
                Duty::Cancel => expired.cancelled = ended,
            }
        }
        Ok(expired)
    }

    /// A grant that expires takes effect without any write (AZ-3), so nobody tells the runs that it
    /// carried; here they are found. Returns how many people and agents lost runs thereby.
    async fn end_expired_access(&self) -> Result<usize, Problem> {
        let mut revoked = BTreeSet::new();
        let mut after = (ThreadId::from_uuid(Uuid::nil()), PrincipalId::from_uuid(Uuid::nil()));
        loop {
            let reader = self.database.reader().await.or_problem()?;
            let active = store::due::on_rights(&reader, after, RIGHTS_BATCH).await?;
            let rights = self.rights(Source::Reader(&reader));
            for run in &self.with_expired_grant(&reader, &active).await? {
                let thread = self.chat.thread(&reader, run.thread).await?;
                let thread =
                    thread.ok_or_else(|| Problem::internal(format!("the thread {} of a run is gone", run.thread)))?;
                let direct = self.place_of(&reader, &thread).await?.is_direct();
                if !rights.reads(run.agent, &thread).await? {
                    revoked.insert(run.agent);
                } else if rights.invoke(run.triggered_by, run.agent, &thread, direct).await?.is_err() {
                    revoked.insert(run.triggered_by);
                }
            }
            match active.last() {
                Some(last) if i64::try_from(active.len()).is_ok_and(|found| found >= RIGHTS_BATCH) => {
                    after = (last.thread, last.agent);
                }
                _ => break,
            }
        }
        for principal in &revoked {
            let touched = &Touched::Principals(vec![*principal]);
            transact(&self.database, |unit| work(async move { Ok(self.rights_changed(unit, touched).await?) })).await?;
        }
        Ok(revoked.len())
    }

    /// Those of the runs in which a grant of the person or the agent has expired since they were
    /// queued; authz and identity are asked once for all of them.
    async fn with_expired_grant(&self, reader: &Reader, active: &[OnRights]) -> Result<Vec<OnRights>, Problem> {
        let concerned: BTreeSet<PrincipalId> = active.iter().flat_map(|run| [run.triggered_by, run.agent]).collect();
        let concerned: Vec<PrincipalId> = concerned.into_iter().collect();
        let expired = self.authz.last_expiry(reader, &concerned).await?;
        let has_lost = |principal, since| expired.get(principal).is_some_and(|at| *at > since);
        let suspects = active
            .iter()
            .filter(|run| has_lost(&run.triggered_by, run.queued_at) || has_lost(&run.agent, run.queued_at));
        Ok(suspects.copied().collect())
    }

    async fn expire_all(&self, duty: Duty) -> Result<usize, Problem> {
        let mut ended = 0;
        loop {
            let until = self.overdue_since(duty);
            let due = self.due(duty, until).await?;
            let mut progress = false;
            for run in &due {
                if self.expire_one(duty, *run, until).await? {
                    ended += 1;
                    progress = true;
                }
            }
            // Without progress another node is at it; the next pass looks again.
            if !progress || i64::try_from(due.len()).is_ok_and(|found| found < BATCH) {
                return Ok(ended);
            }
        }
    }

    fn overdue_since(&self, duty: Duty) -> Timestamp {
        let now = self.now();
        match duty {
            // Who has its answer, or knows that none will come, waits for its agent as a queued run does.
            Duty::Queue | Duty::Answer | Duty::Question => now.minus(self.settings.queue_timeout),
            Duty::Lease => now,
            Duty::Cancel => now.minus(self.settings.cancel_grace),
        }
    }

    async fn due(&self, duty: Duty, until: Timestamp) -> Result<Vec<RunId>, Problem> {
        let reader = self.database.reader().await.or_problem()?;
        match duty {
            Duty::Queue => store::due::queue(&reader, until, BATCH).await,
            Duty::Lease => store::due::lease(&reader, until, BATCH).await,
            Duty::Answer => store::due::answer(&reader, until, BATCH).await,
            Duty::Question => store::question::unheard(&reader, until, BATCH).await,
            Duty::Cancel => store::due::cancel(&reader, until, BATCH).await,
        }
    }

    /// What the row of the run does not say of a run that waits: since when its agent could go on.
    async fn is_unheard(&self, unit: &UnitOfWork, duty: Duty, run: RunId, until: Timestamp) -> Result<bool, Problem> {
        match duty {
            Duty::Answer => store::due::is_unheard(unit, run, until).await,
            Duty::Question => {
                let question = store::question::newest(unit, run).await?;
                Ok(question.and_then(|question| question.expired_at).is_some_and(|since| since <= until))
            }
            Duty::Queue | Duty::Lease | Duty::Cancel => Ok(true),
        }
    }

    /// Tells the runs whose question is over that no answer will come any more. Returns how many.
    async fn expire_questions(&self) -> Result<usize, Problem> {
        let mut told = 0;
        loop {
            let now = self.now();
            let due = {
                let reader = self.database.reader().await.or_problem()?;
                store::question::expired(&reader, now, BATCH).await?
            };
            let mut progress = false;
            for run in &due {
                if self.expire_question(*run, now).await? {
                    told += 1;
                    progress = true;
                }
            }
            if !progress || i64::try_from(due.len()).is_ok_and(|found| found < BATCH) {
                return Ok(told);
            }
        }
    }

    /// Whether this node told the run.
    async fn expire_question(&self, run: RunId, now: Timestamp) -> Result<bool, Problem> {
        transact(&self.database, |unit| {
            work(async move {
                let held = store::run::lock_active(unit, run).await?;
                let Some(run) = held.filter(|run| run.state == RunState::WaitingInput && run.input.is_none()) else {
                    return Ok(false);
                };
                if !store::question::note_expired(unit, run.id, now).await? {
                    return Ok(false);
                }
                let thread = self.thread_of(unit, &run).await?;
                let told = [event::question_expired(&thread, &run), event::updated(&thread, &run)];
                self.events.append(unit, &told).await?;
                Ok(true)
            })
        })
        .await
    }

    /// Whether this node ended the run.
    async fn expire_one(&self, duty: Duty, run: RunId, until: Timestamp) -> Result<bool, Problem> {
        transact(&self.database, |unit| {
            work(async move {
                let Some(run) = store::run::lock_active(unit, run).await? else {
                    return Ok(false);
                };
                if !duty.is_due(&run, until) || !self.is_unheard(unit, duty, run.id, until).await? {
                    return Ok(false);
                }
                match apply(run.state, &duty.command()) {
                    Ok(Applied::Ended { state, reason }) => {
                        Ok(self.end(unit, &run, state, reason, None).await?.is_ok())
                    }
                    _ => Ok(false),
                }
            })
        })
        .await
    }
}
