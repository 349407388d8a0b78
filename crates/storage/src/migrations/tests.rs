use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::{Applied, MIGRATIONS, Migration, pending};
use crate::OpenError;

fn applied(migration: &Migration) -> Applied {
    Applied { version: migration.version, checksum: migration.checksum() }
}

#[test]
fn every_file_is_in_the_list_under_its_number() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let files: HashSet<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let listed: HashSet<String> = MIGRATIONS.iter().map(|migration| format!("{}.sql", migration.title())).collect();
    assert_eq!(files, listed);
    assert!(MIGRATIONS.iter().zip(1..).all(|(migration, number)| migration.version == number));
}

/// A deferred constraint is checked by COMMIT, where on SQLite it would fail the units of work of
/// others in the same group.
#[test]
fn no_constraint_is_deferred() {
    for migration in MIGRATIONS {
        assert!(!migration.text.to_uppercase().contains("DEFER"), "{}", migration.title());
    }
}

#[test]
fn pending_are_those_that_are_not_applied() {
    let none = pending(&[], MIGRATIONS).unwrap();
    assert_eq!(none.len(), MIGRATIONS.len());
    let all: Vec<Applied> = MIGRATIONS.iter().map(applied).collect();
    assert!(pending(&all, MIGRATIONS).unwrap().is_empty());
    let rest = pending(&all[..1], MIGRATIONS).unwrap();
    assert_eq!(rest.first().map(|migration| migration.version), Some(2));
}

#[test]
fn a_newer_or_edited_schema_is_refused() {
    let newer = [Applied { version: 999, checksum: String::new() }];
    assert!(matches!(pending(&newer, MIGRATIONS), Err(OpenError::NewerSchema { found: 999, .. })));
    let edited = [Applied { version: 1, checksum: "0".to_owned() }];
    assert!(matches!(pending(&edited, MIGRATIONS), Err(OpenError::ChecksumMismatch { .. })));
}
