//! Looking for messages (chapter 05, chapter 03 section 6).
//!
//! The index is a table of words and messages, the same on both engines: words are folded here
//! ([`fold`]), so both find the same, and nothing that somebody types ever reaches a query parser.
//! A search goes along the rarest of its words. Who sees some channels looks into each of those, so that
//! what is hidden costs nothing and cannot be told from the time it takes; who sees the whole instance
//! reads the index backwards and stops when the page is full. Either costs what is read, whatever the
//! size of the instance. More is read when further words, a phrase or a filter leave few messages, and
//! when more words than [`BEGINNING_WORDS`] begin as the last one does.

mod fold;
pub(crate) mod index;
mod query;
mod snippet;

use std::collections::{BTreeSet, HashMap};

use bothy_chat::ThreadFacts;
use bothy_domain::action::{Action, actions};
use bothy_domain::ids::{MessageId, ThreadId};
use bothy_domain::policy::Scope;
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::Reader;

use crate::messaging::gone;
use crate::shown::PlacedRow;
use crate::store::messages::MessageRow;
use crate::store::search::{self as store, COUNTED, Lead, Lookup};
use crate::{Messaging, ShownMessage};

pub(crate) use crate::store::search::Filter;
pub(crate) use query::Query;
pub(crate) use snippet::{Snippet, snippet};

/// When more words than these begin as the last one does, their messages are gathered and sorted.
const BEGINNING_WORDS: u8 = 50;

/// What is looked for.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    pub(crate) query: Query,
    pub(crate) filter: Filter,
    pub(crate) has_link: bool,
    pub(crate) has_code: bool,
    pub(crate) paging: Paging,
}

impl Search {
    fn lookup<'a>(
        &'a self,
        lead: Lead<'a>,
        wanted: &'a [&'a str],
        patterns: &'a [String],
        before: Option<MessageId>,
    ) -> Lookup<'a> {
        Lookup { lead, wanted, patterns, filter: &self.filter, before, limit: self.paging.fetch() }
    }
}

/// A message that was found, and the piece of it that shows why.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    pub(crate) message: ShownMessage,
    pub(crate) snippet: Snippet,
}

impl Messaging {
    /// Messages that the caller may read and that say all of the words, newest first.
    ///
    /// # Errors
    /// `validation_failed` for a cursor of another list.
    pub(crate) async fn search_messages(
        &self,
        allowed: Allowed<actions::MessageRead>,
        search: &Search,
    ) -> Result<Page<Hit>, Problem> {
        let scope = allowed.scope::<actions::MessageRead>().await?;
        let before = search.paging.after_id()?;
        let reader = self.reader().await?;
        let rows = self.rows(&reader, &scope, search, before).await?;
        let found = page(rows, search.paging.limit, |last| Cursor::id(last.id));
        let threads = self.threads_of(&reader, &found.items).await?;
        let Page { items, next_cursor } = found;
        let mut placed = Vec::with_capacity(items.len());
        for row in items {
            let thread = threads.get(&row.thread).ok_or_else(gone)?;
            placed.push(PlacedRow { channel: thread.channel.id, space: thread.channel.space, row });
        }
        placed.retain(|row| allowed.judge().keeps(Action::MessageRead, &row.resource()));
        let shown = self.shown_placed(&reader, placed, allowed.actor().principal).await?;
        let hits = shown.into_iter().map(|message| {
            let snippet = snippet(&message.message.content_md, &search.query);
            Hit { message, snippet }
        });
        Ok(Page { items: hits.collect(), next_cursor })
    }

    /// One row more than the page has, if there are as many.
    async fn rows(
        &self,
        reader: &Reader,
        scope: &Scope,
        search: &Search,
        before: Option<MessageId>,
    ) -> Result<Vec<MessageRow>, Problem> {
        let marks = [(index::LINK, search.has_link), (index::CODE, search.has_code)];
        let marks: Vec<&str> = marks.into_iter().filter(|(_, wanted)| *wanted).map(|(mark, _)| mark).collect();
        let words = search.query.whole_words();
        let patterns = search.query.patterns();
        // Where the search goes by the beginning, nothing has to look for it again.
        let without = search.query.patterns_without_beginning();
        match lead(reader, scope, &words, search.query.beginning()).await? {
            Path::Word(word) => {
                let wanted = others(&words, &marks, &word);
                let lookup = search.lookup(Lead::Word(&word), &wanted, &patterns, before);
                store::search(reader, scope, lookup).await.or_problem()
            }
            Path::Beginning(beginning) => {
                let wanted = others(&words, &marks, beginning);
                let lookup = search.lookup(Lead::Beginning(beginning), &wanted, &without, before);
                store::search(reader, scope, lookup).await.or_problem()
            }
            Path::Words(leads) => {
                let mut rows = Vec::new();
                for word in &leads {
                    let wanted = others(&words, &marks, word);
                    let lookup = search.lookup(Lead::Word(word), &wanted, &without, before);
                    rows.extend(store::search(reader, scope, lookup).await.or_problem()?);
                }
                rows.sort_by_key(|row: &MessageRow| std::cmp::Reverse(row.id));
                rows.dedup_by(|one, other| one.id == other.id);
                rows.truncate(usize::try_from(search.paging.fetch()).unwrap_or(usize::MAX));
                Ok(rows)
            }
        }
    }

    async fn threads_of(
        &self,
        reader: &Reader,
        rows: &[MessageRow],
    ) -> Result<HashMap<ThreadId, ThreadFacts>, Problem> {
        let ids: BTreeSet<ThreadId> = rows.iter().map(|row| row.thread).collect();
        let ids: Vec<ThreadId> = ids.into_iter().collect();
        let threads = self.chat.threads(reader, &ids).await?;
        Ok(threads.into_iter().map(|thread| (thread.id, thread)).collect())
    }
}

/// What a search goes by.
enum Path<'a> {
    /// One word.
    Word(String),
    /// All words that begin so, which stand in few messages.
    Beginning(&'a str),
    /// All words that begin so, which are few, one after the other.
    Words(Vec<String>),
}

/// Finds what stands in the fewest messages.
async fn lead<'a>(
    reader: &Reader,
    scope: &Scope,
    words: &BTreeSet<&str>,
    beginning: Option<&'a str>,
) -> Result<Path<'a>, Problem> {
    let all: Vec<&str> = words.iter().copied().collect();
    let rarest = match (all.as_slice(), beginning) {
        ([], _) => None,
        // There is nothing to compare it with.
        ([one], None) => return Ok(Path::Word((*one).to_owned())),
        (more, _) => store::rarest(reader, scope, more).await.or_problem()?,
    };
    let Some(beginning) = beginning else {
        return rarest.map(|(_, word)| Path::Word(word)).ok_or_else(|| Problem::internal("a query without a word"));
    };
    let count = store::count_beginning(reader, scope, beginning).await.or_problem()?;
    match rarest {
        Some((occurrences, word)) if occurrences <= count => return Ok(Path::Word(word)),
        _ if count < COUNTED => return Ok(Path::Beginning(beginning)),
        _ => {}
    }
    let words = store::words_of(reader, beginning, BEGINNING_WORDS).await.or_problem()?;
    Ok(words.map_or(Path::Beginning(beginning), Path::Words))
}

/// What must stand in a message beside the word that a search goes by.
fn others<'a>(words: &BTreeSet<&'a str>, marks: &[&'a str], lead: &str) -> Vec<&'a str> {
    words.iter().copied().filter(|word| *word != lead).chain(marks.iter().copied()).collect()
}

#[cfg(test)]
mod tests;
