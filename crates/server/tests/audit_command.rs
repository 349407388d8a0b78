//! The audit log as its owner sees it: a checkpoint to keep, and the commands that check and export.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use std::time::Duration;

use bothy_storage::{Database, OpenOptions, Statement, params, statements};
use bothy_testkit::{TestDb, both_databases, sqlite_folder};
use serde_json::Value;
use support::process::{Said, bothy, run, run_with_input};
use support::{Answer, Http, TestServer};

statements! {
    CHANGE = "UPDATE audit_events SET action = 'message.read' WHERE position = 2";
    CUT = "DELETE FROM audit_events WHERE position = (SELECT MAX(position) FROM audit_events)";
}

async fn change(db: &TestDb, statement: &'static Statement) {
    let database = Database::open(&OpenOptions {
        checkout: bothy_testkit::PATIENCE,
        ..OpenOptions::new(db.url().parse().unwrap())
    })
    .await
    .unwrap();
    let unit = database.begin().await.unwrap();
    assert_eq!(unit.execute(statement, params![]).await.unwrap(), 1);
    unit.commit().await.unwrap();
    database.close().await;
}

/// The checkpoint, as soon as the server has signed one.
async fn checkpoint(owner: &Http) -> Answer {
    for _ in 0..1_000 {
        let answer = owner.get("/audit/checkpoint").await;
        if answer.status.as_u16() != 404 {
            return answer.expect(200);
        }
    }
    panic!("no checkpoint is signed");
}

both_databases! {
    async fn a_checkpoint_that_was_kept_tells_what_was_done(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let robin = server.http().token(&world.robin.token);
        server.http().token(&world.alex.token).get("/audit/checkpoint").await.expect_problem(403, "forbidden");
        server.http().get("/audit/checkpoint").await.expect_problem(401, "unauthenticated");
        server.pass(Duration::from_secs(1));
        let kept = checkpoint(&robin).await.json();
        server.stop().await;

        let folder = sqlite_folder();
        let file = folder.path().join("kept.json");
        std::fs::write(&file, kept.to_string()).unwrap();
        let audit = |arguments: &[&str]| -> Said {
            let url = db.url();
            run(bothy(folder.path()).arg("audit").args(arguments).args(["--database", &url]))
        };
        let said = audit(&["verify"]);
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
        assert!(said.out.contains("is intact"), "{said:?}");
        let said = audit(&["verify", "--checkpoint", "kept.json", "--json"]);
        let report: Value = serde_json::from_str(&said.out).unwrap();
        assert!(report["anchored"].as_i64() >= kept["position"].as_i64(), "{said:?}");
        // The stop has sealed and signed what came after.
        assert_eq!((report["unsealed"].as_i64(), report.get("unanchored"), report.get("fault")), (Some(0), None, None));
        let url = db.url();
        let arguments = ["audit", "verify", "--checkpoint", "-", "--database", &url];
        assert_eq!(run_with_input(bothy(folder.path()).args(arguments), &kept.to_string()).code, Some(0));
        let said = audit(&["export"]);
        let lines: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.iter().filter(|line| line.get("sealed").is_some()).count(), usize::try_from(report["verified"].as_i64().unwrap()).unwrap());

        change(&db, &CHANGE).await;
        let said = audit(&["verify", "--json"]);
        assert_eq!((said.code, said.err.as_str()), (Some(1), "bothy: the audit log is not intact: entry 2 was changed; the entries up to 1 follow each other\n"));
        let report: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!((report["fault"]["kind"].as_str(), report["fault"]["position"].as_i64()), (Some("changed"), Some(2)));
        change(&db, &CUT).await;
        assert_eq!(audit(&["verify", "--checkpoint", "kept.json"]).code, Some(1));

        std::fs::write(&file, "{}").unwrap();
        let said = audit(&["verify", "--checkpoint", "kept.json"]);
        assert_eq!((said.code, said.err.lines().count()), (Some(1), 1), "{said:?}");
        assert_eq!(audit(&["verify", "--checkpoint", "none.json"]).code, Some(1));
    }
}
