//! Taking over messages from another system (chapter 05 section 3).
//!
//! An imported message keeps its time and its author, and carries origin `import` for ever: nothing
//! acts on it, it tells nobody but those who follow the channel, and it can never instruct. Its key in
//! the system that it came from makes the import idempotent.

use std::collections::{BTreeSet, HashMap, HashSet};

use bothy_chat::{ChannelKind, NewThread, ThreadFacts, ThreadKind};
use bothy_domain::action::{Action, actions};
use bothy_domain::actor::PrincipalKind;
use bothy_domain::audit::AuditEntry;
use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, ThreadId};
use bothy_domain::names::display_name;
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_storage::{Reader, UnitOfWork, work};

use crate::Messaging;
use crate::content::check_content;
use crate::messaging::gone;
use crate::search::index;
use crate::store::import::{self as store, Imported, Insert, KEY_CONSTRAINT};

/// The most messages of one request.
pub(crate) const MAX_MESSAGES: usize = 200;
/// The longest key, in bytes.
const KEY_MAX_BYTES: usize = 200;
/// The most earlier texts of one message.
const MAX_REVISIONS: usize = 100;

/// A message as another system had it.
#[derive(Debug, Clone)]
pub(crate) struct Foreign {
    pub(crate) key: String,
    pub(crate) parent_key: Option<String>,
    pub(crate) author: Option<PrincipalId>,
    pub(crate) author_name: Option<String>,
    pub(crate) content_md: String,
    pub(crate) created_at: Timestamp,
    pub(crate) edited_at: Option<Timestamp>,
    pub(crate) deleted_at: Option<Timestamp>,
    /// Its earlier wordings, oldest first, each with the time at which the next one took its place.
    pub(crate) revisions: Vec<(String, Timestamp)>,
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It was written now.
    Taken(MessageId),
    /// An import before has written it.
    Known(MessageId),
    /// It cannot be taken, and why.
    Refused(Refusal),
}

/// Why a message cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Key,
    DuplicateKey,
    Content,
    Revisions,
    Future,
    Author,
    Parent,
    Closed,
}

impl Refusal {
    /// The word for it on the wire.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key_invalid",
            Self::DuplicateKey => "key_repeated",
            Self::Content => "content_invalid",
            Self::Revisions => "revisions_invalid",
            Self::Future => "time_in_the_future",
            Self::Author => "author_unknown",
            Self::Parent => "parent_unknown",
            Self::Closed => "thread_closed",
        }
    }
}

/// The state of one request while it is worked on.
struct Course<'a> {
    messages: &'a [Foreign],
    channel: ChannelId,
    importer: PrincipalId,
    main: ThreadFacts,
    people: &'a HashSet<PrincipalId>,
    /// What was imported before and now, by key.
    known: HashMap<String, Imported>,
    /// The threads that replies go to, by parent.
    threads: HashMap<MessageId, ThreadFacts>,
}

impl Messaging {
    /// Takes messages over into a channel, in the order in which they are given; says what became of
    /// each. What was taken before is not taken again, and what cannot be taken keeps nothing else
    /// from being taken.
    ///
    /// # Errors
    /// `conflict` when the channel has no main thread, or another import of the same messages is
    /// faster.
    pub(crate) async fn import_messages(
        &self,
        allowed: Allowed<actions::MessageImport>,
        messages: &[Foreign],
    ) -> Result<Vec<Fate>, Problem> {
        let channel: ChannelId = allowed.id();
        let allowed = &allowed;
        let reader = self.reader().await?;
        let people = &self.people_among(&reader, messages).await?;
        drop(reader);
        transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                allowed.takes_effect(uow).await?;
                let facts = self.chat.channel(uow, channel).await?.ok_or_else(gone)?;
                let main = self.chat.main_thread(uow, channel).await?;
                let Some(main) = main.filter(|_| facts.kind == ChannelKind::Text) else {
                    return Err(Problem::conflict("only a text channel takes imported messages").into());
                };
                let keys = messages.iter().flat_map(|one| [Some(&one.key), one.parent_key.as_ref()]);
                let keys: BTreeSet<&str> = keys.flatten().map(String::as_str).collect();
                let known = store::imported(uow, channel, keys.into_iter().collect()).await?;
                let importer = allowed.actor().principal;
                let mut course = Course { messages, channel, importer, main, people, known, threads: HashMap::new() };
                let fates = self.import_all(uow, &mut course).await?;
                let count = |wanted: fn(&Fate) -> bool| fates.iter().filter(|fate| wanted(fate)).count();
                let taken = count(|fate| matches!(fate, Fate::Taken(_)));
                // Repeating an import changes nothing, so there is nothing to record of it.
                if taken > 0 {
                    let entry = AuditEntry::done(allowed.actor(), Action::MessageImport, Some(channel.cast()))
                        .with("taken", taken)
                        .with("refused", count(|fate| matches!(fate, Fate::Refused(_))));
                    self.audit.record(uow, &entry).await?;
                }
                Ok(fates)
            })
        })
        .await
    }

    async fn import_all(&self, uow: &UnitOfWork, course: &mut Course<'_>) -> Result<Vec<Fate>, Problem> {
        let mut seen = HashSet::new();
        let mut fates = Vec::with_capacity(course.messages.len());
        for message in course.messages {
            fates.push(if !seen.insert(message.key.as_str()) {
                Fate::Refused(Refusal::DuplicateKey)
            } else if let Some(earlier) = course.known.get(&message.key) {
                Fate::Known(earlier.message)
            } else {
                match self.fits(message, course.people) {
                    Err(refusal) => Fate::Refused(refusal),
                    Ok(name) => self.import_one(uow, course, message, name.as_deref()).await?,
                }
            });
        }
        Ok(fates)
    }

    /// Whether a message can be taken by itself; the name of its author when that is nobody here.
    fn fits(&self, message: &Foreign, people: &HashSet<PrincipalId>) -> Result<Option<String>, Refusal> {
        if message.key.is_empty() || message.key.len() > KEY_MAX_BYTES || message.key.chars().any(char::is_control) {
            return Err(Refusal::Key);
        }
        let max_bytes = self.config.message.max_bytes.to_usize();
        let deleted = message.deleted_at.is_some();
        // What was deleted says nothing any more, and neither does what it said before.
        if if deleted { !message.content_md.is_empty() } else { check_content(&message.content_md, max_bytes).is_err() }
        {
            return Err(Refusal::Content);
        }
        let said = |(text, _): &(String, Timestamp)| check_content(text, max_bytes).is_ok();
        let ascending = message.revisions.windows(2).all(|pair| match pair {
            [(_, earlier), (_, later)] => earlier <= later,
            _ => true,
        });
        if message.revisions.len() > MAX_REVISIONS
            || (deleted && !message.revisions.is_empty())
            || !ascending
            || !message.revisions.iter().all(said)
        {
            return Err(Refusal::Revisions);
        }
        // Clocks of others are not ours: a message from the future would stand as the newest for ever.
        let times = [Some(message.created_at), message.edited_at, message.deleted_at];
        let now = self.clock.now();
        if times.into_iter().flatten().chain(message.revisions.iter().map(|(_, at)| *at)).any(|at| at > now) {
            return Err(Refusal::Future);
        }
        match (message.author, &message.author_name) {
            (Some(author), None) if people.contains(&author) => Ok(None),
            (None, Some(name)) => display_name(name).map(Some).map_err(|_| Refusal::Author),
            _ => Err(Refusal::Author),
        }
    }

    async fn import_one(
        &self,
        uow: &UnitOfWork,
        course: &mut Course<'_>,
        message: &Foreign,
        name: Option<&str>,
    ) -> Result<Fate, Problem> {
        let thread = match &message.parent_key {
            None => course.main.clone(),
            Some(parent) => match course.known.get(parent).copied() {
                // A reply to a reply has no place here.
                Some(parent) if parent.thread == course.main.id => self.thread_of(uow, course, parent.message).await?,
                _ => return Ok(Fate::Refused(Refusal::Parent)),
            },
        };
        // The thread of a parent that was imported before may have moved: what goes on elsewhere is
        // not for whoever imports here.
        if thread.channel.id != course.channel {
            return Ok(Fate::Refused(Refusal::Parent));
        }
        if thread.closed {
            return Ok(Fate::Refused(Refusal::Closed));
        }
        let insert = Insert {
            id: self.ids.next(),
            thread: thread.id,
            thread_seq: self.chat.next_seq(uow, thread.id).await?,
            author: message.author.unwrap_or(course.importer),
            imported_author: name,
            content_md: &message.content_md,
            created_at: message.created_at,
            edited_at: message.edited_at,
            deleted_at: message.deleted_at,
            revisions: message.revisions.iter().map(|(text, at)| (text.as_str(), *at)).collect(),
        };
        store::insert(uow, course.channel, &message.key, &insert)
            .await
            .or_conflict(KEY_CONSTRAINT, "the same messages are being imported by somebody else")?;
        if message.deleted_at.is_none() {
            index::add(uow, course.channel, insert.id, &message.content_md).await.or_problem()?;
        }
        self.tell_created(uow, &thread, insert.id).await?;
        course.known.insert(message.key.clone(), Imported { message: insert.id, thread: thread.id });
        Ok(Fate::Taken(insert.id))
    }

    /// The thread of a parent; it is opened with the first reply.
    async fn thread_of(
        &self,
        uow: &UnitOfWork,
        course: &mut Course<'_>,
        parent: MessageId,
    ) -> Result<ThreadFacts, Problem> {
        if let Some(thread) = course.threads.get(&parent) {
            return Ok(thread.clone());
        }
        let id: ThreadId = match self.chat.thread_from(uow, parent).await? {
            Some(thread) => thread,
            None => {
                let new = NewThread {
                    channel: course.channel,
                    space: course.main.channel.space,
                    kind: ThreadKind::Thread,
                    parent_message: Some(parent),
                    title: None,
                    created_by: course.importer,
                };
                self.chat.open_thread(uow, new).await?
            }
        };
        let thread = self.chat.thread(uow, id).await?.ok_or_else(gone)?;
        course.threads.insert(parent, thread.clone());
        Ok(thread)
    }

    /// Those of the named authors that are people here.
    async fn people_among(&self, reader: &Reader, messages: &[Foreign]) -> Result<HashSet<PrincipalId>, Problem> {
        let named: BTreeSet<PrincipalId> = messages.iter().filter_map(|message| message.author).collect();
        let named: Vec<PrincipalId> = named.into_iter().collect();
        let found = self.identity.principals(reader, &named).await?;
        Ok(found.into_iter().filter(|one| one.kind == PrincipalKind::Person).map(|one| one.id).collect())
    }
}
