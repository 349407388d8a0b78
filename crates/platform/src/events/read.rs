use bothy_domain::event::{Audience, Event, NewEvent};
use bothy_domain::ids::PrincipalId;
use bothy_domain::policy::Scope;
use bothy_storage::{Reader, StorageError};
use futures::future::try_join4;

use crate::events::log::EventLog;
use crate::events::store::{self, Positioned};

/// The first stretch of the log that is looked at; each further one is so many times longer.
const FIRST_STRETCH: i64 = 256;
const GROWTH: i64 = 4;
/// A row that is read in passing costs less than a seek in the index by about this factor.
const ROWS_A_SEEK: i64 = 4;
/// The most rows that are read at once in passing.
const LONGEST_WALK: i64 = 8_192;

/// Whose events are read: what concerns everybody, this principal, or the readers of a channel in
/// scope.
#[derive(Debug, Clone, Copy)]
pub struct AudienceFilter<'a> {
    /// The consumer.
    pub principal: PrincipalId,
    /// The channels that it may read.
    pub scope: &'a Scope,
}

/// Events after a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The events, by position.
    pub events: Vec<Event>,
    /// Where to read on: everything up to here has been looked at. It grows also when no event was
    /// for the consumer, so that nobody looks at others' events twice.
    pub cursor: i64,
    /// Whether there may be more already.
    pub more: bool,
}

/// A stretch of the log: positions over `after` up to `to`, at most `limit` rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) after: i64,
    pub(super) to: i64,
    pub(super) limit: i64,
}

impl EventLog {
    /// Every event after a cursor, at most `limit` (at least one).
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn read_after(&self, reader: &Reader, cursor: i64, limit: u32) -> Result<Page, StorageError> {
        let head = store::head(reader).await?;
        let limit = i64::from(limit.max(1));
        let rows = store::between(reader, Span { after: cursor, to: head, limit }).await?;
        Ok(page(rows, cursor, head, limit))
    }

    /// The events after a cursor that concern a consumer, at most `limit` (at least one).
    ///
    /// The cost depends on what is new and on what the consumer sees, whichever is less, and never on
    /// the size of the instance: a short stretch is read in passing, a longer one by one index seek
    /// for each channel and space in scope. Whether an event may be delivered is still judged by the
    /// caller, by the rights of that moment.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn read_for(
        &self,
        reader: &Reader,
        cursor: i64,
        limit: u32,
        filter: AudienceFilter<'_>,
    ) -> Result<Page, StorageError> {
        let head = store::head(reader).await?;
        let limit = i64::from(limit.max(1));
        let mut found: Vec<Positioned> = Vec::new();
        let mut after = cursor;
        let mut stretch = FIRST_STRETCH;
        while after < head && count(&found) < limit {
            let to = after.saturating_add(stretch).min(head);
            let span = Span { after, to, limit: limit - count(&found) };
            after = if filter.walks(to - after) {
                filter.walk(reader, span, &mut found).await?
            } else {
                filter.seek(reader, span, &mut found).await?
            };
            stretch = if filter.scope.instance_wide { LONGEST_WALK } else { stretch.saturating_mul(GROWTH) };
        }
        Ok(page(found, cursor, after.max(cursor), limit).with_more(after < head))
    }
}

impl AudienceFilter<'_> {
    fn sees(&self, event: &NewEvent) -> bool {
        match event.audience {
            Audience::Instance => true,
            Audience::Principal(principal) => principal == self.principal,
            Audience::Channel(channel) => self.scope.shows_channel(event.space, channel),
        }
    }

    /// Whether reading a stretch in passing is cheaper than looking up what the consumer sees. Who
    /// sees everything would look up everything.
    fn walks(&self, rows: i64) -> bool {
        let keys = self.scope.channel_ids.len().saturating_add(self.scope.fully_visible_space_ids.len());
        let seeks = i64::try_from(keys).unwrap_or(i64::MAX).saturating_add(2);
        self.scope.instance_wide
            || rows <= FIRST_STRETCH
            || (rows <= LONGEST_WALK && rows <= seeks.saturating_mul(ROWS_A_SEEK))
    }

    /// Reads the stretch and keeps what the consumer sees. Returns how far it has looked.
    async fn walk(&self, reader: &Reader, span: Span, found: &mut Vec<Positioned>) -> Result<i64, StorageError> {
        let rows = store::between(reader, Span { limit: span.to - span.after, ..span }).await?;
        let mut room = span.limit;
        for (position, event) in rows {
            if event.is_some_and(|event| self.sees(&event.event)) {
                found.push((position, event));
                room -= 1;
                if room == 0 {
                    return Ok(position);
                }
            }
        }
        Ok(span.to)
    }

    /// Looks up what the consumer sees in the stretch. Returns how far it has looked.
    async fn seek(&self, reader: &Reader, span: Span, found: &mut Vec<Positioned>) -> Result<i64, StorageError> {
        let (all, own, channels, spaces) = try_join4(
            store::for_all(reader, span),
            store::for_principal(reader, span, self.principal),
            store::of_channels(reader, span, &self.scope.channel_ids),
            store::of_spaces(reader, span, &self.scope.fully_visible_space_ids),
        )
        .await?;
        // Each source has its first rows of the stretch, so together they have the first rows of all.
        let mut rows: Vec<Positioned> = [all, own, channels, spaces].into_iter().flatten().collect();
        rows.sort_by_key(|(position, _)| *position);
        // A channel that is named may also lie in a space that is fully visible.
        rows.dedup_by_key(|(position, _)| *position);
        rows.truncate(usize::try_from(span.limit).unwrap_or(usize::MAX));
        let full = count(&rows) == span.limit;
        let last = rows.last().map(|(position, _)| *position);
        found.extend(rows);
        Ok(last.filter(|_| full).unwrap_or(span.to))
    }
}

impl Page {
    const fn with_more(mut self, more: bool) -> Self {
        self.more = more;
        self
    }
}

fn count(rows: &[Positioned]) -> i64 {
    i64::try_from(rows.len()).unwrap_or(i64::MAX)
}

/// Rows that filled their limit end the page; otherwise everything up to `to` has been looked at.
fn page(rows: Vec<Positioned>, cursor: i64, to: i64, limit: i64) -> Page {
    let full = count(&rows) >= limit;
    let last = rows.last().map(|(position, _)| *position);
    let cursor = match last {
        Some(last) if full => last,
        _ => to.max(cursor),
    };
    Page { events: rows.into_iter().filter_map(|(_, event)| event).collect(), cursor, more: full && cursor < to }
}
