use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};

use bothy_authz::Authz;
use bothy_chat::{Chat, ThreadFacts};
use bothy_domain::ids::{ChannelId, PrincipalId};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_identity::{Identity, PrincipalRef};
use bothy_platform::audit::AuditLog;
use bothy_platform::clock::SharedClock;
use bothy_platform::config::Config;
use bothy_platform::entropy::IdSource;
use bothy_platform::events::EventLog;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Database, Reader, Statement};

use crate::store::messages::MessageRow;
use crate::{MessageWritten, StoredMessage, store};

/// What messaging stands on.
#[allow(missing_debug_implementations)]
pub struct Parts {
    /// The database.
    pub database: Database,
    /// The time.
    pub clock: SharedClock,
    /// Where ids come from.
    pub ids: IdSource,
    /// The settings.
    pub config: Arc<Config>,
    /// What was done is recorded here.
    pub audit: AuditLog,
    /// What changed is told here.
    pub events: EventLog,
    /// Says who may read what.
    pub authz: Arc<Authz>,
    /// Says who is who.
    pub identity: Arc<Identity>,
    /// Owns the threads.
    pub chat: Arc<Chat>,
}

/// Messages.
#[allow(missing_debug_implementations)]
pub struct Messaging {
    pub(crate) database: Database,
    pub(crate) clock: SharedClock,
    pub(crate) ids: IdSource,
    pub(crate) config: Arc<Config>,
    pub(crate) audit: AuditLog,
    pub(crate) events: EventLog,
    pub(crate) authz: Arc<Authz>,
    pub(crate) identity: Arc<Identity>,
    pub(crate) chat: Arc<Chat>,
    written: OnceLock<Weak<dyn MessageWritten>>,
}

impl Messaging {
    /// The module on its parts.
    pub fn new(parts: Parts) -> Self {
        let Parts { database, clock, ids, config, audit, events, authz, identity, chat } = parts;
        Self { database, clock, ids, config, audit, events, authz, identity, chat, written: OnceLock::new() }
    }

    /// Connects who acts on messages (runs). Kept weakly: the wiring of the server keeps the modules
    /// alive, and no module keeps another one alive in a circle.
    pub fn set_message_written(&self, hook: &Arc<dyn MessageWritten>) {
        if self.written.set(Arc::downgrade(hook)).is_err() {
            tracing::error!("the hook of written messages was connected twice; the first connection counts");
        }
    }

    /// Nobody acts on messages on an instance without runs, but whoever was connected must.
    pub(crate) fn message_written(&self) -> Result<Option<Arc<dyn MessageWritten>>, Problem> {
        match self.written.get() {
            None => Ok(None),
            Some(hook) => match hook.upgrade() {
                Some(hook) => Ok(Some(hook)),
                None => Err(Problem::internal("the hook of written messages is gone")),
            },
        }
    }

    /// Every statement of this crate, for the test that prepares them on both engines.
    pub fn statements() -> Vec<&'static Statement> {
        store::statements()
    }

    pub(crate) async fn reader(&self) -> Result<Reader, Problem> {
        self.database.reader().await.or_problem()
    }

    /// Rows of one thread as messages with their authors, in the order of the rows.
    pub(crate) async fn with_authors(
        &self,
        reader: &Reader,
        thread: &ThreadFacts,
        rows: Vec<MessageRow>,
    ) -> Result<Vec<StoredMessage>, Problem> {
        self.with_known_channels(reader, rows.into_iter().map(|row| (thread.channel.id, row)).collect()).await
    }

    /// Rows with the channels that they stand in as messages with their authors, in the order of the
    /// rows.
    pub(crate) async fn with_known_channels(
        &self,
        reader: &Reader,
        rows: Vec<(ChannelId, MessageRow)>,
    ) -> Result<Vec<StoredMessage>, Problem> {
        let mut ids: Vec<PrincipalId> = rows.iter().map(|(_, row)| row.author).collect();
        ids.sort_unstable();
        ids.dedup();
        let authors = self.identity.principals(reader, &ids).await?;
        let authors: HashMap<PrincipalId, PrincipalRef> = authors.into_iter().map(|one| (one.id, one)).collect();
        rows.into_iter()
            .map(|(channel, row)| match authors.get(&row.author) {
                Some(author) => Ok(row.stored(channel, author.clone())),
                None => Err(Problem::internal("a message without an author")),
            })
            .collect()
    }

    /// One row as a message with its author.
    pub(crate) async fn with_author(
        &self,
        reader: &Reader,
        thread: &ThreadFacts,
        row: MessageRow,
    ) -> Result<StoredMessage, Problem> {
        self.with_authors(reader, thread, vec![row]).await?.pop().ok_or_else(gone)
    }
}

/// The answer when a target went away between the decision and the read.
pub(crate) fn gone() -> Problem {
    Problem::new(ProblemCode::NotFound)
}
