//! Cases of lists and of the state that a client begins with: what is hidden is not in them in any form,
//! and a limit on the way through a long list loses nothing of it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use bothy::world::{Place, World};
use bothy_testkit::both_databases;
use serde_json::{Value, json};
use support::{Answer, Http, Socket, TestServer};

const MENTIONS: usize = 60;

/// A point in time at which nobody else does anything: the duties of the node are done at whole seconds.
fn moment(server: &TestServer) {
    server.pass(Duration::from_micros(7));
}

async fn say(who: &Http, place: &Place, text: &str) -> Answer {
    who.post(&format!("/threads/{}/messages", place.main), json!({ "content_md": text })).await.expect(201)
}

/// What a place that somebody may not read must not show: its ids, its name, its newest message, and when
/// that was written.
struct Hidden(Vec<String>);

impl Hidden {
    /// Writes into the place at a time of its own.
    async fn of(server: &TestServer, robin: &Http, place: &Place, also: &[&str]) -> Self {
        moment(server);
        let said = say(robin, place, "a hidden word").await;
        let mut traces = vec![place.id.to_string(), place.main.to_string(), "a hidden word".to_owned()];
        traces.extend([said.text("/message_id"), said.text("/created_at")]);
        let channel = robin.get(&format!("/channels/{}", place.id)).await.expect(200);
        traces.extend([channel.text("/name"), channel.text("/created_at")]);
        traces.extend(also.iter().map(|text| (*text).to_owned()));
        moment(server);
        Self(traces)
    }

    fn assert_absent(&self, from: &str, what: &str) {
        for trace in &self.0 {
            assert!(!from.contains(trace), "{what} shows {trace}: {from}");
        }
    }
}

async fn ask(world: &World, who: &Http, lotse: &Http) -> Http {
    let run = say(who, &world.allgemein, "@lotse look").await.text("/run_ids/0");
    let token = lotse.post_empty(&format!("/runs/{run}/token")).await.expect(200).text("/invocation_token");
    lotse.post(&format!("/runs/{run}/start"), json!({ "invocation_token": token })).await.expect(200);
    lotse.invocation(&token)
}

both_databases! {
    // C62: the first thing that a client gets names nothing that its caller may not read.
    async fn c62_what_a_client_begins_with_shows_nothing_hidden(db: TestDb) {
        let server = TestServer::start(&db).await;
        // Channels of the world are as old as the world: what comes later has a time of its own.
        let world = server.world().await;
        let http = server.http();
        let [robin, sam, writer, lotse] =
            [&world.robin.token, &world.sam.token, &world.writer.token, &world.lotse.token].map(|token| http.token(token));
        moment(&server);
        let new = json!({ "kind": "text", "name": "Verborgen" });
        let made = robin.post(&format!("/spaces/{}/channels", world.marketing), new).await.expect(201);
        let elsewhere = Place {
            space: world.marketing,
            id: made.text("/channel_id").parse().unwrap(),
            main: made.text("/main_thread_id").parse().unwrap(),
        };
        moment(&server);
        let new = json!({ "kind": "text", "name": "Nebenan" });
        let made = robin.post(&format!("/spaces/{}/channels", world.support), new).await.expect(201);
        let beside = Place {
            space: world.support,
            id: made.text("/channel_id").parse().unwrap(),
            main: made.text("/main_thread_id").parse().unwrap(),
        };
        let space = world.marketing.to_string();
        let elsewhere = Hidden::of(&server, &robin, &elsewhere, &[&space, "Marketing"]).await;
        let beside = Hidden::of(&server, &robin, &beside, &[]).await;
        let bound = ask(&world, &sam, &lotse).await;
        server.settle().await;

        let snapshot = async |who: &Http| who.get("/snapshot").await.expect(200).json().to_string();
        for (who, name) in [(&writer, "the snapshot of a person"), (&bound, "the snapshot of a bound agent")] {
            let shown = snapshot(who).await;
            elsewhere.assert_absent(&shown, name);
            beside.assert_absent(&shown, name);
            assert!(shown.contains("Allgemein"), "{shown}");
        }
        let unbound = snapshot(&lotse).await;
        elsewhere.assert_absent(&unbound, "the snapshot of an agent");
        assert!(unbound.contains("Nebenan"), "an agent sees by itself what is hidden from whom it works for: {unbound}");
        for who in [&writer, &lotse] {
            let greeting = Socket::open(&server.url(), &who.bearer()).await.greeting.to_string();
            elsewhere.assert_absent(&greeting, "a greeting");
            beside.assert_absent(&greeting, "a greeting");
        }
        server.stop().await;
    }

    // C109: a limit in the middle of a long list says when to come back, and the cursor counts then.
    async fn c109_a_limit_on_the_way_through_a_list_loses_nothing(db: TestDb) {
        let server = TestServer::start_with(&db, |config| {
            config.rate.read = number(60);
            config.rate.read_burst = number(20);
        })
        .await;
        let world = server.world().await;
        let (alex, sam) = (server.http().token(&world.alex.token), server.http().token(&world.sam.token));
        let mut said = BTreeSet::new();
        for number in 0..MENTIONS {
            said.insert(say(&alex, &world.allgemein, &format!("@sam {number}")).await.text("/message_id"));
        }
        let (mut read, mut limited, mut cursor) = (Vec::new(), 0, String::new());
        loop {
            let answer = sam.get(&format!("/me/mentions?limit=1{cursor}")).await;
            if answer.status.as_u16() == 429 {
                limited += 1;
                let seconds: u64 = answer.headers["retry-after"].to_str().unwrap().parse().unwrap();
                assert!((1..=60).contains(&seconds), "{answer:?}");
                server.pass(Duration::from_secs(seconds));
                continue;
            }
            let page = answer.expect(200).json();
            read.extend(page["items"].as_array().unwrap().iter().map(message_of));
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert!(limited >= 2, "limited {limited} times");
        assert_eq!(read.len(), MENTIONS);
        assert_eq!(read.into_iter().collect::<BTreeSet<_>>(), said);
        server.stop().await;
    }
}

fn message_of(item: &Value) -> String {
    item["message_id"].as_str().unwrap_or_else(|| panic!("a mention names its message: {item}")).to_owned()
}

fn number<T: serde::de::DeserializeOwned>(value: u64) -> T {
    serde_json::from_value(json!(value)).unwrap()
}
