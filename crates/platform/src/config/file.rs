use std::ops::Range;
use std::path::Path;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Mistake, Source};

/// A setting as the file has it.
pub(super) struct FileSetting {
    pub(super) path: String,
    pub(super) source: Source,
    pub(super) value: Value,
}

/// Reads the settings of a TOML file, whether or not they are known.
pub(super) fn read(path: &Path, text: &str) -> Result<Vec<FileSetting>, Vec<Mistake>> {
    let at = |span: Range<usize>| Source::File { path: path.to_owned(), line: line_of(text, span.start) };
    let table = DeTable::parse(text).map_err(|error| {
        let source = at(error.span().unwrap_or_default());
        vec![Mistake::new(source, error.message().to_owned())]
    })?;
    let mut settings = Vec::new();
    let mut mistakes = Vec::new();
    for (section, keys) in table.get_ref() {
        let Some(keys) = keys.get_ref().as_table() else {
            let message = format!("`{}` stands outside of a section; write [section] above it", section.get_ref());
            mistakes.push(Mistake::new(at(section.span()), message));
            continue;
        };
        if keys.is_empty() {
            continue;
        }
        for (key, value) in keys {
            let path = format!("{}.{}", section.get_ref(), key.get_ref());
            let source = at(key.span());
            match json(value) {
                Some(value) => settings.push(FileSetting { path, source, value }),
                None => {
                    mistakes.push(Mistake::new(source, format!("`{path}` has a value of a kind that no setting takes")))
                }
            }
        }
    }
    if mistakes.is_empty() { Ok(settings) } else { Err(mistakes) }
}

fn json(value: &Spanned<DeValue<'_>>) -> Option<Value> {
    match value.get_ref() {
        DeValue::String(text) => Some(Value::from(text.as_ref())),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok().map(Value::from),
        DeValue::Boolean(value) => Some(Value::from(*value)),
        DeValue::Array(items) => items.iter().map(json).collect(),
        DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Table(_) => None,
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}
