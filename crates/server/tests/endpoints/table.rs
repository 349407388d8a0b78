//! How each operation is called so that somebody with every right succeeds.

use bothy_platform::http::OperationInfo;
use serde_json::{Value, json};
use uuid::Uuid;

use super::requests::{REQUESTS, requests};
use super::stage::{PASSWORD, Side, Stage, etag, invite};
use super::support::{Answer, Http};

/// What kinds of target an operation has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// No target, or the caller.
    None,
    /// Something that everybody may know of.
    Known,
    /// Something that belongs to one person.
    Private,
    /// Something in the tree of spaces, channels, threads, messages and runs.
    Tree,
}

/// Every operation of the API description.
pub const OPERATIONS: &[(&str, Reach)] = &[
    ("getInstance", Reach::None),
    ("setupInstance", Reach::None),
    ("createSession", Reach::None),
    ("acceptInvite", Reach::None),
    ("getMe", Reach::None),
    ("updateMe", Reach::None),
    ("changePassword", Reach::None),
    ("confirmSession", Reach::None),
    ("listMySessions", Reach::None),
    ("deleteSession", Reach::Private),
    ("createPersonalToken", Reach::None),
    ("listPersonalTokens", Reach::None),
    ("revokePersonalToken", Reach::Private),
    ("listPeople", Reach::None),
    ("getPerson", Reach::Known),
    ("updatePerson", Reach::Known),
    ("disablePerson", Reach::Known),
    ("enablePerson", Reach::Known),
    ("invitePerson", Reach::None),
    ("addOwner", Reach::Known),
    ("removeOwner", Reach::Known),
    ("listGroups", Reach::None),
    ("createGroup", Reach::None),
    ("getGroup", Reach::Known),
    ("updateGroup", Reach::Known),
    ("deleteGroup", Reach::Known),
    ("listGroupMembers", Reach::Known),
    ("addGroupMember", Reach::Known),
    ("removeGroupMember", Reach::Known),
    ("listAuditEvents", Reach::None),
    ("getAuditCheckpoint", Reach::None),
    ("createGrant", Reach::Tree),
    ("listGrants", Reach::Tree),
    ("revokeGrant", Reach::Tree),
    ("previewGrant", Reach::Tree),
    ("explainChannelAccess", Reach::Tree),
    ("explainSpaceAccess", Reach::Tree),
    ("listSpaces", Reach::None),
    ("createSpace", Reach::None),
    ("getSpace", Reach::Tree),
    ("updateSpace", Reach::Tree),
    ("archiveSpace", Reach::Tree),
    ("unarchiveSpace", Reach::Tree),
    ("setSpaceOperator", Reach::Tree),
    ("createChannel", Reach::Tree),
    ("listSpaceChannels", Reach::Tree),
    ("getChannel", Reach::Tree),
    ("updateChannel", Reach::Tree),
    ("archiveChannel", Reach::Tree),
    ("unarchiveChannel", Reach::Tree),
    ("setChannelOperator", Reach::Tree),
    ("getChannelAgentConfig", Reach::Tree),
    ("updateChannelAgentConfig", Reach::Tree),
    ("getAgentConfig", Reach::Tree),
    ("openDm", Reach::None),
    ("listMyDms", Reach::None),
    ("createThread", Reach::Tree),
    ("listChannelThreads", Reach::Tree),
    ("getThread", Reach::Tree),
    ("updateThread", Reach::Tree),
    ("moveThread", Reach::Tree),
    ("closeThread", Reach::Tree),
    ("reopenThread", Reach::Tree),
    ("setThreadOperator", Reach::Tree),
    ("createMessage", Reach::Tree),
    ("listThreadMessages", Reach::Tree),
    ("getMessage", Reach::Tree),
    ("updateMessage", Reach::Tree),
    ("deleteMessage", Reach::Tree),
    ("listMessageRevisions", Reach::Tree),
    ("addReaction", Reach::Tree),
    ("removeReaction", Reach::Tree),
    ("listReactions", Reach::Tree),
    ("setReadState", Reach::Tree),
    ("listMyReadStates", Reach::None),
    ("listMyMentions", Reach::None),
    ("searchMessages", Reach::None),
    ("importMessages", Reach::Tree),
    ("listMyNotices", Reach::None),
    ("dismissNotice", Reach::None),
    ("listAgents", Reach::None),
    ("createAgent", Reach::None),
    ("getAgent", Reach::Known),
    ("updateAgent", Reach::Known),
    ("disableAgent", Reach::Known),
    ("enableAgent", Reach::Known),
    ("createAgentToken", Reach::Known),
    ("listAgentTokens", Reach::Known),
    ("revokeAgentToken", Reach::Known),
    ("listApps", Reach::None),
    ("createApp", Reach::None),
    ("getApp", Reach::Known),
    ("disableApp", Reach::Known),
    ("enableApp", Reach::Known),
    ("createAppToken", Reach::Known),
    ("listAppTokens", Reach::Known),
    ("revokeAppToken", Reach::Known),
    ("pollAgentEvents", Reach::None),
    ("ackAgentEvents", Reach::None),
    ("agentHeartbeat", Reach::None),
    ("listThreadRuns", Reach::Tree),
    ("listActiveRuns", Reach::None),
    ("getRun", Reach::Tree),
    ("startRun", Reach::Tree),
    ("resumeRun", Reach::Tree),
    ("renewInvocationToken", Reach::Tree),
    ("patchRun", Reach::Tree),
    ("awaitRunInput", Reach::Tree),
    ("finishRun", Reach::Tree),
    ("cancelRun", Reach::Tree),
    ("getRunContext", Reach::Tree),
    ("reportAgentSession", Reach::Tree),
    ("getRunEvidence", Reach::Tree),
    ("resetAgentSession", Reach::Tree),
    ("bindAgentSession", Reach::Tree),
    ("setAgentCommands", Reach::Known),
    ("listAgentCommands", Reach::Known),
    ("runAgentCommand", Reach::Tree),
    ("pressComponent", Reach::Tree),
    ("listMessageInteractions", Reach::Tree),
    ("respondToInteraction", Reach::Tree),
    ("getSnapshot", Reach::None),
    ("listEvents", Reach::None),
    ("openGateway", Reach::None),
    ("startTyping", Reach::Tree),
    ("setPresence", Reach::None),
];

/// A request that a caller with every right may send once.
#[derive(Debug, Default)]
pub struct Scene {
    pub path: Vec<(&'static str, String)>,
    pub body: Option<Value>,
    pub if_match: Option<Vec<u8>>,
    pub query: Option<&'static str>,
}

impl Scene {
    /// Sends the request; with the id of nothing in place of the target's when there is one.
    pub async fn send(&self, http: &Http, operation: &OperationInfo, unknown: Option<Uuid>) -> Answer {
        let target = operation.action.and_then(|action| action.row().resource.path_parameter());
        let mut path = operation.path.to_owned();
        for (parameter, id) in &self.path {
            let id = match unknown {
                Some(unknown) if Some(*parameter) == target => unknown.to_string(),
                _ => id.clone(),
            };
            path = path.replace(&format!("{{{parameter}}}"), &id);
        }
        if operation.id.starts_with("list") {
            path.push_str("?limit=1");
        }
        if let Some(query) = self.query {
            path.push_str(&format!("?{query}"));
        }
        assert!(!path.contains('{'), "{path} has a parameter that nobody gives a value");
        let http = self.if_match.as_ref().map_or_else(|| http.clone(), |version| http.header("if-match", version));
        let body = self.body.as_ref().map(|body| ("application/json", serde_json::to_vec(body).unwrap()));
        http.send(operation.method.clone(), &path, body).await
    }

    pub fn at(parameter: &'static str, id: &str) -> Self {
        Self { path: vec![(parameter, id.to_owned())], ..Self::default() }
    }

    pub fn and(mut self, parameter: &'static str, id: &str) -> Self {
        self.path.push((parameter, id.to_owned()));
        self
    }

    pub fn body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    /// Names the version of what stands at this path.
    async fn version_of(mut self, stage: &Stage, path: &str) -> Self {
        self.if_match = Some(etag(&stage.robin, path).await);
        self
    }
}

/// Makes whatever the operation needs on this side; the owner may do so as often as it takes.
pub async fn scene(stage: &Stage, operation: &str, side: Side) -> Scene {
    match operation {
        _ if REQUESTS.contains(&operation) => requests(stage, operation, side).await,
        "createGrant" | "listGrants" | "revokeGrant" | "previewGrant" => grants(stage, operation, side).await,
        "getAgentConfig" => Scene::at("channel_id", &stage.realm(side).channel),
        "listActiveRuns" => Scene::default(),
        _ if operation.contains("Space") || operation.contains("Channel") => places(stage, operation, side).await,
        _ if operation.contains("Reaction") || operation == "setReadState" => messages(stage, operation, side).await,
        "updateMessage" | "deleteMessage" | "listMessageRevisions" => messages(stage, operation, side).await,
        "searchMessages" => Scene { query: Some("q=morning"), ..Scene::default() },
        "importMessages" => Scene::at("channel_id", &stage.realm(side).channel).body(json!({ "messages": [{
            "key": stage.name(), "author_name": "Former Colleague", "content_md": "Long ago.",
            "created_at": "2020-01-31T09:30:00Z",
        }] })),
        _ if operation.contains("Thread") || operation.contains("Message") => threads(stage, operation, side).await,
        _ if operation.contains("Run") || operation.contains("Invocation") || operation == "reportAgentSession" => {
            runs(stage, operation, side).await
        }
        _ if operation.contains("Agent") || operation.contains("App") || operation == "agentHeartbeat" => {
            accounts(stage, operation).await
        }
        _ if operation.contains("Group") => groups(stage, operation).await,
        _ if operation.contains("Person") || operation.contains("Owner") => people(stage, operation, side).await,
        _ => own(stage, operation, side).await,
    }
}

fn unknown_operation(operation: &str) -> ! {
    panic!("{operation} is in the table, but nothing says how to call it")
}

async fn own(stage: &Stage, operation: &str, side: Side) -> Scene {
    let plain = Scene::default();
    match operation {
        "getInstance" | "getMe" | "listMySessions" | "listPeople" | "listAuditEvents" | "getAuditCheckpoint" => plain,
        "listMyReadStates" | "listMyMentions" | "listMyNotices" => plain,
        // One that nobody has: putting it away changes nothing, and tells nothing.
        "dismissNotice" => Scene::at("notice_id", "0193f1f0-1111-7000-8000-0123456789ac"),
        "setupInstance" => plain.body(json!({
            "setup_code": "none", "handle": "second", "display_name": "Second", "email": "second@example.com",
            "password": PASSWORD,
        })),
        "createSession" => plain.body(json!({ "email": stage.stranger.email, "password": PASSWORD })),
        "acceptInvite" => {
            let code = invite(&stage.robin, &stage.name()).await;
            plain.body(json!({ "code": code, "password": PASSWORD }))
        }
        "listMyDms" => plain,
        // Nobody opens a WebSocket here: whoever may is told how.
        "getSnapshot" | "listEvents" | "openGateway" => plain,
        "startTyping" => Scene::at("thread_id", &stage.realm(side).thread),
        "setPresence" => plain.body(json!({ "state": "away" })),
        "openDm" => plain.body(json!({ "participant_ids": [stage.other.id] })),
        "updateMe" => plain.body(json!({ "display_name": stage.name() })),
        // Right for the strangers only: nobody else's password changes, and nobody else's sessions end.
        "changePassword" => plain.body(json!({ "current_password": PASSWORD, "new_password": PASSWORD })),
        "confirmSession" => plain.body(json!({ "password": PASSWORD })),
        "deleteSession" => {
            let holder = stage.holder(side);
            let session = super::stage::sign_in(&stage.server.http(), &holder.email, PASSWORD).await;
            Scene::at("session_id", &session.get("/me").await.expect(200).text("/session/session_id"))
        }
        _ => unknown_operation(operation),
    }
}

async fn people(stage: &Stage, operation: &str, side: Side) -> Scene {
    let target = Scene::at("person_id", &stage.target.id);
    let (robin, id) = (&stage.robin, &stage.target.id);
    match operation {
        "createPersonalToken" => Scene::default().body(json!({ "name": "script" })),
        "listPersonalTokens" => Scene::default(),
        "revokePersonalToken" => {
            let token = stage.holder(side).http.post("/me/tokens", json!({ "name": "lost" })).await.expect(201);
            Scene::at("token_id", &token.text("/token_id"))
        }
        "getPerson" => target,
        "updatePerson" => target.body(json!({ "display_name": stage.name() })),
        "disablePerson" => {
            robin.post_empty(&format!("/people/{id}/enable")).await.expect(200);
            target
        }
        "enablePerson" => {
            robin.post_empty(&format!("/people/{id}/disable")).await.expect(200);
            target
        }
        "invitePerson" => {
            let handle = stage.name();
            let email = format!("{handle}@example.com");
            Scene::default().body(json!({ "handle": handle, "display_name": handle, "email": email }))
        }
        "addOwner" => {
            robin.post_empty(&format!("/people/{id}/enable")).await.expect(200);
            robin.delete(&format!("/owners/{id}")).await.expect(204);
            target
        }
        "removeOwner" => {
            robin.post_empty(&format!("/people/{id}/enable")).await.expect(200);
            robin.send(reqwest::Method::PUT, &format!("/owners/{id}"), None).await.expect(200);
            target
        }
        _ => unknown_operation(operation),
    }
}

async fn groups(stage: &Stage, operation: &str) -> Scene {
    let group = Scene::at("group_id", &stage.group);
    let path = format!("/groups/{}", stage.group);
    let member = format!("{path}/members/{}", stage.target.id);
    match operation {
        "listGroups" => Scene::default(),
        "createGroup" => Scene::default().body(json!({ "name": stage.name() })),
        "getGroup" | "listGroupMembers" => group,
        "updateGroup" => group.body(json!({ "name": stage.name() })).version_of(stage, &path).await,
        "deleteGroup" => {
            let name = json!({ "name": stage.name() });
            Scene::at("group_id", &stage.robin.post("/groups", name).await.expect(201).text("/group_id"))
        }
        "addGroupMember" => {
            stage.robin.delete(&member).await.expect(204);
            group.and("principal_id", &stage.target.id)
        }
        "removeGroupMember" => {
            stage.robin.send(reqwest::Method::PUT, &member, None).await.expect(204);
            group.and("principal_id", &stage.target.id)
        }
        _ => unknown_operation(operation),
    }
}

async fn grants(stage: &Stage, operation: &str, side: Side) -> Scene {
    let channel = &stage.realm(side).channel;
    let on = || Scene::at("target_kind", "channel").and("target_id", channel);
    let grant = json!({ "principal_id": stage.target.id, "level": "read" });
    match operation {
        "createGrant" | "previewGrant" => on().body(grant),
        "listGrants" => on(),
        "revokeGrant" => {
            let path = format!("/access/channel/{channel}/grants");
            Scene::at("grant_id", &stage.robin.post(&path, grant).await.expect(201).text("/grant_id"))
        }
        _ => unknown_operation(operation),
    }
}

async fn places(stage: &Stage, operation: &str, side: Side) -> Scene {
    let (robin, realm) = (&stage.robin, stage.realm(side));
    let (space, channel) = (Scene::at("space_id", &realm.space), Scene::at("channel_id", &realm.channel));
    let spare = Scene::at("space_id", &realm.spare_space);
    let operator = json!({ "agent_id": stage.world.lotse.id });
    match operation {
        "listSpaces" => Scene::default(),
        "createSpace" => Scene::default().body(json!({ "name": stage.name() })),
        "getSpace" | "listSpaceChannels" | "explainSpaceAccess" => space,
        "updateSpace" => {
            let path = format!("/spaces/{}", realm.space);
            space.body(json!({ "name": stage.name() })).version_of(stage, &path).await
        }
        "archiveSpace" => {
            robin.post_empty(&format!("/spaces/{}/unarchive", realm.spare_space)).await.expect(200);
            spare
        }
        "unarchiveSpace" => {
            robin.post_empty(&format!("/spaces/{}/archive", realm.spare_space)).await.expect(200);
            spare
        }
        "setSpaceOperator" => {
            robin.post_empty(&format!("/spaces/{}/unarchive", realm.spare_space)).await.expect(200);
            spare.body(operator)
        }
        "createChannel" => space.body(json!({ "kind": "text", "name": stage.name() })),
        "getChannel" | "listChannelThreads" | "getChannelAgentConfig" | "explainChannelAccess" => channel,
        "updateChannel" => {
            let path = format!("/channels/{}", realm.channel);
            channel.body(json!({ "name": stage.name() })).version_of(stage, &path).await
        }
        "archiveChannel" => Scene::at("channel_id", &new_channel(stage, &realm.space).await),
        "unarchiveChannel" => {
            let channel = new_channel(stage, &realm.space).await;
            robin.post_empty(&format!("/channels/{channel}/archive")).await.expect(200);
            Scene::at("channel_id", &channel)
        }
        "setChannelOperator" => Scene::at("channel_id", &new_channel(stage, &realm.space).await).body(operator),
        "updateChannelAgentConfig" => {
            let path = format!("/channels/{}/agent-config", realm.channel);
            channel.body(json!({ "prompt": stage.name() })).version_of(stage, &path).await
        }
        _ => unknown_operation(operation),
    }
}

async fn new_channel(stage: &Stage, space: &str) -> String {
    let new = json!({ "kind": "text", "name": stage.name() });
    stage.robin.post(&format!("/spaces/{space}/channels"), new).await.expect(201).text("/channel_id")
}

async fn threads(stage: &Stage, operation: &str, side: Side) -> Scene {
    let (robin, realm) = (&stage.robin, stage.realm(side));
    let thread = Scene::at("thread_id", &realm.thread);
    let title = json!({ "title": "An idea" });
    let post = async || {
        let path = format!("/channels/{}/threads", realm.forum);
        robin.post(&path, title.clone()).await.expect(201).text("/thread_id")
    };
    match operation {
        "createThread" => Scene::at("channel_id", &realm.forum).body(title),
        "getThread" | "listThreadMessages" => thread,
        "listThreadRuns" => Scene::at("thread_id", &realm.worked),
        "createMessage" => Scene::at("thread_id", &post().await).body(json!({ "content_md": "Good morning." })),
        "getMessage" => Scene::at("message_id", &realm.message),
        "updateThread" => {
            let thread = post().await;
            let path = format!("/threads/{thread}");
            Scene::at("thread_id", &thread).body(json!({ "title": stage.name() })).version_of(stage, &path).await
        }
        "moveThread" => Scene::at("thread_id", &post().await).body(json!({ "channel_id": realm.channel })),
        "closeThread" => Scene::at("thread_id", &post().await),
        "reopenThread" => {
            let thread = post().await;
            robin.post_empty(&format!("/threads/{thread}/close")).await.expect(200);
            Scene::at("thread_id", &thread)
        }
        "setThreadOperator" => Scene::at("thread_id", &post().await).body(json!({ "agent_id": stage.world.lotse.id })),
        _ => unknown_operation(operation),
    }
}

async fn messages(stage: &Stage, operation: &str, side: Side) -> Scene {
    let realm = stage.realm(side);
    let said = async || {
        let path = format!("/channels/{}/threads", realm.forum);
        let post = stage.robin.post(&path, json!({ "title": "An idea" })).await.expect(201).text("/thread_id");
        super::stage::say(&stage.robin, &post, "Once more.").await.text("/message_id")
    };
    match operation {
        "updateMessage" => Scene::at("message_id", &said().await).body(json!({ "content_md": stage.name() })),
        "deleteMessage" => Scene::at("message_id", &said().await),
        "listMessageRevisions" | "listReactions" => Scene::at("message_id", &realm.message),
        "addReaction" | "removeReaction" => Scene::at("message_id", &said().await).and("emoji", "%F0%9F%91%8D"),
        "setReadState" => Scene::at("thread_id", &realm.thread).body(json!({ "last_read_seq": 0 })),
        _ => unknown_operation(operation),
    }
}

async fn accounts(stage: &Stage, operation: &str) -> Scene {
    let (kind, parameter, account) = match operation {
        _ if operation.contains("App") => ("app", "app_id", &stage.spare_app),
        _ => ("agent", "agent_id", &stage.spare_agent),
    };
    let target = Scene::at(parameter, &account.id);
    let path = format!("/{kind}s/{}", account.id);
    let post = async |path: String| stage.robin.post_empty(&path).await.expect(200);
    match operation {
        "listAgents" | "listApps" | "pollAgentEvents" => Scene::default(),
        "ackAgentEvents" => Scene::default().body(json!({ "cursor": 0 })),
        "agentHeartbeat" => Scene::default().body(json!({})),
        "createAgent" | "createApp" => {
            let handle = stage.name();
            Scene::default().body(json!({ "handle": handle, "display_name": handle }))
        }
        "getAgent" | "getApp" | "listAgentTokens" | "listAppTokens" => target,
        "updateAgent" => target.body(json!({ "display_name": stage.name() })).version_of(stage, &path).await,
        "disableAgent" | "disableApp" => {
            post(format!("{path}/enable")).await;
            target
        }
        "enableAgent" | "enableApp" => {
            post(format!("{path}/disable")).await;
            target
        }
        "createAgentToken" | "createAppToken" => target.body(json!({ "name": "second" })),
        "revokeAgentToken" | "revokeAppToken" => {
            post(format!("{path}/enable")).await;
            let token = stage.robin.post(&format!("{path}/tokens"), json!({ "name": "lost" })).await.expect(201);
            target.and("api_token_id", &token.text("/token_id"))
        }
        _ => unknown_operation(operation),
    }
}

async fn runs(stage: &Stage, operation: &str, side: Side) -> Scene {
    let realm = stage.realm(side);
    let run = Scene::at("run_id", &realm.run);
    match operation {
        "getRun" | "getRunContext" | "getRunEvidence" => run,
        "patchRun" => run.body(json!({ "status_line": stage.name() })),
        "reportAgentSession" => run.body(json!({ "reference": stage.name() })),
        "renewInvocationToken" => Scene::at("run_id", &realm.queued),
        "cancelRun" => Scene::at("run_id", &realm.asked().await.run),
        "startRun" => {
            let task = realm.asked().await;
            Scene::at("run_id", &task.run).body(json!({ "invocation_token": task.token }))
        }
        "resumeRun" => {
            let task = realm.answered().await;
            Scene::at("run_id", &task.run).body(json!({ "invocation_token": task.token }))
        }
        "awaitRunInput" => Scene::at("run_id", &realm.started().await.run).body(json!({ "question_md": "Which one?" })),
        "finishRun" => Scene::at("run_id", &realm.started().await.run).body(json!({ "outcome": "completed" })),
        _ => unknown_operation(operation),
    }
}
