use std::sync::Arc;
use std::time::Duration;

use bothy::wiring::{App, Ports};
use bothy::world::{World, test_password};
use bothy_platform::clock::ManualClock;
use bothy_platform::config::{Config, Rate, Secret};
use bothy_platform::entropy::SystemEntropy;
use bothy_sdk::Client;
use bothy_storage::{Database, MIGRATIONS, Migration, OpenOptions};
use bothy_testkit::{PATIENCE, TestDb, TestFolder, sqlite_folder};

use super::http::Http;
use super::settle::settle;

/// A server on a port of its own, over a database of one of the engines. Its clock stands still
/// until the test moves it.
pub struct TestServer {
    pub app: App,
    pub clock: ManualClock,
    folder: TestFolder,
}

impl TestServer {
    pub async fn start(db: &TestDb) -> Self {
        Self::start_with(db, |_| {}).await
    }

    /// Starts one with other settings than the defaults and [`plenty`] of requests.
    pub async fn start_with(db: &TestDb, adjust: impl FnOnce(&mut Config)) -> Self {
        Self::on(db, ManualClock::default(), adjust).await
    }

    /// Another node over the same PostgreSQL database, under the same clock.
    pub async fn another(&self, db: &TestDb) -> Self {
        assert!(db.is_postgres(), "SQLite has one node");
        Self::on(db, self.clock.clone(), |_| {}).await
    }

    /// The same with other settings.
    pub async fn another_with(&self, db: &TestDb, adjust: impl FnOnce(&mut Config)) -> Self {
        assert!(db.is_postgres(), "SQLite has one node");
        Self::on(db, self.clock.clone(), adjust).await
    }

    async fn on(db: &TestDb, clock: ManualClock, adjust: impl FnOnce(&mut Config)) -> Self {
        let folder = sqlite_folder();
        let mut config = Config::default();
        config.server.listen = ([127, 0, 0, 1], 0).into();
        config.server.data_folder = folder.path().to_owned();
        config.server.database_url = Some(Secret::new(db.url()));
        config.server.secret = Some(Secret::new("the same secret for every node of a test"));
        config.rate = plenty();
        config.database.checkout_timeout = "1m".parse().unwrap();
        adjust(&mut config);
        let entropy = Arc::new(SystemEntropy::new().unwrap());
        let ports = Ports { clock: Arc::new(clock.clone()), entropy };
        let app = App::start(config, ports).await.unwrap_or_else(|error| panic!("the server cannot start: {error}"));
        Self { app, clock, folder }
    }

    pub fn url(&self) -> String {
        self.app.local_url()
    }

    /// A client without a token.
    pub fn client(&self) -> Client {
        Client::anonymous(&self.url()).unwrap()
    }

    /// A raw client without a token.
    pub fn http(&self) -> Http {
        Http::without_pool(&self.url())
    }

    /// Builds the test world of chapter 00.
    pub async fn world(&self) -> World {
        let code = self.app.setup_code().expect("an instance without an owner").to_owned();
        World::build(&self.client(), &code, &test_password)
            .await
            .unwrap_or_else(|error| panic!("the world cannot be built: {error}"))
    }

    /// Waits until what was done so far stands in the log of events, so that who follows from now on is
    /// told of what comes only.
    pub async fn settle(&self) {
        settle(&self.app.modules().database).await;
    }

    /// Lets time pass.
    pub fn pass(&self, time: Duration) {
        self.clock.advance(time);
    }

    pub async fn stop(self) {
        self.app.stop().await;
        drop(self.folder);
    }
}

/// Budgets that no test uses up: the clock stands still, so what is taken never comes back. A test of
/// the limits sets its own.
pub fn plenty() -> Rate {
    let classes = ["public_auth", "read", "write", "agent_runtime", "admin"];
    let budgets = classes
        .iter()
        .flat_map(|class| [((*class).to_owned(), 1_000_000.into()), (format!("{class}_burst"), 100_000.into())]);
    serde_json::from_value(serde_json::Value::Object(budgets.collect())).unwrap()
}

/// Gives a database the schema of a version that does not exist yet.
pub async fn migrate_to_the_future(db: &TestDb) {
    let step = Migration { version: 9999, name: "future", text: "CREATE TABLE future (\n  id UUID PRIMARY KEY\n);\n" };
    let steps: Vec<Migration> = MIGRATIONS.iter().copied().chain([step]).collect();
    let options =
        OpenOptions { migrations: steps.leak(), checkout: PATIENCE, ..OpenOptions::new(db.url().parse().unwrap()) };
    Database::open(&options).await.unwrap().close().await;
}
