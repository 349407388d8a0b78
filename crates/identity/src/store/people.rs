use bothy_domain::actor::PrincipalStatus;
use bothy_domain::ids::PrincipalId;
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, params};
use uuid::Uuid;

use super::status;

/// The columns of a person.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT p.id, p.handle, p.display_name, p.status, p.created_at, e.email, (o.principal_id IS NOT NULL) AS owner
            FROM principals p JOIN people e ON e.principal_id = p.id LEFT JOIN owners o ON o.principal_id = p.id ",
            $rest
        )
    };
}

bothy_storage::statements! {
    /// One person.
    PERSON = select!("WHERE p.id = $1");
    /// A page of people.
    PEOPLE = select!("WHERE p.id > $1 ORDER BY p.id LIMIT $2");
    /// Who signs in with an address.
    ACCOUNT_BY_EMAIL = "SELECT p.id, p.status, e.password_hash
        FROM people e JOIN principals p ON p.id = e.principal_id WHERE e.email = $1";
    /// The account of a person.
    ACCOUNT = "SELECT p.id, p.status, e.password_hash
        FROM people e JOIN principals p ON p.id = e.principal_id WHERE e.principal_id = $1";
    /// A new person.
    INSERT_PERSON = "INSERT INTO people (principal_id, email, password_hash) VALUES ($1, $2, $3)";
    /// Another password.
    SET_PASSWORD = "UPDATE people SET password_hash = $2 WHERE principal_id = $1";
    /// Another address.
    SET_EMAIL = "UPDATE people SET email = $2 WHERE principal_id = $1";
    /// One owner more.
    INSERT_OWNER = "INSERT INTO owners (principal_id, added_at) VALUES ($1, $2) ON CONFLICT (principal_id) DO NOTHING";
    /// One owner less.
    DELETE_OWNER = "DELETE FROM owners WHERE principal_id = $1";
    /// How many other owners can act.
    OTHER_ACTIVE_OWNERS = "SELECT COUNT(*) AS owners FROM owners o JOIN principals p ON p.id = o.principal_id
        WHERE p.status = 'active' AND o.principal_id <> $1";
}

#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) id: PrincipalId,
    pub(crate) handle: String,
    pub(crate) display_name: String,
    pub(crate) status: PrincipalStatus,
    pub(crate) created_at: Timestamp,
    pub(crate) email: String,
    pub(crate) owner: bool,
}

pub(crate) struct Account {
    pub(crate) id: PrincipalId,
    pub(crate) status: PrincipalStatus,
    pub(crate) password_hash: Option<String>,
}

pub(crate) async fn person(reader: &Reader, id: PrincipalId) -> Result<Option<Person>, StorageError> {
    reader.optional(&PERSON, params![id]).await?.as_ref().map(decode).transpose()
}

pub(crate) async fn people(
    reader: &Reader,
    after: Option<PrincipalId>,
    fetch: i64,
) -> Result<Vec<Person>, StorageError> {
    let after = after.unwrap_or(PrincipalId::from_uuid(Uuid::nil()));
    reader.all(&PEOPLE, params![after, fetch]).await?.iter().map(decode).collect()
}

pub(crate) async fn account_by_email(reader: &Reader, email: &str) -> Result<Option<Account>, StorageError> {
    reader.optional(&ACCOUNT_BY_EMAIL, params![email]).await?.as_ref().map(account_of).transpose()
}

pub(crate) async fn account(reader: &Reader, id: PrincipalId) -> Result<Option<Account>, StorageError> {
    reader.optional(&ACCOUNT, params![id]).await?.as_ref().map(account_of).transpose()
}

pub(crate) async fn insert(
    unit: &UnitOfWork,
    id: PrincipalId,
    email: &str,
    password_hash: Option<&str>,
) -> Result<(), StorageError> {
    unit.execute(&INSERT_PERSON, params![id, email, password_hash]).await.map(drop)
}

pub(crate) async fn set_password(unit: &UnitOfWork, id: PrincipalId, hash: &str) -> Result<(), StorageError> {
    unit.execute(&SET_PASSWORD, params![id, hash]).await.map(drop)
}

pub(crate) async fn set_email(unit: &UnitOfWork, id: PrincipalId, email: &str) -> Result<(), StorageError> {
    unit.execute(&SET_EMAIL, params![id, email]).await.map(drop)
}

pub(crate) async fn insert_owner(unit: &UnitOfWork, id: PrincipalId, now: Timestamp) -> Result<(), StorageError> {
    unit.execute(&INSERT_OWNER, params![id, now]).await.map(drop)
}

pub(crate) async fn delete_owner(unit: &UnitOfWork, id: PrincipalId) -> Result<(), StorageError> {
    unit.execute(&DELETE_OWNER, params![id]).await.map(drop)
}

pub(crate) async fn other_active_owners(reader: &Reader, id: PrincipalId) -> Result<i64, StorageError> {
    reader.one(&OTHER_ACTIVE_OWNERS, params![id]).await?.get("owners")
}

fn decode(row: &Row) -> Result<Person, StorageError> {
    Ok(Person {
        id: row.get("id")?,
        handle: row.get("handle")?,
        display_name: row.get("display_name")?,
        status: status(row)?,
        created_at: row.get("created_at")?,
        email: row.get("email")?,
        owner: row.get("owner")?,
    })
}

fn account_of(row: &Row) -> Result<Account, StorageError> {
    Ok(Account { id: row.get("id")?, status: status(row)?, password_hash: row.get("password_hash")? })
}
