use bothy_domain::ids::{PrincipalId, SpaceId};
use bothy_domain::policy::Scope;
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, params, statements};

use crate::facts::SpaceFacts;

macro_rules! space_columns {
    () => {
        "s.id AS space_id, s.name, s.operator_agent_id, s.archived_at, s.created_at, s.version"
    };
}

statements! {
    /// One space.
    SPACE_BY_ID = concat!("SELECT ", space_columns!(), " FROM spaces s WHERE s.id = $1");
    /// Some spaces.
    SPACES_BY_ID = concat!("SELECT ", space_columns!(), " FROM spaces s WHERE s.id IN (ID_LIST($1))");
    /// Whether a space is archived, for its path.
    SPACE_PATH = "SELECT archived_at FROM spaces WHERE id = $1";
    /// The spaces that a scope shows, wholly or through one of their channels.
    SPACES_IN_SCOPE = concat!(
        "SELECT ", space_columns!(), " FROM spaces s WHERE s.id IN (ID_LIST($1)) AND s.id > $2 ORDER BY s.id LIMIT $3"
    );
    /// A page of all spaces.
    ALL_SPACES = concat!("SELECT ", space_columns!(), " FROM spaces s WHERE s.id > $1 ORDER BY s.id LIMIT $2");
    /// Makes a space.
    INSERT_SPACE = "INSERT INTO spaces (id, name, name_key, created_at, version) VALUES ($1, $2, $3, $4, 1)";
    /// Renames a space that still has the version that was judged.
    RENAME_SPACE = "UPDATE spaces SET name = $3, name_key = $4, version = version + 1 WHERE id = $1 AND version = $2";
    /// Archives a space that is not archived.
    ARCHIVE_SPACE = "UPDATE spaces SET archived_at = $2, version = version + 1 WHERE id = $1 AND archived_at IS NULL";
    /// Brings a space back.
    UNARCHIVE_SPACE = "UPDATE spaces SET archived_at = NULL, version = version + 1 WHERE id = $1 AND archived_at IS NOT NULL";
    /// Puts an agent in charge of a space, or nobody.
    SET_SPACE_OPERATOR = "UPDATE spaces SET operator_agent_id = $2, version = version + 1 WHERE id = $1";
}

/// The name of the unique index over the names of spaces.
pub(crate) const NAME_INDEX: &str = "spaces_name_key";

fn facts(row: &Row) -> Result<SpaceFacts, StorageError> {
    Ok(SpaceFacts {
        id: row.get("space_id")?,
        name: row.get("name")?,
        operator: row.get("operator_agent_id")?,
        archived_at: row.get("archived_at")?,
        created_at: row.get("created_at")?,
        version: row.get("version")?,
    })
}

pub(crate) async fn by_id(reader: &Reader, id: SpaceId) -> Result<Option<SpaceFacts>, StorageError> {
    reader.optional(&SPACE_BY_ID, params![id]).await?.as_ref().map(facts).transpose()
}

/// Some spaces, in no certain order.
pub(crate) async fn by_ids(reader: &Reader, ids: &[SpaceId]) -> Result<Vec<SpaceFacts>, StorageError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    reader.all(&SPACES_BY_ID, params![ids]).await?.iter().map(facts).collect()
}

/// Whether the space is archived; `None` when there is no such space.
pub(crate) async fn archived(reader: &Reader, id: SpaceId) -> Result<Option<bool>, StorageError> {
    let row = reader.optional(&SPACE_PATH, params![id]).await?;
    row.map(|row| row.get::<Option<Timestamp>>("archived_at").map(|at| at.is_some())).transpose()
}

pub(crate) async fn in_scope(
    reader: &Reader,
    scope: &Scope,
    after: SpaceId,
    limit: i64,
) -> Result<Vec<SpaceFacts>, StorageError> {
    let rows = if scope.instance_wide {
        reader.all(&ALL_SPACES, params![after, limit]).await?
    } else {
        reader.all(&SPACES_IN_SCOPE, params![&scope.space_ids, after, limit]).await?
    };
    rows.iter().map(facts).collect()
}

pub(crate) async fn insert(
    uow: &UnitOfWork,
    id: SpaceId,
    name: &str,
    name_key: &str,
    now: Timestamp,
) -> Result<(), StorageError> {
    uow.execute(&INSERT_SPACE, params![id, name, name_key, now]).await.map(drop)
}

/// Whether the space still had that version.
pub(crate) async fn rename(
    uow: &UnitOfWork,
    id: SpaceId,
    version: i64,
    name: &str,
    name_key: &str,
) -> Result<bool, StorageError> {
    Ok(uow.execute(&RENAME_SPACE, params![id, version, name, name_key]).await? == 1)
}

/// Whether anything changed.
pub(crate) async fn set_archived(
    uow: &UnitOfWork,
    id: SpaceId,
    archived_at: Option<Timestamp>,
) -> Result<bool, StorageError> {
    let changed = match archived_at {
        Some(now) => uow.execute(&ARCHIVE_SPACE, params![id, now]).await?,
        None => uow.execute(&UNARCHIVE_SPACE, params![id]).await?,
    };
    Ok(changed == 1)
}

pub(crate) async fn set_operator(
    uow: &UnitOfWork,
    id: SpaceId,
    operator: Option<PrincipalId>,
) -> Result<(), StorageError> {
    uow.execute(&SET_SPACE_OPERATOR, params![id, operator]).await.map(drop)
}
