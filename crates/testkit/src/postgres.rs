//! A PostgreSQL server for tests: the one that `BOTHY_TEST_POSTGRES_URL` names, else one on the
//! local default port that lets the user `postgres` in, else a throwaway cluster made from the
//! installed binaries. Without any of them the test fails.

mod cluster;

use std::sync::OnceLock;
use tokio_postgres::{Client, Config, NoTls};

use crate::PATIENCE;

/// A database of one test. It is dropped with this value, as well as that goes.
#[derive(Debug)]
pub struct TestDatabase {
    /// Its address.
    pub url: String,
    name: String,
}

/// Makes a new, empty database.
///
/// # Panics
///
/// When there is no PostgreSQL, with what to install.
pub async fn create_database() -> TestDatabase {
    let server = tokio::task::spawn_blocking(server).await.expect("PostgreSQL for tests");
    let name = format!("bothy_test_{}", crate::unique());
    let client = connect(server).await.expect("the PostgreSQL server of the tests went away");
    client
        .batch_execute(&format!("CREATE DATABASE \"{name}\" TEMPLATE template0 ENCODING 'UTF8'"))
        .await
        .unwrap_or_else(|error| panic!("cannot create a database on the PostgreSQL server of the tests: {error:?}"));
    TestDatabase { url: with_database(server, &name), name }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let statement = format!("DROP DATABASE IF EXISTS \"{}\" WITH (FORCE)", self.name);
        let dropped = std::thread::spawn(move || {
            blocking(async {
                if let Ok(client) = connect(server()).await {
                    drop(client.batch_execute(&statement).await);
                }
            });
        });
        drop(dropped.join());
    }
}

/// The address of the server, found once in each process.
fn server() -> &'static str {
    static SERVER: OnceLock<String> = OnceLock::new();
    SERVER.get_or_init(|| {
        if let Some(url) = configured() {
            assert!(answers(&url), "BOTHY_TEST_POSTGRES_URL is set, but no PostgreSQL 15 or newer answers there");
            return url;
        }
        let local = "postgres://postgres@127.0.0.1:5432/postgres".to_owned();
        if answers(&local) { local } else { cluster::shared() }
    })
}

#[allow(clippy::disallowed_methods, reason = "tests find their server here, where no configuration is loaded")]
fn configured() -> Option<String> {
    std::env::var("BOTHY_TEST_POSTGRES_URL").ok().filter(|url| !url.is_empty())
}

/// Whether a server of version 15 or newer lets us in.
fn answers(url: &str) -> bool {
    let url = url.to_owned();
    let asked = std::thread::spawn(move || {
        blocking(async {
            let client = connect(&url).await.ok()?;
            let row =
                client.query_one("SELECT current_setting('server_version_num')::int >= 150000", &[]).await.ok()?;
            row.try_get::<_, bool>(0).ok()
        })
    });
    asked.join().ok().flatten().unwrap_or(false)
}

async fn connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let mut config: Config = url.parse()?;
    config.connect_timeout(PATIENCE);
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

fn blocking<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("tests need threads").block_on(work)
}

/// The same address with another database and [`PATIENCE`] for each connection.
fn with_database(url: &str, name: &str) -> String {
    let (address, options) = url.split_once('?').map_or((url, ""), |(address, options)| (address, options));
    let (scheme, rest) = address.split_once("://").unwrap_or(("postgres", address));
    let authority = rest.split_once('/').map_or(rest, |(authority, _)| authority);
    let separator = if options.is_empty() { "" } else { "&" };
    format!("{scheme}://{authority}/{name}?{options}{separator}connect_timeout={}", PATIENCE.as_secs())
}

#[cfg(test)]
mod tests {
    use super::with_database;

    #[test]
    fn only_the_database_changes() {
        assert_eq!(
            with_database("postgres://robin@host:1/old?a=b", "new"),
            "postgres://robin@host:1/new?a=b&connect_timeout=60"
        );
        assert_eq!(with_database("postgres://host", "new"), "postgres://host/new?connect_timeout=60");
    }

    #[tokio::test]
    async fn databases_are_made_and_removed() {
        let database = super::create_database().await;
        let client = super::connect(&database.url).await.unwrap();
        client.batch_execute("CREATE TABLE t (id uuid)").await.unwrap();
        let url = database.url.clone();
        tokio::task::spawn_blocking(move || drop(database)).await.unwrap();
        assert!(super::connect(&url).await.is_err());
    }
}
