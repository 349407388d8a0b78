use bothy_sdk::Error;
use bothy_sdk::wire::{NewAgent, NewToken};

use super::{Human, Machine};

/// An agent with a token.
pub(super) async fn agent(
    owner: &Human,
    handle: &str,
    display_name: &str,
    description: &str,
) -> Result<Machine, Error> {
    let agent = owner.client.create_agent(&NewAgent { handle, display_name, description }).await?;
    let token = owner.client.create_agent_token(agent.agent_id, &NewToken { name: "adapter" }).await?.token;
    Ok(Machine {
        id: agent.agent_id,
        handle: handle.to_owned(),
        display_name: display_name.to_owned(),
        client: owner.client.with_token(&token)?,
        token,
    })
}
