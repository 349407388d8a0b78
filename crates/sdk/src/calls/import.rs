use bothy_domain::ids::ChannelId;
use serde::{Deserialize, Serialize};

use crate::client::Client;
use crate::error::Error;
use crate::transport::Call;
use crate::wire::{ImportMessage, ImportedMessage, Person};

#[derive(Serialize)]
struct Batch<'a> {
    messages: &'a [ImportMessage],
}

#[derive(Deserialize)]
struct Answer {
    items: Vec<ImportedMessage>,
}

impl Client {
    /// Takes messages over into a channel; says what became of each, in their order. Safe to repeat:
    /// each key is taken once.
    ///
    /// # Errors
    /// A problem when the caller may not import there.
    pub async fn import_messages(
        &self,
        channel: ChannelId,
        messages: &[ImportMessage],
    ) -> Result<Vec<ImportedMessage>, Error> {
        let call = Call::post("importMessages", format!("/channels/{channel}/import"));
        let answer: Answer = self.json(call.body(&Batch { messages }).repeatable()).await?;
        Ok(answer.items)
    }

    /// All people of the instance. Only owners in a session see their addresses.
    ///
    /// # Errors
    /// `unauthenticated` when the token does not count.
    pub async fn list_people(&self) -> Result<Vec<Person>, Error> {
        self.all("listPeople", "/people".to_owned()).await
    }
}
