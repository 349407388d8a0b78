use std::collections::HashMap;

use bothy_domain::ids::{Id, MessageId, PrincipalId};
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, StorageError, UnitOfWork, params, statements};
use uuid::Uuid;

use crate::ReactionCount;

statements! {
    /// How some messages were reacted to, and whether one principal did.
    REACTION_COUNTS =
        "SELECT message_id, emoji, COUNT(*) AS total, \
           MAX(CASE WHEN principal_id = $2 THEN 1 ELSE 0 END) = 1 AS mine \
         FROM reactions WHERE message_id IN (ID_LIST($1)) \
         GROUP BY message_id, emoji ORDER BY message_id, MIN(created_at), emoji";
    /// Who reacted to a message, a page of people.
    REACTIONS =
        "SELECT principal_id, emoji FROM reactions WHERE message_id = $1 AND principal_id IN \
           (SELECT DISTINCT principal_id FROM reactions WHERE message_id = $1 AND principal_id > $2 \
            ORDER BY principal_id LIMIT $3) \
         ORDER BY principal_id, created_at, emoji";
    /// The different emoji of one message.
    EMOJI_OF = "SELECT DISTINCT emoji FROM reactions WHERE message_id = $1";
    /// A reaction; the same one only once.
    INSERT_REACTION =
        "INSERT INTO reactions (message_id, principal_id, emoji, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    /// Takes a reaction away.
    DELETE_REACTION = "DELETE FROM reactions WHERE message_id = $1 AND principal_id = $2 AND emoji = $3";
    /// The reactions to a message go with it.
    FORGET_REACTIONS = "DELETE FROM reactions WHERE message_id = $1";
}

/// How messages were reacted to, by message.
pub(crate) async fn counts(
    reader: &Reader,
    messages: &[MessageId],
    viewer: Option<PrincipalId>,
) -> Result<HashMap<MessageId, Vec<ReactionCount>>, StorageError> {
    let mut counts: HashMap<MessageId, Vec<ReactionCount>> = HashMap::new();
    if messages.is_empty() {
        return Ok(counts);
    }
    // No principal has the nil id.
    let viewer = viewer.unwrap_or(Id::from_uuid(Uuid::nil()));
    for row in reader.all(&REACTION_COUNTS, params![messages, viewer]).await? {
        let count = ReactionCount { emoji: row.get("emoji")?, count: row.get("total")?, me: row.get("mine")? };
        counts.entry(row.get("message_id")?).or_default().push(count);
    }
    Ok(counts)
}

/// Who reacted to a message, by id: everybody after `after`, at most `limit`, with their emoji.
pub(crate) async fn of_message(
    reader: &Reader,
    message: MessageId,
    after: PrincipalId,
    limit: i64,
) -> Result<Vec<(PrincipalId, Vec<String>)>, StorageError> {
    let mut people: Vec<(PrincipalId, Vec<String>)> = Vec::new();
    for row in reader.all(&REACTIONS, params![message, after, limit]).await? {
        let (principal, emoji): (PrincipalId, String) = (row.get("principal_id")?, row.get("emoji")?);
        match people.last_mut() {
            Some((last, all)) if *last == principal => all.push(emoji),
            _ => people.push((principal, vec![emoji])),
        }
    }
    Ok(people)
}

/// The different emoji of the reactions to a message.
pub(crate) async fn emoji_of(reader: &Reader, message: MessageId) -> Result<Vec<String>, StorageError> {
    reader.all(&EMOJI_OF, params![message]).await?.iter().map(|row| row.get("emoji")).collect()
}

/// Whether the reaction was new.
pub(crate) async fn insert(
    uow: &UnitOfWork,
    message: MessageId,
    principal: PrincipalId,
    emoji: &str,
    now: Timestamp,
) -> Result<bool, StorageError> {
    Ok(uow.execute(&INSERT_REACTION, params![message, principal, emoji, now]).await? == 1)
}

/// Whether there was such a reaction.
pub(crate) async fn delete(
    uow: &UnitOfWork,
    message: MessageId,
    principal: PrincipalId,
    emoji: &str,
) -> Result<bool, StorageError> {
    Ok(uow.execute(&DELETE_REACTION, params![message, principal, emoji]).await? == 1)
}

pub(crate) async fn forget(uow: &UnitOfWork, message: MessageId) -> Result<(), StorageError> {
    uow.execute(&FORGET_REACTIONS, params![message]).await.map(drop)
}
