//! Sessions, commands and components, as somebody with every right calls them.

use serde_json::json;

use super::stage::{Side, Stage};
use super::table::Scene;

/// The operations of this file.
pub const REQUESTS: [&str; 8] = [
    "resetAgentSession",
    "bindAgentSession",
    "setAgentCommands",
    "listAgentCommands",
    "runAgentCommand",
    "pressComponent",
    "listMessageInteractions",
    "respondToInteraction",
];

pub async fn requests(stage: &Stage, operation: &str, side: Side) -> Scene {
    let realm = stage.realm(side);
    let agent = match side {
        Side::Open => stage.world.lotse.id.to_string(),
        Side::Hidden => stage.world.runner.id.to_string(),
    };
    let commands = json!({ "commands": [{ "name": "status", "description": "Says how it is." }] });
    let session = Scene::at("thread_id", &realm.worked).and("agent_id", &agent);
    match operation {
        "resetAgentSession" => session,
        "bindAgentSession" => session.body(json!({ "reference": stage.name() })),
        "setAgentCommands" => Scene::at("agent_id", &stage.world.lotse.id.to_string()).body(commands),
        "listAgentCommands" => Scene::at("agent_id", &stage.world.lotse.id.to_string()),
        "runAgentCommand" => {
            realm.agent.put(&format!("/agents/{agent}/commands"), commands).await.expect(200);
            Scene::at("thread_id", &realm.main).body(json!({ "agent_id": agent, "name": "status" }))
        }
        "pressComponent" => Scene::at("message_id", &choices(stage, side).await).body(json!({ "component_id": "go" })),
        "listMessageInteractions" => Scene::at("message_id", &choices(stage, side).await),
        "respondToInteraction" => {
            let path = format!("/messages/{}/interactions", choices(stage, side).await);
            let run = realm.asker.post(&path, json!({ "component_id": "go" })).await.expect(201).text("/run_id");
            let token =
                realm.agent.post_empty(&format!("/runs/{run}/token")).await.expect(200).text("/invocation_token");
            let start = json!({ "invocation_token": token });
            realm.agent.post(&format!("/runs/{run}/start"), start).await.expect(200);
            Scene::at("run_id", &run).body(json!({ "content_md": "Done." }))
        }
        _ => panic!("{operation} is in the table, but nothing says how to call it"),
    }
}

/// A message of the agent of the realm, with a button that can be pressed again and again.
async fn choices(stage: &Stage, side: Side) -> String {
    let realm = stage.realm(side);
    let button = json!({ "type": "button", "component_id": "go", "label": "Go", "repeatable": true });
    let said = json!({ "content_md": "Shall I?", "components": [button] });
    realm.agent.post(&format!("/threads/{}/messages", realm.main), said).await.expect(201).text("/message_id")
}
