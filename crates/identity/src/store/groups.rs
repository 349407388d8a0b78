use bothy_domain::ids::{GroupId, PrincipalId};
use bothy_domain::names::name_key;
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, params};
use uuid::Uuid;

use super::principals::principal;
use crate::principals::PrincipalRef;

bothy_storage::statements! {
    /// A new group.
    INSERT_GROUP = "INSERT INTO groups (id, name, name_key, created_at, version) VALUES ($1, $2, $3, $4, 1)";
    /// One group.
    GROUP_BY_ID = "SELECT id, name, created_at, version FROM groups WHERE id = $1";
    /// A page of groups.
    GROUPS = "SELECT id, name, created_at, version FROM groups WHERE id > $1 ORDER BY id LIMIT $2";
    /// Another name, unless somebody was faster.
    RENAME_GROUP = "UPDATE groups SET name = $2, name_key = $3, version = version + 1 WHERE id = $1 AND version = $4
        RETURNING id, name, created_at, version";
    /// Deletes a group that has no members any more.
    DELETE_GROUP = "DELETE FROM groups WHERE id = $1";
    /// Everybody leaves a group.
    DELETE_MEMBERS = "DELETE FROM group_members WHERE group_id = $1";
    /// The members of a group.
    MEMBER_IDS = "SELECT principal_id FROM group_members WHERE group_id = $1";
    /// A page of the members of a group.
    MEMBERS = "SELECT p.id, p.kind, p.handle, p.display_name, p.status, p.requires_binding
        FROM group_members m JOIN principals p ON p.id = m.principal_id
        WHERE m.group_id = $1 AND m.principal_id > $2 ORDER BY m.principal_id LIMIT $3";
    /// One member more.
    INSERT_MEMBER = "INSERT INTO group_members (group_id, principal_id, added_at) VALUES ($1, $2, $3)
        ON CONFLICT (group_id, principal_id) DO NOTHING";
    /// One member less.
    DELETE_MEMBER = "DELETE FROM group_members WHERE group_id = $1 AND principal_id = $2";
}

#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) id: GroupId,
    pub(crate) name: String,
    pub(crate) created_at: Timestamp,
    pub(crate) version: i64,
}

pub(crate) async fn insert(unit: &UnitOfWork, group: &Group) -> Result<(), StorageError> {
    let params = params![group.id, &group.name, name_key(&group.name), group.created_at];
    unit.execute(&INSERT_GROUP, params).await.map(drop)
}

pub(crate) async fn group(reader: &Reader, id: GroupId) -> Result<Option<Group>, StorageError> {
    reader.optional(&GROUP_BY_ID, params![id]).await?.as_ref().map(decode).transpose()
}

pub(crate) async fn groups(reader: &Reader, after: Option<GroupId>, fetch: i64) -> Result<Vec<Group>, StorageError> {
    let after = after.unwrap_or(GroupId::from_uuid(Uuid::nil()));
    reader.all(&GROUPS, params![after, fetch]).await?.iter().map(decode).collect()
}

pub(crate) async fn rename(
    unit: &UnitOfWork,
    id: GroupId,
    name: &str,
    version: i64,
) -> Result<Option<Group>, StorageError> {
    let params = params![id, name, name_key(name), version];
    unit.returning_optional(&RENAME_GROUP, params).await?.as_ref().map(decode).transpose()
}

/// Deletes a group with its memberships; whether there was one.
pub(crate) async fn delete(unit: &UnitOfWork, id: GroupId) -> Result<bool, StorageError> {
    unit.execute(&DELETE_MEMBERS, params![id]).await?;
    Ok(unit.execute(&DELETE_GROUP, params![id]).await? > 0)
}

pub(crate) async fn member_ids(reader: &Reader, id: GroupId) -> Result<Vec<PrincipalId>, StorageError> {
    reader.all(&MEMBER_IDS, params![id]).await?.iter().map(|row| row.get("principal_id")).collect()
}

pub(crate) async fn members(
    reader: &Reader,
    id: GroupId,
    after: Option<PrincipalId>,
    fetch: i64,
) -> Result<Vec<PrincipalRef>, StorageError> {
    let after = after.unwrap_or(PrincipalId::from_uuid(Uuid::nil()));
    reader.all(&MEMBERS, params![id, after, fetch]).await?.iter().map(principal).collect()
}

/// Whether the membership is new.
pub(crate) async fn add_member(
    unit: &UnitOfWork,
    group: GroupId,
    person: PrincipalId,
    now: Timestamp,
) -> Result<bool, StorageError> {
    Ok(unit.execute(&INSERT_MEMBER, params![group, person, now]).await? > 0)
}

/// Whether there was a membership.
pub(crate) async fn remove_member(
    unit: &UnitOfWork,
    group: GroupId,
    person: PrincipalId,
) -> Result<bool, StorageError> {
    Ok(unit.execute(&DELETE_MEMBER, params![group, person]).await? > 0)
}

fn decode(row: &Row) -> Result<Group, StorageError> {
    Ok(Group {
        id: row.get("id")?,
        name: row.get("name")?,
        created_at: row.get("created_at")?,
        version: row.get("version")?,
    })
}
