//! The kinds of right that can be taken.

use futures::future::BoxFuture;
use reqwest::Method;
use serde_json::{Value, json};

use super::support::Http;
use super::{Kind, Nodes, Question};

/// All of them, each on ground of its own.
pub async fn all(nodes: &Nodes) -> Vec<Box<dyn Kind>> {
    let Nodes { first, world, robin, .. } = nodes;
    let http = first.http();
    let alex = http.token(&world.alex.token);
    let sam = http.token(&world.sam.token);
    let kampagne = world.kampagne.id.to_string();
    let group = robin.post("/groups", json!({ "name": "Readers" })).await.expect(201).text("/group_id");
    let werkzeuge = world.werkzeuge.id.to_string();
    let grant = json!({ "group_id": group, "level": "read" });
    robin.post(&format!("/access/channel/{werkzeuge}/grants"), grant).await.expect(201);
    let writer = http.token(&world.writer.token);
    let script = writer.post("/me/tokens", json!({ "name": "script" })).await.expect(201).text("/token");
    let channel = json!({ "kind": "text", "name": "Ablage" });
    let channel = robin.post(&format!("/spaces/{}/channels", world.support), channel).await.expect(201);
    let allgemein = world.allgemein.id.to_string();
    vec![
        Box::new(Grant { who: alex.clone(), principal: world.alex.id.to_string(), channel: kampagne }),
        Box::new(Group { who: sam, principal: world.sam.id.to_string(), group, channel: werkzeuge }),
        Box::new(Disabled {
            who: http.token(&script),
            person: world.writer.id.to_string(),
            channel: allgemein.clone(),
        }),
        Box::new(AgentToken { agent: world.texter.id.to_string(), channel: allgemein.clone() }),
        Box::new(RunEnded {
            asker: alex.clone(),
            agent: http.token(&world.lotse.token),
            main: world.allgemein.main.to_string(),
            channel: allgemein,
        }),
        Box::new(Archived { who: alex, channel: channel.text("/channel_id"), main: channel.text("/main_thread_id") }),
    ]
}

fn read(http: &Http, channel: &str, denied: (u16, Option<&'static str>), of: impl ToString) -> Question {
    Question {
        http: http.clone(),
        method: Method::GET,
        path: format!("/channels/{channel}"),
        body: None,
        denied,
        of: of.to_string(),
    }
}

struct Grant {
    who: Http,
    principal: String,
    channel: String,
}

impl Kind for Grant {
    fn name(&self) -> &'static str {
        "grant revoked"
    }

    fn give<'a>(&'a self, at: &'a Nodes) -> BoxFuture<'a, Question> {
        Box::pin(async move {
            let path = format!("/access/channel/{}/grants", self.channel);
            let grant = json!({ "principal_id": self.principal, "level": "read" });
            let grant = at.robin.post(&path, grant).await.expect(201).text("/grant_id");
            read(&self.who, &self.channel, (404, None), grant)
        })
    }

    fn take<'a>(&'a self, at: &'a Nodes, question: &'a Question) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            at.robin.delete(&format!("/grants/{}", question.of)).await.expect(204);
        })
    }
}

struct Group {
    who: Http,
    principal: String,
    group: String,
    channel: String,
}

impl Kind for Group {
    fn name(&self) -> &'static str {
        "group membership removed"
    }

    fn give<'a>(&'a self, at: &'a Nodes) -> BoxFuture<'a, Question> {
        Box::pin(async move {
            let member = format!("/groups/{}/members/{}", self.group, self.principal);
            at.robin.send(Method::PUT, &member, None).await.expect(204);
            read(&self.who, &self.channel, (404, None), member)
        })
    }

    fn take<'a>(&'a self, at: &'a Nodes, question: &'a Question) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            at.robin.delete(&question.of).await.expect(204);
        })
    }
}

struct Disabled {
    who: Http,
    person: String,
    channel: String,
}

impl Kind for Disabled {
    fn name(&self) -> &'static str {
        "person disabled"
    }

    fn give<'a>(&'a self, at: &'a Nodes) -> BoxFuture<'a, Question> {
        Box::pin(async move {
            at.robin.post_empty(&format!("/people/{}/enable", self.person)).await.expect(200);
            read(&self.who, &self.channel, (401, None), "")
        })
    }

    fn take<'a>(&'a self, at: &'a Nodes, _: &'a Question) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            at.robin.post_empty(&format!("/people/{}/disable", self.person)).await.expect(200);
        })
    }
}

struct AgentToken {
    agent: String,
    channel: String,
}

impl Kind for AgentToken {
    fn name(&self) -> &'static str {
        "agent token revoked"
    }

    fn give<'a>(&'a self, at: &'a Nodes) -> BoxFuture<'a, Question> {
        Box::pin(async move {
            let path = format!("/agents/{}/tokens", self.agent);
            let issued = at.robin.post(&path, json!({ "name": "adapter" })).await.expect(201);
            let http = at.first.http().token(&issued.text("/token"));
            read(&http, &self.channel, (401, None), issued.text("/token_id"))
        })
    }

    fn take<'a>(&'a self, at: &'a Nodes, question: &'a Question) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            at.robin.delete(&format!("/agents/{}/tokens/{}", self.agent, question.of)).await.expect(204);
        })
    }
}

struct RunEnded {
    asker: Http,
    agent: Http,
    main: String,
    channel: String,
}

impl Kind for RunEnded {
    fn name(&self) -> &'static str {
        "run ended"
    }

    fn give<'a>(&'a self, _: &'a Nodes) -> BoxFuture<'a, Question> {
        Box::pin(async move {
            let request = json!({ "content_md": "@lotse please look" });
            let asked = self.asker.post(&format!("/threads/{}/messages", self.main), request).await.expect(201);
            let run = asked.text("/run_ids/0");
            let renewed = self.agent.post_empty(&format!("/runs/{run}/token")).await.expect(200);
            let token = renewed.text("/invocation_token");
            let start = json!({ "invocation_token": token });
            self.agent.post(&format!("/runs/{run}/start"), start).await.expect(200);
            read(&self.agent.invocation(&token), &self.channel, (403, Some("run_inactive")), run)
        })
    }

    fn take<'a>(&'a self, _: &'a Nodes, question: &'a Question) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let path = format!("/runs/{}/finish", question.of);
            self.agent.post(&path, json!({ "outcome": "completed" })).await.expect(200);
        })
    }
}

struct Archived {
    who: Http,
    channel: String,
    main: String,
}

impl Kind for Archived {
    fn name(&self) -> &'static str {
        "channel archived"
    }

    fn give<'a>(&'a self, at: &'a Nodes) -> BoxFuture<'a, Question> {
        Box::pin(async move {
            at.robin.post_empty(&format!("/channels/{}/unarchive", self.channel)).await.expect(200);
            Question {
                http: self.who.clone(),
                method: Method::POST,
                path: format!("/threads/{}/messages", self.main),
                body: Some(json!({ "content_md": "Still open?" })),
                denied: (403, Some("archived")),
                of: String::new(),
            }
        })
    }

    fn take<'a>(&'a self, at: &'a Nodes, _: &'a Question) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            at.robin.post_empty(&format!("/channels/{}/archive", self.channel)).await.expect(200);
        })
    }

    /// The newest message: nothing is ordered after the archive (AZ-10).
    fn trace<'a>(&'a self, at: &'a Nodes) -> BoxFuture<'a, Option<Value>> {
        Box::pin(async move {
            let path = format!("/threads/{}/messages?order=desc&limit=1", self.main);
            Some(at.robin.get(&path).await.expect(200).json()["items"][0]["thread_seq"].clone())
        })
    }
}
