//! Rights that are lost (C79): nothing that is written afterwards reaches a connection that is open.

use std::time::Duration;

use bothy_testkit::both_databases;
use serde_json::{Value, json};

use super::stage::Stage;
use super::support::Socket;

const POSTS: usize = 100;

/// Robin writes much in Kampagne, and then a little in Allgemein, which the connection still reads: of
/// all that, it may be told the last only.
async fn nothing_more(stage: &Stage, socket: &mut Socket, why: &str) {
    let kampagne = stage.world.kampagne.main.to_string();
    for number in 0..POSTS {
        stage.say_in(&stage.robin, &kampagne, &format!("Geheimplan {number}")).await;
    }
    stage.robin.post_empty(&format!("/threads/{kampagne}/typing")).await.expect(204);
    let last = stage.say(&stage.robin, "the end").await;
    let told = socket.until(|frame| frame["message_id"] == json!(last)).await;
    let kampagne = stage.world.kampagne.id.to_string();
    let leaked: Vec<&Value> = told.iter().filter(|frame| frame.to_string().contains(&kampagne)).collect();
    assert!(leaked.is_empty(), "{why}: {} of {POSTS} were told: {:?}", leaked.len(), leaked.first());
}

/// The connection reads Kampagne at first.
async fn is_told(stage: &Stage, socket: &mut Socket) {
    let said = stage.say_in(&stage.robin, &stage.world.kampagne.main.to_string(), "to all of you").await;
    let told = socket.event("message.created").await;
    assert_eq!(told["message_id"], json!(said));
}

fn read(subject: &str, who: &str) -> Value {
    json!({ subject: who, "level": "read" })
}

both_databases! {
    async fn c79_removal_by_grant(db: TestDb) {
        let stage = Stage::set(&db).await;
        let grant = stage.give(&stage.world.kampagne.id, read("principal_id", &stage.world.alex.id.to_string())).await;
        let mut alex = stage.follow(&stage.alex).await;
        is_told(&stage, &mut alex).await;
        stage.robin.delete(&format!("/grants/{grant}")).await.expect(204);
        nothing_more(&stage, &mut alex, "a grant was revoked").await;
        stage.stop().await;
    }

    async fn c79_removal_from_a_group(db: TestDb) {
        let stage = Stage::set(&db).await;
        let group = stage.robin.post("/groups", json!({ "name": "Marketing" })).await.expect(201).text("/group_id");
        let member = format!("/groups/{group}/members/{}", stage.world.alex.id);
        stage.robin.send(reqwest::Method::PUT, &member, None).await.expect(204);
        stage.give(&stage.world.kampagne.id, read("group_id", &group)).await;
        let mut alex = stage.follow(&stage.alex).await;
        is_told(&stage, &mut alex).await;
        stage.robin.delete(&member).await.expect(204);
        nothing_more(&stage, &mut alex, "removed from a group").await;
        stage.stop().await;
    }

    /// Nobody writes anything when a grant expires (AZ-3).
    async fn c79_expiry(db: TestDb) {
        let stage = Stage::set_with(&db, |config| {
            // The clock moves far while the client says nothing.
            config.gateway.idle_timeout = "1h".parse().unwrap();
            config.http.header_timeout = "1h".parse().unwrap();
        }).await;
        let me = stage.robin.get("/me").await.expect(200);
        let until = me.text("/session/confirmed_until");
        let mut grant = read("principal_id", &stage.world.alex.id.to_string());
        grant["expires_at"] = json!(until);
        stage.give(&stage.world.kampagne.id, grant).await;
        let mut alex = stage.follow(&stage.alex).await;
        is_told(&stage, &mut alex).await;
        stage.server.pass(Duration::from_secs(10 * 60 + 1));
        nothing_more(&stage, &mut alex, "a grant expired").await;
        stage.stop().await;
    }

    /// The archive takes no right to read away, and nobody writes there: nothing is written, and nothing
    /// is told.
    async fn c79_archive(db: TestDb) {
        let stage = Stage::set(&db).await;
        stage.give(&stage.world.kampagne.id, read("principal_id", &stage.world.alex.id.to_string())).await;
        let mut alex = stage.follow(&stage.alex).await;
        is_told(&stage, &mut alex).await;
        stage.robin.post_empty(&format!("/channels/{}/archive", stage.world.kampagne.id)).await.expect(200);
        let archived = alex.event("channel.updated").await;
        assert_eq!(archived["channel"]["archived"], true);
        let path = format!("/threads/{}/messages", stage.world.kampagne.main);
        for _ in 0..POSTS {
            stage.robin.post(&path, json!({ "content_md": "too late" })).await.expect(403);
        }
        let last = stage.say(&stage.robin, "the end").await;
        let told = alex.until(|frame| frame["message_id"] == json!(last)).await;
        assert_eq!(told.iter().filter(|frame| frame["kind"] == "message.created").count(), 1, "{told:?}");
        stage.stop().await;
    }

    /// Agents lose rights like people.
    async fn c79_an_agent_loses_its_grant(db: TestDb) {
        let stage = Stage::set(&db).await;
        let grant = stage.give(&stage.world.kampagne.id, read("principal_id", &stage.world.lotse.id.to_string())).await;
        let mut lotse = stage.follow(&stage.lotse).await;
        is_told(&stage, &mut lotse).await;
        stage.robin.delete(&format!("/grants/{grant}")).await.expect(204);
        nothing_more(&stage, &mut lotse, "an agent's grant was revoked").await;
        stage.stop().await;
    }
}
