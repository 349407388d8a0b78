//! What is exported, and what the verifier in Python says of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bothy_testkit::{both_databases, sqlite_folder};
use serde_json::Value;

use super::support::Node;
use crate::audit::{Checkpoint, export};
use crate::clock::ManualClock;
use crate::tests_support::open;

/// An export, and a checkpoint that was kept elsewhere.
pub(super) struct Exported {
    pub(super) lines: Vec<u8>,
    pub(super) kept: Option<Checkpoint>,
}

const VERDICTS: &str = r#"
import json, pathlib, sys
sys.path.insert(0, sys.argv[1])
import audit_verify
for export in sorted(pathlib.Path(sys.argv[2]).glob("*.jsonl")):
    kept = export.with_suffix(".json")
    kept = json.loads(kept.read_text()) if kept.exists() else None
    fault = audit_verify.Log(export.open(encoding="utf-8")).fault(kept)
    print(f"{fault[0]} {fault[1]}" if fault else "intact")
"#;

/// Changes each member of each entry, also those that it lacks, and counts what is found.
const BROKEN_MEMBERS: &str = r#"
import copy, sys
sys.path.insert(0, sys.argv[1])
import audit_verify
log = audit_verify.Log(open(sys.argv[2], encoding="utf-8"))
names = ("acting_for_id action actor_id actor_kind at count details effect entry id position previous_hash reason "
         "resource_id resource_kind run_id").split()
found = 0
for place, record in enumerate(log.records):
    for name in names:
        value = record["sealed"].get(name, "")
        other = value + 1 if isinstance(value, int) else {**value, "x": ""} if isinstance(value, dict) else value + "0"
        found += copy.copy(log).follow({"sealed": {**record["sealed"], name: other}, "hash": record["hash"]}) is not None
    found += copy.copy(log).follow({**record, "hash": record["hash"][::-1]}) is not None
    assert log.follow(record) is None
print(found)
"#;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn python(arguments: &[&Path]) -> Output {
    Command::new("python3")
        .arg("-B")
        .args(arguments)
        .output()
        .expect("these tests need python3 (apt-get install python3)")
}

fn lines(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(str::to_owned).collect()
}

/// What the verifier in Python says of each export.
pub(super) fn python_verdicts(exported: &[Exported]) -> Vec<String> {
    let folder = sqlite_folder();
    for (number, case) in exported.iter().enumerate() {
        let path = folder.path().join(format!("{number:06}.jsonl"));
        fs::write(&path, &case.lines).unwrap();
        if let Some(kept) = &case.kept {
            fs::write(path.with_extension("json"), serde_json::to_vec(kept).unwrap()).unwrap();
        }
    }
    lines(&python(&["-c".as_ref(), VERDICTS.as_ref(), &docs(), folder.path()]))
}

/// How many changes of single members the verifier in Python finds in a good export.
pub(super) fn python_counts_broken_members(export: &[u8]) -> usize {
    let folder = sqlite_folder();
    let path = folder.path().join("export.jsonl");
    fs::write(&path, export).unwrap();
    lines(&python(&["-c".as_ref(), BROKEN_MEMBERS.as_ref(), &docs(), &path]))[0].parse().unwrap()
}

both_databases! {
    async fn an_export_has_everything_in_order(db: TestDb) {
        let node = Node::new(&open(&db).await, &ManualClock::default(), 1).await;
        node.fill(1_500).await;
        node.seal().await;
        let checkpoint = node.checkpoint().await;
        node.fill(1).await;
        node.seal().await;
        node.fill(2).await;
        let mut text = Vec::new();
        let reader = node.database.consistent_reader().await.unwrap();
        assert_eq!(export(&reader, &mut text).await.unwrap(), 1_503);
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let kinds: Vec<&String> = lines.iter().map(|line| line.as_object().unwrap().keys().next_back().unwrap()).collect();
        assert_eq!(kinds[..3], ["head", "key", "sealed"]);
        assert_eq!(kinds[kinds.len() - 4..], ["checkpoint", "sealed", "unsealed", "unsealed"]);
        assert_eq!(lines[0]["head"]["position"], 1_501);
        assert_eq!(lines[2]["sealed"]["previous_hash"], "0".repeat(64));
        let stored: Checkpoint = serde_json::from_value(lines[kinds.len() - 4]["checkpoint"].clone()).unwrap();
        assert_eq!(stored, checkpoint);
        assert_eq!(lines[kinds.len() - 1]["unsealed"].get("position"), None);
        assert!(!text.contains("null"));
    }

    async fn the_verifier_in_python_is_a_command(db: TestDb) {
        let node = Node::new(&open(&db).await, &ManualClock::default(), 1).await;
        let folder = sqlite_folder();
        let (script, path, kept) = (docs().join("audit_verify.py"), folder.path().join("log"), folder.path().join("kept"));
        let write = async || {
            let mut text = Vec::new();
            export(&node.database.consistent_reader().await.unwrap(), &mut text).await.unwrap();
            fs::write(&path, text).unwrap();
        };
        write().await;
        assert_eq!(lines(&python(&[&script, &path])), ["intact 0 anchored 0"]);
        node.fill(20).await;
        node.seal().await;
        let checkpoint = node.checkpoint().await;
        fs::write(&kept, serde_json::to_vec(&checkpoint).unwrap()).unwrap();
        node.fill(5).await;
        node.seal().await;
        write().await;
        assert_eq!(lines(&python(&[&script, &path, "--checkpoint".as_ref(), &kept])), ["intact 25 anchored 20"]);
        let spoilt = fs::read_to_string(&path).unwrap().replacen("no_grant", "no_gramt", 1);
        fs::write(&path, spoilt).unwrap();
        let output = python(&[&script, &path]);
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8(output.stdout).unwrap().starts_with("changed "));
    }
}

#[test]
fn the_verifier_in_python_is_short() {
    let text = fs::read_to_string(docs().join("audit_verify.py")).unwrap();
    assert!(text.lines().count() <= 150);
}
