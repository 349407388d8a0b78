use bothy_storage::{DatabaseUrl, InvalidDatabaseUrl, Migrate, OpenOptions};

use super::{Config, MigrateMode};

impl Config {
    /// How to open the database: the configured one, else SQLite in the data folder.
    ///
    /// # Errors
    /// [`InvalidDatabaseUrl`] cannot happen with what [`Config::load`] has checked.
    pub fn open_options(&self) -> Result<OpenOptions, InvalidDatabaseUrl> {
        let url = match &self.server.database_url {
            Some(url) => url.expose().parse()?,
            None => DatabaseUrl::sqlite(&self.server.data_folder),
        };
        let mut options = OpenOptions::new(url);
        options.migrate = match self.server.migrate {
            MigrateMode::Auto => Migrate::Auto,
            MigrateMode::Check => Migrate::Check,
        };
        options.pool = self.database.pool_size.to_usize();
        options.checkout = self.database.checkout_timeout.get();
        Ok(options)
    }
}
