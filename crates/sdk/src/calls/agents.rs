use std::time::Duration;

use bothy_domain::ids::{PrincipalId, RunId};
use serde_json::json;

use crate::client::Client;
use crate::error::Error;
use crate::transport::Call;
use crate::wire::{Agent, AgentEvents, IssuedToken, NewAgent, NewToken, Pulse};

impl Client {
    /// Makes an agent.
    ///
    /// # Errors
    /// A problem when the caller is no owner in a session, or the handle is taken or not one.
    pub async fn create_agent(&self, agent: &NewAgent<'_>) -> Result<Agent, Error> {
        self.post("createAgent", "/agents", agent).await
    }

    /// Makes a token for an agent.
    ///
    /// # Errors
    /// A problem when the caller is no owner in a freshly confirmed session.
    pub async fn create_agent_token(&self, agent: PrincipalId, token: &NewToken<'_>) -> Result<IssuedToken, Error> {
        self.post("createAgentToken", format!("/agents/{agent}/tokens"), token).await
    }

    /// What happened for this agent after the cursor, or after what it acknowledged; waits up to
    /// `wait` when there is nothing.
    ///
    /// # Errors
    /// `unauthenticated` when the token or the agent no longer counts.
    pub async fn poll_agent_events(&self, cursor: Option<i64>, wait: Duration) -> Result<AgentEvents, Error> {
        let call =
            Call::get("pollAgentEvents", "/agent/events").query("cursor", cursor).query("wait", Some(wait.as_secs()));
        self.json(call.patience(wait + Duration::from_secs(30))).await
    }

    /// Says that everything up to this position is done with.
    ///
    /// # Errors
    /// A problem when there is no such position yet.
    pub async fn ack_agent_events(&self, cursor: i64) -> Result<(), Error> {
        self.nothing(Call::post("ackAgentEvents", "/agent/events/ack").body(&json!({ "cursor": cursor })).repeatable())
            .await
    }

    /// Says that the adapter is alive and works on these runs; answers which runs of the agent are
    /// active. A run that it has lost is not named, so that it ends.
    ///
    /// # Errors
    /// `unauthenticated` when the token or the agent no longer counts.
    pub async fn agent_heartbeat(&self, run_ids: &[RunId]) -> Result<Pulse, Error> {
        let call = Call::post("agentHeartbeat", "/agent/heartbeat").body(&json!({ "run_ids": run_ids }));
        self.json(call.repeatable()).await
    }
}
