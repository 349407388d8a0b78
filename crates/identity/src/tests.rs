use bothy_storage::{Database, OpenOptions, prepare_all};
use bothy_testkit::both_databases;

use crate::Identity;

both_databases! {
    async fn both_engines_take_every_statement(db: TestDb) {
        let database = Database::open(&OpenOptions { checkout: bothy_testkit::PATIENCE, ..OpenOptions::new(db.url().parse().unwrap()) }).await.unwrap();
        if let Err(failures) = prepare_all(&database, &Identity::statements()).await {
            panic!("{failures:#?}");
        }
    }
}
