//! Coming back: after a cut, after a slow time, after a long absence.

use std::time::Duration;

use bothy_testkit::both_databases;
use serde_json::{Value, json};

use super::stage::{Stage, number};
use super::support::{Http, Socket};

fn numbers(frames: &[Value]) -> Vec<i64> {
    let created = frames.iter().filter(|frame| frame["kind"] == "message.created");
    created.map(|frame| frame["message"]["thread_seq"].as_i64().unwrap()).collect()
}

both_databases! {
    /// Cut again and again in the middle of what is told, a client that comes back with its cursor gets
    /// everything once and in order.
    async fn a_client_that_comes_back_loses_and_doubles_nothing(db: TestDb) {
        let stage = Stage::set(&db).await;
        let mut seen = Vec::new();
        let mut cursor = stage.follow(&stage.alex).await.cursor;
        for round in 0..10_i64 {
            let mut socket = stage.resume(&stage.alex, &cursor).await;
            for number in 0..10 {
                stage.say(&stage.sam, &format!("{round} {number}")).await;
                if number == 4 {
                    // Taken while it is connected: one more in each round, then cut.
                    for _ in 0..round {
                        let told = socket.event("message.created").await;
                        cursor = told["cursor"].as_str().unwrap().to_owned();
                        seen.push(told);
                        if numbers(&seen).last() == Some(&(round * 10 + 5)) {
                            break;
                        }
                    }
                }
            }
            drop(socket);
        }
        let mut socket = stage.resume(&stage.alex, &cursor).await;
        seen.extend(socket.until(|frame| frame["message"]["thread_seq"] == 100).await);
        assert_eq!(numbers(&seen), (1..=100).collect::<Vec<_>>());
        stage.stop().await;
    }

    /// A client that takes its frames too slowly is cut off, told from where to come back, and loses
    /// nothing.
    async fn a_slow_client_is_cut_off_and_resumes(db: TestDb) {
        let stage = Stage::set_with(&db, |config| config.gateway.queue_max = number(4)).await;
        let mut slow = stage.follow(&stage.alex).await;
        let mut quick = stage.follow(&stage.sam).await;
        let long = "x".repeat(15_000);
        let mut last = 0;
        // Until the buffers between the two are full and the queue behind them is too.
        while stage.server.app.modules().delivery.connections() == 2 && last < 1_500 {
            last += 1;
            stage.say(&stage.robin, &format!("{last} {long}")).await;
            quick.event("message.created").await;
            // Time for what a good-bye to a client that takes nothing may take.
            stage.server.pass(Duration::from_millis(100));
            quick.say(json!({ "op": "heartbeat" })).await;
        }
        assert_eq!(stage.server.app.modules().delivery.connections(), 1, "still there after {last} messages");
        let mut seen = Vec::new();
        let ended = loop {
            match slow.step().await {
                Ok(frame) => seen.push(frame),
                Err(ended) => break ended,
            }
        };
        // What it had begun to take it may finish; the good-bye comes only to those who take it in time.
        assert!(ended.code == 4429 || ended.code == 0, "{ended:?}");
        let mut socket = stage.resume(&stage.alex, &slow.cursor).await;
        seen.extend(socket.until(|frame| frame["message"]["thread_seq"] == last).await);
        assert_eq!(numbers(&seen), (1..=last).collect::<Vec<_>>());
        stage.stop().await;
    }

    /// Events are kept for a time; an older cursor takes a snapshot (chapter 05 section 4).
    async fn a_cursor_that_is_older_than_the_log_is_told_so(db: TestDb) {
        let stage = Stage::set_with(&db, |config| {
            config.events.retention = "1h".parse().unwrap();
            config.auth.session_ttl = "30d".parse().unwrap();
        }).await;
        let old = stage.alex.get("/events").await.expect(200).text("/cursor");
        stage.say(&stage.sam, "long ago").await;
        let acknowledged = stage.lotse.get("/agent/events").await.expect(200).json()["cursor"].clone();
        stage.server.pass(Duration::from_secs(2 * 60 * 60));
        // The connections of before were idle for too long.
        let afresh = |who: &Http| stage.server.http().token(&who.bearer());
        let (alex, sam, lotse) = (afresh(&stage.alex), afresh(&stage.sam), afresh(&stage.lotse));
        let fresh = stage.say(&sam, "now").await;
        let modules = stage.server.app.modules();
        let oldest = bothy_platform::clock::Clock::now(&stage.server.clock).minus(Duration::from_secs(60 * 60));
        let removed = modules.events.retain_since(oldest).await.unwrap();
        // The node's own duty may have been there first.
        let floor = modules.events.floor(&modules.database.reader().await.unwrap()).await.unwrap();
        assert!(floor > 0, "{removed} were removed");
        alex.get(&format!("/events?cursor={old}")).await.expect_problem(410, "cursor_expired");
        let bearer = format!("Bearer {}", alex.bearer());
        let query = format!("?cursor={old}");
        let refused = Socket::try_open(&stage.server.url(), &query, &[("authorization", &bearer)]).await;
        assert_eq!(refused.err().map(|refused| (refused.0, refused.1["code"].clone())), Some((410, json!("cursor_expired"))));
        alex.get("/events?cursor=nonsense").await.expect_problem(422, "validation_failed");
        // An agent that names a cursor is told; one that leaves that to the server goes on behind the gap.
        lotse.get("/agent/events?cursor=1").await.expect_problem(410, "cursor_expired");
        let polled = lotse.get("/agent/events").await.expect(200).json();
        assert_eq!(polled["missed"], true, "{polled} after {acknowledged}");
        let items = polled["items"].as_array().unwrap();
        assert!(items.iter().any(|event| event["message_id"] == json!(fresh)), "{polled}");
        lotse.post("/agent/events/ack", json!({ "cursor": polled["cursor"] })).await.expect(200);
        assert!(lotse.get("/agent/events").await.expect(200).json().get("missed").is_none());
        // The snapshot goes on.
        let snapshot = alex.get("/snapshot").await.expect(200).text("/cursor");
        alex.get(&format!("/events?cursor={snapshot}")).await.expect(200);
        stage.stop().await;
    }
}
