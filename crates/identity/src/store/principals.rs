use std::collections::HashMap;

use bothy_authz::PrincipalFact;
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{GroupId, PrincipalId};
use bothy_domain::names::Handle;
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, params};

use super::{kind, status};
use crate::principals::PrincipalRef;

bothy_storage::statements! {
    /// Who these are.
    PRINCIPALS = "SELECT id, kind, handle, display_name, status, requires_binding FROM principals WHERE id IN (ID_LIST($1))";
    /// Who has these handles.
    PRINCIPALS_BY_HANDLE = "SELECT id, kind, handle, display_name, status, requires_binding
        FROM principals WHERE handle IN (TEXT_LIST($1))";
    /// What decisions need to know of principals.
    PRINCIPAL_FACTS = "SELECT p.id, p.kind, p.status, (o.principal_id IS NOT NULL) AS owner
        FROM principals p LEFT JOIN owners o ON o.principal_id = p.id WHERE p.id IN (ID_LIST($1))";
    /// The owners, whatever their status.
    OWNERS = "SELECT principal_id FROM owners";
    /// The groups that principals are in.
    GROUPS_OF_PRINCIPALS = "SELECT principal_id, group_id FROM group_members WHERE principal_id IN (ID_LIST($1))";
    /// A new principal.
    INSERT_PRINCIPAL = "INSERT INTO principals
        (id, kind, handle, handle_skeleton, display_name, status, requires_binding, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    /// Another status; nobody comes back from `deleted`.
    SET_STATUS = "UPDATE principals SET status = $2 WHERE id = $1 AND status <> 'deleted'";
    /// Another name.
    SET_DISPLAY_NAME = "UPDATE principals SET display_name = $2 WHERE id = $1";
    /// Another handle.
    SET_HANDLE = "UPDATE principals SET handle = $2, handle_skeleton = $3 WHERE id = $1";
    /// Whether an agent may act only inside a run.
    SET_REQUIRES_BINDING = "UPDATE principals SET requires_binding = $2 WHERE id = $1";
    /// Holds the row of an active principal until the unit of work ends.
    LOCK_ACTIVE_PRINCIPAL = "UPDATE principals SET status = status WHERE id = $1 AND status = 'active'";
}

pub(crate) struct Stored<'a> {
    pub(crate) id: PrincipalId,
    pub(crate) kind: PrincipalKind,
    pub(crate) handle: &'a Handle,
    pub(crate) display_name: &'a str,
    pub(crate) status: PrincipalStatus,
    pub(crate) requires_binding: bool,
    pub(crate) created_at: Timestamp,
}

pub(crate) async fn principals(reader: &Reader, ids: &[PrincipalId]) -> Result<Vec<PrincipalRef>, StorageError> {
    reader.all(&PRINCIPALS, params![ids]).await?.iter().map(principal).collect()
}

pub(crate) async fn by_handles(reader: &Reader, handles: Vec<String>) -> Result<Vec<PrincipalRef>, StorageError> {
    reader.all(&PRINCIPALS_BY_HANDLE, params![handles]).await?.iter().map(principal).collect()
}

pub(crate) async fn owners(reader: &Reader) -> Result<Vec<PrincipalId>, StorageError> {
    reader.all(&OWNERS, params![]).await?.iter().map(|row| row.get("principal_id")).collect()
}

pub(crate) async fn facts(reader: &Reader, ids: &[PrincipalId]) -> Result<Vec<PrincipalFact>, StorageError> {
    let ids = params![ids];
    let (principals, members) =
        futures::try_join!(reader.all(&PRINCIPAL_FACTS, ids), reader.all(&GROUPS_OF_PRINCIPALS, ids))?;
    let mut groups: HashMap<PrincipalId, Vec<GroupId>> = HashMap::new();
    for row in &members {
        groups.entry(row.get("principal_id")?).or_default().push(row.get("group_id")?);
    }
    principals
        .iter()
        .map(|row| {
            let id = row.get("id")?;
            let groups = groups.remove(&id).unwrap_or_default();
            Ok(PrincipalFact { id, kind: kind(row)?, status: status(row)?, owner: row.get("owner")?, groups })
        })
        .collect()
}

pub(crate) async fn insert(unit: &UnitOfWork, principal: &Stored<'_>) -> Result<(), StorageError> {
    let params = params![
        principal.id,
        principal.kind.as_str(),
        principal.handle.as_str(),
        principal.handle.skeleton(),
        principal.display_name,
        principal.status.as_str(),
        principal.requires_binding,
        principal.created_at,
    ];
    unit.execute(&INSERT_PRINCIPAL, params).await.map(drop)
}

/// Whether there was one to change.
pub(crate) async fn set_status(
    unit: &UnitOfWork,
    id: PrincipalId,
    status: PrincipalStatus,
) -> Result<bool, StorageError> {
    Ok(unit.execute(&SET_STATUS, params![id, status.as_str()]).await? > 0)
}

pub(crate) async fn set_display_name(unit: &UnitOfWork, id: PrincipalId, name: &str) -> Result<(), StorageError> {
    unit.execute(&SET_DISPLAY_NAME, params![id, name]).await.map(drop)
}

pub(crate) async fn set_handle(unit: &UnitOfWork, id: PrincipalId, handle: &Handle) -> Result<(), StorageError> {
    unit.execute(&SET_HANDLE, params![id, handle.as_str(), handle.skeleton()]).await.map(drop)
}

pub(crate) async fn set_requires_binding(
    unit: &UnitOfWork,
    id: PrincipalId,
    required: bool,
) -> Result<(), StorageError> {
    unit.execute(&SET_REQUIRES_BINDING, params![id, required]).await.map(drop)
}

/// Whether the principal is active, and stays so until the unit of work ends.
pub(crate) async fn lock_active(unit: &UnitOfWork, id: PrincipalId) -> Result<bool, StorageError> {
    Ok(unit.execute(&LOCK_ACTIVE_PRINCIPAL, params![id]).await? > 0)
}

pub(super) fn principal(row: &Row) -> Result<PrincipalRef, StorageError> {
    Ok(PrincipalRef {
        id: row.get("id")?,
        kind: kind(row)?,
        handle: row.get("handle")?,
        display_name: row.get("display_name")?,
        status: status(row)?,
        requires_binding: row.get("requires_binding")?,
    })
}
