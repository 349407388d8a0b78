//! What clients say over a connection: judged and answered like the operation that it stands for.

use std::time::Duration;

use bothy_testkit::both_databases;
use serde_json::{Value, json};

use super::stage::Stage;
use super::support::{Http, Socket};

async fn start(agent: &Http, run: &str) -> String {
    let token = agent.post_empty(&format!("/runs/{run}/token")).await.expect(200).text("/invocation_token");
    agent.post(&format!("/runs/{run}/start"), json!({ "invocation_token": token })).await.expect(200);
    token
}

fn code(frame: &Value) -> (u64, &str) {
    (frame["status"].as_u64().unwrap(), frame["problem"]["code"].as_str().unwrap_or_default())
}

both_databases! {
    async fn people_say_what_they_read_and_that_they_write(db: TestDb) {
        let stage = Stage::set(&db).await;
        let (mut alex, mut tab) = (stage.follow(&stage.alex).await, stage.follow(&stage.alex).await);
        let mut writer = stage.follow(&stage.writer).await;
        stage.say(&stage.sam, "one").await;
        let main = stage.main();
        let (read, _) = alex.ask(json!({ "op": "read_state.set", "thread_id": main, "last_read_seq": 1 })).await;
        assert_eq!((&read["type"], &read["status"]), (&json!("result"), &json!(200)), "{read}");
        // The other client of the same person learns of it, nobody else does.
        assert_eq!(tab.event("read_state.updated").await["thread_id"], json!(main));
        let (typing, _) = alex.ask(json!({ "op": "typing.start", "thread_id": main })).await;
        assert_eq!(typing["status"], 204, "{typing}");
        let told = writer.until(|frame| frame["kind"] == "typing.started").await;
        assert!(told.iter().all(|frame| frame["kind"] != "read_state.updated"), "{told:?}");
        assert_eq!(told.last().unwrap()["subject_id"], json!(stage.world.alex.id));
        // Hidden like what does not exist.
        let hidden = json!({ "op": "typing.start", "thread_id": stage.eskalation_main() });
        let unknown = json!({ "op": "typing.start", "thread_id": "0193f1f0-1111-7000-8000-0123456789ab" });
        let ((hidden, _), (unknown, _)) = (writer.ask(hidden).await, writer.ask(unknown).await);
        assert_eq!((code(&hidden), code(&unknown)), ((404, "not_found"), (404, "not_found")));
        // What agents do is not for people.
        let (refused, _) = alex.ask(json!({ "op": "events.ack", "cursor": 0 })).await;
        assert_eq!((code(&refused), &refused["problem"]["reason"]), ((403, "forbidden"), &json!("subject_kind_not_allowed")));
        let (refused, _) = alex.ask(json!({ "op": "read_state.set", "thread_id": main, "nonsense": 1 })).await;
        assert_eq!(code(&refused), (422, "validation_failed"));
        // Only a frame that somebody else has to see is sent: not one's own typing.
        let said = stage.say(&stage.sam, "two").await;
        let told = tab.until(|frame| frame["message_id"] == json!(said)).await;
        assert!(told.iter().all(|frame| frame["kind"] != "typing.started"), "{told:?}");
        stage.stop().await;
    }

    /// That somebody writes is told while it is fresh, and never to whoever was away.
    async fn typing_is_never_told_again(db: TestDb) {
        let stage = Stage::set(&db).await;
        let before = stage.follow(&stage.sam).await.cursor;
        stage.alex.post_empty(&format!("/threads/{}/typing", stage.main())).await.expect(204);
        let said = stage.say(&stage.alex, "what I wrote").await;
        let told = stage.resume(&stage.sam, &before).await.until(|frame| frame["message_id"] == json!(said)).await;
        assert_eq!(told.len(), 1, "{told:?}");
        let listed = stage.sam.get(&format!("/events?cursor={before}")).await.expect(200).json();
        assert_eq!(listed["items"].as_array().map(Vec::len), Some(1), "{listed}");
        // Again and again within a short time is told once.
        let mut sam = stage.follow(&stage.sam).await;
        for _ in 0..5 {
            stage.alex.post_empty(&format!("/threads/{}/typing", stage.main())).await.expect(204);
        }
        stage.server.pass(Duration::from_secs(4));
        stage.alex.post_empty(&format!("/threads/{}/typing", stage.main())).await.expect(204);
        let said = stage.say(&stage.alex, "done").await;
        let told = sam.until(|frame| frame["message_id"] == json!(said)).await;
        let typing = told.iter().filter(|frame| frame["kind"] == "typing.started").count();
        // The first sign of all was told moments before.
        assert_eq!(typing, 1, "{told:?}");
        stage.lotse.post_empty(&format!("/threads/{}/typing", stage.main())).await.expect_problem(403, "forbidden");
        stage.stop().await;
    }

    async fn people_see_who_comes_and_goes(db: TestDb) {
        let stage = Stage::set(&db).await;
        let url = stage.server.url();
        let mut sam = Socket::open_with(&url, &stage.sam.bearer(), "?presence=true").await;
        let alex = stage.world.alex.id;
        let of_alex = |frame: &Value| frame["kind"] == "presence.updated" && frame["subject_id"] == json!(alex);
        let (mut first, second) = (stage.follow(&stage.alex).await, stage.follow(&stage.alex).await);
        assert_eq!(sam.until(of_alex).await.last().unwrap()["presence"], json!({ "principal_id": alex, "state": "online" }));
        let (away, _) = first.ask(json!({ "op": "presence.set", "state": "away" })).await;
        assert_eq!(away["status"], 204, "{away}");
        assert_eq!(sam.until(of_alex).await.last().unwrap()["presence"]["state"], "away");
        let present = stage.sam.get("/snapshot").await.expect(200).json();
        assert!(present["presence"]["items"].as_array().unwrap().contains(&json!({ "principal_id": alex, "state": "away" })));
        drop((first, second));
        let gone = sam.until(of_alex).await;
        assert_eq!(gone.last().unwrap()["presence"], json!({ "principal_id": alex }));
        let agent = stage.lotse.get("/snapshot").await.expect(200).json();
        assert_eq!(agent["presence"]["items"], json!([]));
        stage.stop().await;
    }

    async fn agents_are_invoked_patch_their_runs_and_acknowledge(db: TestDb) {
        let stage = Stage::set(&db).await;
        let mut lotse = stage.follow(&stage.lotse).await;
        let mut sam = stage.follow(&stage.sam).await;
        let asked = json!({ "content_md": "@lotse please look" });
        let asked = stage.alex.post(&format!("/threads/{}/messages", stage.main()), asked).await.expect(201);
        let invocation = lotse.event("agent.invocation").await;
        let (run, token) = (asked.text("/run_ids/0"), invocation["invocation_token"].as_str().unwrap().to_owned());
        assert_eq!(invocation["run_id"], json!(run));
        stage.lotse.post(&format!("/runs/{run}/start"), json!({ "invocation_token": token })).await.expect(200);
        let update = json!({ "op": "run.update", "run_id": run, "status_line": "looking", "draft_md": "So", "invocation_token": token });
        let (updated, _) = lotse.ask(update.clone()).await;
        assert_eq!((&updated["status"], &updated["body"]["status_line"]), (&json!(200), &json!("looking")), "{updated}");
        // People see the draft grow.
        let shown = sam.until(|frame| frame["run"]["draft_md"] == "So").await;
        assert_eq!(shown.last().unwrap()["kind"], "run.updated");
        // The token of an op says the same as the header.
        let mut broken = update.clone();
        broken["invocation_token"] = json!("nonsense");
        let (refused, _) = lotse.ask(broken).await;
        assert_eq!(code(&refused), (403, "invocation_token_invalid"));
        // Not acknowledged, it comes again with the next connection; acknowledged, it does not.
        let position = invocation["position"].clone();
        assert!(position.is_i64(), "{invocation}");
        drop(lotse);
        let mut lotse = stage.follow(&stage.lotse).await;
        let (acknowledged, before) = lotse.ask(json!({ "op": "events.ack", "cursor": position })).await;
        assert_eq!(acknowledged["body"]["cursor"], position, "{acknowledged} after {before:?}");
        let again = stage.follow(&stage.lotse).await;
        assert!(again.greeting["position"].as_i64() >= position.as_i64());
        start_another(&stage, &mut lotse).await;
        stage.stop().await;
    }
}

/// A run that ended takes no more patches over a connection either.
async fn start_another(stage: &Stage, lotse: &mut Socket) {
    let asked = json!({ "content_md": "@lotse once more" });
    let path = format!("/threads/{}/messages", stage.main());
    let asked = stage.sam.post(&path, asked).await.expect(201);
    let run = asked.text("/run_ids/0");
    let token = start(&stage.lotse, &run).await;
    stage.lotse.post(&format!("/runs/{run}/finish"), json!({ "outcome": "completed" })).await.expect(200);
    let update = json!({ "op": "run.update", "run_id": run, "status_line": "late", "invocation_token": token });
    let (refused, _) = lotse.ask(update).await;
    assert_eq!(code(&refused), (403, "invocation_token_invalid"), "{refused}");
}
