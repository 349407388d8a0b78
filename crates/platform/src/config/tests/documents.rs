use std::collections::BTreeSet;

use crate::config::keys::{Key, keys, sections};
use crate::config::{Config, Sources, example, reference, schema};
use crate::config::{ConfigFile, file};

#[test]
fn every_setting_and_section_is_explained() {
    assert_eq!(sections().len(), 13);
    for section in sections() {
        assert!(!section.description.is_empty(), "{}", section.name);
        assert!(!section.keys.is_empty(), "{}", section.name);
    }
    for key in keys() {
        assert!(!key.description.is_empty(), "{}", key.path());
    }
}

#[test]
fn numbers_and_durations_have_a_range() {
    use crate::config::keys::Kind;
    for key in keys() {
        assert_eq!(matches!(key.kind, Kind::Number | Kind::Duration), key.range.is_some(), "{}", key.path());
    }
}

#[test]
fn defaults_lie_in_their_range() {
    // Reading the defaults back checks every range.
    let mut tree = serde_json::to_value(Config::default()).unwrap();
    for key in keys().filter(|key| key.default.is_null()) {
        tree[&key.section].as_object_mut().unwrap().remove(&key.name);
    }
    let read: Config = serde_json::from_value(tree).unwrap();
    assert_eq!(read, Config::default());
}

#[test]
fn the_example_holds_every_setting_and_changes_nothing() {
    let text = example();
    for key in keys() {
        assert!(text.contains(&format!("\n#{} = ", key.name)), "{}", key.path());
    }
    let nothing = file::read("example".as_ref(), &text).unwrap_or_default();
    assert!(nothing.is_empty());
}

#[test]
fn the_example_is_right_when_its_comments_are_taken_away() {
    let with_defaults: String = example()
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(setting) if !setting.starts_with(' ') && !setting.is_empty() && !setting.ends_with("= \"\"") => {
                setting
            }
            _ => line,
        })
        .fold(String::new(), |text, line| text + line + "\n");
    let folder = std::env::temp_dir().join(format!("bothy-example-{}", std::process::id()));
    std::fs::write(&folder, &with_defaults).unwrap();
    let loaded = Config::load(&Sources { file: ConfigFile::Required(folder.clone()), ..Sources::default() });
    std::fs::remove_file(&folder).unwrap();
    assert_eq!(loaded.unwrap().config, Config::default());
}

#[test]
fn the_reference_holds_every_setting_with_its_variable() {
    let text = reference();
    for key in keys() {
        assert!(text.contains(&format!("| `{}` | `{}`", key.path(), key.variable())), "{}", key.path());
    }
    assert_eq!(text.matches("_FILE`").count(), keys().filter(|key| key.secret).count() + 1);
}

#[test]
fn names_of_settings_are_plain_and_unique() {
    let names: Vec<String> = keys().map(Key::path).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for name in names {
        assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b"._0123456789".contains(&b)), "{name}");
        assert!(!name.contains("__") && !name.ends_with("_file"), "{name}");
    }
}

#[test]
fn the_schema_describes_the_tree_and_shows_no_secret() {
    let schema = schema();
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["http"]["properties"]["max_connections"]["minimum"], 1);
    assert_eq!(schema["properties"]["server"]["properties"]["secret"]["writeOnly"], true);
}
