//! Opening and closing the pool.

use std::time::Duration;

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, NoTls};

use super::error::{connect_cause, from_pool, translate};
use super::session::{Isolation, Session};
use super::{decode, migrate};
use crate::statement::Statement;
use crate::{DecodeProblem, OpenError, OpenOptions, StorageError};

/// The oldest server version.
const OLDEST: i32 = 150_000;

/// Every statement finds its rows by indexes, beginning with what its caller sees. How many rows a list of
/// ids finds cannot be estimated, so the planner would take some statements to be better off with a look at
/// whole tables, whose cost grows with the instance, or would compile them first, which takes a second
/// where they take a millisecond.
const BY_INDEXES: &str = "SET jit = off; SET enable_seqscan = off; SET enable_hashjoin = off; \
    SET enable_mergejoin = off; SET plan_cache_mode = force_generic_plan";

/// An open pool.
pub(crate) struct Postgres {
    pool: Pool,
    config: Config,
}

impl Postgres {
    /// Connects, checks the server, migrates, and opens the pool.
    pub(crate) async fn open(url: &str, options: &OpenOptions) -> Result<Self, OpenError> {
        let address = address(url);
        let config =
            config(url).map_err(|error| OpenError::Refused { address: address.clone(), cause: error.to_string() })?;
        if config.get_ssl_mode() == SslMode::Require {
            return Err(OpenError::TlsUnsupported);
        }
        let (mut client, connection) = config.connect(NoTls).await.map_err(|error| refusal(&address, &error))?;
        let driver = tokio::spawn(connection);
        let checked = check(&client).await;
        let ready = match checked {
            Ok(()) => migrate::migrate(&mut client, options.migrate, options.migrations).await,
            Err(error) => Err(error),
        };
        drop(client);
        drop(driver.await);
        ready?;
        let manager =
            Manager::from_config(config.clone(), NoTls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
        let pool = Pool::builder(manager)
            .max_size(options.pool.max(1))
            .wait_timeout(Some(options.checkout))
            .create_timeout(config.get_connect_timeout().copied())
            .post_create(Hook::async_fn(|client, _| {
                Box::pin(async move { client.batch_execute(BY_INDEXES).await.map_err(HookError::Backend) })
            }))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| StorageError::unavailable(error.to_string()))?;
        Ok(Self { pool, config })
    }

    pub(crate) async fn reader(&self) -> Result<Session, StorageError> {
        self.pool.get().await.map(Session::plain).map_err(|error| from_pool(&error))
    }

    pub(crate) async fn snapshot(&self) -> Result<Session, StorageError> {
        self.reader().await?.begin(Isolation::Snapshot).await
    }

    pub(crate) async fn begin(&self) -> Result<Session, StorageError> {
        self.reader().await?.begin(Isolation::Write).await
    }

    /// The settings of a connection of its own, for listening.
    pub(crate) fn config(&self) -> Config {
        self.config.clone()
    }

    /// Sends a wake-up in a short transaction of its own.
    pub(crate) async fn notify(&self, channel: &'static str) -> Result<(), StorageError> {
        let client = self.pool.get().await.map_err(|error| from_pool(&error))?;
        let failed = |error| translate(&error, "NOTIFY");
        let statement = client.prepare_cached("SELECT pg_notify($1, '')").await.map_err(failed)?;
        client.query(&statement, &[&channel]).await.map(drop).map_err(failed)
    }

    pub(crate) async fn ping(&self) -> Result<(), StorageError> {
        let client = self.pool.get().await.map_err(|error| from_pool(&error))?;
        client.simple_query("").await.map(drop).map_err(|error| translate(&error, "ping"))
    }

    /// Prepares a statement, and checks that its columns can be read.
    pub(crate) async fn prepare(&self, statement: &'static Statement) -> Result<(), StorageError> {
        let client = self.pool.get().await.map_err(|error| from_pool(&error))?;
        let prepared =
            client.prepare(statement.postgres()).await.map_err(|error| translate(&error, statement.name()))?;
        match prepared.columns().iter().find(|column| !decode::supports(column.type_())) {
            None => Ok(()),
            Some(column) => {
                Err(StorageError::Decode { column: column.name().to_owned(), problem: DecodeProblem::UnsupportedType })
            }
        }
    }

    pub(crate) fn close(&self) {
        self.pool.close();
    }
}

/// Where a server is, without user and password.
pub(crate) fn address(url: &str) -> String {
    let Ok(config) = url.parse::<Config>() else { return "unreadable".to_owned() };
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        None => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    format!("{host}:{port}/{}", config.get_dbname().or(config.get_user()).unwrap_or_default())
}

/// The URL with defaults that a server wants: a dead peer is noticed, and the server's list of
/// connections says whose they are.
fn config(url: &str) -> Result<Config, tokio_postgres::Error> {
    let mut config: Config = url.parse()?;
    if config.get_application_name().is_none() {
        config.application_name("bothy");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(Duration::from_secs(5));
    }
    config.keepalives_idle(Duration::from_secs(30));
    Ok(config)
}

async fn check(client: &Client) -> Result<(), OpenError> {
    let failed = |error| OpenError::from(translate(&error, "check"));
    let row = client
        .query_one(
            "SELECT CAST(current_setting('server_version_num') AS INTEGER), current_setting('server_version'),
               current_setting('server_encoding')",
            &[],
        )
        .await
        .map_err(failed)?;
    let number: i32 = row.try_get(0).map_err(failed)?;
    let version: String = row.try_get(1).map_err(failed)?;
    let encoding: String = row.try_get(2).map_err(failed)?;
    if number < OLDEST {
        return Err(OpenError::PostgresTooOld { found: version });
    }
    if encoding != "UTF8" {
        return Err(OpenError::WrongEncoding { found: encoding });
    }
    Ok(())
}

fn refusal(address: &str, error: &tokio_postgres::Error) -> OpenError {
    let (address, cause) = (address.to_owned(), connect_cause(error));
    let refused = error.code().is_some_and(|code| {
        *code == SqlState::INVALID_PASSWORD
            || *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION
            || *code == SqlState::INVALID_CATALOG_NAME
            || *code == SqlState::INSUFFICIENT_PRIVILEGE
    });
    if refused { OpenError::Refused { address, cause } } else { OpenError::Unreachable { address, cause } }
}
