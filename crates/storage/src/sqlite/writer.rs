//! The one writer, with group commit.
//!
//! Syncing the disk is what a durable write costs. While one transaction syncs, more units of
//! work arrive; they run one after another as savepoints of the next transaction and are
//! acknowledged together by its commit. The connection travels: from a unit to the next one that
//! waits, and, when nobody waits or the group is large enough, to a thread that commits, so that
//! no async worker waits for the disk.

mod group;
mod lease;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use rusqlite::Connection;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use self::group::Group;
pub(super) use self::lease::Lease;
use super::connection;
use super::names::UniqueNames;
use crate::{StorageError, wait};

/// The writer of a database.
pub(super) struct Writer(Arc<Shared>);

/// What leases, the committing thread and the writer share.
struct Shared {
    queue: Mutex<Queue>,
    jobs: mpsc::Sender<Job>,
    patience: Duration,
    names: Arc<UniqueNames>,
    commits: AtomicU64,
}

struct Queue {
    /// The connection, while nobody uses it. Its group is closed then.
    idle: Option<Box<Group>>,
    /// Units that wait for it, first come, first served.
    waiting: VecDeque<oneshot::Sender<Lease>>,
    closed: bool,
}

/// A group that is to be committed.
struct Job {
    group: Box<Group>,
    shared: Arc<Shared>,
}

impl Writer {
    /// Starts the thread that commits.
    pub(super) fn start(
        connection: Connection,
        patience: Duration,
        names: Arc<UniqueNames>,
    ) -> Result<Self, StorageError> {
        let (jobs, incoming) = mpsc::channel();
        // Hooks may start tasks.
        let runtime = Handle::try_current().ok();
        std::thread::Builder::new()
            .name("bothy-commit".to_owned())
            .spawn(move || {
                let _runtime = runtime.as_ref().map(Handle::enter);
                commit_groups(&incoming);
            })
            .map_err(|error| StorageError::unavailable(format!("the committing thread does not start: {error}")))?;
        let idle = Some(Box::new(Group::new(connection)));
        let queue = Mutex::new(Queue { idle, waiting: VecDeque::new(), closed: false });
        Ok(Self(Arc::new(Shared { queue, jobs, patience, names, commits: AtomicU64::new(0) })))
    }

    /// Waits for the connection and opens a savepoint.
    pub(super) async fn begin(&self) -> Result<Lease, StorageError> {
        let mut lease = self.lease(false).await?;
        lease.enter()?;
        Ok(lease)
    }

    /// How many transactions were committed; fewer than units of work when they are grouped.
    pub(super) fn commits(&self) -> u64 {
        self.0.commits.load(Ordering::Relaxed)
    }

    /// Refuses new units, lets those that wait end, and closes the connection.
    pub(super) async fn close(&self) {
        if let Ok(lease) = self.lease(true).await
            && let Some(group) = lease.into_group()
        {
            group.close();
        }
    }

    async fn lease(&self, last: bool) -> Result<Lease, StorageError> {
        let shared = &self.0;
        let mut arrival = {
            let mut queue = shared.queue();
            if queue.closed {
                return Err(StorageError::unavailable("it is closed"));
            }
            queue.closed = last;
            if let Some(group) = queue.idle.take() {
                return Ok(Lease::new(group, Arc::clone(shared)));
            }
            let (hand, arrival) = oneshot::channel();
            queue.waiting.push_back(hand);
            arrival
        };
        match wait::within(shared.patience, &mut arrival).await {
            Some(Ok(lease)) => Ok(lease),
            Some(Err(_)) => Err(StorageError::unavailable("the writer has ended")),
            None => Err(StorageError::unavailable("the writer did not become free in time")),
        }
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives the connection to whoever is next: a unit that waits, the thread that commits, or nobody.
fn hand_on(shared: &Arc<Shared>, mut group: Box<Group>) {
    loop {
        let mut queue = shared.queue();
        if group.is_open() && (queue.waiting.is_empty() || group.is_large()) {
            drop(queue);
            if group.owes_nothing() {
                group.undo();
                continue;
            }
            if let Err(mpsc::SendError(job)) = shared.jobs.send(Job { group, shared: Arc::clone(shared) }) {
                // The thread is gone: its work is done here, slowly but rightly.
                group = job.group;
                commit(shared, &mut group);
                continue;
            }
            return;
        }
        let Some(next) = queue.waiting.pop_front() else {
            queue.idle = Some(group);
            return;
        };
        drop(queue);
        match next.send(Lease::new(group, Arc::clone(shared))) {
            Ok(()) => return,
            // It was cancelled while it waited.
            Err(lease) => match lease.into_group() {
                Some(back) => group = back,
                None => return,
            },
        }
    }
}

/// The thread that commits. It ends when the writer and all leases are gone.
fn commit_groups(incoming: &mpsc::Receiver<Job>) {
    while let Ok(Job { mut group, shared }) = incoming.recv() {
        commit(&shared, &mut group);
        hand_on(&shared, group);
    }
}

fn commit(shared: &Shared, group: &mut Group) {
    if group.commit(&shared.names) {
        shared.commits.fetch_add(1, Ordering::Relaxed);
    }
}
