//! Where the operations are called: a realm that members see, and a realm that is hidden from them,
//! each with one of everything.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bothy::world::{Human, World};
use bothy_storage::{params, statements};
use bothy_testkit::TestDb;
use serde_json::{Value, json};

use super::support::{Http, TestServer};

statements! {
    /// Every class of things is told (AF-23).
    TOLD = "UPDATE runs SET stopped_classes = 7";
}

/// Which of the two realms a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Open,
    Hidden,
}

pub struct Stage {
    pub server: TestServer,
    pub world: World,
    /// The owner in a fresh session.
    pub robin: Http,
    pub lotse: Http,
    pub runner: Http,
    /// An active person without grants.
    pub stranger: Person,
    /// Somebody who held rights in both realms.
    pub former: Person,
    /// Whose sessions and tokens are hidden from everybody else.
    pub other: Person,
    /// Whom administration is tried on.
    pub target: Person,
    pub ci: Account,
    /// An agent that may act in runs only (AF-17).
    pub bound: Account,
    /// An agent and an app whom administration is tried on.
    pub spare_agent: Account,
    pub spare_app: Account,
    pub group: String,
    open: Realm,
    hidden: Realm,
    names: AtomicU64,
}

/// A space with one of everything, and whose agent works there for whom.
pub struct Realm {
    pub space: String,
    pub channel: String,
    pub forum: String,
    pub main: String,
    pub message: String,
    pub thread: String,
    /// Another space with the same grants, to be archived.
    pub spare_space: String,
    pub asker: Http,
    pub agent: Http,
    pub question: &'static str,
    /// A run that is under way, and one that nobody has started.
    pub run: String,
    pub queued: String,
    /// A thread in which there were two runs.
    pub worked: String,
}

pub struct Person {
    pub id: String,
    pub email: String,
    pub http: Http,
}

/// An agent or an app.
pub struct Account {
    pub id: String,
    pub http: Http,
}

pub const PASSWORD: &str = "nobody else has this password";

impl Stage {
    pub async fn set(db: &TestDb) -> Self {
        let server = TestServer::start(db).await;
        let world = server.world().await;
        // From here on the sessions of the world are not confirmed any more.
        server.pass(Duration::from_secs(11 * 60));
        let http = server.http();
        let robin = sign_in(&http, &world.robin.email, &world.robin.password).await;
        let (lotse, runner) = (http.token(&world.lotse.token), http.token(&world.runner.token));
        let stranger = Person::join(&robin, &http, "stranger").await;
        let former = Person::join(&robin, &http, "former").await;
        let other = Person::join(&robin, &http, "other").await;
        let target = Person::join(&robin, &http, "target").await;
        let ci = Account::make(&robin, &http, "app", "ci").await;
        let bound = Account::make(&robin, &http, "agent", "bound").await;
        let spare_agent = Account::make(&robin, &http, "agent", "spareagent").await;
        let spare_app = Account::make(&robin, &http, "app", "spareapp").await;
        let path = format!("/agents/{}", bound.id);
        let etag = etag(&robin, &path).await;
        robin.header("if-match", &etag).patch(&path, json!({ "requires_binding": true })).await.expect(200);
        let group = robin.post("/groups", json!({ "name": "People" })).await.expect(201).text("/group_id");

        let id = |id: &dyn ToString| id.to_string();
        let members = [
            (id(&world.alex.id), "trigger", json!([])),
            (id(&world.sam.id), "trigger", json!(["moderate", "manage"])),
            (id(&world.writer.id), "write", json!([])),
            (id(&world.lotse.id), "write", json!([])),
            (id(&world.texter.id), "write", json!([])),
            (ci.id.clone(), "write", json!([])),
            (bound.id.clone(), "write", json!([])),
        ];
        let insiders = [(id(&world.lotse.id), "write", json!([])), (id(&world.runner.id), "write", json!([]))];
        let vertrieb = space(&robin, "Vertrieb").await;
        let ablage = space(&robin, "Ablage").await;
        let tresor = space(&robin, "Tresor").await;
        let engineering = id(&world.engineering);
        for (target, grants) in [(&vertrieb, &members[..]), (&ablage, &members[..])] {
            give(&robin, target, grants).await;
        }
        for target in [&engineering, &tresor] {
            give(&robin, target, &insiders).await;
        }
        for target in [&vertrieb, &ablage, &engineering, &tresor] {
            let grant = give(&robin, target, &[(former.id.clone(), "trigger", json!([]))]).await.pop().unwrap();
            robin.delete(&format!("/grants/{grant}")).await.expect(204);
        }
        let alex = sign_in(&http, &world.alex.email, &world.alex.password).await;
        let work = Work { asker: &alex, agent: &lotse, operator: &id(&world.lotse.id), question: "@lotse what now?" };
        let open = Realm::build(&robin, vertrieb, ablage, work).await;
        let work =
            Work { asker: &robin, agent: &runner, operator: &id(&world.runner.id), question: "@runner what now?" };
        let hidden = Realm::build(&robin, engineering, tresor, work).await;
        Self {
            server,
            world,
            robin,
            lotse,
            runner,
            stranger,
            former,
            other,
            target,
            ci,
            bound,
            spare_agent,
            spare_app,
            group,
            open,
            hidden,
            names: AtomicU64::new(0),
        }
    }

    pub const fn realm(&self, side: Side) -> &Realm {
        match side {
            Side::Open => &self.open,
            Side::Hidden => &self.hidden,
        }
    }

    /// From here on everybody knows what kinds of things their runs are stopped at, so that a refusal
    /// changes nothing.
    pub async fn told(&self) {
        let unit = self.server.app.modules().database.begin().await.unwrap();
        unit.execute(&TOLD, params![]).await.unwrap();
        unit.commit().await.unwrap();
    }

    /// Whose sessions and personal tokens a side is about.
    pub const fn holder(&self, side: Side) -> &Person {
        match side {
            Side::Open => &self.stranger,
            Side::Hidden => &self.other,
        }
    }

    /// A name that nothing has yet.
    pub fn name(&self) -> String {
        format!("name{}", self.names.fetch_add(1, Ordering::Relaxed))
    }

    pub async fn sign_in(&self, person: &Human) -> Http {
        sign_in(&self.server.http(), &person.email, &person.password).await
    }
}

/// Who asks whom in a realm.
struct Work<'a> {
    asker: &'a Http,
    agent: &'a Http,
    operator: &'a str,
    question: &'static str,
}

impl Realm {
    async fn build(owner: &Http, space: String, spare_space: String, work: Work<'_>) -> Self {
        let channels = format!("/spaces/{space}/channels");
        let text = owner.post(&channels, json!({ "kind": "text", "name": "Angebote" })).await.expect(201);
        let (channel, main) = (text.text("/channel_id"), text.text("/main_thread_id"));
        let operator = json!({ "agent_id": work.operator });
        owner.put(&format!("/channels/{channel}/operator"), operator).await.expect(200);
        let forum = owner.post(&channels, json!({ "kind": "forum", "name": "Ideen" })).await.expect(201);
        let message = say(owner, &main, "The first word.").await.text("/message_id");
        let parent = json!({ "parent_message_id": message });
        let thread = owner.post(&format!("/channels/{channel}/threads"), parent).await.expect(201).text("/thread_id");
        let mut realm = Self {
            space,
            channel,
            forum: forum.text("/channel_id"),
            main,
            message,
            thread,
            spare_space,
            asker: work.asker.clone(),
            agent: work.agent.clone(),
            question: work.question,
            run: String::new(),
            queued: String::new(),
            worked: String::new(),
        };
        realm.run = realm.started().await.run;
        realm.queued = realm.asked().await.run;
        realm.worked = realm.worked().await;
        realm
    }

    /// A run that nobody has started, and its token.
    pub async fn asked(&self) -> Task {
        Task::ask(&self.asker, &self.agent, &self.main, self.question).await
    }

    /// A run that is under way.
    pub async fn started(&self) -> Task {
        let work = self.asked().await;
        work.start(&self.agent).await;
        work
    }

    /// A thread with an ended run and another.
    async fn worked(&self) -> String {
        let task = self.started().await;
        let outcome = json!({ "outcome": "completed" });
        self.agent.post(&format!("/runs/{}/finish", task.run), outcome).await.expect(200);
        say(&self.asker, &task.thread, self.question).await;
        task.thread
    }

    /// A run that waited for an answer and has got one.
    pub async fn answered(&self) -> Task {
        let work = self.started().await;
        let question = json!({ "question_md": "Which one?" });
        self.agent.post(&format!("/runs/{}/await-input", work.run), question).await.expect(200);
        say(&self.asker, &work.thread, "The second.").await;
        Task { token: renew(&self.agent, &work.run).await, ..work }
    }
}

/// One run.
pub struct Task {
    pub run: String,
    pub thread: String,
    pub token: String,
}

impl Task {
    /// A person asks an agent in the main thread of a channel.
    pub async fn ask(person: &Http, agent: &Http, main: &str, question: &str) -> Self {
        let asked = say(person, main, question).await;
        let run = asked.text("/run_ids/0");
        Self { token: renew(agent, &run).await, thread: asked.text("/opened_thread_id"), run }
    }

    pub async fn start(&self, agent: &Http) {
        let token = json!({ "invocation_token": self.token });
        agent.post(&format!("/runs/{}/start", self.run), token).await.expect(200);
    }
}

async fn renew(agent: &Http, run: &str) -> String {
    agent.post_empty(&format!("/runs/{run}/token")).await.expect(200).text("/invocation_token")
}

impl Person {
    async fn join(owner: &Http, http: &Http, handle: &str) -> Self {
        let email = format!("{handle}@example.com");
        let code = invite(owner, handle).await;
        let accept = json!({ "code": code, "password": PASSWORD });
        let signed_in = http.post("/invites/accept", accept).await.expect(201);
        Self { id: signed_in.text("/person/person_id"), http: http.token(&signed_in.text("/token")), email }
    }
}

impl Account {
    async fn make(owner: &Http, http: &Http, kind: &str, handle: &str) -> Self {
        let new = json!({ "handle": handle, "display_name": handle, "description": "For tests." });
        let id = owner.post(&format!("/{kind}s"), new).await.expect(201).text(&format!("/{kind}_id"));
        let path = format!("/{kind}s/{id}/tokens");
        let token = owner.post(&path, json!({ "name": "first" })).await.expect(201).text("/token");
        Self { id, http: http.token(&token) }
    }
}

pub async fn invite(owner: &Http, handle: &str) -> String {
    let person = json!({ "handle": handle, "display_name": handle, "email": format!("{handle}@example.com") });
    owner.post("/invites", person).await.expect(201).text("/code")
}

pub async fn sign_in(http: &Http, email: &str, password: &str) -> Http {
    let credentials = json!({ "email": email, "password": password });
    http.token(&http.post("/sessions", credentials).await.expect(201).text("/token"))
}

pub async fn space(owner: &Http, name: &str) -> String {
    owner.post("/spaces", json!({ "name": name })).await.expect(201).text("/space_id")
}

pub async fn say(who: &Http, thread: &str, text: &str) -> super::support::Answer {
    who.post(&format!("/threads/{thread}/messages"), json!({ "content_md": text })).await.expect(201)
}

pub async fn etag(owner: &Http, path: &str) -> Vec<u8> {
    owner.get(path).await.expect(200).headers["etag"].as_bytes().to_vec()
}

async fn give(owner: &Http, space: &str, grants: &[(String, &str, Value)]) -> Vec<String> {
    let mut given = Vec::new();
    for (principal, level, capabilities) in grants {
        let grant = json!({ "principal_id": principal, "level": level, "capabilities": capabilities });
        let answer = owner.post(&format!("/access/space/{space}/grants"), grant).await.expect(201);
        given.push(answer.text("/grant_id"));
    }
    given
}
