//! One test, both engines.

use crate::folder::{TestFolder, sqlite_folder};
use crate::postgres::{self, TestDatabase};

/// An empty database of one of the engines. It is removed when this is dropped.
#[derive(Debug)]
pub enum TestDb {
    /// A folder for SQLite.
    Sqlite {
        /// The data folder.
        folder: TestFolder,
    },
    /// A database on a PostgreSQL server.
    Postgres {
        /// The database.
        database: TestDatabase,
    },
}

impl TestDb {
    /// A folder for SQLite.
    pub fn sqlite() -> Self {
        Self::Sqlite { folder: sqlite_folder() }
    }

    /// A new database on the PostgreSQL server of the tests.
    pub async fn postgres() -> Self {
        Self::Postgres { database: postgres::create_database().await }
    }

    /// The address, as configuration spells it.
    pub fn url(&self) -> String {
        match self {
            Self::Sqlite { folder } => format!("sqlite://{}", folder.path().display()),
            Self::Postgres { database } => database.url.clone(),
        }
    }

    /// Whether this is PostgreSQL.
    pub const fn is_postgres(&self) -> bool {
        matches!(self, Self::Postgres { .. })
    }
}

/// Runs a test on a runtime with several threads.
pub fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .expect("tests need threads")
        .block_on(test);
}

/// Makes two tests, `name::sqlite` and `name::postgres`, of each function.
///
/// ```text
/// both_databases! {
///     async fn a_space_keeps_its_name(db: TestDb) {
///         let database = open(&db).await;
///     }
/// }
/// ```
#[macro_export]
macro_rules! both_databases {
    ($($(#[$meta:meta])* async fn $name:ident($db:ident: TestDb) $body:block)*) => {
        $(
            $(#[$meta])*
            #[cfg(test)]
            mod $name {
                #[allow(unused_imports, reason = "a test may need nothing of its surroundings")]
                use super::*;

                async fn body($db: $crate::TestDb) $body

                #[test]
                fn sqlite() {
                    $crate::run(async { body($crate::TestDb::sqlite()).await });
                }

                #[test]
                fn postgres() {
                    $crate::run(async { body($crate::TestDb::postgres().await).await });
                }
            }
        )*
    };
}
