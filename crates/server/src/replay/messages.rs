use std::collections::HashMap;

use bothy_domain::ids::{MessageId, ThreadId};
use bothy_sdk::wire::{NewMessage, NewThread};
use bothy_sdk::{Client, Error};
use sha2::{Digest, Sha256};

use super::kept::KeptMessage;
use super::load::{Place, Replay, ReplayError};
use super::transcript::{Element, Message};

/// A message that others may refer to.
struct Named {
    id: MessageId,
    thread: ThreadId,
    channel: String,
    opened: Option<ThreadId>,
}

impl Replay<'_> {
    /// Posts the messages in their order, each as its author.
    pub(super) async fn load_messages(&mut self, messages: &[Element<Message>]) -> Result<(), ReplayError> {
        let mut named = HashMap::new();
        let mut repeated = HashMap::new();
        for (done, Element { at, value: message }) in messages.iter().enumerate() {
            (self.progress)("messages", done, messages.len());
            // Before anything can refuse it, so that the ids of those after it do not depend on that.
            let client_message_id = client_message_id(message, &mut repeated);
            let (Some(place), Some(author)) = (self.places.get(&message.channel), self.people.get(&message.author))
            else {
                let (part, what) = match self.places.contains_key(&message.channel) {
                    true => ("author", "this person is not among those that were taken"),
                    false => ("channel", "this channel is not among those that were taken"),
                };
                self.refuse(&format!("{at}/{part}"), what);
                continue;
            };
            let client = author.client.clone();
            let thread = match thread(&client, place, message, &mut named).await {
                Ok(thread) => Ok(thread),
                Err(Unfit::Refers(what)) => {
                    self.refuse(&format!("{at}/thread"), what);
                    continue;
                }
                Err(Unfit::Server(error)) => Err(error),
            };
            let Some(thread) = self.judge(at, thread)? else { continue };
            let reply_to_message_id = match &message.reply_to {
                None => None,
                Some(key) => match named.get(key) {
                    Some(target) => Some(target.id),
                    None => {
                        self.refuse(&format!("{at}/reply_to"), "no message before that was taken has this key");
                        continue;
                    }
                },
            };
            let new = NewMessage {
                content_md: &message.content,
                reply_to_message_id,
                client_message_id: Some(&client_message_id),
            };
            let answer = client.create_message(thread, &new).await;
            let Some(posted) = self.judge(at, answer)? else { continue };
            let id = posted.message.message_id;
            if let Some(key) = message.key.clone() {
                named.insert(
                    key,
                    Named { id, thread, channel: message.channel.clone(), opened: posted.opened_thread_id },
                );
            }
            self.kept.keep_message(KeptMessage { at: at.clone(), id, thread_id: thread });
            self.report.messages += 1;
        }
        (self.progress)("messages", messages.len(), messages.len());
        Ok(())
    }
}

enum Unfit {
    Refers(&'static str),
    Server(Error),
}

/// The thread that a message belongs to: the channel's main thread, or the one of the message that
/// it names, which is opened by whoever writes there first.
async fn thread(
    client: &Client,
    place: &Place,
    message: &Message,
    named: &mut HashMap<String, Named>,
) -> Result<ThreadId, Unfit> {
    let Some(key) = &message.thread else {
        return Ok(place.main);
    };
    let parent = named.get_mut(key).ok_or(Unfit::Refers("no message before that was taken has this key"))?;
    if parent.channel != message.channel || parent.thread != place.main {
        return Err(Unfit::Refers("that message does not stand in this channel itself"));
    }
    if let Some(opened) = parent.opened {
        return Ok(opened);
    }
    let new = NewThread { parent_message_id: Some(parent.id), ..NewThread::default() };
    let opened = match client.create_thread(place.id, &new).await {
        Ok(thread) => thread.thread_id,
        // Somebody opened it before, perhaps this very transcript.
        Err(error) if error.is("conflict") => {
            let threads = client.list_channel_threads(place.id).await.map_err(Unfit::Server)?;
            let found = threads.into_iter().find(|thread| thread.parent_message_id == Some(parent.id));
            found.map(|thread| thread.thread_id).ok_or(Unfit::Server(error))?
        }
        Err(error) => return Err(Unfit::Server(error)),
    };
    parent.opened = Some(opened);
    Ok(opened)
}

/// The same for the same message of the same transcript, whatever is added after it: derived from
/// where it stands, its author, its text, and how many equal ones stand before it.
fn client_message_id(message: &Message, repeated: &mut HashMap<[u8; 32], u64>) -> String {
    let mut hash = Sha256::new();
    let parts = [
        Some(&message.channel),
        message.thread.as_ref(),
        Some(&message.author),
        Some(&message.content),
        message.key.as_ref(),
    ];
    for part in parts {
        let text = part.map_or("", String::as_str);
        hash.update([u8::from(part.is_some())]);
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    let plain: [u8; 32] = hash.finalize().into();
    let earlier = repeated.entry(plain).or_insert(0);
    let id: [u8; 32] = Sha256::new().chain_update(plain).chain_update(earlier.to_be_bytes()).finalize().into();
    *earlier += 1;
    let hex: String = id.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("replay:{hex}")
}

#[cfg(test)]
mod tests;
