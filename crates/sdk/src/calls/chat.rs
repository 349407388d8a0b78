use crate::client::Client;
use crate::error::Error;
use crate::transport::Call;
use crate::wire::{AgentConfig, AgentConfigChange, Channel, NewChannel, NewSpace, NewThread, Operator, Space, Thread};
use bothy_domain::ids::{ChannelId, PrincipalId, SpaceId, ThreadId};

impl Client {
    /// Makes a space.
    ///
    /// # Errors
    /// A problem when the caller may not, or the name is taken or not one.
    pub async fn create_space(&self, space: &NewSpace<'_>) -> Result<Space, Error> {
        self.post("createSpace", "/spaces", space).await
    }

    /// The spaces that the caller can see.
    ///
    /// # Errors
    /// A problem when the token does not count.
    pub async fn list_spaces(&self) -> Result<Vec<Space>, Error> {
        self.all("listSpaces", "/spaces".to_owned()).await
    }

    /// Makes a channel in a space.
    ///
    /// # Errors
    /// A problem when the caller may not, or the name is taken or not one.
    pub async fn create_channel(&self, space: SpaceId, channel: &NewChannel<'_>) -> Result<Channel, Error> {
        self.post("createChannel", format!("/spaces/{space}/channels"), channel).await
    }

    /// The channels of a space that the caller can see.
    ///
    /// # Errors
    /// `not_found` when the caller cannot see the space.
    pub async fn list_space_channels(&self, space: SpaceId) -> Result<Vec<Channel>, Error> {
        self.all("listSpaceChannels", format!("/spaces/{space}/channels")).await
    }

    /// Reads a channel.
    ///
    /// # Errors
    /// `not_found` when the caller cannot see it.
    pub async fn get_channel(&self, channel: ChannelId) -> Result<Channel, Error> {
        self.json(Call::get("getChannel", format!("/channels/{channel}"))).await
    }

    /// Sets or clears the operator of a space.
    ///
    /// # Errors
    /// A problem when the caller may not manage it, or there is no such active agent.
    pub async fn set_space_operator(&self, space: SpaceId, agent: Option<PrincipalId>) -> Result<(), Error> {
        self.nothing(
            Call::put("setSpaceOperator", format!("/spaces/{space}/operator")).body(&Operator { agent_id: agent }),
        )
        .await
    }

    /// Sets or clears the operator of a channel.
    ///
    /// # Errors
    /// A problem when the caller may not manage it, or there is no such active agent.
    pub async fn set_channel_operator(&self, channel: ChannelId, agent: Option<PrincipalId>) -> Result<(), Error> {
        let call = Call::put("setChannelOperator", format!("/channels/{channel}/operator"));
        self.nothing(call.body(&Operator { agent_id: agent })).await
    }

    /// Fixes the operator of a thread, or lets it follow the channel again.
    ///
    /// # Errors
    /// A problem when the caller may not manage it, or there is no such active agent.
    pub async fn set_thread_operator(&self, thread: ThreadId, agent: Option<PrincipalId>) -> Result<(), Error> {
        let call = Call::put("setThreadOperator", format!("/threads/{thread}/operator"));
        self.nothing(call.body(&Operator { agent_id: agent })).await
    }

    /// Reads the switches of a channel for agents, and changes some of them.
    ///
    /// # Errors
    /// A problem when the caller may not manage it; `conflict` when somebody else was faster.
    pub async fn update_channel_agent_config(
        &self,
        channel: ChannelId,
        change: &AgentConfigChange,
    ) -> Result<AgentConfig, Error> {
        let path = format!("/channels/{channel}/agent-config");
        let current = self.transport.send(Call::get("getChannelAgentConfig", path.clone())).await?;
        let operation = "updateChannelAgentConfig";
        let etag = current
            .etag()
            .ok_or_else(|| Error::Unexpected { operation, cause: "no ETag in the answer before".to_owned() })?;
        self.json(Call::patch(operation, path).if_match(etag).body(change)).await
    }

    /// Opens a thread from a message, or a post in a forum.
    ///
    /// # Errors
    /// A problem when the caller may not write there.
    pub async fn create_thread(&self, channel: ChannelId, thread: &NewThread<'_>) -> Result<Thread, Error> {
        self.post("createThread", format!("/channels/{channel}/threads"), thread).await
    }

    /// The threads of a channel.
    ///
    /// # Errors
    /// `not_found` when the caller cannot see the channel.
    pub async fn list_channel_threads(&self, channel: ChannelId) -> Result<Vec<Thread>, Error> {
        self.all("listChannelThreads", format!("/channels/{channel}/threads")).await
    }
}
