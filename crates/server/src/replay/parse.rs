//! From a file to a transcript: each element is judged by itself.

use std::collections::HashSet;

use bothy_domain::names::Handle;
use serde_json::{Map, Value};

use super::json;
use super::report::Refusal;
use super::transcript::{Channel, Element, Message, Person, Transcript};

/// The space of channels that name none.
const DEFAULT_SPACE: &str = "Transcript";

/// A file that is no transcript at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotATranscript {
    /// Not JSON.
    #[error("not valid JSON at line {line} column {column}: {message}")]
    Json {
        /// The line, counted from one.
        line: usize,
        /// The column, counted from one.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// JSON of another form.
    #[error("{at}: {message}")]
    Form {
        /// Where, as a JSON pointer.
        at: String,
        /// What is wrong.
        message: String,
    },
}

/// Reads a transcript. What is malformed in it is refused element by element.
///
/// # Errors
/// [`NotATranscript`] when the file as a whole is not one.
pub fn parse(text: &str) -> Result<(Transcript, Vec<Refusal>), NotATranscript> {
    let root = read_object(text)?;
    let mut refused = Vec::new();
    for name in root.keys().filter(|name| !matches!(name.as_str(), "people" | "channels" | "messages")) {
        refused.push(Refusal::new(pointer("", name), "unknown member; expected people, channels and messages"));
    }
    let mut seen = HashSet::new();
    let people = elements(&root, "people", &mut refused, |at, fields| person(at, fields, &mut seen))?;
    let mut seen = HashSet::new();
    let channels = elements(&root, "channels", &mut refused, |at, fields| channel(at, fields, &mut seen))?;
    let mut seen = HashSet::new();
    let messages = elements(&root, "messages", &mut refused, |at, fields| message(at, fields, &mut seen))?;
    Ok((Transcript { people, channels, messages }, refused))
}

pub(super) fn read_object(text: &str) -> Result<Map<String, Value>, NotATranscript> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = json::read(text).map_err(|error| NotATranscript::Json {
        line: error.line(),
        column: error.column(),
        message: reason(&error),
    })?;
    match root {
        Value::Object(root) => Ok(root),
        _ => Err(NotATranscript::Form { at: "/".to_owned(), message: "expected a JSON object".to_owned() }),
    }
}

/// The message of the reader without the place, which it puts at the end.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

fn elements<T>(
    root: &Map<String, Value>,
    name: &str,
    refused: &mut Vec<Refusal>,
    mut take: impl FnMut(&str, &mut Fields<'_>) -> Result<T, Refusal>,
) -> Result<Vec<Element<T>>, NotATranscript> {
    let base = format!("/{name}");
    let items = match root.get(name) {
        None => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(NotATranscript::Form { at: base, message: "expected a list".to_owned() }),
    };
    let mut taken = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let at = format!("{base}/{index}");
        let read = Fields::of(&at, item).and_then(|mut fields| {
            let value = take(&at, &mut fields)?;
            fields.nothing_else()?;
            Ok(value)
        });
        match read {
            Ok(value) => taken.push(Element { at, value }),
            Err(refusal) => refused.push(refusal),
        }
    }
    Ok(taken)
}

fn person(at: &str, fields: &mut Fields<'_>, seen: &mut HashSet<String>) -> Result<Person, Refusal> {
    let handle = fields.handle("handle")?;
    let display_name = fields.optional("display_name")?.unwrap_or_else(|| handle.clone());
    let email = fields.optional("email")?.unwrap_or_else(|| format!("{handle}@example.com"));
    if !seen.insert(handle.clone()) {
        return Err(Refusal::new(format!("{at}/handle"), "another person before has this handle"));
    }
    Ok(Person { handle, display_name, email })
}

fn channel(at: &str, fields: &mut Fields<'_>, seen: &mut HashSet<String>) -> Result<Channel, Refusal> {
    let name = fields.required("name")?;
    let space = fields.optional("space")?.unwrap_or_else(|| DEFAULT_SPACE.to_owned());
    let members = fields.handles("members")?;
    if !seen.insert(name.clone()) {
        return Err(Refusal::new(format!("{at}/name"), "another channel before has this name"));
    }
    Ok(Channel { name, space, members })
}

fn message(at: &str, fields: &mut Fields<'_>, seen: &mut HashSet<String>) -> Result<Message, Refusal> {
    let message = Message {
        channel: fields.required("channel")?,
        author: fields.handle("author")?,
        content: fields.required("content")?,
        key: fields.optional("key")?,
        thread: fields.optional("thread")?,
        reply_to: fields.optional("reply_to")?,
    };
    if message.key.as_ref().is_some_and(|key| !seen.insert(key.clone())) {
        return Err(Refusal::new(format!("{at}/key"), "another message before has this key"));
    }
    Ok(message)
}

/// The members of one element, each taken once.
struct Fields<'a> {
    at: &'a str,
    members: &'a Map<String, Value>,
    taken: HashSet<&'static str>,
}

impl<'a> Fields<'a> {
    fn of(at: &'a str, value: &'a Value) -> Result<Self, Refusal> {
        match value {
            Value::Object(members) => Ok(Self { at, members, taken: HashSet::new() }),
            _ => Err(Refusal::new(at, "expected an object")),
        }
    }

    fn optional(&mut self, name: &'static str) -> Result<Option<String>, Refusal> {
        self.taken.insert(name);
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(Refusal::new(pointer(self.at, name), "expected a text")),
        }
    }

    fn required(&mut self, name: &'static str) -> Result<String, Refusal> {
        self.optional(name)?.ok_or_else(|| Refusal::new(pointer(self.at, name), "is missing"))
    }

    fn handle(&mut self, name: &'static str) -> Result<String, Refusal> {
        handle(&pointer(self.at, name), &self.required(name)?)
    }

    fn handles(&mut self, name: &'static str) -> Result<Vec<Element<String>>, Refusal> {
        self.taken.insert(name);
        let list = pointer(self.at, name);
        let items = match self.members.get(name) {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(_) => return Err(Refusal::new(list, "expected a list of handles")),
        };
        let mut handles = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let at = format!("{list}/{index}");
            let text = item.as_str().ok_or_else(|| Refusal::new(at.as_str(), "expected a handle"))?;
            let value = handle(&at, text)?;
            handles.push(Element { at, value });
        }
        Ok(handles)
    }

    fn nothing_else(&self) -> Result<(), Refusal> {
        match self.members.keys().find(|name| !self.taken.contains(name.as_str())) {
            Some(unknown) => Err(Refusal::new(pointer(self.at, unknown), "unknown member")),
            None => Ok(()),
        }
    }
}

pub(super) fn handle(at: &str, text: &str) -> Result<String, Refusal> {
    Handle::parse(text)
        .map(|handle| handle.as_str().to_owned())
        .map_err(|error| Refusal::new(at, format!("not a handle: {error}")))
}

/// A JSON pointer to a member (RFC 6901).
pub(super) fn pointer(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests;
