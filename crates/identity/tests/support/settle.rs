use std::time::Duration;

use bothy_storage::{Database, params, statements};

statements! {
    UNSEQUENCED = "SELECT COUNT(*) AS n FROM events WHERE position IS NULL";
}

/// Waits until every event has its position, which on PostgreSQL it gets after the commit.
#[allow(clippy::disallowed_methods, reason = "waits for another task, not for a time")]
pub async fn settle(database: &Database) {
    for _ in 0..30_000 {
        let open: i64 = database.reader().await.unwrap().one(&UNSEQUENCED, params![]).await.unwrap().get("n").unwrap();
        if open == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic!("events stay without a position");
}
