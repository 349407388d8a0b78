use bothy_chat::{visible_channel_ids, visible_thread};
use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, ThreadId};
use bothy_domain::policy::Scope;
use bothy_domain::time::Timestamp;
use bothy_platform::visible::scope_params;
use bothy_storage::{Reader, StorageError, UnitOfWork, Value, params, statements};
use uuid::Uuid;

use super::messages::{MessageRow, message_columns};

/// How far the occurrences of a word are counted.
macro_rules! counted {
    () => {
        "1000"
    };
}

/// The same as a number.
pub(crate) const COUNTED: i64 = 1000;

/// What every hit must be beside holding the first word: visible, not deleted, and what the filters
/// say. The index knows the channel too, so that what is hidden is passed over before it is read.
macro_rules! found {
    () => {
        concat!(
            " AND m.id = i.message_id AND m.deleted_at IS NULL AND ",
            visible_thread!("m.thread_id", "$1", "$2", "$3"),
            " AND NOT EXISTS (SELECT 1 FROM wanted w WHERE NOT EXISTS",
            " (SELECT 1 FROM search_terms x WHERE x.term = w.term AND x.message_id = i.message_id))",
            " AND NOT EXISTS (SELECT 1 FROM patterns p WHERE NOT EXISTS (SELECT 1 FROM search_documents d",
            " WHERE d.message_id = i.message_id AND d.folded LIKE p.pattern ESCAPE '\\'))",
            " AND (m.author_id = $8 OR $8 IS NULL)",
            " AND (i.channel_id = $9 OR $9 IS NULL)",
            " AND (m.thread_id = $10 OR $10 IS NULL)",
            " AND m.created_at >= $11 AND m.created_at < $12",
            " AND (NOT CAST($13 AS BOOLEAN) OR EXISTS (SELECT 1 FROM mentions n WHERE n.message_id = m.id))",
            " AND (NOT CAST($14 AS BOOLEAN) OR EXISTS (SELECT 1 FROM reactions r WHERE r.message_id = m.id))",
            " ORDER BY i.message_id DESC LIMIT $15"
        )
    };
}

/// What stands before each search: the further words, what else must stand there, and the channels.
macro_rules! tables {
    () => {
        concat!(
            "WITH wanted(term) AS (TEXT_LIST($6)), patterns(pattern) AS (TEXT_LIST($7)), visible(id) AS (",
            visible_channel_ids!("$1", "$2", "$3"),
            ") SELECT "
        )
    };
}

/// The messages of one visible channel that hold a word, newest first, by the index of that channel.
macro_rules! in_channel {
    ($columns:expr, $word:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM search_terms i CROSS JOIN messages m WHERE i.channel_id = visible.id AND ",
            $word,
            " AND i.message_id < $5",
            found!()
        )
    };
}

/// The same of every visible channel, and of them the newest: the page of each holds all that may stand
/// on the page of all. SQLite looks the found ids up, PostgreSQL looks once a channel.
macro_rules! by_channel_sqlite {
    ($word:literal) => {
        concat!(
            tables!(),
            message_columns!(),
            " FROM visible CROSS JOIN messages m WHERE m.id IN (",
            in_channel!("i.message_id", $word),
            ") ORDER BY m.id DESC LIMIT $15"
        )
    };
}
macro_rules! by_channel_postgres {
    ($word:literal) => {
        concat!(
            tables!(),
            "found.* FROM visible CROSS JOIN LATERAL (",
            in_channel!(message_columns!(), $word),
            ") AS found ORDER BY found.id DESC LIMIT $15"
        )
    };
}

statements! {
    /// How often words stand in messages, each counted up to a bound: for who sees the whole instance.
    TERM_COUNTS = concat!(
        "WITH wanted(term) AS (TEXT_LIST($1)) SELECT w.term,",
        " (SELECT COUNT(*) FROM (SELECT s.term FROM search_terms s WHERE s.term = w.term LIMIT ", counted!(), ") bounded) AS n",
        " FROM wanted w"
    );
    /// The same in the channels that a scope shows.
    TERM_COUNTS_IN_CHANNELS = concat!(
        "WITH wanted(term) AS (TEXT_LIST($4)), visible(id) AS (", visible_channel_ids!("$1", "$2", "$3"), ") SELECT w.term,",
        " (SELECT COUNT(*) FROM (SELECT s.term FROM visible CROSS JOIN search_terms s",
        " WHERE s.channel_id = visible.id AND s.term = w.term LIMIT ", counted!(), ") bounded) AS n FROM wanted w"
    );
    /// How often words that begin so stand in messages, counted up to the same bound.
    BEGINNING_COUNT = concat!(
        "SELECT COUNT(*) AS n FROM (SELECT s.term FROM search_terms s WHERE s.term >= $1 AND s.term < $2 LIMIT ",
        counted!(), ") bounded"
    );
    /// The same in the channels that a scope shows.
    BEGINNING_COUNT_IN_CHANNELS = concat!(
        "WITH visible(id) AS (", visible_channel_ids!("$1", "$2", "$3"), ") SELECT COUNT(*) AS n",
        " FROM (SELECT s.term FROM visible CROSS JOIN search_terms s",
        " WHERE s.channel_id = visible.id AND s.term >= $4 AND s.term < $5 LIMIT ", counted!(), ") bounded"
    );
    /// The words that begin so, each once: each is found by a step over all messages with the one before.
    BEGINNING_WORDS =
        "WITH RECURSIVE steps(term, step) AS (\
           SELECT (SELECT MIN(a.term) FROM search_terms a WHERE a.term >= $1 AND a.term < $2), CAST(1 AS BIGINT) \
           UNION ALL SELECT (SELECT MIN(b.term) FROM search_terms b WHERE b.term > p.term AND b.term < $2), p.step + 1 \
           FROM steps p WHERE p.term IS NOT NULL AND p.step <= $3) \
         SELECT term FROM steps WHERE term IS NOT NULL";
    /// Messages with a word, newest first, for who sees the whole instance: the index is read from its end
    /// until the page is full.
    SEARCH_BY_WORD = concat!(
        tables!(), message_columns!(), " FROM search_terms i CROSS JOIN messages m",
        " WHERE i.term = $4 AND i.message_id < $5 AND i.channel_id IN (SELECT v.id FROM visible v)", found!()
    );
    /// Messages with a word that begins so, newest first, for the same.
    SEARCH_BY_BEGINNING = concat!(
        tables!(), message_columns!(),
        " FROM (SELECT DISTINCT b.message_id, b.channel_id FROM search_terms b",
        " WHERE b.term >= $4 AND b.term < $16 AND b.message_id < $5) i CROSS JOIN messages m",
        " WHERE i.channel_id IN (SELECT v.id FROM visible v)", found!()
    );
    /// Messages with a word in the channels that a scope shows, newest first.
    SEARCH_CHANNELS_BY_WORD = {
        sqlite: by_channel_sqlite!("i.term = $4"),
        postgres: by_channel_postgres!("i.term = $4"),
    };
    /// Messages with a word that begins so in the channels that a scope shows, newest first.
    SEARCH_CHANNELS_BY_BEGINNING = {
        sqlite: concat!(
            tables!(), message_columns!(),
            " FROM (SELECT DISTINCT b.message_id, b.channel_id FROM visible CROSS JOIN search_terms b",
            " WHERE b.channel_id = visible.id AND b.term >= $4 AND b.term < $16 AND b.message_id < $5) i",
            " CROSS JOIN messages m WHERE i.message_id < $5", found!()
        ),
        postgres: concat!(
            tables!(), "found.* FROM visible CROSS JOIN LATERAL (SELECT ", message_columns!(),
            " FROM (SELECT DISTINCT b.message_id, b.channel_id FROM search_terms b",
            " WHERE b.channel_id = visible.id AND b.term >= $4 AND b.term < $16 AND b.message_id < $5) i",
            " CROSS JOIN messages m WHERE i.message_id < $5", found!(),
            ") AS found ORDER BY found.id DESC LIMIT $15"
        ),
    };
    /// The indexed words of a message.
    DOCUMENT = "SELECT folded FROM search_documents WHERE message_id = $1";
    /// The indexed words of the messages of a thread.
    DOCUMENTS_OF_THREAD =
        "SELECT d.message_id, d.folded FROM search_documents d JOIN messages m ON m.id = d.message_id \
         WHERE m.thread_id = $1";
    /// Keeps the words of a message.
    INSERT_DOCUMENT = "INSERT INTO search_documents (message_id, folded) VALUES ($1, $2)";
    /// Indexes a message under its words.
    INSERT_TERMS =
        "WITH words(term) AS (TEXT_LIST($1)) INSERT INTO search_terms (term, message_id, channel_id) \
         SELECT w.term, CAST($2 AS UUID), CAST($3 AS UUID) FROM words w";
    /// Forgets the words of a message.
    DELETE_DOCUMENT = "DELETE FROM search_documents WHERE message_id = $1";
    /// Takes a message out of the index.
    DELETE_TERMS = "DELETE FROM search_terms WHERE term IN (TEXT_LIST($1)) AND message_id = $2";
    /// Indexes a message for another channel.
    MOVE_TERMS = "UPDATE search_terms SET channel_id = $3 WHERE term IN (TEXT_LIST($1)) AND message_id = $2";
}

/// The word of the index that leads through it.
pub(crate) enum Lead<'a> {
    Word(&'a str),
    Beginning(&'a str),
}

/// What is looked for.
pub(crate) struct Lookup<'a> {
    pub(crate) lead: Lead<'a>,
    /// Further words that must stand in the message.
    pub(crate) wanted: &'a [&'a str],
    pub(crate) patterns: &'a [String],
    pub(crate) filter: &'a Filter,
    /// Only messages that are older.
    pub(crate) before: Option<MessageId>,
    pub(crate) limit: i64,
}

/// What else must be true of a message.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    pub(crate) author: Option<PrincipalId>,
    pub(crate) channel: Option<ChannelId>,
    pub(crate) thread: Option<ThreadId>,
    pub(crate) from: Option<Timestamp>,
    pub(crate) to: Option<Timestamp>,
    pub(crate) has_mention: bool,
    pub(crate) has_reaction: bool,
}

/// Messages that a scope shows, newest first.
pub(crate) async fn search(
    reader: &Reader,
    scope: &Scope,
    lookup: Lookup<'_>,
) -> Result<Vec<MessageRow>, StorageError> {
    let [wide, spaces, channels] = scope_params(scope);
    let Filter { author, channel, thread, from, to, has_mention, has_reaction } = lookup.filter;
    let (Lead::Word(lead) | Lead::Beginning(lead)) = lookup.lead;
    let mut params = vec![
        wide,
        spaces,
        channels,
        Value::from(lead),
        Value::from(lookup.before.map_or(Uuid::max(), |id| id.uuid())),
        Value::from(lookup.wanted),
        Value::from(lookup.patterns),
        Value::from(*author),
        Value::from(*channel),
        Value::from(*thread),
        Value::from(from.map_or(i64::MIN, Timestamp::micros)),
        Value::from(to.map_or(i64::MAX, Timestamp::micros)),
        Value::from(*has_mention),
        Value::from(*has_reaction),
        Value::from(lookup.limit),
    ];
    if let Lead::Beginning(beginning) = lookup.lead {
        params.push(Value::from(beyond(beginning)));
    }
    let statement = match (lookup.lead, scope.instance_wide) {
        (Lead::Word(_), true) => &SEARCH_BY_WORD,
        (Lead::Word(_), false) => &SEARCH_CHANNELS_BY_WORD,
        (Lead::Beginning(_), true) => &SEARCH_BY_BEGINNING,
        (Lead::Beginning(_), false) => &SEARCH_CHANNELS_BY_BEGINNING,
    };
    reader.all_long(statement, params).await?.iter().map(MessageRow::of).collect()
}

/// The rarest of some words, and in how many messages it stands, counted up to [`COUNTED`] among those that
/// a scope shows.
pub(crate) async fn rarest(
    reader: &Reader,
    scope: &Scope,
    words: &[&str],
) -> Result<Option<(i64, String)>, StorageError> {
    let rows = if scope.instance_wide {
        reader.all(&TERM_COUNTS, params![words]).await?
    } else {
        let [wide, spaces, channels] = scope_params(scope);
        reader.all(&TERM_COUNTS_IN_CHANNELS, &[wide, spaces, channels, Value::from(words)]).await?
    };
    let mut counts = Vec::new();
    for row in rows {
        counts.push((row.get::<i64>("n")?, row.get::<String>("term")?));
    }
    Ok(counts.into_iter().min())
}

/// In how many messages words that begin so stand, counted in the same way.
pub(crate) async fn count_beginning(reader: &Reader, scope: &Scope, beginning: &str) -> Result<i64, StorageError> {
    let row = if scope.instance_wide {
        reader.one(&BEGINNING_COUNT, params![beginning, beyond(beginning)]).await?
    } else {
        let [wide, spaces, channels] = scope_params(scope);
        let params = [wide, spaces, channels, Value::from(beginning), Value::from(beyond(beginning))];
        reader.one(&BEGINNING_COUNT_IN_CHANNELS, &params).await?
    };
    row.get("n")
}

/// The words that begin so; `None` when there are more than `most`.
pub(crate) async fn words_of(reader: &Reader, beginning: &str, most: u8) -> Result<Option<Vec<String>>, StorageError> {
    let rows = reader.all(&BEGINNING_WORDS, params![beginning, beyond(beginning), most]).await?;
    let words = rows.iter().map(|row| row.get("term")).collect::<Result<Vec<String>, _>>()?;
    Ok(if words.len() > usize::from(most) { None } else { Some(words) })
}

/// What stands behind every word that begins so: no word holds the last character there is.
fn beyond(beginning: &str) -> String {
    format!("{beginning}\u{10FFFF}")
}

pub(crate) async fn document(reader: &Reader, message: MessageId) -> Result<Option<String>, StorageError> {
    reader.optional(&DOCUMENT, params![message]).await?.map(|row| row.get("folded")).transpose()
}

pub(crate) async fn documents(reader: &Reader, thread: ThreadId) -> Result<Vec<(MessageId, String)>, StorageError> {
    let rows = reader.all(&DOCUMENTS_OF_THREAD, params![thread]).await?;
    rows.iter().map(|row| Ok((row.get("message_id")?, row.get("folded")?))).collect()
}

pub(crate) async fn insert(
    uow: &UnitOfWork,
    channel: ChannelId,
    message: MessageId,
    folded: &str,
    terms: Vec<String>,
) -> Result<(), StorageError> {
    uow.execute(&INSERT_DOCUMENT, params![message, folded]).await?;
    uow.execute(&INSERT_TERMS, params![terms, message, channel]).await.map(drop)
}

pub(crate) async fn delete(uow: &UnitOfWork, message: MessageId, terms: Vec<String>) -> Result<(), StorageError> {
    uow.execute(&DELETE_TERMS, params![terms, message]).await?;
    uow.execute(&DELETE_DOCUMENT, params![message]).await.map(drop)
}

pub(crate) async fn set_channel(
    uow: &UnitOfWork,
    channel: ChannelId,
    message: MessageId,
    terms: Vec<String>,
) -> Result<(), StorageError> {
    uow.execute(&MOVE_TERMS, params![terms, message, channel]).await.map(drop)
}
