//! Runs whose time is over (chapter 06 section 2). Nothing is kept in memory: what is due stands in
//! the rows, so a restart loses nothing and nothing stays `running` for ever.

use bothy_domain::ids::RunId;
use bothy_domain::problem::Problem;
use bothy_domain::run::{Applied, RunCommand, apply};
use bothy_domain::time::Timestamp;
use bothy_platform::failure::{OrProblem, transact};
use bothy_storage::work;

use crate::store::row::RunRow;
use crate::{Runs, store};

/// How many runs are looked up at once; the pass goes on until none is due.
const BATCH: i64 = 100;

/// How many runs one pass ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Expired {
    /// No agent took them in time.
    pub unavailable: usize,
    /// Their agent fell silent.
    pub lost: usize,
    /// They were to end and did not.
    pub cancelled: usize,
}

/// What a run may be overdue for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Duty {
    Queue,
    Lease,
    Cancel,
}

impl Duty {
    const ALL: [Self; 3] = [Self::Queue, Self::Lease, Self::Cancel];

    const fn command(self) -> RunCommand {
        match self {
            Self::Queue => RunCommand::ExpireQueue,
            Self::Lease => RunCommand::LoseLease,
            Self::Cancel => RunCommand::ExpireCancelGrace,
        }
    }

    /// Whether a run is overdue, judged on the locked row: it may have moved on since it was listed.
    fn is_due(self, run: &RunRow, until: Timestamp) -> bool {
        let since = match self {
            Self::Queue => Some(run.queued_at),
            Self::Lease => run.lease_expires_at,
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
        let mut expired = Expired::default();
        for duty in Duty::ALL {
            let ended = self.expire_all(duty).await?;
            match duty {
                Duty::Queue => expired.unavailable = ended,
                Duty::Lease => expired.lost = ended,
                Duty::Cancel => expired.cancelled = ended,
            }
        }
        Ok(expired)
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
            Duty::Queue => now.minus(self.settings.queue_timeout),
            Duty::Lease => now,
            Duty::Cancel => now.minus(self.settings.cancel_grace),
        }
    }

    async fn due(&self, duty: Duty, until: Timestamp) -> Result<Vec<RunId>, Problem> {
        let reader = self.database.reader().await.or_problem()?;
        match duty {
            Duty::Queue => store::due::queue(&reader, until, BATCH).await,
            Duty::Lease => store::due::lease(&reader, until, BATCH).await,
            Duty::Cancel => store::due::cancel(&reader, until, BATCH).await,
        }
    }

    /// Whether this node ended the run.
    async fn expire_one(&self, duty: Duty, run: RunId, until: Timestamp) -> Result<bool, Problem> {
        transact(&self.database, |unit| {
            work(async move {
                let Some(run) = store::run::lock_active(unit, run).await? else {
                    return Ok(false);
                };
                if !duty.is_due(&run, until) {
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
