//! The world of these tests: space Support with Allgemein (text) and Projekt-A (forum), Robin who
//! owns the instance, Sam who writes, Lotse and Texter who are agents.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

#[path = "../../../chat/tests/support/mod.rs"]
mod server;

use std::sync::{Arc, Mutex};

use bothy_domain::actor::PrincipalKind::{Agent, App, Person};
use bothy_domain::ids::{ChannelId, PrincipalId, SpaceId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_messaging::{DeletedMessage, Effects, MessageWritten, Messaging, Parts, WrittenMessage};
use bothy_platform::config::Config;
use bothy_storage::UnitOfWork;
use bothy_testkit::TestDb;
use futures::future::BoxFuture;
use serde_json::json;

pub use server::*;

/// The world of a test.
pub struct World {
    pub server: Server,
    pub messaging: Arc<Messaging>,
    pub hook: Arc<Recorder>,
    hook_kept: Arc<dyn MessageWritten>,
    pub support: SpaceId,
    pub general: ChannelId,
    pub main: ThreadId,
    pub forum: ChannelId,
    pub robin: PrincipalId,
    pub sam: PrincipalId,
    pub lotse: PrincipalId,
    pub texter: PrincipalId,
    pub feed: PrincipalId,
}

/// Remembers what was written, and answers with what the test wants.
#[derive(Default)]
pub struct Recorder {
    pub written: Mutex<Vec<WrittenMessage>>,
    pub deleted: Mutex<Vec<DeletedMessage>>,
    pub effects: Mutex<Effects>,
    pub fail: Mutex<bool>,
}

impl MessageWritten for Recorder {
    fn message_written<'a>(
        &'a self,
        _: &'a UnitOfWork,
        message: &'a WrittenMessage,
    ) -> BoxFuture<'a, Result<Effects, Problem>> {
        Box::pin(async move {
            if *self.fail.lock().unwrap() {
                return Err(Problem::unavailable("the hook failed"));
            }
            self.written.lock().unwrap().push(message.clone());
            Ok(self.effects.lock().unwrap().clone())
        })
    }

    fn message_deleted<'a>(
        &'a self,
        _: &'a UnitOfWork,
        message: &'a DeletedMessage,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            if *self.fail.lock().unwrap() {
                return Err(Problem::unavailable("the hook failed"));
            }
            self.deleted.lock().unwrap().push(message.clone());
            Ok(())
        })
    }
}

impl World {
    pub async fn new(db: &TestDb) -> Self {
        Self::with(db, |_| {}).await
    }

    pub async fn with(db: &TestDb, change: impl FnOnce(&mut Config)) -> Self {
        let base = Base::new(db, change).await;
        let messaging = Arc::new(Messaging::new(Parts {
            database: base.database.clone(),
            clock: Arc::new(base.clock.clone()),
            ids: base.ids.clone(),
            config: base.config.clone(),
            audit: base.audit.clone(),
            events: base.events.clone(),
            authz: base.authz.clone(),
            identity: base.identity.clone(),
            chat: base.chat.clone(),
        }));
        let hook = Arc::new(Recorder::default());
        let hook_kept: Arc<dyn MessageWritten> = hook.clone();
        messaging.set_message_written(&hook_kept);

        let robin = base.owner("robin").await;
        let sam = base.principal(Person, "sam").await;
        let lotse = base.principal(Agent, "lotse").await;
        let texter = base.principal(Agent, "texter").await;
        let feed = base.principal(App, "feed").await;
        let server = Arc::clone(&base).serve(messaging.routes(), Some(messaging.clone()));

        let support: SpaceId =
            id(&server.post("robin", "/spaces", json!({ "name": "Support" })).await.expect(201), "space_id");
        let channels = format!("/spaces/{support}/channels");
        let general = server.post("robin", &channels, json!({ "kind": "text", "name": "Allgemein" })).await.expect(201);
        let forum = server.post("robin", &channels, json!({ "kind": "forum", "name": "Projekt-A" })).await.expect(201);
        base.grant(sam, support, None, "write", 0).await;
        base.grant(lotse, support, None, "write", 0).await;
        base.grant(feed, support, None, "write", 0).await;
        Self {
            messaging,
            hook,
            hook_kept,
            support,
            general: id(&general, "channel_id"),
            main: id(&general, "main_thread_id"),
            forum: id(&forum, "channel_id"),
            robin,
            sam,
            lotse,
            texter,
            feed,
            server,
        }
    }

    /// Posts a message that must be taken.
    pub async fn say(&self, who: &str, thread: ThreadId, text: &str) -> Answer {
        self.server.post(who, &format!("/threads/{thread}/messages"), json!({ "content_md": text })).await.expect(201)
    }

    /// Opens a thread from a message of the main thread.
    pub async fn open(&self, who: &str, parent: &str) -> ThreadId {
        let path = format!("/channels/{}/threads", self.general);
        let body = json!({ "parent_message_id": parent });
        id(&self.server.post(who, &path, body).await.expect(201), "thread_id")
    }

    /// The handles that the last message mentioned.
    pub fn last_mentions(&self) -> Vec<String> {
        let written = self.hook.written.lock().unwrap();
        written.last().unwrap().mentions.iter().map(|one| one.handle.clone()).collect()
    }
}
