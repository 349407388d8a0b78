//! All SQL of authz: grants.

use std::collections::HashMap;

use bothy_domain::ids::{GrantId, GroupId, PrincipalId};
use bothy_domain::policy::{Capabilities, GrantFact, GrantTarget, Level, Rights};
use bothy_domain::time::Timestamp;
use bothy_storage::{DecodeProblem, Reader, Row, StorageError, UnitOfWork, params};

use crate::PrincipalFact;
use crate::grants::{Grant, TargetKind, ids_of};
use crate::subject::Subject;

/// The columns of a grant.
macro_rules! columns {
    () => {
        "id, principal_id, group_id, target_kind, space_id, channel_id, level, capabilities, expires_at, created_by, created_at"
    };
}

bothy_storage::statements! {
    /// A new grant.
    INSERT_GRANT = "INSERT INTO grants
        (id, principal_id, group_id, target_kind, space_id, channel_id, level, capabilities, expires_at, created_by, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    /// Takes a grant back, once.
    REVOKE_GRANT = "UPDATE grants SET revoked_at = $2, revoked_by = $3
        WHERE id = $1 AND revoked_at IS NULL RETURNING principal_id, group_id";
    /// Takes back every grant of a group.
    REVOKE_GRANTS_OF_GROUP = "UPDATE grants SET revoked_at = $2, revoked_by = $3
        WHERE group_id = $1 AND revoked_at IS NULL";
    /// What a grant is given on.
    TARGET_OF_GRANT = "SELECT target_kind, space_id, channel_id FROM grants WHERE id = $1 AND revoked_at IS NULL";
    /// The grants that reach principals themselves.
    GRANTS_OF_PRINCIPALS = concat!("SELECT ", columns!(), " FROM grants
        WHERE principal_id IN (ID_LIST($1)) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)");
    /// The grants that reach principals through their groups.
    GRANTS_OF_GROUPS = concat!("SELECT ", columns!(), " FROM grants
        WHERE group_id IN (ID_LIST($1)) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)");
    /// When a grant last expired that reached principals themselves.
    LAST_EXPIRED_OF_PRINCIPALS = "SELECT principal_id, group_id, MAX(expires_at) AS expires_at FROM grants
        WHERE principal_id IN (ID_LIST($1)) AND revoked_at IS NULL AND expires_at <= $2
        GROUP BY principal_id, group_id";
    /// When a grant last expired that reached principals through their groups.
    LAST_EXPIRED_OF_GROUPS = "SELECT principal_id, group_id, MAX(expires_at) AS expires_at FROM grants
        WHERE group_id IN (ID_LIST($1)) AND revoked_at IS NULL AND expires_at <= $2
        GROUP BY principal_id, group_id";
    /// A page of the grants on the instance.
    GRANTS_ON_INSTANCE = concat!("SELECT ", columns!(), " FROM grants
        WHERE target_kind = 'instance' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1)
        AND id > $2 ORDER BY id LIMIT $3");
    /// A page of the grants on a space.
    GRANTS_ON_SPACE = concat!("SELECT ", columns!(), " FROM grants
        WHERE target_kind = 'space' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1)
        AND id > $2 AND space_id = $4 ORDER BY id LIMIT $3");
    /// A page of the grants on a channel.
    GRANTS_ON_CHANNEL = concat!("SELECT ", columns!(), " FROM grants
        WHERE target_kind = 'channel' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1)
        AND id > $2 AND channel_id = $4 ORDER BY id LIMIT $3");
    /// Who may instruct agents anywhere.
    SUBJECTS_WITH_TRIGGER = "SELECT DISTINCT principal_id, group_id FROM grants
        WHERE level = 'trigger' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1)";
}

/// A grant that reaches somebody.
pub(crate) struct Reaching {
    subject: Subject,
    pub(crate) fact: GrantFact,
}

impl Reaching {
    pub(crate) fn reaches(&self, fact: &PrincipalFact) -> bool {
        self.subject.reaches(fact)
    }
}

pub(crate) async fn insert_grant(unit: &UnitOfWork, grant: &Grant) -> Result<(), StorageError> {
    let (space, channel) = ids_of(grant.target);
    let params = params![
        grant.id,
        grant.subject.principal(),
        grant.subject.group(),
        TargetKind::of(grant.target).as_str(),
        space,
        channel,
        grant.rights.level.as_str(),
        grant.rights.capabilities.bits(),
        grant.expires_at,
        grant.created_by,
        grant.created_at,
    ];
    unit.execute(&INSERT_GRANT, params).await.map(drop)
}

pub(crate) async fn revoke_grant(
    unit: &UnitOfWork,
    grant: GrantId,
    by: PrincipalId,
    now: Timestamp,
) -> Result<Option<Subject>, StorageError> {
    let row = unit.returning_optional(&REVOKE_GRANT, params![grant, now, by]).await?;
    row.as_ref().map(subject).transpose()
}

pub(crate) async fn revoke_grants_of_group(
    unit: &UnitOfWork,
    group: GroupId,
    by: PrincipalId,
    now: Timestamp,
) -> Result<(), StorageError> {
    unit.execute(&REVOKE_GRANTS_OF_GROUP, params![group, now, by]).await.map(drop)
}

pub(crate) async fn target_of_grant(reader: &Reader, grant: GrantId) -> Result<Option<GrantTarget>, StorageError> {
    reader.optional(&TARGET_OF_GRANT, params![grant]).await?.as_ref().map(target).transpose()
}

/// The grants that reach any of these principals, directly or through any of these groups.
pub(crate) async fn grants_reaching(
    reader: &Reader,
    principals: &[PrincipalId],
    groups: &[GroupId],
    now: Timestamp,
) -> Result<Vec<Reaching>, StorageError> {
    let direct_params = params![principals, now];
    let direct = reader.all(&GRANTS_OF_PRINCIPALS, direct_params);
    let mut rows = if groups.is_empty() {
        direct.await?
    } else {
        let group_params = params![groups, now];
        let (mut direct, through) = futures::try_join!(direct, reader.all(&GRANTS_OF_GROUPS, group_params))?;
        direct.extend(through);
        direct
    };
    rows.drain(..)
        .map(|row| {
            let grant = grant(&row)?;
            Ok(Reaching { subject: grant.subject, fact: grant.fact() })
        })
        .collect()
}

/// When a grant last expired that was given to these principals or groups.
pub(crate) async fn last_expired(
    reader: &Reader,
    principals: &[PrincipalId],
    groups: &[GroupId],
    now: Timestamp,
) -> Result<HashMap<Subject, Timestamp>, StorageError> {
    let mut rows = reader.all(&LAST_EXPIRED_OF_PRINCIPALS, params![principals, now]).await?;
    if !groups.is_empty() {
        rows.extend(reader.all(&LAST_EXPIRED_OF_GROUPS, params![groups, now]).await?);
    }
    rows.iter().map(|row| Ok((subject(row)?, row.get("expires_at")?))).collect()
}

pub(crate) async fn grants_on(
    reader: &Reader,
    target: GrantTarget,
    after: Option<GrantId>,
    now: Timestamp,
    fetch: i64,
) -> Result<Vec<Grant>, StorageError> {
    // Before the first of all ids stands the nil id.
    let after = after.unwrap_or(GrantId::from_uuid(uuid::Uuid::nil()));
    let rows = match target {
        GrantTarget::Instance => reader.all(&GRANTS_ON_INSTANCE, params![now, after, fetch]).await?,
        GrantTarget::Space(space) => reader.all(&GRANTS_ON_SPACE, params![now, after, fetch, space]).await?,
        GrantTarget::Channel(_, channel) => reader.all(&GRANTS_ON_CHANNEL, params![now, after, fetch, channel]).await?,
    };
    rows.iter().map(grant).collect()
}

/// Whoever is given the level `trigger` on anything now.
pub(crate) async fn subjects_with_trigger(reader: &Reader, now: Timestamp) -> Result<Vec<Subject>, StorageError> {
    reader.all(&SUBJECTS_WITH_TRIGGER, params![now]).await?.iter().map(subject).collect()
}

fn grant(row: &Row) -> Result<Grant, StorageError> {
    let level: String = row.get("level")?;
    Ok(Grant {
        id: row.get("id")?,
        subject: subject(row)?,
        target: target(row)?,
        rights: Rights {
            level: Level::parse(&level).ok_or_else(|| undecodable("level"))?,
            capabilities: Capabilities::from_bits(row.get("capabilities")?),
        },
        expires_at: row.get("expires_at")?,
        created_by: row.get("created_by")?,
        created_at: row.get("created_at")?,
    })
}

fn subject(row: &Row) -> Result<Subject, StorageError> {
    Subject::of(row.get("principal_id")?, row.get("group_id")?).ok_or_else(|| undecodable("principal_id"))
}

fn target(row: &Row) -> Result<GrantTarget, StorageError> {
    match (row.get("space_id")?, row.get("channel_id")?) {
        (None, None) => Ok(GrantTarget::Instance),
        (Some(space), None) => Ok(GrantTarget::Space(space)),
        (Some(space), Some(channel)) => Ok(GrantTarget::Channel(space, channel)),
        (None, Some(_)) => Err(undecodable("space_id")),
    }
}

fn undecodable(column: &str) -> StorageError {
    StorageError::Decode { column: column.to_owned(), problem: DecodeProblem::OutOfRange { expected: "a known value" } }
}
