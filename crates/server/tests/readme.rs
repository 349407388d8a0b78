//! The tour of the README works as it stands.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod support;

use std::process::{Command, Stdio};

use bothy_testkit::sqlite_folder;
use support::process::{Serving, bothy};

const README: &str = include_str!("../../../README.md");

#[test]
fn the_tour_ends_in_a_bound_denial() {
    let folder = sqlite_folder();
    let serving = Serving::start(bothy(folder.path()).args(["serve", "--listen", "127.0.0.1:0"]), "makes another");
    let code = serving.greeting.lines().skip_while(|line| !line.contains("setup code")).nth(2).unwrap().trim();
    let tour = README.split("```sh tour\n").nth(1).unwrap().split("```").next().unwrap();
    let tour = tour
        .replace("http://127.0.0.1:7878", &serving.url())
        .replace("SETUP_CODE=...  ", &format!("SETUP_CODE='{code}'  "));
    let output = Command::new("bash").args(["-euo", "pipefail", "-c", &tour]).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}\n{errors}");
    for expected in [
        "\"trust\":\"trigger\"",
        "\"state\":\"running\"",
        "\"code\":\"not_found\"",
        "The code is 4711.",
        "I know of no code that you may see.",
        "\"state\":\"completed\"",
        "\"reason\":\"acting_for_insufficient\"",
    ] {
        assert!(said.contains(expected), "{expected} is missing:\n{said}\n{errors}");
    }
    assert!(said.find("\"code\":\"not_found\"").unwrap() < said.find("The code is 4711.").unwrap());
}
