use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{PrincipalId, TokenId};
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, params};
use uuid::Uuid;

use super::{kind, status, undecodable};
use crate::token::TokenHash;
use crate::tokens::TokenUse;

/// A token and the principal that it speaks for.
macro_rules! credential {
    () => {
        "SELECT t.id, t.kind AS token_kind, t.principal_id, t.expires_at, t.revoked_at, t.last_used_day,
        p.kind, p.status, p.requires_binding
        FROM api_tokens t JOIN principals p ON p.id = t.principal_id"
    };
}

bothy_storage::statements! {
    /// A new token.
    INSERT_TOKEN = "INSERT INTO api_tokens (id, kind, principal_id, name, token_hash, created_by, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    /// Who is behind the secret of a token.
    TOKEN_BY_SECRET = concat!(credential!(), " WHERE t.token_hash = $1");
    /// Who is behind a token whose secret was seen before.
    TOKEN_CREDENTIAL = concat!(credential!(), " WHERE t.id = $1");
    /// Whose personal token it is, while it is not revoked.
    OWNER_OF_PERSONAL_TOKEN = "SELECT principal_id FROM api_tokens
        WHERE id = $1 AND kind = 'personal' AND revoked_at IS NULL";
    /// A page of the tokens of a principal that are not revoked.
    TOKENS_OF = "SELECT id, name, created_by, created_at, expires_at, last_used_day FROM api_tokens
        WHERE principal_id = $1 AND revoked_at IS NULL AND id > $2 ORDER BY id LIMIT $3";
    /// Revokes a token of a principal.
    REVOKE_TOKEN = "UPDATE api_tokens SET revoked_at = $3 WHERE id = $1 AND principal_id = $2 AND revoked_at IS NULL";
    /// Notes the day of the last use.
    MARK_TOKEN_USED = "UPDATE api_tokens SET last_used_day = $2
        WHERE id = $1 AND (last_used_day IS NULL OR last_used_day < $2)";
}

#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) id: TokenId,
    pub(crate) name: String,
    pub(crate) created_by: PrincipalId,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) last_used_day: Option<i64>,
}

/// What a secret of a token stands for.
pub(crate) struct TokenCredential {
    pub(crate) id: TokenId,
    pub(crate) token_use: TokenUse,
    pub(crate) principal: PrincipalId,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) revoked: bool,
    pub(crate) last_used_day: Option<i64>,
    pub(crate) kind: PrincipalKind,
    pub(crate) status: PrincipalStatus,
    pub(crate) requires_binding: bool,
}

pub(crate) async fn insert(
    unit: &UnitOfWork,
    token_use: TokenUse,
    principal: PrincipalId,
    token: &Token,
    hash: &TokenHash,
) -> Result<(), StorageError> {
    let params = params![
        token.id,
        token_use.as_str(),
        principal,
        &token.name,
        hash,
        token.created_by,
        token.created_at,
        token.expires_at,
    ];
    unit.execute(&INSERT_TOKEN, params).await.map(drop)
}

pub(crate) async fn by_secret(reader: &Reader, hash: &TokenHash) -> Result<Option<TokenCredential>, StorageError> {
    reader.optional(&TOKEN_BY_SECRET, params![hash]).await?.as_ref().map(credential).transpose()
}

pub(crate) async fn by_id(reader: &Reader, id: TokenId) -> Result<Option<TokenCredential>, StorageError> {
    reader.optional(&TOKEN_CREDENTIAL, params![id]).await?.as_ref().map(credential).transpose()
}

pub(crate) async fn owner_of_personal(reader: &Reader, id: TokenId) -> Result<Option<PrincipalId>, StorageError> {
    reader.optional(&OWNER_OF_PERSONAL_TOKEN, params![id]).await?.map(|row| row.get("principal_id")).transpose()
}

pub(crate) async fn of(
    reader: &Reader,
    principal: PrincipalId,
    after: Option<TokenId>,
    fetch: i64,
) -> Result<Vec<Token>, StorageError> {
    let after = after.unwrap_or(TokenId::from_uuid(Uuid::nil()));
    reader.all(&TOKENS_OF, params![principal, after, fetch]).await?.iter().map(decode).collect()
}

/// Whether there was one to revoke.
pub(crate) async fn revoke(
    unit: &UnitOfWork,
    principal: PrincipalId,
    id: TokenId,
    now: Timestamp,
) -> Result<bool, StorageError> {
    Ok(unit.execute(&REVOKE_TOKEN, params![id, principal, now]).await? > 0)
}

pub(crate) async fn mark_used(unit: &UnitOfWork, id: TokenId, day: i64) -> Result<(), StorageError> {
    unit.execute(&MARK_TOKEN_USED, params![id, day]).await.map(drop)
}

fn credential(row: &Row) -> Result<TokenCredential, StorageError> {
    let token_use: String = row.get("token_kind")?;
    Ok(TokenCredential {
        id: row.get("id")?,
        token_use: TokenUse::parse(&token_use).ok_or_else(|| undecodable("token_kind"))?,
        principal: row.get("principal_id")?,
        expires_at: row.get("expires_at")?,
        revoked: row.get::<Option<Timestamp>>("revoked_at")?.is_some(),
        last_used_day: row.get("last_used_day")?,
        kind: kind(row)?,
        status: status(row)?,
        requires_binding: row.get("requires_binding")?,
    })
}

fn decode(row: &Row) -> Result<Token, StorageError> {
    Ok(Token {
        id: row.get("id")?,
        name: row.get("name")?,
        created_by: row.get("created_by")?,
        created_at: row.get("created_at")?,
        expires_at: row.get("expires_at")?,
        last_used_day: row.get("last_used_day")?,
    })
}
