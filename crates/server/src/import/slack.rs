//! An export of a Slack workspace: `users.json`, `channels.json`, and for each channel a folder with a
//! file for each day.

use std::collections::HashMap;

use bothy_domain::time::Timestamp;
use serde_json::Value;

use super::archive::Archive;
use super::content::Content;
use super::markup::unescaped;
use super::report::Left;
use super::source::{Author, SourceChannel, SourceError, SourceMessage, SourcePerson};

/// An export, with the lists that were read.
#[derive(Debug)]
pub(super) struct Slack {
    archive: Archive,
    pub(super) people: HashMap<String, SourcePerson>,
    pub(super) channels: Vec<SourceChannel>,
    pub(super) left: Vec<Left>,
}

/// Messages of this subtype are what somebody said.
const SAID: [&str; 6] =
    ["bot_message", "file_comment", "file_share", "me_message", "reply_broadcast", "thread_broadcast"];

impl Slack {
    pub(super) fn open(mut archive: Archive, include_private: bool) -> Result<Self, SourceError> {
        let mut left = Vec::new();
        let mut people = HashMap::new();
        for (at, user) in list(&mut archive, "users.json")?.unwrap_or_default().iter().enumerate() {
            match (text(user, "/id"), name_of(user)) {
                (Some(id), Some(name)) => {
                    let email = text(user, "/profile/email").map(str::to_lowercase);
                    people.insert(id.to_owned(), SourcePerson { name: name.to_owned(), email });
                }
                _ => left.push(Left::refused("users.json", at, "a user without an id or a name")),
            }
        }
        let Some(listed) = list(&mut archive, "channels.json")? else {
            let problem = "there is no such file: is this the folder of an export?".to_owned();
            return Err(SourceError::Form { file: "channels.json".to_owned(), problem });
        };
        let mut channels = Vec::new();
        take_channels(&listed, "channels.json", &mut channels, &mut left);
        let private = list(&mut archive, "groups.json")?.unwrap_or_default();
        if include_private {
            take_channels(&private, "groups.json", &mut channels, &mut left);
        } else {
            left.extend((0..private.len()).map(|at| Left::out("groups.json", at, "a private channel")));
        }
        // Nobody else took part in them, and a channel here has other readers.
        for (file, what) in [("dms.json", "a direct message"), ("mpims.json", "a direct message of several people")] {
            let found = list(&mut archive, file)?.unwrap_or_default();
            left.extend((0..found.len()).map(|at| Left::out(file, at, what)));
        }
        Ok(Self { archive, people, channels, left })
    }

    /// The messages of a channel, and what of it cannot be taken.
    pub(super) fn messages(&mut self, channel: &SourceChannel) -> Result<(Vec<SourceMessage>, Vec<Left>), SourceError> {
        let (mut messages, mut left) = (Vec::new(), Vec::new());
        for file in self.archive.files_of(&channel.name)? {
            let Some(text) = self.archive.read(&file)? else { continue };
            match serde_json::from_str::<Vec<Value>>(&text) {
                Ok(items) => {
                    for (at, item) in items.iter().enumerate() {
                        match message(&file, at, &channel.id, item, &mut left) {
                            Ok(message) => messages.push(message),
                            Err(reason) => left.push(reason),
                        }
                    }
                }
                Err(error) => {
                    let what = format!("not a list of messages (line {}, column {})", error.line(), error.column());
                    left.push(Left::refused(&file, None, what));
                }
            }
        }
        Ok((messages, left))
    }
}

fn take_channels(listed: &[Value], file: &str, channels: &mut Vec<SourceChannel>, left: &mut Vec<Left>) {
    for (at, channel) in listed.iter().enumerate() {
        match (text(channel, "/id"), text(channel, "/name")) {
            (Some(id), Some(name)) => channels.push(SourceChannel { id: id.to_owned(), name: name.to_owned() }),
            _ => left.push(Left::refused(file, at, "a channel without an id or a name")),
        }
    }
}

/// One message, or why it is none that can be taken. What belongs to it and has no place here goes to
/// `left`.
fn message(file: &str, at: usize, channel: &str, item: &Value, left: &mut Vec<Left>) -> Result<SourceMessage, Left> {
    if text(item, "/type") != Some("message") {
        return Err(Left::refused(file, at, "no message"));
    }
    let subtype = text(item, "/subtype");
    let deleted = subtype == Some("tombstone");
    match subtype {
        None => {}
        Some(subtype) if deleted || SAID.contains(&subtype) => {}
        // Only a word that Slack may have chosen is repeated, never a text.
        Some(subtype) if subtype.len() <= 40 && subtype.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') => {
            return Err(Left::out(file, at, format!("a line of the system ({subtype})")));
        }
        Some(_) => return Err(Left::refused(file, at, "a message of an unknown kind")),
    }
    let (Some(ts), Some(created_at)) = (text(item, "/ts"), text(item, "/ts").and_then(time)) else {
        return Err(Left::refused(file, at, "a message without a time"));
    };
    let Some(author) = author(item, deleted) else {
        return Err(Left::refused(file, at, "a message without an author"));
    };
    let files = names_of_files(item);
    if !deleted {
        left.extend(files.iter().map(|_| Left::out(file, at, "a file")));
        let reactions = item.pointer("/reactions").and_then(Value::as_array).map_or(0, Vec::len);
        left.extend((0..reactions).map(|_| Left::out(file, at, "a reaction")));
    }
    let mut said = text(item, "/text").unwrap_or_default().to_owned();
    let attached = attachments(item);
    if said.trim().is_empty() {
        said = attached.join("\n");
    } else if !deleted {
        left.extend(attached.iter().map(|_| Left::out(file, at, "an attachment of a message")));
    }
    if !deleted && said.trim().is_empty() && files.is_empty() {
        return Err(Left::out(file, at, "a message without a text"));
    }
    if subtype == Some("me_message") && !said.contains('\n') {
        said = format!("_{said}_");
    }
    let key = |ts: &str| format!("slack:{channel}:{ts}");
    Ok(SourceMessage {
        file: file.to_owned(),
        at,
        key: key(ts),
        parent_key: text(item, "/thread_ts").filter(|parent| *parent != ts).map(key),
        author,
        content: if deleted { Content::Markdown(String::new()) } else { Content::Slack { text: said, files } },
        created_at,
        edited_at: text(item, "/edited/ts").and_then(time).filter(|_| !deleted),
        // When it was deleted is not told.
        deleted_at: deleted.then_some(created_at),
        revisions: Vec::new(),
    })
}

/// A person of the export, or the name that a bot or a guest went by.
fn author(item: &Value, deleted: bool) -> Option<Author> {
    // The user of a tombstone is Slack itself.
    if deleted {
        return Some(Author::Named("Deleted message".to_owned()));
    }
    let names = ["/username", "/bot_profile/name", "/user_profile/real_name", "/user_profile/name", "/bot_id", "/user"];
    match text(item, "/user") {
        Some(user) if text(item, "/subtype") != Some("bot_message") => Some(Author::Listed(user.to_owned())),
        _ => names.iter().find_map(|name| text(item, name)).map(|name| Author::Named(unescaped(name))),
    }
}

fn names_of_files(item: &Value) -> Vec<String> {
    let files = item.pointer("/files").and_then(Value::as_array);
    let one = item.pointer("/file").filter(|_| files.is_none());
    let names = files.into_iter().flatten().chain(one).map(|file| {
        let name = text(file, "/title").or(text(file, "/name")).unwrap_or("unnamed");
        name.chars().filter(|c| !c.is_control()).take(200).collect()
    });
    names.collect()
}

fn attachments(item: &Value) -> Vec<&str> {
    let attachments = item.pointer("/attachments").and_then(Value::as_array);
    attachments
        .into_iter()
        .flatten()
        .filter_map(|one| ["/text", "/fallback", "/title"].iter().find_map(|name| text(one, name)))
        .collect()
}

/// The name that somebody goes by.
fn name_of(user: &Value) -> Option<&str> {
    ["/profile/real_name", "/real_name", "/profile/display_name", "/name"].iter().find_map(|name| text(user, name))
}

/// A member that is a text and not blank.
fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// A time of Slack: seconds, and six digits behind the point that make it unique in its channel.
fn time(ts: &str) -> Option<Timestamp> {
    let (seconds, rest) = ts.split_once('.').unwrap_or((ts, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if seconds.is_empty() || seconds.len() > 11 || rest.len() > 6 || !digits(seconds) || !digits(rest) {
        return None;
    }
    let seconds: i64 = seconds.parse().ok()?;
    let micros: i64 = format!("{rest:0<6}").parse().ok()?;
    Some(Timestamp::from_micros(seconds.checked_mul(1_000_000)?.checked_add(micros)?))
}

/// The items of a file; `None` when there is no such file.
fn list(archive: &mut Archive, file: &str) -> Result<Option<Vec<Value>>, SourceError> {
    let Some(text) = archive.read(file)? else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|error| SourceError::Form {
        file: file.to_owned(),
        problem: format!("not a list (line {}, column {})", error.line(), error.column()),
    })
}

#[cfg(test)]
mod tests;
