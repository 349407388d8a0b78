use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::environment::PREFIX;

/// What kind of value a setting takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Duration,
    Number,
    Switch,
    List,
    Choice(Vec<String>),
}

/// One setting, as the schema of [`Config`](super::Config) describes it.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) section: String,
    pub(super) name: String,
    /// The doc comment of its field, one line a paragraph.
    pub(super) description: String,
    pub(super) kind: Kind,
    /// `Null` when it has none.
    pub(super) default: Value,
    pub(super) secret: bool,
    /// The smallest and the largest value, as people write them.
    pub(super) range: Option<(String, String)>,
}

impl Key {
    /// `section.key`.
    pub(super) fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// The environment variable.
    pub(super) fn variable(&self) -> String {
        format!("{PREFIX}{}__{}", self.section.to_ascii_uppercase(), self.name.to_ascii_uppercase())
    }
}

/// A section of settings.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) keys: Vec<Key>,
}

/// Every section, by name.
pub(super) fn sections() -> &'static [Section] {
    static SECTIONS: OnceLock<Vec<Section>> = OnceLock::new();
    SECTIONS.get_or_init(|| {
        let schema = super::schema();
        properties(&schema)
            .map(|(name, section)| Section {
                name: name.clone(),
                description: description(section),
                keys: properties(section).map(|(key, schema)| read(name, key, schema)).collect(),
            })
            .collect()
    })
}

/// Every setting.
pub(super) fn keys() -> impl Iterator<Item = &'static Key> {
    sections().iter().flat_map(|section| &section.keys)
}

/// The setting with this path.
pub(super) fn key(path: &str) -> Option<&'static Key> {
    keys().find(|key| key.path() == path)
}

/// The known name that is nearest to `wrong`, when one is near enough to be meant.
pub(super) fn nearest(wrong: &str, known: impl Iterator<Item = String>) -> Option<String> {
    known
        .map(|name| (distance(wrong, &name), name))
        .min()
        .filter(|(distance, name)| *distance <= 2.max(name.chars().count() / 3))
        .map(|(_, name)| name)
}

/// How many letters must be added, removed or changed (Levenshtein).
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above_first, from) in left.chars().enumerate() {
        let mut diagonal = above_first;
        let mut before = above_first + 1;
        let mut next = vec![before];
        for (&to, &above) in right.iter().zip(row.iter().skip(1)) {
            let changed = diagonal + usize::from(from != to);
            before = changed.min(above + 1).min(before + 1);
            next.push(before);
            diagonal = above;
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

fn description(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    text.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect::<Vec<_>>().join("\n")
}

fn read(section: &str, name: &str, schema: &Value) -> Key {
    Key {
        section: section.to_owned(),
        name: name.to_owned(),
        description: description(schema),
        kind: kind(schema),
        default: schema.get("default").cloned().unwrap_or_default(),
        secret: schema.get("writeOnly").is_some(),
        range: range(schema, "x-minimum", "x-maximum").or_else(|| range(schema, "minimum", "maximum")),
    }
}

fn kind(schema: &Value) -> Kind {
    if let Some(choices) = schema.get("oneOf").and_then(Value::as_array) {
        let names = choices.iter().filter_map(|choice| choice.get("const").and_then(Value::as_str));
        return Kind::Choice(names.map(str::to_owned).collect());
    }
    if schema.get("x-kind").is_some() {
        return Kind::Duration;
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => Kind::Number,
        Some("boolean") => Kind::Switch,
        Some("array") => Kind::List,
        _ => Kind::Text,
    }
}

fn range(schema: &Value, min: &str, max: &str) -> Option<(String, String)> {
    let text = |name: &str| match schema.get(name)? {
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    Some((text(min)?, text(max)?))
}
