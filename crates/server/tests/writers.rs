//! Sixteen writers at once, on two processes over one PostgreSQL and on one over SQLite: the places in a
//! thread have no gap, and every process tells every message once and all in one order (chapter 05
//! section 4, C82). `BOTHY_MESSAGES` says how many; 2,000 otherwise.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use bothy::world::{Place, World, test_password};
use bothy_sdk::Client;
use bothy_testkit::{both_databases, sqlite_folder};
use futures::future::join_all;
use serde_json::json;
use support::process::Serving;
use support::{Http, Socket};

const WRITERS: usize = 16;
/// How many events a page has.
const PAGE: usize = 200;

#[allow(clippy::disallowed_methods, reason = "how much a run by hand does")]
fn messages() -> usize {
    std::env::var("BOTHY_MESSAGES").ok().map_or(2_000, |text| text.parse().expect("BOTHY_MESSAGES is a number"))
}

async fn write(http: &Http, places: [Place; 2], count: usize) {
    for number in 0..count {
        let path = format!("/threads/{}/messages", places[number % 2].main);
        http.post(&path, json!({ "content_md": "One of many." })).await.expect(201);
    }
}

/// Follows live until so many messages were told; a client that is too slow comes back.
async fn follow(mut socket: Socket, url: &str, token: &str, count: usize) -> Vec<String> {
    let mut told = Vec::new();
    while told.len() < count {
        match socket.step().await {
            Ok(frame) if frame["kind"] == "message.created" => {
                told.push(frame["message_id"].as_str().unwrap().to_owned());
            }
            Ok(_) => {}
            Err(_) => socket = Socket::resume(url, token, &socket.cursor).await,
        }
    }
    told
}

/// Reads the log from a cursor to its end.
async fn read(http: &Http, mut cursor: String) -> Vec<String> {
    let mut told = Vec::new();
    loop {
        let page = http.get(&format!("/events?limit={PAGE}&cursor={cursor}")).await.expect(200).json();
        let items = page["items"].as_array().unwrap();
        let created = items.iter().filter(|event| event["kind"] == "message.created");
        told.extend(created.map(|event| event["message_id"].as_str().unwrap().to_owned()));
        let next = page["cursor"].as_str().unwrap().to_owned();
        if next == cursor {
            return told;
        }
        cursor = next;
    }
}

/// The places of a thread's messages, from the first to the last.
async fn places(http: &Http, place: &Place) -> Vec<u64> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/threads/{}/messages?limit={PAGE}{cursor}", place.main);
        let page = http.get(&path).await.expect(200).json();
        found.extend(page["items"].as_array().unwrap().iter().map(|one| one["thread_seq"].as_u64().unwrap()));
        let Some(next) = page["next_cursor"].as_str() else { return found };
        cursor = format!("&cursor={next}");
    }
}

both_databases! {
    async fn c82_sixteen_writers_on_two_processes_lose_and_double_nothing(db: TestDb) {
        let folders = [sqlite_folder(), sqlite_folder()];
        let first = Serving::node(&db, folders[0].path(), &[], "makes another");
        let anonymous = Client::anonymous(&first.url()).unwrap();
        let world = World::build(&anonymous, &first.setup_code(), &test_password).await.unwrap();
        let second = db.is_postgres().then(|| Serving::node(&db, folders[1].path(), &[], "Data folder"));
        let urls: Vec<String> = [Some(&first), second.as_ref()].into_iter().flatten().map(Serving::url).collect();
        let at = |number: usize| Http::new(&urls[number % urls.len()]).token(&world.robin.token);
        let share = messages().div_ceil(WRITERS);
        let written = share * WRITERS;

        let cursor = at(0).get("/events").await.expect(200).text("/cursor");
        let token = &world.alex.token;
        let followers: Vec<_> = join_all(urls.iter().map(async |url| (url, Socket::resume(url, token, &cursor).await)))
            .await
            .into_iter()
            .map(|(url, socket)| follow(socket, url, token, written))
            .collect();
        let writers = (0..WRITERS).map(async |number| write(&at(number), [world.allgemein, world.eskalation], share).await);
        let (mut told, _) = futures::join!(join_all(followers), join_all(writers));

        let reader = Http::new(&urls[0]).token(token);
        told.push(read(&reader, cursor).await);
        for one in &told {
            assert_eq!(one.len(), written);
            assert!(*one == told[0], "every process tells them in one order");
        }
        told[0].sort_unstable();
        told[0].dedup();
        assert_eq!(told[0].len(), written, "each once");
        let mut found = 0;
        for place in [&world.allgemein, &world.eskalation] {
            let places = places(&reader, place).await;
            assert!(places.iter().copied().eq(1..=places.len() as u64), "{places:?}");
            found += places.len();
        }
        assert_eq!(found, written);
    }
}
