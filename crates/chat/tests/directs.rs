//! Direct messages as people and agents use them. `c24_`, `c46_`, `c56_`: the cases of that number.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true by failing"
)]

mod support;

use std::collections::BTreeSet;
use std::sync::Arc;

use bothy_chat::DirectAdmission;
use bothy_domain::actor::PrincipalKind::{Agent, App, Person};
use bothy_domain::event::EventKind;
use bothy_domain::ids::{ChannelId, PrincipalId};
use bothy_domain::problem::Problem;
use bothy_storage::UnitOfWork;
use bothy_testkit::{TestDb, both_databases};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use support::{Answer, Base, Server, id};

const UNKNOWN: &str = "0190a000-0000-7000-8000-000000000000";

/// Lets one agent in and no other.
struct Admits(PrincipalId);

impl DirectAdmission for Admits {
    fn admits<'a>(
        &'a self,
        _: &'a UnitOfWork,
        agent: PrincipalId,
        _: PrincipalId,
    ) -> BoxFuture<'a, Result<bool, Problem>> {
        Box::pin(async move { Ok(agent == self.0) })
    }
}

struct World {
    server: Server,
    robin: PrincipalId,
    alex: PrincipalId,
    sam: PrincipalId,
    writer: PrincipalId,
    lotse: PrincipalId,
    texter: PrincipalId,
    feed: PrincipalId,
    _admission: Arc<dyn DirectAdmission>,
}

impl World {
    async fn new(db: &TestDb) -> Self {
        let base = Base::new(db, |_| {}).await;
        let robin = base.owner("robin").await;
        let [alex, sam, writer] = [
            base.principal(Person, "alex").await,
            base.principal(Person, "sam").await,
            base.principal(Person, "writer").await,
        ];
        let [lotse, texter] = [base.principal(Agent, "lotse").await, base.principal(Agent, "texter").await];
        let feed = base.principal(App, "feed").await;
        let admission: Arc<dyn DirectAdmission> = Arc::new(Admits(lotse));
        base.chat.set_direct_admission(&admission);
        let server = base.serve(bothy_platform::http::RouteTable::default(), None);
        Self { server, robin, alex, sam, writer, lotse, texter, feed, _admission: admission }
    }

    async fn open(&self, who: &str, others: &[PrincipalId]) -> Answer {
        self.server.post(who, "/dms", json!({ "participant_ids": others })).await
    }

    async fn opened(&self, who: &str, others: &[PrincipalId]) -> ChannelId {
        id(&self.open(who, others).await.expect(200), "channel_id")
    }

    async fn listed(&self, who: &str, limit: usize) -> Vec<String> {
        let items = self.server.walk(who, "/me/dms", limit).await;
        items.iter().map(|one| one["channel_id"].as_str().unwrap().to_owned()).collect()
    }
}

fn handles(direct: &Value) -> BTreeSet<&str> {
    direct["participants"].as_array().unwrap().iter().map(|one| one["handle"].as_str().unwrap()).collect()
}

both_databases! {
    async fn the_same_set_opens_the_same_direct_message(db: TestDb) {
        let world = World::new(&db).await;
        let first = world.open("alex", &[world.sam]).await.expect(200);
        assert_eq!(handles(&first.body), BTreeSet::from(["alex", "sam"]));
        for (who, others) in [
            ("alex", vec![world.sam]),
            ("sam", vec![world.alex]),
            ("alex", vec![world.sam, world.alex, world.sam]),
        ] {
            assert_eq!(world.open(who, &others).await.expect(200).body, first.body);
        }
        let larger = world.opened("alex", &[world.sam, world.lotse]).await;
        assert_ne!(larger.to_string(), first.text("channel_id"));
        assert_eq!(world.opened("lotse", &[world.sam, world.alex]).await, larger);

        let channel = world.server.get("sam", &format!("/channels/{}", first.text("channel_id"))).await.expect(200);
        assert_eq!((channel.text("kind"), channel.text("main_thread_id")), ("dm", first.text("main_thread_id")));
        assert!(channel.body.get("name").is_none() && channel.body.get("space_id").is_none());
        let main = world.server.get("sam", &format!("/threads/{}", first.text("main_thread_id"))).await.expect(200);
        assert_eq!((main.text("kind"), main.text("channel_id")), ("main", first.text("channel_id")));
        let tag = channel.etag.as_deref();
        world.server.patch("sam", &format!("/channels/{}", first.text("channel_id")), json!({ "name": "x" }), tag).await.expect(403);
    }

    async fn nobody_else_sees_a_direct_message_owners_included(db: TestDb) {
        let world = World::new(&db).await;
        let direct = world.open("alex", &[world.sam]).await.expect(200);
        for path in [
            format!("/channels/{}", direct.text("channel_id")),
            format!("/channels/{}/threads", direct.text("channel_id")),
            format!("/threads/{}", direct.text("main_thread_id")),
        ] {
            let (kind, tail) = path[1..].split_once('/').unwrap();
            let unknown = format!("/{kind}/{UNKNOWN}{}", tail.split_once('/').map(|(_, tail)| format!("/{tail}")).unwrap_or_default());
            for who in ["robin", "writer", "lotse"] {
                let hidden = world.server.get(who, &path).await.expect(404).comparable();
                assert_eq!(hidden, world.server.get(who, &unknown).await.expect(404).comparable());
            }
            world.server.get("sam", &path).await.expect(200);
        }
        for (who, found) in [("alex", 1), ("sam", 1), ("robin", 0), ("writer", 0), ("lotse", 0)] {
            assert_eq!(world.listed(who, 50).await.len(), found, "{who}");
        }
        let told = |events: Vec<bothy_domain::event::NewEvent>| {
            let id: ChannelId = id(&direct, "channel_id");
            events.into_iter().filter(|event| event.kind == EventKind::ChannelCreated && event.channel == Some(id)).count()
        };
        for (who, found) in [(world.alex, 1), (world.sam, 1), (world.robin, 0), (world.lotse, 0)] {
            assert_eq!(told(world.server.base.events_for(who).await), found);
        }
        let rights = world.server.base.events_for(world.sam).await;
        assert!(rights.iter().any(|event| event.kind == EventKind::RightsChanged));
    }

    async fn who_cannot_take_part_is_refused_in_the_same_words(db: TestDb) {
        let world = World::new(&db).await;
        let gone = world.server.base.principal(Person, "gone").await;
        world.server.base.disable(gone).await;
        let unknown: PrincipalId = UNKNOWN.parse().unwrap();
        let mut answers = Vec::new();
        for other in [unknown, world.feed, gone, world.texter] {
            let refused = world.open("alex", &[world.sam, other]).await.expect(422);
            assert_eq!(refused.body["errors"][0]["pointer"], "/participant_ids");
            answers.push(refused.comparable());
        }
        assert!(answers.windows(2).all(|two| two[0] == two[1]), "{answers:?}");

        for few in [vec![], vec![world.alex], vec![world.alex, world.alex]] {
            world.open("alex", &few).await.expect(422);
        }
        let mut many = Vec::new();
        for number in 0..9 {
            many.push(world.server.base.principal(Person, &format!("guest{number}")).await);
        }
        world.open("alex", &many).await.expect(422);
        world.open("alex", &many[..8]).await.expect(200);
        world.server.post("alex", "/dms", json!({ "participant_ids": ["x"] })).await.expect(422);
        world.server.post("alex", "/dms", json!({ "participant_ids": [world.sam], "name": "x" })).await.expect(422);
        world.open("feed", &[world.sam]).await.expect(403);
        assert_eq!(world.listed("sam", 50).await.len(), 0);
        // An agent need not admit itself.
        world.open("texter", &[world.sam]).await.expect(200);
        world.open("texter", &[world.sam, world.lotse]).await.expect(200);
    }

    async fn what_is_open_is_found_whoever_was_shut_out_meanwhile(db: TestDb) {
        let world = World::new(&db).await;
        let direct = world.opened("texter", &[world.alex, world.writer]).await;
        world.server.base.disable(world.writer).await;
        let found = world.open("alex", &[world.writer, world.texter]).await.expect(200);
        assert_eq!(found.text("channel_id"), direct.to_string());
        // c46: whoever takes part still sees who else does.
        assert_eq!(handles(&found.body), BTreeSet::from(["alex", "texter", "writer"]));
        let listed = world.server.walk("alex", "/me/dms", 1).await;
        let status: Vec<_> = listed[0]["participants"].as_array().unwrap().iter().map(|one| one["status"].as_str().unwrap()).collect();
        assert_eq!(status.iter().filter(|status| **status == "disabled").count(), 1);
    }

    async fn twenty_openers_at_once_get_one_direct_message(db: TestDb) {
        let world = Arc::new(World::new(&db).await);
        let openers: Vec<_> = (0..20)
            .map(|number| {
                let world = Arc::clone(&world);
                tokio::spawn(async move {
                    let (who, other) = if number % 2 == 0 { ("alex", world.sam) } else { ("sam", world.alex) };
                    world.opened(who, &[other]).await
                })
            })
            .collect();
        let mut found = BTreeSet::new();
        for opener in openers {
            found.insert(opener.await.unwrap());
        }
        assert_eq!(found.len(), 1);
        assert_eq!(world.listed("alex", 50).await, [found.first().unwrap().to_string()]);
    }

    async fn c56_direct_messages_come_in_full_pages_of_ones_own(db: TestDb) {
        let world = World::new(&db).await;
        let mut own = Vec::new();
        for number in 0..12 {
            let guest = world.server.base.principal(Person, &format!("guest{number}")).await;
            own.push(world.opened("alex", &[guest]).await.to_string());
            world.opened("sam", &[guest]).await;
        }
        for limit in [1, 2, 5, 12, 50] {
            assert_eq!(world.listed("alex", limit).await, own);
        }
        let page = world.server.get("alex", "/me/dms?limit=12").await.expect(200);
        assert!(page.body.get("next_cursor").is_none(), "only those of others are left");
        let first = world.server.get("alex", "/me/dms?limit=5").await.expect(200).body;
        let late = world.opened("alex", &[world.lotse]).await.to_string();
        let rest = world.server.get("alex", &format!("/me/dms?cursor={}", first["next_cursor"].as_str().unwrap())).await.expect(200).body;
        let last = rest["items"].as_array().unwrap().last().unwrap();
        assert_eq!((rest["items"].as_array().unwrap().len(), last["channel_id"].as_str()), (8, Some(late.as_str())));
        for bad in ["limit=0", "limit=201", "cursor=AAAA", "page=1"] {
            world.server.get("alex", &format!("/me/dms?{bad}")).await.expect(422);
        }
    }
}
