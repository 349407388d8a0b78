use bothy_domain::event::{Audience, Event, EventKind, NewEvent};
use bothy_domain::ids::{AnyId, ChannelId, PrincipalId, SpaceId};
use bothy_domain::time::Timestamp;
use bothy_storage::{DecodeProblem, Reader, Row, StorageError, UnitOfWork, params, statements};

use crate::events::read::Span;

macro_rules! columns {
    () => {
        "position, kind, at, audience_kind, audience_id, space_id, channel_id, thread_id, message_id, run_id, subject_id"
    };
}

/// Events of each of some keys, found by an index seek a key and never by a walk over others'.
/// SQLite must be told which index, PostgreSQL to look once a key.
macro_rules! of_each_sqlite {
    ($index:literal, $column:literal) => {
        concat!(
            "SELECT ",
            columns!(),
            " FROM events INDEXED BY ",
            $index,
            " WHERE audience_kind = 'channel' AND ",
            $column,
            " IN (ID_LIST($4)) \
             AND position > $1 AND position <= $2 ORDER BY position LIMIT $3"
        )
    };
}
macro_rules! of_each_postgres {
    ($column:literal) => {
        concat!(
            "SELECT ",
            columns!(),
            " FROM (ID_LIST($4)) AS visible (id) CROSS JOIN LATERAL \
             (SELECT ",
            columns!(),
            " FROM events WHERE audience_kind = 'channel' AND ",
            $column,
            " = visible.id \
             AND position > $1 AND position <= $2 ORDER BY position LIMIT $3) AS found ORDER BY position LIMIT $3"
        )
    };
}

statements! {
    /// The newest position.
    EVENT_HEAD = "SELECT position FROM event_sequence WHERE only_row = 1";
    /// Takes positions, and makes those who take some wait for each other.
    TAKE_POSITIONS = "UPDATE event_sequence SET position = position + $1 WHERE only_row = 1 RETURNING position";
    /// Adds an event.
    APPEND_EVENT = concat!("INSERT INTO events (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)");
    /// Whether committed events wait for a position.
    UNSEQUENCED = "SELECT entry FROM events WHERE position IS NULL ORDER BY entry LIMIT 1";
    /// Gives the positions after $1 to at most $2 events, in the order of their entries.
    NUMBER_EVENTS = "UPDATE events SET position = $1 + numbered.place FROM \
        (SELECT entry, row_number() OVER (ORDER BY entry) AS place FROM \
            (SELECT entry FROM events WHERE position IS NULL ORDER BY entry LIMIT $2) AS waiting) AS numbered \
        WHERE events.entry = numbered.entry";
    /// Up to where events were removed.
    EVENT_FLOOR = "SELECT position FROM event_floor WHERE only_row = 1";
    /// The same, for the one who removes more.
    LOCK_FLOOR = "UPDATE event_floor SET position = position WHERE only_row = 1 RETURNING position";
    /// Moves the floor up.
    SET_FLOOR = "UPDATE event_floor SET position = $1 WHERE only_row = 1";
    /// The oldest events that are left.
    OLDEST_EVENTS = "SELECT position, at FROM events WHERE position > $1 ORDER BY position LIMIT $2";
    /// Removes the oldest events.
    REMOVE_EVENTS = "DELETE FROM events WHERE position <= $1";
    /// Every event of a stretch of the log.
    EVENTS_BETWEEN = concat!(
        "SELECT ", columns!(), " FROM events WHERE position > $1 AND position <= $2 ORDER BY position LIMIT $3"
    );
    /// Events for everybody.
    EVENTS_FOR_ALL = concat!(
        "SELECT ", columns!(), " FROM events WHERE audience_kind = 'instance' AND audience_id IS NULL \
         AND position > $1 AND position <= $2 ORDER BY position LIMIT $3"
    );
    /// Events for one principal.
    EVENTS_FOR_PRINCIPAL = concat!(
        "SELECT ", columns!(), " FROM events WHERE audience_kind = 'principal' AND audience_id = $4 \
         AND position > $1 AND position <= $2 ORDER BY position LIMIT $3"
    );
    /// Events for the readers of some channels.
    EVENTS_OF_CHANNELS = {
        sqlite: of_each_sqlite!("events_audience", "audience_id"),
        postgres: of_each_postgres!("audience_id"),
    };
    /// Events for the readers of the channels of some spaces.
    EVENTS_OF_SPACES = {
        sqlite: of_each_sqlite!("events_space", "space_id"),
        postgres: of_each_postgres!("space_id"),
    };
}

/// A row of the log. What a newer version of the server wrote has no event that this one knows.
pub(super) type Positioned = (i64, Option<Event>);

pub(super) async fn head(reader: &Reader) -> Result<i64, StorageError> {
    reader.one(&EVENT_HEAD, params![]).await?.get("position")
}

/// Takes `count` positions for this unit of work and returns the last of them. Others wait until the
/// unit ends.
pub(super) async fn take_positions(unit: &UnitOfWork, count: i64) -> Result<i64, StorageError> {
    unit.returning_one(&TAKE_POSITIONS, params![count]).await?.get("position")
}

/// Adds events; `last` is the position of the last of them when they get theirs at once.
pub(super) async fn append(
    unit: &UnitOfWork,
    events: &[NewEvent],
    at: Timestamp,
    last: Option<i64>,
) -> Result<(), StorageError> {
    let count = i64::try_from(events.len()).unwrap_or(i64::MAX);
    for (place, event) in (1..).zip(events) {
        let (audience_kind, audience_id): (&str, Option<AnyId>) = match event.audience {
            Audience::Instance => ("instance", None),
            Audience::Channel(channel) => ("channel", Some(channel.cast())),
            Audience::Principal(principal) => ("principal", Some(principal.cast())),
        };
        let parameters = params![
            last.map(|last| last - count + place),
            event.kind.as_str(),
            at,
            audience_kind,
            audience_id,
            event.space,
            event.channel,
            event.thread,
            event.message,
            event.run,
            event.subject,
        ];
        unit.execute(&APPEND_EVENT, parameters).await?;
    }
    Ok(())
}

/// Up to where events were removed.
pub(super) async fn floor(reader: &Reader) -> Result<i64, StorageError> {
    reader.one(&EVENT_FLOOR, params![]).await?.get("position")
}

/// The floor, held until the unit of work ends.
pub(super) async fn lock_floor(unit: &UnitOfWork) -> Result<i64, StorageError> {
    unit.returning_one(&LOCK_FLOOR, params![]).await?.get("position")
}

pub(super) async fn set_floor(unit: &UnitOfWork, position: i64) -> Result<(), StorageError> {
    unit.execute(&SET_FLOOR, params![position]).await.map(drop)
}

/// The last of at most `limit` events after the floor that all were written before a time. The log is
/// cut at its beginning only: an older event behind a younger one waits for it.
pub(super) async fn last_before(
    reader: &Reader,
    floor: i64,
    limit: i64,
    oldest: Timestamp,
) -> Result<Option<i64>, StorageError> {
    let mut last = None;
    for row in reader.all(&OLDEST_EVENTS, params![floor, limit]).await? {
        if row.get::<Timestamp>("at")? >= oldest {
            break;
        }
        last = Some(row.get("position")?);
    }
    Ok(last)
}

pub(super) async fn remove_up_to(unit: &UnitOfWork, position: i64) -> Result<u64, StorageError> {
    unit.execute(&REMOVE_EVENTS, params![position]).await
}

pub(super) async fn has_unsequenced(reader: &Reader) -> Result<bool, StorageError> {
    Ok(reader.optional(&UNSEQUENCED, params![]).await?.is_some())
}

/// Gives positions after `last` to waiting events, at most `limit`, and says to how many.
pub(super) async fn number(unit: &UnitOfWork, last: i64, limit: i64) -> Result<i64, StorageError> {
    let numbered = unit.execute(&NUMBER_EVENTS, params![last, limit]).await?;
    Ok(i64::try_from(numbered).unwrap_or(i64::MAX))
}

pub(super) async fn between(reader: &Reader, span: Span) -> Result<Vec<Positioned>, StorageError> {
    let rows = reader.all(&EVENTS_BETWEEN, params![span.after, span.to, span.limit]).await?;
    rows.iter().map(positioned).collect()
}

pub(super) async fn for_all(reader: &Reader, span: Span) -> Result<Vec<Positioned>, StorageError> {
    let rows = reader.all(&EVENTS_FOR_ALL, params![span.after, span.to, span.limit]).await?;
    rows.iter().map(positioned).collect()
}

pub(super) async fn for_principal(
    reader: &Reader,
    span: Span,
    principal: PrincipalId,
) -> Result<Vec<Positioned>, StorageError> {
    let rows = reader.all(&EVENTS_FOR_PRINCIPAL, params![span.after, span.to, span.limit, principal]).await?;
    rows.iter().map(positioned).collect()
}

pub(super) async fn of_channels(
    reader: &Reader,
    span: Span,
    channels: &[ChannelId],
) -> Result<Vec<Positioned>, StorageError> {
    if channels.is_empty() {
        return Ok(Vec::new());
    }
    let rows = reader.all(&EVENTS_OF_CHANNELS, params![span.after, span.to, span.limit, channels]).await?;
    rows.iter().map(positioned).collect()
}

pub(super) async fn of_spaces(
    reader: &Reader,
    span: Span,
    spaces: &[SpaceId],
) -> Result<Vec<Positioned>, StorageError> {
    if spaces.is_empty() {
        return Ok(Vec::new());
    }
    let rows = reader.all(&EVENTS_OF_SPACES, params![span.after, span.to, span.limit, spaces]).await?;
    rows.iter().map(positioned).collect()
}

fn positioned(row: &Row) -> Result<Positioned, StorageError> {
    let position = row.get("position")?;
    let kind: String = row.get("kind")?;
    let Some(kind) = EventKind::parse(&kind) else {
        return Ok((position, None));
    };
    let audience_id: Option<AnyId> = row.get("audience_id")?;
    let audience = match (row.get::<String>("audience_kind")?.as_str(), audience_id) {
        ("instance", None) => Audience::Instance,
        ("channel", Some(id)) => Audience::Channel(id.cast()),
        ("principal", Some(id)) => Audience::Principal(id.cast()),
        _ => {
            let problem = DecodeProblem::OutOfRange { expected: "an audience" };
            return Err(StorageError::Decode { column: "audience_kind".to_owned(), problem });
        }
    };
    let event = NewEvent {
        kind,
        audience,
        space: row.get("space_id")?,
        channel: row.get("channel_id")?,
        thread: row.get("thread_id")?,
        message: row.get("message_id")?,
        run: row.get("run_id")?,
        subject: row.get("subject_id")?,
    };
    Ok((position, Some(Event { position, at: row.get("at")?, event })))
}
