//! The program as somebody at a terminal sees it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use bothy_testkit::sqlite_folder;
use support::process::{Serving, bothy, run};

#[test]
fn the_configuration_is_checked_and_explained() {
    let folder = sqlite_folder();
    let said = run(bothy(folder.path()).args(["config", "check"]));
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));

    let said = run(bothy(folder.path()).args([
        "config",
        "check",
        "--set",
        "http.page_limit_max=0",
        "--set",
        "auth.sesion_ttl=1h",
    ]));
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.err.contains("auth.session_ttl"), "{said:?}");

    let said = run(bothy(folder.path()).args(["config", "show", "--json"]).env("BOTHY_LOG__LEVEL", "warn"));
    let shown: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let level = shown.as_array().unwrap().iter().find(|setting| setting["key"] == "log.level").unwrap();
    assert_eq!((level["value"].as_str(), level["source"].as_str()), (Some("warn"), Some("BOTHY_LOG__LEVEL")));
}

#[test]
fn secrets_are_never_shown() {
    let folder = sqlite_folder();
    let secret = "a secret of more than thirty-two characters";
    for arguments in [&["config", "show"][..], &["config", "show", "--json"], &["config", "check"]] {
        let said = run(bothy(folder.path()).args(arguments).env("BOTHY_SERVER__SECRET", secret));
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(!said.out.contains(secret) && !said.err.contains(secret));
    }
}

#[test]
fn a_file_in_the_working_folder_counts_and_an_example_of_it_is_right() {
    let folder = sqlite_folder();
    let example = run(bothy(folder.path()).args(["config", "example"])).out;
    std::fs::write(folder.path().join("bothy.toml"), example).unwrap();
    assert_eq!(run(bothy(folder.path()).args(["config", "check"])).code, Some(0));
    std::fs::write(folder.path().join("bothy.toml"), "[server]\nlisten = 7\n").unwrap();
    let said = run(bothy(folder.path()).args(["config", "check"]));
    assert_eq!(said.code, Some(3));
    assert!(said.err.contains("bothy.toml line 2"), "{said:?}");
}

#[test]
fn the_generated_documents_are_the_committed_ones() {
    let folder = sqlite_folder();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let documents: [(&str, &[&str]); 3] = [
        ("openapi.json", &["openapi"]),
        ("config.example.toml", &["config", "example"]),
        ("docs/configuration.md", &["config", "reference"]),
    ];
    for (file, arguments) in documents {
        let said = run(bothy(folder.path()).args(arguments));
        assert_eq!(said.code, Some(0), "{said:?}");
        let committed = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        assert!(
            committed == said.out,
            "{file} is not what `bothy {}` prints: run `cargo xtask generate`",
            arguments.join(" ")
        );
    }
}

#[test]
fn wrong_usage_has_its_own_code() {
    let folder = sqlite_folder();
    for arguments in [&["serv"][..], &["serve", "--port", "1"], &["replay"], &["replay", "f", "--format", "irc"], &[]] {
        assert_eq!(run(bothy(folder.path()).args(arguments)).code, Some(2), "{arguments:?}");
    }
    let said = run(bothy(folder.path()).arg("--help"));
    assert_eq!(said.code, Some(0));
    assert!(said.out.contains("Examples:") && said.out.contains("Exit codes:"), "{}", said.out);
}

#[test]
fn a_server_says_where_it_is_and_stops_when_told() {
    let folder = sqlite_folder();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
    let server = Serving::start(bothy(folder.path()).args(serve), "setup-code");
    assert!(server.greeting.contains("Data folder:") && server.greeting.contains("setup code"), "{}", server.greeting);
    let healthy = run(bothy(folder.path()).args(["healthcheck", "--server", &server.url(), "--json"]));
    assert_eq!(healthy.code, Some(0), "{healthy:?}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&healthy.out).unwrap()["ready"], true);
    let url = server.url();
    let told = std::process::Command::new("kill").arg(server.id().to_string()).status().unwrap();
    assert!(told.success());
    assert_eq!(server.wait(), Some(0));
    let gone = run(bothy(folder.path()).args(["healthcheck", "--server", &url]));
    assert_eq!(gone.code, Some(1), "{gone:?}");
    assert_eq!(gone.err.lines().count(), 1, "{gone:?}");
}

#[test]
fn another_setup_code_while_there_is_no_owner() {
    let folder = sqlite_folder();
    let said = run(bothy(folder.path()).args(["admin", "setup-code", "--data", "data"]));
    assert_eq!((said.code, said.out.lines().count()), (Some(0), 1), "{said:?}");
    let again = run(bothy(folder.path()).args(["admin", "setup-code", "--data", "data"]));
    assert_ne!(said.out, again.out);
}

#[test]
fn keys_rotate_and_the_server_signs_on() {
    let folder = sqlite_folder();
    let rotate = || run(bothy(folder.path()).args(["admin", "rotate-keys", "--data", "data"]));
    let (first, second) = (rotate(), rotate());
    assert_eq!((first.code, first.out.lines().count(), first.err.as_str()), (Some(0), 1, ""), "{first:?}");
    assert_ne!(first.out, second.out);
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
    let server = Serving::start(bothy(folder.path()).args(serve), "setup-code");
    let held = rotate();
    assert_eq!((held.code, held.err.lines().count()), (Some(4), 1), "{held:?}");
    drop(server);
}
