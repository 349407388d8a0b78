//! Rows that are written directly, because the way to them belongs to other tests.

use std::time::Duration;

use bothy_domain::actor::PrincipalKind;
use bothy_domain::ids::{ChannelId, MessageId, PrincipalId, RunId, SpaceId, ThreadId};
use bothy_domain::time::Timestamp;
use bothy_platform::clock::Clock;
use bothy_platform::instance::{Touched, bump_rights_version};
use bothy_storage::{UnitOfWork, params, statements};

use super::World;

statements! {
    PERSON = "INSERT INTO people (principal_id, email) VALUES ($1, $2)";
    AGENT = "INSERT INTO agents (principal_id, description, dm_policy, created_by, version) VALUES ($1, '', 'everyone', $1, 1)";
    CONSUMER = "INSERT INTO agent_consumers (agent_id, cursor) VALUES ($1, 0)";
    OWNER = "INSERT INTO owners (principal_id, added_at) VALUES ($1, $2)";
    SPACE = "INSERT INTO spaces (id, name, name_key, created_at, version) VALUES ($1, $2, $2, $3, 1)";
    CHANNEL =
        "INSERT INTO channels (id, space_id, kind, name, name_key, operator_agent_id, respond_to, respond_in_threads, \
         allow_mentioned_agents, auto_thread, history_backfill_limit, egress, created_at, version) \
         VALUES ($1, $2, 'text', $3, $3, $4, 'mention', TRUE, TRUE, TRUE, 50, 'confirm', $5, 1)";
    THREAD =
        "INSERT INTO threads (id, channel_id, kind, parent_message_id, created_by, created_at, parent_channel_id, \
         next_seq, version) VALUES ($1, $2, $3, $4, $5, $6, $7, 1, 1)";
    QUEUED =
        "INSERT INTO runs (id, thread_id, agent_id, trigger_kind, triggered_by, state, queued_at, version) \
         VALUES ($1, $2, $3, 'command', $4, 'queued', $5, 1)";
    pub(super) GRANT =
        "INSERT INTO grants (id, principal_id, target_kind, space_id, channel_id, level, capabilities, created_by, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, 0, $2, $7)";
    pub(super) REVOKE = "UPDATE grants SET revoked_at = $2 WHERE id = $1";
    STATE = "SELECT state, end_reason FROM runs WHERE id = $1";
    RUNS = "SELECT id, state, triggering_message_id, triggered_by FROM runs WHERE thread_id = $1 ORDER BY id";
}

/// Where things are said.
#[derive(Debug, Clone, Copy)]
pub struct Places {
    pub support: SpaceId,
    pub allgemein: ChannelId,
    /// The main thread of Allgemein.
    pub main: ThreadId,
    /// A thread of Allgemein, operated by Lotse.
    pub thread: ThreadId,
    pub eskalation: ChannelId,
    pub marketing: SpaceId,
    pub kampagne: ChannelId,
    /// A thread of Kampagne, operated by Texter.
    pub hidden: ThreadId,
}

impl Default for Places {
    fn default() -> Self {
        let nil = uuid::Uuid::nil();
        Self {
            support: SpaceId::from_uuid(nil),
            allgemein: ChannelId::from_uuid(nil),
            main: ThreadId::from_uuid(nil),
            thread: ThreadId::from_uuid(nil),
            eskalation: ChannelId::from_uuid(nil),
            marketing: SpaceId::from_uuid(nil),
            kampagne: ChannelId::from_uuid(nil),
            hidden: ThreadId::from_uuid(nil),
        }
    }
}

pub(super) async fn account(unit: &UnitOfWork, kind: PrincipalKind, id: PrincipalId) {
    match kind {
        PrincipalKind::Person => {
            unit.execute(&PERSON, params![id, format!("{id}@example.com")]).await.unwrap();
        }
        PrincipalKind::Agent => {
            unit.execute(&AGENT, params![id]).await.unwrap();
            unit.execute(&CONSUMER, params![id]).await.unwrap();
        }
        PrincipalKind::App => {}
    }
}

pub(super) async fn own(world: &World, who: PrincipalId) {
    world.execute(&OWNER, params![who, world.clock.now()]).await;
    let unit = world.database.begin().await.unwrap();
    bump_rights_version(&unit, Touched::Principals(&[who]), world.clock.now()).await.unwrap();
    unit.commit().await.unwrap();
}

pub(super) async fn bump(unit: &UnitOfWork, now: Timestamp) {
    bump_rights_version(unit, Touched::Tree, now).await.unwrap();
}

pub(super) async fn tree(world: &World) -> Places {
    let now = world.clock.now();
    let (lotse, texter, robin) = (world.id("lotse"), world.id("texter"), world.id("robin"));
    let places = Places {
        support: world.ids.next(),
        allgemein: world.ids.next(),
        main: world.ids.next(),
        thread: world.ids.next(),
        eskalation: world.ids.next(),
        marketing: world.ids.next(),
        kampagne: world.ids.next(),
        hidden: world.ids.next(),
    };
    world.execute(&SPACE, params![places.support, "Support", now]).await;
    world.execute(&SPACE, params![places.marketing, "Marketing", now]).await;
    world.execute(&CHANNEL, params![places.allgemein, places.support, "Allgemein", lotse, now]).await;
    world.execute(&CHANNEL, params![places.eskalation, places.support, "Eskalation", lotse, now]).await;
    world.execute(&CHANNEL, params![places.kampagne, places.marketing, "Kampagne", texter, now]).await;
    let (none, nowhere): (Option<MessageId>, Option<ChannelId>) = (None, None);
    world.execute(&THREAD, params![places.main, places.allgemein, "main", none, robin, now, nowhere]).await;
    world.execute(&THREAD, params![places.thread, places.allgemein, "thread", none, robin, now, nowhere]).await;
    world.execute(&THREAD, params![places.hidden, places.kampagne, "thread", none, robin, now, nowhere]).await;
    places
}

impl World {
    /// One more thread of a channel, perhaps with a parent message.
    pub async fn thread(&self, channel: ChannelId, parent: Option<MessageId>) -> ThreadId {
        let id = self.ids.next();
        let (by, now, parent_channel) = (self.id("robin"), self.clock.now(), parent.map(|_| channel));
        self.execute(&THREAD, params![id, channel, "thread", parent, by, now, parent_channel]).await;
        id
    }
}

impl World {
    /// New threads of Kampagne, each with a run of Texter that Sam waits for; the last of the runs.
    pub async fn busy_threads(&self, count: usize) -> RunId {
        let (texter, sam, now) = (self.id("texter"), self.id("sam"), self.clock.now());
        let mut last = None;
        let (none, nowhere): (Option<MessageId>, Option<ChannelId>) = (None, None);
        let unit = self.database.begin().await.unwrap();
        for _ in 0..count {
            let (thread, run): (ThreadId, RunId) = (self.ids.next(), self.ids.next());
            let params = params![thread, self.places.kampagne, "thread", none, sam, now, nowhere];
            unit.execute(&THREAD, params).await.unwrap();
            unit.execute(&QUEUED, params![run, thread, texter, sam, now]).await.unwrap();
            last = Some(run);
        }
        unit.commit().await.unwrap();
        // What is made from now on has higher ids.
        self.clock.advance(Duration::from_millis(1));
        last.unwrap()
    }
}

pub(super) async fn state(world: &World, run: RunId) -> (String, Option<String>) {
    let reader = world.database.reader().await.unwrap();
    let row = reader.one(&STATE, params![run]).await.unwrap();
    (row.get("state").unwrap(), row.get("end_reason").unwrap())
}

pub(super) async fn runs_of(world: &World, thread: ThreadId) -> Vec<(RunId, String, MessageId, PrincipalId)> {
    let reader = world.database.reader().await.unwrap();
    let rows = reader.all(&RUNS, params![thread]).await.unwrap();
    rows.iter()
        .map(|row| {
            (
                row.get("id").unwrap(),
                row.get("state").unwrap(),
                row.get("triggering_message_id").unwrap(),
                row.get("triggered_by").unwrap(),
            )
        })
        .collect()
}

/// Lets other tasks work.
#[allow(clippy::disallowed_methods, reason = "waits for another task, not for a time")]
pub(super) async fn pause() {
    tokio::time::sleep(Duration::from_millis(2)).await;
}
