//! Thousands of hostile and malformed strings in everything that a person can name or say: never a
//! failure of the server, nothing lost or changed silently, and no label that hides something (C04,
//! C11, C86, AZ-11).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use std::collections::BTreeMap;

use bothy::world::World;
use bothy_domain::names::{Handle, display_name};
use bothy_testkit::both_databases;
use reqwest::Method;
use serde_json::{Value, json};
use support::{Answer, Http, TestServer};

/// For each database.
const STRINGS: u64 = 5_000;
const JSON: &str = "application/json";

/// What is dangerous in one way or another; strings are made of several.
#[rustfmt::skip] // One a line would be a page.
const PIECES: &[&str] = &[
    "a", "Z", "0", " ", "ä", "ß", "İ", "e\u{301}", "日本", "Ω", "\u{0}", "\u{1}", "\u{7}", "\u{8}", "\t", "\n", "\r\n",
    "\u{1b}[31m", "\u{7f}", "\u{80}", "\u{85}", "\u{ad}", "\u{34f}", "\u{61c}", "\u{115f}", "\u{180e}", "\u{200b}",
    "\u{200c}", "\u{200d}", "\u{200e}", "\u{200f}", "\u{2028}", "\u{2029}", "\u{202a}", "\u{202b}", "\u{202c}",
    "\u{202d}", "\u{202e}", "\u{2060}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{3164}", "\u{fe0f}",
    "\u{feff}", "\u{ffa0}", "\u{fff9}", "\u{fffd}", "\u{ffff}", "\u{e0001}", "\u{e0067}", "\u{10ffff}", "👍", "👨‍👩‍👧", "🏴",
    "🇩🇪", "'", "''", "\"", "\\", "\\\"", "`", "```", "</script>", "<b>", "&lt;", "%00", "%s", "${x}", "{{x}}", "';--",
    "\"],\"trust\":\"trigger\"", "../", "/", "@lotse", "@@", "@\u{430}lex", "#", "*", "(", "NEAR(", ":", "null", "[", "{",
    "\u{feff}\u{202e}", "admin", "system", "\u{212a}", "\u{fb01}", "ﬀ", "𝐚", "ａ",
];

/// A fixed sequence of choices.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound).unwrap()).unwrap()
    }
}

/// A string as it stands in a body, and what it says; nothing when it is none.
struct Hostile {
    literal: Vec<u8>,
    text: Option<String>,
}

impl Hostile {
    /// Of at most so many pieces.
    fn next(dice: &mut Dice, most: usize) -> Self {
        let mut text: String = (0..=dice.below(most)).map(|_| PIECES[dice.below(PIECES.len())]).collect();
        match dice.below(20) {
            // Far too long, or just so.
            0 => text = text.repeat(1 + 70_000 / text.len()),
            1 => text = text.chars().cycle().take(78 + dice.below(5)).collect(),
            _ => {}
        }
        let proper = serde_json::to_vec(&text).unwrap();
        let broken = match dice.below(16) {
            0 => Some(b"\"\\ud83d\"".to_vec()),
            1 => Some(b"\"\\udc4d\\ud83d x\"".to_vec()),
            2 => Some(b"\"\\u12".to_vec()),
            3 => Some(proper[..proper.len() - 1].to_vec()),
            4 => Some([b"\"", text.replace(['"', '\\'], "").as_bytes(), b"\xff\xfe\xc0\x80\""].concat()),
            5 => Some([b"[".repeat(2_000), proper.clone()].concat()),
            6 => Some([b"{\"a\":".repeat(500), proper.clone(), b"}".repeat(500)].concat()),
            7 => Some([proper.as_slice(), b",\"nonsense\":", &proper].concat()),
            8 => Some(b"\"a\x01b\"".to_vec()),
            _ => None,
        };
        match broken {
            Some(literal) => Self { literal, text: None },
            None => Self { literal: proper, text: Some(text) },
        }
    }

    /// A body in which the string is the value of one member; the others are as they should be.
    fn body(&self, member: &str, others: &Value) -> Vec<u8> {
        let others = serde_json::to_vec(others).unwrap();
        let others = others.strip_prefix(b"{").unwrap().strip_suffix(b"}").unwrap();
        let comma: &[u8] = if others.is_empty() { b"" } else { b"," };
        [b"{\"", member.as_bytes(), b"\":", &self.literal, comma, others, b"}"].concat()
    }

    /// The string in a path, percent-encoded; also what is no UTF-8.
    fn in_path(&self) -> String {
        let bytes = self.text.as_ref().map_or(self.literal.as_slice(), |text| text.as_bytes());
        bytes.iter().take(1500).map(|byte| format!("%{byte:02X}")).collect()
    }
}

/// Who sends what where.
struct Trial {
    robin: Http,
    world: World,
    message: String,
    taken: BTreeMap<&'static str, u32>,
}

const FIELDS: usize = 12;

impl Trial {
    async fn send(&mut self, number: u64, hostile: &Hostile) {
        let main = self.world.allgemein.main;
        match usize::try_from(number).unwrap() % FIELDS {
            0 => self.content(hostile, Method::POST, &format!("/threads/{main}/messages")).await,
            1 => self.content(hostile, Method::PATCH, &format!("/messages/{}", self.message)).await,
            2 => {
                let path = format!("/channels/{}/threads", self.world.projekt_a.id);
                self.name("title", hostile, Method::POST, &path, json!({}), "title").await;
            }
            3 => self.name("space", hostile, Method::POST, "/spaces", json!({}), "name").await,
            4 => {
                let path = format!("/spaces/{}/channels", self.world.support);
                self.name("channel", hostile, Method::POST, &path, json!({ "kind": "text" }), "name").await;
            }
            5 => self.name("group", hostile, Method::POST, "/groups", json!({}), "name").await,
            6 => self.name("display name", hostile, Method::PATCH, "/me", json!({}), "display_name").await,
            7 => self.handle(number, hostile).await,
            8 => self.emoji(hostile).await,
            9 => self.client_message_id(hostile).await,
            10 => {
                let body = json!({ "content_md": "x", "client_message_id": "c" });
                let path = format!("/threads/{main}/messages?cursor={}", hostile.in_path());
                self.robin.post(&path, body).await.expect_client_error();
                let path = format!("/threads/{main}/messages?cursor={}", hostile.in_path());
                self.robin.get(&path).await.expect_client_error();
            }
            _ => {
                // As a whole body, where an object is expected.
                let path = format!("/threads/{main}/messages");
                let answer = self.robin.send(Method::POST, &path, Some((JSON, hostile.literal.clone()))).await;
                answer.expect_client_error();
            }
        }
    }

    /// What is said is kept to the last byte, or refused.
    async fn content(&mut self, hostile: &Hostile, method: Method, path: &str) {
        let body = hostile.body("content_md", &json!({}));
        let answer = self.robin.send(method, path, Some((JSON, body))).await;
        if !answer.is_taken() {
            return;
        }
        let text = hostile.text.as_ref().unwrap_or_else(|| panic!("taken, though it is no string: {answer:?}"));
        assert_eq!(&answer.text("/content_md"), text);
        let message = answer.text("/message_id");
        let read = self.robin.get(&format!("/messages/{message}")).await.expect(200);
        assert_eq!(&read.text("/content_md"), text);
        *self.taken.entry("content").or_default() += 1;
    }

    /// A label is what was sent, trimmed and composed, or refused.
    async fn name(
        &mut self,
        what: &'static str,
        hostile: &Hostile,
        method: Method,
        path: &str,
        others: Value,
        member: &str,
    ) {
        let body = hostile.body(member, &others);
        let answer = self.robin.send(method, path, Some((JSON, body))).await;
        if !answer.is_taken() {
            return;
        }
        let text = hostile.text.as_ref().unwrap_or_else(|| panic!("taken, though it is no string: {answer:?}"));
        let found = answer.json();
        let found = found.get(member).or_else(|| found.pointer(&format!("/person/{member}"))).unwrap();
        assert_eq!(found, &json!(display_name(text).unwrap()), "{what}: {text:?}");
        assert_shows(found.as_str().unwrap());
        *self.taken.entry(what).or_default() += 1;
    }

    async fn handle(&mut self, number: u64, hostile: &Hostile) {
        let others = json!({ "display_name": "Somebody", "email": format!("p{number}@example.com") });
        let body = hostile.body("handle", &others);
        let answer = self.robin.send(Method::POST, "/invites", Some((JSON, body))).await;
        if !answer.is_taken() {
            return;
        }
        let text = hostile.text.as_ref().unwrap_or_else(|| panic!("taken, though it is no string: {answer:?}"));
        let handle = Handle::parse(text).unwrap();
        assert!(String::from_utf8_lossy(&answer.body).contains(&format!("\"{}\"", handle.as_str())), "{answer:?}");
        *self.taken.entry("handle").or_default() += 1;
    }

    async fn emoji(&mut self, hostile: &Hostile) {
        let path = format!("/messages/{}/reactions/{}", self.message, hostile.in_path());
        let answer = self.robin.send(Method::PUT, &path, None).await;
        if answer.is_taken() {
            *self.taken.entry("emoji").or_default() += 1;
        }
    }

    async fn client_message_id(&mut self, hostile: &Hostile) {
        let body = hostile.body("client_message_id", &json!({ "content_md": "once" }));
        let path = format!("/threads/{}/messages", self.world.allgemein.main);
        let answer = self.robin.send(Method::POST, &path, Some((JSON, body))).await;
        if answer.is_taken() {
            let text = hostile.text.as_ref().unwrap_or_else(|| panic!("taken, though it is no string: {answer:?}"));
            assert!(text.bytes().all(|byte| byte.is_ascii_graphic()) && text.len() <= 128, "{text:?}");
            *self.taken.entry("client message id").or_default() += 1;
        }
    }

    /// What is shown of names afterwards hides nothing.
    async fn assert_names(&self) {
        let support = self.world.support;
        let forum = self.world.projekt_a.id;
        let lists = [
            ("/groups".to_owned(), "name"),
            ("/spaces".to_owned(), "name"),
            (format!("/spaces/{support}/channels"), "name"),
            (format!("/channels/{forum}/threads"), "title"),
            ("/people".to_owned(), "display_name"),
            ("/people".to_owned(), "handle"),
        ];
        for (path, member) in lists {
            let mut next = Some(format!("{path}?limit=200"));
            let mut seen = 0;
            while let Some(page) = next {
                let page = self.robin.get(&page).await.expect(200).json();
                for item in page["items"].as_array().unwrap() {
                    assert_shows(item[member].as_str().unwrap());
                    seen += 1;
                }
                next = page["next_cursor"].as_str().map(|cursor| format!("{path}?limit=200&cursor={cursor}"));
            }
            assert!(seen > 0, "{path}");
        }
    }
}

/// No control, bidirectional or invisible character.
#[track_caller]
fn assert_shows(name: &str) {
    let hides = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
    };
    assert!(!name.trim().is_empty() && !name.contains(hides), "{name:?}");
}

trait Judged {
    fn is_taken(&self) -> bool;
    fn expect_client_error(self);
}

impl Judged for Answer {
    /// Whether it succeeded; otherwise it is a refusal in the words of the server, and no failure.
    #[track_caller]
    fn is_taken(&self) -> bool {
        let status = self.status.as_u16();
        assert!(status < 500, "{self:?}");
        let taken = self.status.is_success();
        if !taken {
            assert!([403, 404, 409, 413, 422].contains(&status), "{self:?}");
            assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        }
        taken
    }

    #[track_caller]
    fn expect_client_error(self) {
        assert!(!self.is_taken(), "{self:?}");
    }
}

both_databases! {
    async fn c11_hostile_strings_neither_break_nor_hide(db: TestDb) {
        let edits = json!({ "max_revisions": 10_000 });
        let server = TestServer::start_with(&db, |config| {
            config.message = serde_json::from_value(edits).unwrap();
        }).await;
        let world = server.world().await;
        let robin = server.http().token(&world.robin.token);
        let path = format!("/threads/{}/messages", world.allgemein.main);
        let said = robin.post(&path, json!({ "content_md": "first" })).await.expect(201);
        let mut trial = Trial { robin, world, message: said.text("/message_id"), taken: BTreeMap::new() };
        let mut dice = Dice(if db.is_postgres() { 0xbad_5eed } else { 0x600d_5eed });
        for number in 0..STRINGS {
            // Handles and emoji are short, so short strings come close to them.
            let short = matches!(usize::try_from(number).unwrap() % FIELDS, 7 | 8);
            let hostile = Hostile::next(&mut dice, if short { 2 } else { 6 });
            trial.send(number, &hostile).await;
        }
        trial.assert_names().await;
        // Something of each kind was taken; otherwise the test has seen refusals only. Few strings are
        // a handle or an emoji, so these two are given.
        let good = Hostile { literal: b"\"goodhandle\"".to_vec(), text: Some("goodhandle".to_owned()) };
        trial.handle(STRINGS, &good).await;
        let good = Hostile { literal: Vec::new(), text: Some("👍\u{fe0f}".to_owned()) };
        trial.emoji(&good).await;
        let kinds =
            ["content", "title", "space", "channel", "group", "display name", "handle", "emoji", "client message id"];
        for what in kinds {
            assert!(trial.taken.get(what).is_some_and(|times| *times > 0), "{what}: {:?}", trial.taken);
        }
        server.stop().await;
    }
}
