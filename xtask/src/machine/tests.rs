use std::fs;
use std::path::{Path, PathBuf};

use super::has_binaries;

#[test]
fn only_a_complete_and_recent_server_counts() {
    let versions = folder();
    assert!(!has_binaries(&versions), "no folder at all");
    binaries(&versions, "13", &["initdb", "postgres"]);
    assert!(!has_binaries(&versions), "too old");
    binaries(&versions, "16", &["initdb"]);
    assert!(!has_binaries(&versions), "only a part of it");
    binaries(&versions, "15", &["initdb", "postgres"]);
    assert!(has_binaries(&versions));
    fs::remove_dir_all(versions).unwrap();
}

fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("bothy-xtask-{}", std::process::id()));
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    folder
}

fn binaries(versions: &Path, version: &str, names: &[&str]) {
    let folder = versions.join(version).join("bin");
    fs::create_dir_all(&folder).unwrap();
    for name in names {
        fs::write(folder.join(name), "").unwrap();
    }
}
