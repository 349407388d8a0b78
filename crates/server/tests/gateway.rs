//! The gateway (chapter 05 section 5, cases C79, C81, C82): what a client that follows live is told, and
//! that everything that ends takes effect on connections that are open.

#![allow(unreachable_pub, reason = "the parts of a test")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

#[path = "gateway/ends.rs"]
mod ends;
#[path = "gateway/losing.rs"]
mod losing;
#[path = "gateway/ops.rs"]
mod ops;
#[path = "gateway/resume.rs"]
mod resume;
#[path = "gateway/stage.rs"]
mod stage;

use bothy_testkit::both_databases;
use serde_json::json;
use stage::Stage;

both_databases! {
    async fn members_are_told_what_happens_with_what_it_is_about(db: TestDb) {
        let stage = Stage::set(&db).await;
        let mut alex = stage.follow(&stage.alex).await;
        let id = stage.say(&stage.sam, "Good morning.").await;
        let created = alex.event("message.created").await;
        assert_eq!(created["message"]["content_md"], "Good morning.");
        assert_eq!((&created["message_id"], &created["message"]["thread_seq"]), (&json!(id), &json!(1)));
        assert_eq!(created["message"]["author"]["handle"], "sam");
        assert!(created["position"].is_null(), "people get no position");
        stage.sam.patch(&format!("/messages/{id}"), json!({ "content_md": "Good evening." })).await.expect(200);
        assert_eq!(alex.event("message.updated").await["message"]["content_md"], "Good evening.");
        let thumb = format!("/messages/{id}/reactions/%F0%9F%91%8D");
        stage.sam.send(reqwest::Method::PUT, &thumb, None).await;
        let reacted = alex.event("message.reactions_updated").await;
        assert_eq!(reacted["message"]["reactions"][0]["count"], 1);
        stage.sam.delete(&format!("/messages/{id}")).await;
        alex.event("message.deleted").await;
        let opened = stage.open_thread("Plans").await;
        let told = alex.event("thread.created").await;
        assert_eq!((told["thread"]["thread_id"].as_str(), told["thread"]["title"].as_str()), (Some(opened.as_str()), Some("Plans")));
        stage.stop().await;
    }

    /// Raw frames of a delete and an edit (C81): ids only, and only to those who may read.
    async fn c81_a_delete_has_ids_only(db: TestDb) {
        let stage = Stage::set(&db).await;
        let (mut alex, mut stranger) = (stage.follow(&stage.alex).await, stage.follow(&stage.writer).await);
        let secret = stage.say_in(&stage.alex, &stage.eskalation_main(), "the Geheimplan").await;
        let edit = json!({ "content_md": "the other Geheimplan" });
        stage.alex.patch(&format!("/messages/{secret}"), edit).await.expect(200);
        stage.alex.delete(&format!("/messages/{secret}")).await;
        let last = stage.say(&stage.sam, "done").await;
        let deleted = alex.event("message.deleted").await;
        assert_eq!(deleted["message_id"], json!(secret));
        assert!(deleted.get("message").is_none() && !deleted.to_string().contains("Geheimplan"), "{deleted}");
        // The writer reads Allgemein only.
        let told = stranger.until(|frame| frame["message_id"] == json!(last)).await;
        assert_eq!(told.len(), 1, "{told:?}");
        stage.stop().await;
    }

    /// What stands in Eskalation by now is told to its readers only, also what happened in Allgemein
    /// before (C14, C81). Readers of the source learn that the thread is gone, and nothing of where to.
    async fn c81_moved_threads_are_told_to_the_audience_of_the_destination(db: TestDb) {
        let stage = Stage::set(&db).await;
        let thread = stage.open_thread("Plans").await;
        let before = stage.follow(&stage.sam).await.cursor;
        let message = stage.say_in(&stage.alex, &thread, "the Geheimplan").await;
        let (mut sam, mut alex) = (stage.follow(&stage.sam).await, stage.follow(&stage.alex).await);
        let target = json!({ "channel_id": stage.world.eskalation.id });
        stage.robin.post(&format!("/threads/{thread}/move"), target).await.expect(200);
        stage.alex.patch(&format!("/messages/{message}"), json!({ "content_md": "Geheimplan 2" })).await.expect(200);
        stage.alex.delete(&format!("/messages/{message}")).await;
        let last = stage.say(&stage.sam, "done").await;
        let is_last = |frame: &serde_json::Value| frame["message_id"] == json!(last);
        let hidden = [stage.world.eskalation.id.to_string(), "Eskalation".to_owned(), "Geheimplan".to_owned(), message.clone()];
        let told = sam.until(is_last).await;
        let kinds: Vec<_> = told.iter().map(|frame| frame["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["thread.moved", "message.created"], "{told:?}");
        assert_eq!(told[0]["channel_id"], json!(stage.world.allgemein.id));
        assert!(told[0].get("thread").is_none(), "{told:?}");
        let caught_up = stage.resume(&stage.sam, &before).await.until(is_last).await;
        let listed = stage.sam.get(&format!("/events?cursor={before}")).await.expect(200).json();
        for text in [format!("{told:?}"), format!("{caught_up:?}"), listed.to_string()] {
            assert!(hidden.iter().all(|hidden| !text.contains(hidden.as_str())), "{text}");
        }
        let told = alex.until(is_last).await;
        let of = |kind: &str| told.iter().filter(|frame| frame["kind"] == kind).count();
        assert_eq!((of("thread.moved"), of("message.updated"), of("message.deleted")), (2, 1, 1), "{told:?}");
        stage.stop().await;
    }
}
