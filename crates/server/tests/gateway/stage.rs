use std::time::Duration;

use bothy::world::World;
use bothy_platform::clock::ManualClock;
use bothy_platform::config::Config;
use bothy_testkit::TestDb;
use serde_json::{Value, json};

use super::support::{Http, Socket, TestServer};

/// The test world with everybody's clients.
pub struct Stage {
    pub server: TestServer,
    pub world: World,
    pub robin: Http,
    pub alex: Http,
    pub sam: Http,
    pub writer: Http,
    pub lotse: Http,
}

impl Stage {
    pub async fn set(db: &TestDb) -> Self {
        Self::set_with(db, |_| {}).await
    }

    pub async fn set_with(db: &TestDb, adjust: impl FnOnce(&mut Config)) -> Self {
        let server = TestServer::start_with(db, adjust).await;
        let world = server.world().await;
        let http = server.http();
        Self {
            robin: http.token(&world.robin.token),
            alex: http.token(&world.alex.token),
            sam: http.token(&world.sam.token),
            writer: http.token(&world.writer.token),
            lotse: http.token(&world.lotse.token),
            server,
            world,
        }
    }

    /// Follows as somebody from now on.
    pub async fn follow(&self, who: &Http) -> Socket {
        self.server.settle().await;
        Socket::open(&self.server.url(), &who.bearer()).await
    }

    /// Follows as somebody from a cursor on.
    pub async fn resume(&self, who: &Http, cursor: &str) -> Socket {
        Socket::resume(&self.server.url(), &who.bearer(), cursor).await
    }

    pub fn main(&self) -> String {
        self.world.allgemein.main.to_string()
    }

    pub fn eskalation_main(&self) -> String {
        self.world.eskalation.main.to_string()
    }

    /// Somebody says something in Allgemein.
    pub async fn say(&self, who: &Http, text: &str) -> String {
        self.say_in(who, &self.main(), text).await
    }

    pub async fn say_in(&self, who: &Http, thread: &str, text: &str) -> String {
        let said = json!({ "content_md": text });
        who.post(&format!("/threads/{thread}/messages"), said).await.expect(201).text("/message_id")
    }

    /// A thread of Allgemein, opened from a message of Alex.
    pub async fn open_thread(&self, title: &str) -> String {
        let parent = self.say(&self.alex, "Let us talk.").await;
        let new = json!({ "parent_message_id": parent, "title": title });
        let path = format!("/channels/{}/threads", self.world.allgemein.id);
        self.alex.post(&path, new).await.expect(201).text("/thread_id")
    }

    /// The owner gives a right on a channel.
    pub async fn give(&self, channel: &impl ToString, grant: Value) -> String {
        let path = format!("/access/channel/{}/grants", channel.to_string());
        self.robin.post(&path, grant).await.expect(201).text("/grant_id")
    }

    /// Stops the server. Clients of the test that nobody reads any more do not answer its good-bye: time
    /// passes until it gives them up.
    pub async fn stop(self) {
        let clock = self.server.clock.clone();
        tokio::select! {
            () = self.server.stop() => {}
            () = pass_time(clock) => {}
        }
    }
}

async fn pass_time(clock: ManualClock) {
    loop {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        clock.advance(Duration::from_secs(1));
    }
}

/// A setting that is a number.
pub fn number<T: serde::de::DeserializeOwned>(value: u64) -> T {
    serde_json::from_value(json!(value)).unwrap()
}
