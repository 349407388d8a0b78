//! From an environment of AgentDojo's Slack suite to a transcript.
//!
//! Its direct messages cannot be taken as long as the server has none, and its web pages are no part
//! of a chat: both are refused by position, so that nobody takes the loaded part for the whole.

use serde_json::{Map, Value};

use super::parse::{NotATranscript, handle, pointer, read_object};
use super::report::Refusal;
use super::transcript::{Channel, Element, Message, Person, Transcript};

/// The space that the environment's channels stand in.
const SPACE: &str = "Slack";

/// Reads an environment (`environment.default.json`).
///
/// # Errors
/// [`NotATranscript`] when the file is not one.
pub fn from_agentdojo_slack(text: &str) -> Result<(Transcript, Vec<Refusal>), NotATranscript> {
    let root = read_object(text)?;
    let mut refused = Vec::new();
    let slack = object(&root, "", "slack")?;
    for name in root.keys().filter(|name| *name != "slack") {
        refused.push(Refusal::new(pointer("", name), "not a part of a chat: left out"));
    }
    for name in slack.keys().filter(|name| !KNOWN.contains(&name.as_str())) {
        refused.push(Refusal::new(pointer("/slack", name), "unknown member"));
    }
    let mut transcript = Transcript::default();
    for (at, name) in texts(slack, "users", &mut refused)? {
        match handle(&at, &name) {
            Ok(handle) => {
                let email = format!("{handle}@example.com");
                transcript.people.push(Element { at, value: Person { handle, display_name: name, email } });
            }
            Err(refusal) => refused.push(refusal),
        }
    }
    for (at, name) in texts(slack, "channels", &mut refused)? {
        let value = Channel { name, space: SPACE.to_owned(), members: Vec::new() };
        transcript.channels.push(Element { at, value });
    }
    members(slack, &mut transcript, &mut refused)?;
    messages(slack, &mut transcript, &mut refused)?;
    direct_messages(slack, &mut refused)?;
    Ok((transcript, refused))
}

const KNOWN: [&str; 5] = ["users", "channels", "user_channels", "user_inbox", "channel_inbox"];

fn members(
    slack: &Map<String, Value>,
    transcript: &mut Transcript,
    refused: &mut Vec<Refusal>,
) -> Result<(), NotATranscript> {
    for (name, channels) in object(slack, "/slack", "user_channels")? {
        let base = pointer("/slack/user_channels", name);
        let (Ok(handle), Value::Array(channels)) = (handle(&base, name), channels) else {
            refused.push(Refusal::new(base, "expected the channels of a user"));
            continue;
        };
        for (index, channel) in channels.iter().enumerate() {
            let at = format!("{base}/{index}");
            let known =
                transcript.channels.iter_mut().find(|known| Some(known.value.name.as_str()) == channel.as_str());
            match known {
                Some(known) => known.value.members.push(Element { at, value: handle.clone() }),
                None => refused.push(Refusal::new(at, "no such channel in /slack/channels")),
            }
        }
    }
    Ok(())
}

fn messages(
    slack: &Map<String, Value>,
    transcript: &mut Transcript,
    refused: &mut Vec<Refusal>,
) -> Result<(), NotATranscript> {
    for (channel, inbox) in object(slack, "/slack", "channel_inbox")? {
        let base = pointer("/slack/channel_inbox", channel);
        for (at, entry) in entries(&base, inbox, refused) {
            let text = |name: &str| entry.get(name).and_then(Value::as_str);
            let (Some(sender), Some(body)) = (text("sender"), text("body")) else {
                refused.push(Refusal::new(at, "expected a message with sender and body"));
                continue;
            };
            match handle(&pointer(&at, "sender"), sender) {
                Ok(author) => {
                    let value = Message {
                        channel: channel.clone(),
                        author,
                        content: body.to_owned(),
                        key: None,
                        thread: None,
                        reply_to: None,
                    };
                    transcript.messages.push(Element { at, value });
                }
                Err(refusal) => refused.push(refusal),
            }
        }
    }
    Ok(())
}

fn direct_messages(slack: &Map<String, Value>, refused: &mut Vec<Refusal>) -> Result<(), NotATranscript> {
    for (user, inbox) in object(slack, "/slack", "user_inbox")? {
        let base = pointer("/slack/user_inbox", user);
        let found = entries(&base, inbox, refused);
        refused.extend(
            found.into_iter().map(|(at, _)| Refusal::new(at, "direct messages cannot be loaded yet: left out")),
        );
    }
    Ok(())
}

fn object<'a>(parent: &'a Map<String, Value>, at: &str, name: &str) -> Result<&'a Map<String, Value>, NotATranscript> {
    match parent.get(name) {
        Some(Value::Object(found)) => Ok(found),
        Some(_) => Err(NotATranscript::Form { at: pointer(at, name), message: "expected an object".to_owned() }),
        None => Err(NotATranscript::Form { at: pointer(at, name), message: "is missing".to_owned() }),
    }
}

fn texts(
    slack: &Map<String, Value>,
    name: &str,
    refused: &mut Vec<Refusal>,
) -> Result<Vec<(String, String)>, NotATranscript> {
    let base = pointer("/slack", name);
    let Some(Value::Array(items)) = slack.get(name) else {
        return Err(NotATranscript::Form { at: base, message: "expected a list of names".to_owned() });
    };
    let mut found = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let at = format!("{base}/{index}");
        match item.as_str() {
            Some(text) => found.push((at, text.to_owned())),
            None => refused.push(Refusal::new(at, "expected a name")),
        }
    }
    Ok(found)
}

fn entries<'a>(base: &str, inbox: &'a Value, refused: &mut Vec<Refusal>) -> Vec<(String, &'a Value)> {
    match inbox {
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, entry)| (format!("{base}/{index}"), entry)).collect()
        }
        _ => {
            refused.push(Refusal::new(base, "expected a list of messages"));
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests;
