mod binding;
mod changes;
mod explain;
mod snapshots;
mod support;
mod trigger;

use bothy_storage::prepare_all;
use bothy_testkit::both_databases;

use self::support::open;
use crate::Authz;

both_databases! {
    async fn both_engines_take_every_statement(db: TestDb) {
        let database = open(&db).await;
        if let Err(failures) = prepare_all(&database, Authz::statements()).await {
            panic!("{failures:#?}");
        }
    }
}
