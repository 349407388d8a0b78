//! Cases of the area audit that need whole processes: C94 and C97, and a witness of the log.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use bothy::world::{World, test_password};
use bothy_sdk::wire::Checkpoint;
use bothy_sdk::{Breach, Client, Witness};
use bothy_testkit::{TestDb, TestFolder, both_databases, sqlite_folder};
use futures::future::join_all;
use serde_json::Value;
use support::process::{SECRET, Serving, bothy, run};
use support::{Http, TestServer};
use uuid::Uuid;

const WRITERS: u128 = 16;
/// How many denials each writer makes; each is an entry of its own.
const DENIALS: u128 = 25;

/// One process of the server.
struct Node {
    serving: Serving,
    folder: TestFolder,
}

impl Node {
    fn start(db: &TestDb, folder: TestFolder, until: &str) -> Self {
        Self { serving: Serving::node(db, folder.path(), &[], until), folder }
    }

    /// Ends the process at once, as a crash does.
    fn kill(self) -> TestFolder {
        drop(self.serving);
        self.folder
    }

    /// Asks the process to end, and waits until it has.
    fn stop(self) -> TestFolder {
        let told = std::process::Command::new("kill").arg(self.serving.id().to_string()).status().unwrap();
        assert!(told.success());
        assert_eq!(self.serving.wait(), Some(0));
        self.folder
    }

    fn http(&self, token: &str) -> Http {
        Http::new(&self.serving.url()).token(token)
    }
}

/// What `bothy audit verify --json` says.
fn verified(db: &TestDb, folder: &TestFolder) -> Value {
    let mut command = bothy(folder.path());
    command.args(["audit", "verify", "--json", "--data", "data", "--database", &db.url()]);
    let said = run(command.env("BOTHY_SERVER__SECRET", SECRET));
    assert_eq!(said.code, Some(0), "{said:?}");
    serde_json::from_str(&said.out).unwrap()
}

/// Denials of Alex, each for another id that does not exist.
async fn deny(node: &Node, token: &str, side: u128) {
    let node = &node;
    join_all((0..WRITERS).map(async |writer| {
        let http = node.http(token);
        for number in 0..DENIALS {
            let target = Uuid::from_u128(0x0193_f1f0_1111_7000_8000 << 48 | side << 40 | writer << 32 | number);
            http.get(&format!("/messages/{target}")).await.expect_problem(404, "not_found");
        }
    }))
    .await;
}

both_databases! {
    // C94, C97: two processes and sixteen writers in each, both killed; then the first call of the next
    // process is on record too, and the log is one line without a gap.
    async fn c94_processes_write_one_line(db: TestDb) {
        let first = Node::start(&db, sqlite_folder(), "makes another");
        let anonymous = Client::anonymous(&first.serving.url()).unwrap();
        let world = World::build(&anonymous, &first.serving.setup_code(), &test_password).await.unwrap();
        let second = db.is_postgres().then(|| Node::start(&db, sqlite_folder(), "Data folder"));
        let alex = &world.alex.token;
        match &second {
            Some(second) => drop(futures::join!(deny(&first, alex, 1), deny(second, alex, 2))),
            None => deny(&first, alex, 1).await,
        }
        let written = (if second.is_some() { 2 } else { 1 }) * WRITERS * DENIALS;
        drop(second.map(Node::kill));
        let next = Node::start(&db, first.kill(), "Data folder");
        let first_call = format!("/channels/{}", world.werkzeuge.id);
        next.http(alex).get(&first_call).await.expect_problem(404, "not_found");
        let robin = next.http(&world.robin.token);
        let mut denials: Vec<Value> = Vec::new();
        let mut path = "/audit/events?effect=deny&limit=100".to_owned();
        loop {
            let page = robin.get(&path).await.expect(200).json();
            denials.extend(page["items"].as_array().unwrap().iter().cloned());
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            path = format!("/audit/events?effect=deny&limit=100&cursor={cursor}");
        }
        let of = |reason: &str| denials.iter().filter(|denial| denial["reason"] == reason).count();
        assert_eq!(of("unknown_target"), usize::try_from(written).unwrap(), "none is lost by the crash");
        let hidden: Vec<&Value> = denials.iter().filter(|denial| denial["reason"] == "no_grant").collect();
        assert_eq!(hidden.len(), 1);
        assert_eq!(hidden[0]["resource_id"], serde_json::json!(world.werkzeuge.id));
        assert_eq!(hidden[0]["actor_id"], serde_json::json!(world.alex.id));
        assert!(denials.iter().all(|denial| denial["count"] == 1));
        // What the killed ones have left is sealed by the next one, at its stop at the latest.
        let report = verified(&db, &next.stop());
        assert!(report.get("fault").is_none() && report["unsealed"] == 0, "{report}");
        assert_eq!(report["verified"], report["anchored"], "{report}");
        assert!(report["verified"].as_u64().unwrap() > u64::try_from(written).unwrap(), "{report}");
    }

    // Chapter 09 section 1: the SDK takes what the server signs, and finds a log that went back.
    async fn the_sdk_witnesses_what_the_server_signs(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let mut shown: Vec<Checkpoint> = Vec::new();
        for _ in 0..4_000 {
            let polled = world.lotse.client.poll_agent_events(None, std::time::Duration::ZERO).await.unwrap();
            if let Some(checkpoint) = polled.audit_checkpoint.filter(|next| shown.last() != Some(next)) {
                shown.push(checkpoint);
                server.http().token(&world.alex.token).get(&format!("/people/{}", Uuid::from_u128(9))).await;
            }
            if shown.len() == 2 {
                break;
            }
            server.pass(std::time::Duration::from_secs(5));
            tokio::task::yield_now().await;
        }
        let [early, late] = &shown[..] else { panic!("two checkpoints: {shown:?}") };
        let witness = Witness::default().trusting(early.public_key.clone());
        assert_eq!(witness.see(Some(early)), Ok(()));
        assert_eq!(witness.see(Some(late)), Ok(()));
        let back = Breach::Shrunk { kept: late.position, shown: early.position };
        assert_eq!(witness.see(Some(early)), Err(back));
        let forged = Checkpoint { hash: early.hash.clone(), ..late.clone() };
        assert_eq!(witness.see(Some(&forged)), Err(Breach::Signature { position: late.position }));
        server.stop().await;
    }
}
