use bothy_domain::ids::{MessageId, ThreadId};
use reqwest::header::HeaderValue;

use crate::client::Client;
use crate::error::Error;
use crate::transport::Call;
use crate::wire::{Message, NewMessage, PostedMessage};

impl Client {
    /// Posts a message. With a `client_message_id` it is safe to repeat.
    ///
    /// # Errors
    /// A problem when the caller may not write there or the text cannot be taken.
    pub async fn create_message(&self, thread: ThreadId, message: &NewMessage<'_>) -> Result<PostedMessage, Error> {
        self.json(post(thread, message)).await
    }

    pub(crate) async fn create_message_in(
        &self,
        thread: ThreadId,
        message: &NewMessage<'_>,
        token: &HeaderValue,
    ) -> Result<PostedMessage, Error> {
        self.json(post(thread, message).invocation(token)).await
    }

    /// All messages of a thread, oldest first.
    ///
    /// # Errors
    /// `not_found` when the caller cannot see the thread.
    pub async fn list_thread_messages(&self, thread: ThreadId) -> Result<Vec<Message>, Error> {
        self.all("listThreadMessages", format!("/threads/{thread}/messages")).await
    }

    /// Reads a message.
    ///
    /// # Errors
    /// `not_found` when the caller cannot see it.
    pub async fn get_message(&self, message: MessageId) -> Result<Message, Error> {
        self.json(Call::get("getMessage", format!("/messages/{message}"))).await
    }
}

fn post<'a>(thread: ThreadId, message: &NewMessage<'_>) -> Call<'a> {
    let call = Call::post("createMessage", format!("/threads/{thread}/messages")).body(message);
    if message.client_message_id.is_some() { call.repeatable() } else { call }
}
