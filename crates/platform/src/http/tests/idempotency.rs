//! C104: what a key stands for, and who gets a kept answer.

mod crash;
mod keys;
mod together;

use std::sync::atomic::AtomicU32;

use bothy_domain::action::Action;
use bothy_storage::{prepare_all, statements};
use bothy_testkit::both_databases;
use tokio::sync::Semaphore;

use super::super::idempotency::{Asked, POLL, Turn, store};
use super::*;

statements! {
    ROWS = "SELECT status, sealed_answer FROM idempotency_keys ORDER BY slot";
}

/// Counts and holds up what is executed, on all nodes.
pub(in crate::http) struct Maker {
    /// How many requests reached the handler.
    pub(super) tried: AtomicU32,
    /// How many notes were made.
    pub(super) made: AtomicU32,
    /// Lets requests on that wait in the handler.
    pub(super) gate: Semaphore,
    /// Says that one waits there.
    pub(super) waiting: Semaphore,
}

impl Default for Maker {
    fn default() -> Self {
        Self { tried: AtomicU32::new(0), made: AtomicU32::new(0), gate: Semaphore::new(0), waiting: Semaphore::new(0) }
    }
}

pub(super) struct Notebook {
    pub(super) database: Database,
    pub(super) ids: IdSource,
    pub(super) world: Arc<World>,
    pub(super) maker: Arc<Maker>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Made {
    /// The thread.
    thread_id: AnyId,
    /// Its text.
    text: String,
    /// The how many-th it is.
    number: u32,
}

/// Makes a thread. Some texts make it fail or wait.
async fn make(
    allowed: Allowed<actions::ThreadCreate>,
    notebook: Arc<Notebook>,
    Body(note): Body<Note>,
) -> Result<Created<Made>, Problem> {
    let maker = &notebook.maker;
    maker.tried.fetch_add(1, Ordering::SeqCst);
    match note.text.as_str() {
        "refused" => return Err(Problem::conflict("it is refused")),
        "panic" => panic!("a defect"),
        "wait" => {
            maker.waiting.add_permits(1);
            maker.gate.acquire().await.unwrap().forget();
        }
        _ => {}
    }
    let unit = notebook.database.begin().await.map_err(Problem::unavailable)?;
    allowed.takes_effect(&unit).await?;
    unit.commit().await.map_err(Problem::unavailable)?;
    let number = maker.made.fetch_add(1, Ordering::SeqCst) + 1;
    if note.text == "lost" {
        std::future::pending::<()>().await;
    }
    let thread_id: AnyId = notebook.ids.next();
    notebook.world.threads.lock().unwrap().insert(thread_id);
    Ok(Created(Json::new(Made { thread_id, text: note.text, number }).with_version(number.into())))
}

pub(super) fn table(notebook: Notebook) -> RouteTable {
    let mut routes = Routes::new(Arc::new(notebook));
    let notes = post("createNote", "/channels/{channel_id}/notes", "Make a note").creates().recheck(Action::ThreadRead);
    routes.add(notes, make);
    routes.add(post("createPost", "/channels/{channel_id}/posts", "Make a post").creates(), make);
    routes.into_table()
}

fn notes(channel: u128) -> String {
    format!("{}/notes", channel_path(channel))
}

/// A request with a key.
struct Ask {
    path: String,
    token: &'static str,
    run: Option<&'static str>,
    keys: Vec<Vec<u8>>,
    text: &'static str,
}

impl Ask {
    fn new(key: &str, text: &'static str) -> Self {
        Self { path: notes(VISIBLE), token: "alex", run: None, keys: vec![key.as_bytes().to_vec()], text }
    }

    fn at(self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self }
    }

    fn of(self, token: &'static str, run: Option<&'static str>) -> Self {
        Self { token, run, ..self }
    }

    fn request(&self) -> Request<HttpBody> {
        let mut request = Request::builder()
            .method("POST")
            .uri(&self.path)
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json");
        if let Some(run) = self.run {
            request = request.header("invocation-token", run);
        }
        for key in &self.keys {
            request = request.header("idempotency-key", key.as_slice());
        }
        request.body(HttpBody::from(serde_json::json!({ "text": self.text }).to_string())).unwrap()
    }

    async fn send(&self, door: &Door) -> Answer {
        door.send(self.request()).await
    }

    /// Sends it in the background.
    fn start(&self, door: &Door) -> tokio::task::JoinHandle<Answer> {
        let (router, request) = (door.router.clone(), self.request());
        tokio::spawn(async move { send_to(router, request).await })
    }

    /// As the door recognises it.
    fn asked(&self, actor: &Actor) -> Asked {
        let channel = self.path.split('/').nth(4).unwrap().to_owned();
        let path = allowed::PathMembers(vec![("channel_id".to_owned(), channel)]);
        let key = std::str::from_utf8(&self.keys[0]).unwrap();
        let body = serde_json::json!({ "text": self.text }).to_string();
        Asked::new(actor, "createNote", &path, key, ("", body.as_bytes()))
    }
}

fn number(answer: &Answer) -> u64 {
    assert_eq!(answer.status, StatusCode::CREATED, "{:?}", answer.body);
    answer.body["number"].as_u64().unwrap()
}

/// A small unit of work, while which others get on.
async fn pause(door: &Door) {
    let unit = door.database.begin().await.unwrap();
    forget_answers(&unit, id(1)).await.unwrap();
    unit.commit().await.unwrap();
}

/// Waits until a request waits for another with its key: nothing else ends after this time.
async fn one_waits(door: &Door) {
    door.clock.until_awaited(door.clock.now().plus(POLL)).await;
}

fn made(door: &Door) -> u32 {
    door.maker.made.load(Ordering::SeqCst)
}

both_databases! {
    async fn every_statement_is_understood(db: TestDb) {
        let door = Door::open(db).await;
        if let Err(failures) = prepare_all(&door.database, store::STATEMENTS).await {
            panic!("{failures:?}");
        }
    }

    async fn a_repetition_gets_the_same_answer(db: TestDb) {
        let door = Door::open(db).await;
        let first = Ask::new("key", "hello").send(&door).await;
        let again = Ask::new("key", "hello").send(&door).await;
        assert_eq!((number(&first), made(&door)), (1, 1));
        assert_eq!(again.headers["etag"], "\"v1\"");
        assert_eq!(again.headers["content-type"], "application/json");
        assert_eq!(first.comparable(), again.comparable());
        assert_eq!(number(&Ask::new("other", "hello").send(&door).await), 2);
        let without = Ask { keys: Vec::new(), ..Ask::new("", "hello") };
        assert_eq!(number(&without.send(&door).await), 3);
        assert_eq!(number(&without.send(&door).await), 4);
    }

    /// Another principal, run, operation or target with the same key is another request.
    async fn c104_entries_are_separate(db: TestDb) {
        let door = Door::open(db).await;
        let ask = || Ask::new("key", "hello");
        let requests = [
            ask(),
            ask().of("sam", None),
            ask().of("lotse", Some("run-of-alex")),
            ask().of("lotse", Some("run-of-sam")),
            ask().of("lotse", None),
            ask().at(format!("{}/posts", channel_path(VISIBLE))),
            // The answer names a thread of the other channel; only its number matters here.
            ask().at(format!("{}/posts", channel_path(OTHER))),
        ];
        for _ in 0..2 {
            for (index, request) in requests.iter().enumerate() {
                assert_eq!(number(&request.send(&door).await), index as u64 + 1, "{} {:?}", request.token, request.run);
            }
        }
        // The same agent with another token is the same principal.
        assert_eq!(number(&ask().of("lotse-second", Some("run-of-alex")).send(&door).await), 3);
    }

    async fn another_body_is_a_conflict(db: TestDb) {
        let door = Door::open(db).await;
        Ask::new("key", "hello").send(&door).await;
        let other = Ask::new("key", "goodbye").send(&door).await;
        assert_eq!((other.status.as_u16(), other.code()), (409, "idempotency_conflict"));
        assert_eq!(number(&Ask::new("key", "hello").send(&door).await), 1);
    }

    /// Failures are not kept: the same key may succeed later.
    async fn c104_failures_are_not_kept(db: TestDb) {
        let door = Door::open(db).await;
        for round in 1..=2 {
            assert_eq!(Ask::new("key", "refused").send(&door).await.code(), "conflict");
            assert_eq!(door.maker.tried.load(Ordering::SeqCst), round);
        }
        assert_eq!(Ask::new("key", "panic").send(&door).await.code(), "internal_error");
        let mut malformed = Ask::new("key", "").request();
        *malformed.body_mut() = HttpBody::from("{}");
        assert_eq!(door.send(malformed).await.code(), "validation_failed");
        assert_eq!(number(&Ask::new("key", "hello").send(&door).await), 1);
    }

    /// After a loss of access the answer is that of an unknown id.
    async fn c104_a_replay_is_authorized_again(db: TestDb) {
        let door = Door::open(db).await;
        let ask = Ask::new("key", "old text");
        ask.send(&door).await;
        door.world.revoked.lock().unwrap().insert(alex());
        let hidden = ask.send(&door).await;
        assert_eq!((hidden.status.as_u16(), hidden.code()), (404, "not_found"));
        assert!(!hidden.body.to_string().contains("old text"));
        let unknown = Ask::new("key", "old text").at(notes(UNKNOWN)).send(&door).await;
        assert_eq!(hidden.comparable(), unknown.comparable());
        door.world.revoked.lock().unwrap().clear();
        assert_eq!(number(&ask.send(&door).await), 1);
    }

    /// A bound agent's answer goes with the rights of the person.
    async fn c104_a_bound_replay_goes_with_the_persons_rights(db: TestDb) {
        let door = Door::open(db).await;
        let ask = Ask::new("key", "old text").of("lotse", Some("run-of-sam"));
        ask.send(&door).await;
        door.world.revoked.lock().unwrap().insert(sam());
        assert_eq!(ask.send(&door).await.code(), "not_found");
    }

    async fn c104_what_is_gone_is_not_shown_again(db: TestDb) {
        let door = Door::open(db).await;
        let ask = Ask::new("key", "old text");
        ask.send(&door).await;
        door.world.threads.lock().unwrap().clear();
        let gone = ask.send(&door).await;
        assert_eq!((gone.status.as_u16(), gone.code(), made(&door)), (404, "not_found", 1));
    }

    /// What was emptied is still there, but its old text is not given out.
    async fn c104_what_was_emptied_is_not_shown_again(db: TestDb) {
        let door = Door::open(db).await;
        let (ask, other) = (Ask::new("key", "old text"), Ask::new("other", "other text"));
        let first = ask.send(&door).await;
        other.send(&door).await;
        let thread = first.body["thread_id"].as_str().unwrap().parse().unwrap();
        let unit = door.database.begin().await.unwrap();
        forget_answers(&unit, thread).await.unwrap();
        unit.commit().await.unwrap();
        assert_eq!(ask.send(&door).await.code(), "not_found");
        assert_eq!(number(&other.send(&door).await), 2);
        assert_eq!(made(&door), 2);
    }

    /// What is kept may be a secret that is shown once.
    async fn kept_answers_are_sealed(db: TestDb) {
        let door = Door::open(db).await;
        Ask::new("key", "secret canary").send(&door).await;
        let rows = door.database.reader().await.unwrap().all(&ROWS, &[]).await.unwrap();
        let sealed: Vec<u8> = rows[0].get("sealed_answer").unwrap();
        assert_eq!((rows.len(), rows[0].get::<i64>("status").unwrap()), (1, 201));
        assert!(!String::from_utf8_lossy(&sealed).contains("canary"));
    }

    async fn an_answer_is_kept_for_its_time_and_then_removed(db: TestDb) {
        let door = Door::open(db).await;
        let ask = Ask::new("key", "hello");
        ask.send(&door).await;
        door.clock.advance(Duration::from_secs(24 * 3600 - 1));
        assert_eq!(number(&ask.send(&door).await), 1);
        door.clock.advance(Duration::from_secs(1));
        assert_eq!(number(&ask.send(&door).await), 2);
        door.clock.advance(Duration::from_secs(24 * 3600));
        Ask::new("other", "hello").send(&door).await;
        let rows = door.database.reader().await.unwrap().all(&ROWS, &[]).await.unwrap();
        assert_eq!(rows.len(), 1);
    }
}
