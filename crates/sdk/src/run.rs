//! A run as its agent holds it.

use bothy_domain::ids::{ChannelId, MessageId, RunId, SpaceId, ThreadId};
use reqwest::header::HeaderValue;
use serde_json::json;

use crate::client::Client;
use crate::error::Error;
use crate::transport::{Call, secret};
use crate::wire::{
    Channel, FinishRun, Message, NewMessage, Outcome, Page, PostedMessage, RunChange, RunContext, Space,
};

/// An agent's hold on one run. Every call sends the run's `Invocation-Token`, so the server decides
/// it on what the agent and the person who asked may both do, now (chapter 08).
#[derive(Clone)]
pub struct Run {
    client: Client,
    id: RunId,
    thread: ThreadId,
    token: String,
    header: HeaderValue,
}

impl Run {
    /// The run that an invocation brought.
    ///
    /// # Errors
    /// [`Error::Token`] when the token cannot be sent in a header.
    pub fn new(client: &Client, id: RunId, thread: ThreadId, invocation_token: &str) -> Result<Self, Error> {
        let header = secret(invocation_token)?;
        Ok(Self { client: client.clone(), id, thread, token: invocation_token.to_owned(), header })
    }

    /// The id.
    pub const fn id(&self) -> RunId {
        self.id
    }

    /// The thread that the run belongs to.
    pub const fn thread(&self) -> ThreadId {
        self.thread
    }

    fn bound<'a>(&'a self, call: Call<'a>) -> Call<'a> {
        call.invocation(&self.header)
    }

    /// Reads the context: the request and what stands around it, with origin and trust.
    ///
    /// # Errors
    /// `not_found` when the run is not active or can no longer be seen.
    pub async fn context(&self) -> Result<RunContext, Error> {
        self.client.json(self.bound(Call::get("getRunContext", format!("/runs/{}/context", self.id)))).await
    }

    /// Takes the run: from here on the agent works.
    ///
    /// # Errors
    /// `already_started` when somebody did before; `run_inactive` when it has ended.
    pub async fn start(&self) -> Result<(), Error> {
        let call = Call::post("startRun", format!("/runs/{}/start", self.id));
        self.client.nothing(self.bound(call.body(&json!({ "invocation_token": self.token })))).await
    }

    /// Shows how the work goes, or absorbs follow-ups.
    ///
    /// # Errors
    /// `run_inactive` when the run has ended.
    pub async fn update(&self, change: &RunChange<'_>) -> Result<(), Error> {
        self.client.nothing(self.bound(Call::patch("patchRun", format!("/runs/{}", self.id)).body(change))).await
    }

    /// Posts the answer into the thread of the run. Its `client_message_id` is derived from the run,
    /// so that a run that is worked on twice still has one answer.
    ///
    /// # Errors
    /// A problem when the agent and the person may not both write there.
    pub async fn reply(&self, content_md: &str) -> Result<PostedMessage, Error> {
        let client_message_id = format!("run:{}:answer", self.id);
        let message = NewMessage { content_md, client_message_id: Some(&client_message_id), ..NewMessage::default() };
        self.client.create_message_in(self.thread, &message, &self.header).await
    }

    /// Posts a message into any thread that the agent and the person may both write to.
    ///
    /// # Errors
    /// A problem when they may not.
    pub async fn create_message(&self, thread: ThreadId, message: &NewMessage<'_>) -> Result<PostedMessage, Error> {
        self.client.create_message_in(thread, message, &self.header).await
    }

    /// Reads one page of a thread, oldest first.
    ///
    /// # Errors
    /// `not_found` when the agent and the person cannot both see it.
    pub async fn list_thread_messages(&self, thread: ThreadId, cursor: Option<&str>) -> Result<Page<Message>, Error> {
        let call = Call::get("listThreadMessages", format!("/threads/{thread}/messages")).query("cursor", cursor);
        self.client.json(self.bound(call)).await
    }

    /// Reads a message.
    ///
    /// # Errors
    /// `not_found` when the agent and the person cannot both see it.
    pub async fn get_message(&self, message: MessageId) -> Result<Message, Error> {
        self.client.json(self.bound(Call::get("getMessage", format!("/messages/{message}")))).await
    }

    /// Reads a channel.
    ///
    /// # Errors
    /// `not_found` when the agent and the person cannot both see it.
    pub async fn get_channel(&self, channel: ChannelId) -> Result<Channel, Error> {
        self.client.json(self.bound(Call::get("getChannel", format!("/channels/{channel}")))).await
    }

    /// One page of the spaces that the agent and the person can both see.
    ///
    /// # Errors
    /// A problem when the run has ended.
    pub async fn list_spaces(&self, cursor: Option<&str>) -> Result<Page<Space>, Error> {
        self.client.json(self.bound(Call::get("listSpaces", "/spaces").query("cursor", cursor))).await
    }

    /// One page of the channels of a space that the agent and the person can both see.
    ///
    /// # Errors
    /// `not_found` when they cannot both see the space.
    pub async fn list_space_channels(&self, space: SpaceId, cursor: Option<&str>) -> Result<Page<Channel>, Error> {
        let call = Call::get("listSpaceChannels", format!("/spaces/{space}/channels")).query("cursor", cursor);
        self.client.json(self.bound(call)).await
    }

    /// Reports the runtime's own reference of the session, so that the next run resumes it.
    ///
    /// # Errors
    /// `run_inactive` when the run has ended.
    pub async fn report_session(&self, reference: &str) -> Result<(), Error> {
        let call = Call::post("reportAgentSession", format!("/runs/{}/session", self.id)).repeatable();
        self.client.nothing(self.bound(call.body(&json!({ "reference": reference })))).await
    }

    /// Asks the person something; the run waits for the answer.
    ///
    /// # Errors
    /// `run_inactive` when the run has ended.
    pub async fn await_input(&self, question_md: &str) -> Result<(), Error> {
        let call = Call::post("awaitRunInput", format!("/runs/{}/await-input", self.id));
        self.client.nothing(self.bound(call.body(&json!({ "question_md": question_md })))).await
    }

    /// The same run with a fresh token, for one that waited long.
    ///
    /// # Errors
    /// A problem when the run neither waits nor is queued, or its person may not ask any more.
    pub async fn renewed(&self) -> Result<Self, Error> {
        #[derive(serde::Deserialize)]
        struct Fresh {
            invocation_token: String,
        }
        let call = Call::post("renewInvocationToken", format!("/runs/{}/token", self.id)).repeatable();
        let fresh: Fresh = self.client.json(self.bound(call)).await?;
        Self::new(&self.client, self.id, self.thread, &fresh.invocation_token)
    }

    /// Goes on after the answer arrived.
    ///
    /// # Errors
    /// A problem when there is no answer yet, or the run has ended.
    pub async fn resume(&self) -> Result<(), Error> {
        let call = Call::post("resumeRun", format!("/runs/{}/resume", self.id));
        self.client.nothing(self.bound(call.body(&json!({ "invocation_token": self.token })))).await
    }

    /// Ends the run. Repeating it with the same outcome is harmless.
    ///
    /// # Errors
    /// `conflict` when it ended in another way.
    pub async fn finish(&self, outcome: Outcome, error_class: Option<&str>) -> Result<(), Error> {
        let call = Call::post("finishRun", format!("/runs/{}/finish", self.id)).repeatable();
        self.client.nothing(self.bound(call.body(&FinishRun { outcome, error_class }))).await
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("id", &self.id).finish_non_exhaustive()
    }
}
