use std::collections::HashMap;

use bothy_domain::ids::{ChannelId, PrincipalId, SpaceId};
use bothy_domain::names::name_key;
use bothy_sdk::wire::{ChannelKind, ImportMessage, ImportOutcome, ImportRevision, NewChannel, NewSpace};
use bothy_sdk::{Client, Error};

use super::report::{Left, Report};
use super::source::{Author, Source, SourceChannel, SourceError, SourceMessage};

/// The most messages of one request, and the most bytes of their texts. The server takes more of both.
const BATCH_MESSAGES: usize = 100;
const BATCH_BYTES: usize = 256 << 10;

/// Why an import did not come to its end. What was taken stays, and running it again goes on.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The export cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The token is not one that may import.
    #[error("the token does not count ({0}): give the token of a login session")]
    Token(Error),
    /// The server refuses something that everything else needs, or went away.
    #[error("stopped at {at}: {cause}; run it again to go on from there")]
    Stopped {
        /// What was being done.
        at: String,
        /// Why.
        cause: Error,
    },
}

/// Is told how far an import is: the channel, how many of its messages were sent, and of how many.
pub type Progress<'a> = dyn Fn(&str, usize, usize) + Send + Sync + 'a;

/// Where to import.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The space whose channels take the messages of channels of the same name. It is made when there
    /// is none of that name, and so are its channels.
    pub space: String,
    /// For channels of the export, by name: another channel here.
    pub channels: HashMap<String, ChannelId>,
}

/// Imports one export.
#[allow(missing_debug_implementations, reason = "holds a token")]
pub struct Import<'a> {
    client: Client,
    options: Options,
    progress: &'a Progress<'a>,
    report: Report,
    /// People here, by their id in the export.
    people: HashMap<String, PrincipalId>,
    /// What to write for somebody who is mentioned, by the id in the export.
    mentions: HashMap<String, String>,
    /// The names of everybody in the export.
    names: HashMap<String, String>,
    space: Option<SpaceId>,
}

impl<'a> Import<'a> {
    /// An import as whoever the token of the client belongs to.
    pub fn new(client: Client, options: Options, progress: &'a Progress<'a>) -> Self {
        Self {
            client,
            options,
            progress,
            report: Report::default(),
            people: HashMap::new(),
            mentions: HashMap::new(),
            names: HashMap::new(),
            space: None,
        }
    }

    /// Imports it, channel by channel, the messages of each in the order of their times.
    ///
    /// # Errors
    /// [`ImportError`]; what the server refuses of single messages is in the report instead.
    pub async fn run(&mut self, source: &mut Source) -> Result<(), ImportError> {
        self.report.left.extend_from_slice(source.left());
        self.find_people(source).await?;
        let channels = source.channels().to_vec();
        for channel in &channels {
            let target = self.target(channel).await?;
            let (messages, left) = source.messages(channel)?;
            self.report.left.extend(left);
            self.send(channel, target, &messages).await?;
            self.report.channels += 1;
        }
        Ok(())
    }

    /// What became of it.
    pub const fn report(&self) -> &Report {
        &self.report
    }

    /// Finds the people of the export by their addresses. Only owners see addresses; for anybody else
    /// every author stays a name.
    async fn find_people(&mut self, source: &Source) -> Result<(), ImportError> {
        let people = self.client.list_people().await.map_err(ImportError::Token)?;
        let by_email: HashMap<String, _> =
            people.iter().filter_map(|person| Some((person.email.as_ref()?.to_lowercase(), person))).collect();
        for (id, listed) in source.people() {
            let found = listed.email.as_ref().and_then(|email| by_email.get(email));
            let mention = found.map_or(&listed.name, |person| &person.handle);
            self.mentions.insert(id.clone(), format!("@{mention}"));
            self.names.insert(id.clone(), listed.name.clone());
            if let Some(person) = found {
                self.people.insert(id.clone(), person.person_id);
            }
        }
        Ok(())
    }

    /// The channel here for a channel of the export.
    async fn target(&mut self, channel: &SourceChannel) -> Result<ChannelId, ImportError> {
        if let Some(mapped) = self.options.channels.get(&channel.name) {
            return Ok(*mapped);
        }
        let stopped = |cause| ImportError::Stopped { at: format!("channel {}", channel.name), cause };
        let space = match self.space {
            Some(space) => space,
            None => {
                let space = self.space().await.map_err(stopped)?;
                *self.space.insert(space)
            }
        };
        let channels = self.client.list_space_channels(space).await.map_err(stopped)?;
        let key = name_key(&channel.name);
        let found = channels.into_iter().find(|known| known.name.as_deref().map(name_key) == Some(key.clone()));
        match found {
            Some(found) => Ok(found.channel_id),
            None => {
                let new = NewChannel { kind: ChannelKind::Text, name: &channel.name };
                Ok(self.client.create_channel(space, &new).await.map_err(stopped)?.channel_id)
            }
        }
    }

    async fn space(&self) -> Result<SpaceId, Error> {
        let name = self.options.space.as_str();
        let spaces = self.client.list_spaces().await?;
        match spaces.into_iter().find(|space| name_key(&space.name) == name_key(name)) {
            Some(space) => Ok(space.space_id),
            None => Ok(self.client.create_space(&NewSpace { name }).await?.space_id),
        }
    }

    async fn send(
        &mut self,
        channel: &SourceChannel,
        target: ChannelId,
        messages: &[SourceMessage],
    ) -> Result<(), ImportError> {
        let mut sent = 0;
        while let Some(rest) = messages.get(sent..).filter(|rest| !rest.is_empty()) {
            (self.progress)(&channel.name, sent, messages.len());
            let mut batch = Vec::new();
            let mut bytes = 0;
            for message in rest.iter().take(BATCH_MESSAGES) {
                let wire = self.wire(message);
                bytes += wire.content_md.len() + wire.revisions.iter().map(|one| one.content_md.len()).sum::<usize>();
                if bytes > BATCH_BYTES && !batch.is_empty() {
                    break;
                }
                batch.push(wire);
            }
            let answer = self.client.import_messages(target, &batch).await;
            let place = rest.first().map_or_else(String::new, |message| format!("{}:{}", message.file, message.at));
            match answer {
                Ok(items) => self.note(rest, &items),
                // One message alone that is refused as a request keeps the others from nothing.
                Err(cause) if batch.len() == 1 && is_about_the_message(&cause) => {
                    self.report.left.extend(rest.first().map(|message| refused(message, &cause.to_string())));
                }
                Err(cause) => return Err(ImportError::Stopped { at: place, cause }),
            }
            sent += batch.len();
        }
        (self.progress)(&channel.name, messages.len(), messages.len());
        Ok(())
    }

    fn note(&mut self, sent: &[SourceMessage], items: &[bothy_sdk::wire::ImportedMessage]) {
        for (message, item) in sent.iter().zip(items) {
            match item.outcome {
                ImportOutcome::Taken => self.report.taken += 1,
                ImportOutcome::Known => self.report.known += 1,
                ImportOutcome::Refused => {
                    let reason = item.reason.as_deref().unwrap_or("no reason");
                    self.report.left.push(refused(message, reason));
                }
            }
        }
    }

    /// A message as the server takes it.
    fn wire(&self, message: &SourceMessage) -> ImportMessage {
        let (author_id, author_name) = match &message.author {
            Author::Named(name) => (None, Some(name.clone())),
            Author::Listed(id) => match self.people.get(id) {
                Some(person) => (Some(*person), None),
                None => (None, Some(self.names.get(id).unwrap_or(id).clone())),
            },
        };
        let revisions = message.revisions.iter();
        ImportMessage {
            key: message.key.clone(),
            parent_key: message.parent_key.clone(),
            author_id,
            author_name,
            content_md: message.content.markdown(&self.mentions),
            created_at: message.created_at,
            edited_at: message.edited_at,
            deleted_at: message.deleted_at,
            revisions: revisions
                .map(|(text, at)| ImportRevision { content_md: text.clone(), replaced_at: *at })
                .collect(),
        }
    }
}

fn refused(message: &SourceMessage, reason: &str) -> Left {
    Left::refused(&message.file, message.at, format!("a message that the server refuses ({reason})"))
}

/// Whether the answer says that the request itself cannot be taken, whatever the state of the server.
fn is_about_the_message(error: &Error) -> bool {
    error.is("validation_failed") || error.is("payload_too_large")
}
