use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::stage::Stage;
use super::support::Http;

/// What a client keeps of a snapshot, and goes on with what it is told.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    spaces: BTreeMap<String, Value>,
    channels: BTreeMap<String, Value>,
    dms: BTreeMap<String, Value>,
    runs: BTreeMap<String, Value>,
}

fn by_id(list: &Value, id: &str) -> BTreeMap<String, Value> {
    let items = list["items"].as_array().unwrap();
    items.iter().map(|item| (item[id].as_str().unwrap().to_owned(), item.clone())).collect()
}

impl State {
    pub fn of(snapshot: &Value) -> Self {
        assert!(snapshot["channels"].get("more").is_none(), "everything fits");
        Self {
            spaces: by_id(&snapshot["spaces"], "space_id"),
            channels: by_id(&snapshot["channels"], "channel_id"),
            dms: by_id(&snapshot["dms"], "channel_id"),
            runs: by_id(&snapshot["active_runs"], "run_id"),
        }
    }

    /// Applies a frame as a client does: what an event is about replaces what was known of it.
    pub fn apply(&mut self, frame: &Value) {
        let id = |member: &str| frame[member].as_str().unwrap().to_owned();
        if let Some(space) = frame.get("space") {
            self.spaces.insert(id("space_id"), space.clone());
            // A channel shows whether its space is archived, and whom it has in charge for want of its own.
            let of_space = |channel: &&mut Value| channel["space_id"] == space["space_id"];
            for channel in self.channels.values_mut().filter(of_space) {
                let archived = channel.get("archived_at").is_some() || space.get("archived_at").is_some();
                channel["archived"] = json!(archived);
                let operator = channel.get("operator_agent_id").or(space.get("operator_agent_id")).cloned();
                let members = channel.as_object_mut().unwrap();
                match operator {
                    Some(operator) => members.insert("effective_operator_agent_id".to_owned(), operator),
                    None => members.remove("effective_operator_agent_id"),
                };
            }
        }
        if let Some(channel) = frame.get("channel") {
            self.channels.insert(id("channel_id"), channel.clone());
        }
        if let Some(direct) = frame.get("direct") {
            self.dms.insert(id("channel_id"), direct.clone());
        }
        if let Some(run) = frame.get("run") {
            let active = ["queued", "running", "waiting_input"].contains(&run["state"].as_str().unwrap());
            if active {
                self.runs.insert(id("run_id"), run.clone());
            } else {
                self.runs.remove(&id("run_id"));
            }
        }
    }
}

/// One random change, by its number.
pub async fn change(stage: &Stage, number: usize) {
    let world = &stage.world;
    let spaces = [world.support, world.engineering, world.marketing];
    let channels = [world.allgemein.id, world.eskalation.id, world.kampagne.id, world.werkzeuge.id];
    let agents = [world.lotse.id, world.texter.id, world.runner.id];
    // A fixed walk that looks like none.
    let random = number.wrapping_mul(2_654_435_761) >> 7;
    let (space, channel, agent) = (spaces[random % 3], channels[random / 3 % 4], agents[random / 12 % 3]);
    match random / 36 % 11 {
        0 => {
            let new = json!({ "kind": "text", "name": format!("channel {number}") });
            stage.robin.post(&format!("/spaces/{space}/channels"), new).await.expect(201);
        }
        1 => {
            let new = json!({ "kind": "forum", "name": format!("forum {number}") });
            stage.robin.post(&format!("/spaces/{space}/channels"), new).await.expect(201);
        }
        2 => rename(&stage.robin, &format!("/channels/{channel}"), number).await,
        3 => rename(&stage.robin, &format!("/spaces/{space}"), number).await,
        4 => {
            stage.robin.put(&format!("/channels/{channel}/operator"), json!({ "agent_id": agent })).await.expect(200);
        }
        5 => {
            stage.robin.put(&format!("/spaces/{space}/operator"), json!({ "agent_id": agent })).await.expect(200);
        }
        6 => {
            let channel = world.werkzeuge.id;
            stage.robin.post_empty(&format!("/channels/{channel}/archive")).await.expect(200);
            stage.robin.post_empty(&format!("/channels/{channel}/unarchive")).await.expect(200);
        }
        7 => {
            stage.robin.post_empty(&format!("/spaces/{}/archive", world.support)).await.expect(200);
            stage.robin.post_empty(&format!("/spaces/{}/unarchive", world.support)).await.expect(200);
        }
        8 => {
            let asked = json!({ "content_md": "@lotse please look" });
            let path = format!("/threads/{}/messages", world.allgemein.main);
            stage.alex.post(&path, asked).await.expect(201);
        }
        9 => {
            let runs = stage.alex.get("/snapshot").await.expect(200).json()["active_runs"]["items"].clone();
            if let Some(run) = runs.as_array().unwrap().first() {
                let id = run["run_id"].as_str().unwrap();
                stage.alex.post_empty(&format!("/runs/{id}/cancel")).await.expect(200);
            }
        }
        _ => {
            let new = json!({ "participant_ids": [world.alex.id, world.sam.id] });
            stage.robin.post("/dms", new).await;
        }
    }
}

async fn rename(owner: &Http, path: &str, number: usize) {
    let etag = owner.get(path).await.expect(200).header("etag").unwrap().to_owned();
    let name = json!({ "name": format!("renamed {number}") });
    owner.header("if-match", etag.as_bytes()).patch(path, name).await.expect(200);
}
