use std::fmt::Write as _;

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::Config;
use super::keys::{Key, Kind, sections};

/// The width of comments in the example.
const LINE: usize = 98;

/// The JSON schema of the configuration file, for editors.
pub fn schema() -> Value {
    SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
        .into_root_schema_for::<Config>()
        .to_value()
}

/// A configuration file with every setting, its explanation and its default, all commented out.
pub fn example() -> String {
    let mut text = String::from(
        "# Settings of Bothy. What is commented out shows the default.\n\
         #\n\
         # A flag (--set section.key=value) wins over the environment (BOTHY_SECTION__KEY), the\n\
         # environment over this file, this file over the default. Every secret can also be read\n\
         # from a file: write its key with `_file` at the end and the path of the file.\n",
    );
    for section in sections() {
        let _ = write!(text, "\n{}[{}]\n", comment(&section.description), section.name);
        for key in &section.keys {
            let _ = write!(text, "\n{}", comment(&key.description));
            if let Some(allowed) = allowed(key) {
                text.push_str(&comment(&format!("Allowed: {allowed}.")));
            }
            let _ = match &key.default {
                Value::Null => writeln!(text, "#{} = \"\"", key.name),
                default => writeln!(text, "#{} = {default}", key.name),
            };
        }
    }
    text
}

/// The reference of all settings in Markdown.
pub fn reference() -> String {
    let mut text = String::from(
        "# Configuration\n\n\
         Generated from the source (`cargo xtask generate`); do not edit.\n\n\
         A setting comes from a flag (`--set section.key=value`), else from the environment, else from \
         the TOML file, else from its default. Durations are written like `30s`, `15m`, `1h 30m` or \
         `7d`; sizes are bytes; lists in the environment are separated by commas. Every secret can \
         also be read from a file: its key or variable with `_file` (`_FILE`) at the end names it.\n\
         `bothy config check` reports mistakes, `bothy config show` what is in force and why.\n",
    );
    for section in sections() {
        let _ = write!(text, "\n## {}\n\n{}\n\n", section.name, section.description);
        text.push_str("| key | environment | default | allowed | meaning |\n| --- | --- | --- | --- | --- |\n");
        for key in &section.keys {
            let default = match &key.default {
                Value::Null => "not set".to_owned(),
                Value::String(text) => format!("`{text}`"),
                other => format!("`{other}`"),
            };
            let variable =
                if key.secret { format!("`{0}`, `{0}_FILE`", key.variable()) } else { format!("`{}`", key.variable()) };
            let _ = writeln!(
                text,
                "| `{}` | {variable} | {default} | {} | {} |",
                key.path(),
                allowed(key).unwrap_or_default(),
                key.description.replace('\n', " ").replace('|', "\\|"),
            );
        }
    }
    text
}

fn allowed(key: &Key) -> Option<String> {
    match (&key.kind, &key.range) {
        (Kind::Choice(choices), _) => Some(choices.join(", ")),
        (Kind::Switch, _) => Some("true, false".to_owned()),
        (_, Some((min, max))) => Some(format!("{min} to {max}")),
        _ => None,
    }
}

/// A text as TOML comments.
fn comment(text: &str) -> String {
    let mut lines = String::new();
    for paragraph in text.lines() {
        let mut line = String::from("#");
        for word in paragraph.split_whitespace() {
            if line.len() > 1 && line.chars().count() + 1 + word.chars().count() > LINE {
                lines.push_str(&line);
                lines.push('\n');
                line = String::from("#");
            }
            line.push(' ');
            line.push_str(word);
        }
        lines.push_str(&line);
        lines.push('\n');
    }
    lines
}
