//! A server that cannot start says in one line what is wrong and what to do, and ends with a code
//! that is not 0.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use std::net::TcpListener;

use bothy_testkit::{both_databases, sqlite_folder};
use support::process::{Said, Serving, bothy, run};

/// One line, the code for a failed start, and these words in it.
#[track_caller]
fn assert_start_failure(said: &Said, words: &[&str]) {
    assert_eq!(said.code, Some(4), "{said:?}");
    assert_eq!(said.out, "", "{said:?}");
    assert_eq!(said.err.lines().count(), 1, "{said:?}");
    for word in words {
        assert!(said.err.contains(word), "{word} is missing: {said:?}");
    }
}

#[test]
fn an_occupied_port() {
    let folder = sqlite_folder();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said = run(bothy(folder.path()).args(["serve", "--listen", &address]));
    assert_start_failure(&said, &[&address, "in use", "server.listen"]);
    assert!(!folder.path().join("bothy-data").exists(), "nothing is made before it can listen");
}

#[test]
fn beyond_loopback_without_a_proxy() {
    let folder = sqlite_folder();
    let said = run(bothy(folder.path()).args(["serve", "--listen", "0.0.0.0:0"]));
    assert_start_failure(&said, &["server.trusted_proxies", "server.allow_plain_http"]);
}

#[test]
fn a_data_folder_that_is_a_file() {
    let folder = sqlite_folder();
    std::fs::write(folder.path().join("data"), "").unwrap();
    let said = run(bothy(folder.path()).args(["serve", "--listen", "127.0.0.1:0", "--data", "data"]));
    assert_start_failure(&said, &["data folder", "writable"]);
}

#[cfg(unix)]
#[test]
fn a_read_only_data_folder() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    let folder = sqlite_folder();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o555)).unwrap();
    let mut command = bothy(folder.path());
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(&data);
    if std::fs::metadata(&data).unwrap().uid() == 0 {
        // Root may write everywhere; somebody else may not.
        command.uid(65_534).gid(65_534);
    }
    assert_start_failure(&run(&mut command), &["data folder", "writable"]);
}

#[test]
fn a_second_server_on_one_folder() {
    let folder = sqlite_folder();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
    let _first = Serving::start(bothy(folder.path()).args(serve), "setup code");
    assert_start_failure(&run(bothy(folder.path()).args(serve)), &["in use by another process", "stop that one"]);
}

#[test]
fn a_wrong_secret() {
    let folder = sqlite_folder();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
    drop(Serving::start(bothy(folder.path()).args(serve), "setup code"));
    let other = ["--set", "server.secret=another secret of at least 32 characters"];
    let said = run(bothy(folder.path()).args(serve).args(other));
    assert_start_failure(&said, &["secret does not belong to this database", "instance.secret"]);
    assert!(!said.err.contains("at least 32"), "a secret is never shown: {said:?}");
}

#[test]
fn a_secret_that_others_can_read() {
    let folder = sqlite_folder();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("instance.secret"), "a secret that everybody on the machine can read").unwrap();
    let mut command = bothy(folder.path());
    // The new database is migrated before, and says so.
    command.args(["serve", "--listen", "127.0.0.1:0", "--data", "data", "--set", "log.level=warn"]);
    assert_start_failure(&run(&mut command), &["instance.secret", "chmod 600"]);
}

#[test]
fn an_unreachable_postgresql() {
    let folder = sqlite_folder();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("postgres://bothy:hunter2@{nobody}/bothy");
    let said =
        run(bothy(folder.path()).args(["serve", "--listen", "127.0.0.1:0", "--data", "data", "--database", &url]));
    assert_start_failure(&said, &["PostgreSQL", "cannot be reached", &nobody.port().to_string()]);
    assert!(!said.err.contains("hunter2"), "a password is never shown: {said:?}");
}

both_databases! {
    async fn a_database_of_a_newer_schema(db: TestDb) {
        support::server::migrate_to_the_future(&db).await;
        let folder = sqlite_folder();
        let serve = ["serve", "--listen", "127.0.0.1:0", "--data", "data", "--database", &db.url()];
        assert_start_failure(&run(bothy(folder.path()).args(serve)), &["schema version 9999", "newer bothy"]);
    }
}

#[test]
fn a_wrong_configuration_has_its_own_code() {
    let folder = sqlite_folder();
    let said = run(bothy(folder.path()).args(["serve", "--set", "server.listn=127.0.0.1:0"]));
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.err.contains("server.listn") && said.err.contains("server.listen"), "{said:?}");
    let said = run(bothy(folder.path()).args(["serve"]).env("BOTHY_SERVER__LISTEN", "nowhere"));
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.err.contains("BOTHY_SERVER__LISTEN"), "{said:?}");
}

#[test]
fn a_demo_that_would_fill_a_folder_in_use() {
    let folder = sqlite_folder();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    std::fs::write(folder.path().join("data").join("letter.txt"), "mine").unwrap();
    let said = run(bothy(folder.path()).args(["serve", "--demo", "--listen", "127.0.0.1:0", "--data", "data"]));
    assert_start_failure(&said, &["data", "in use", "--demo"]);
}
