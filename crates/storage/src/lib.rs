//! One SQL text over SQLite and PostgreSQL.
//!
//! A [`Database`] hands out a [`Reader`] (one pooled connection, or one snapshot) or a
//! [`UnitOfWork`] (one transaction). Statements are written once, by [`statements!`], in a subset
//! that both engines share; what truly differs stands side by side in the same place. Nobody
//! outside of this crate sees a driver.
//!
//! The portable subset, beyond plain SQL: parameters are `$1`, `$2`; lists are
//! `IN (ID_LIST($1))`, `TEXT_LIST` and `INT_LIST`; casts name the types of PostgreSQL
//! (`CAST($1 AS BIGINT)`); a `SUM` is cast, because PostgreSQL answers it with a type of its own;
//! rows are locked by writing them (`UPDATE ... RETURNING`). `ORDER BY` a column that may be empty
//! says `NULLS FIRST` or `NULLS LAST`, and `LIKE` says `ESCAPE`, since their defaults differ. On
//! both engines text is ordered by its bytes, and `LIKE` tells capitals apart.

mod database;
mod dialect;
mod engine;
mod error;
mod hooks;
mod listener;
mod migrations;
mod open_error;
mod options;
mod postgres;
mod prepare;
mod reader;
mod row;
mod sqlite;
mod statement;
mod transact;
mod unit;
mod url;
mod value;
mod wait;

pub use database::Database;
pub use engine::Engine;
pub use error::{DecodeProblem, StorageError};
pub use listener::Listener;
pub use migrations::{MIGRATIONS, Migration};
pub use open_error::OpenError;
pub use options::{Migrate, OpenOptions};
pub use prepare::prepare_all;
pub use reader::Reader;
pub use row::{Cell, FromValue, Row};
pub use statement::Statement;
pub use transact::{RetryHint, Work, work};
pub use unit::UnitOfWork;
pub use url::{DatabaseUrl, InvalidDatabaseUrl};
pub use value::Value;
