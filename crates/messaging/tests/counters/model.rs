//! All that was said and done, in the plainest form, beside the server that does the same.

use std::collections::{BTreeMap, BTreeSet};

use bothy_domain::ids::{ChannelId, GrantId, PrincipalId, ThreadId};
use bothy_platform::clock::Clock;
use bothy_platform::instance::{Touched, bump_rights_version};
use bothy_storage::{params, statements};
use http::Method;
use serde_json::{Value as Json, json};

use crate::support::{World, id};

statements! {
    /// Takes what a principal has on whole spaces.
    TAKE_SPACES = "UPDATE grants SET revoked_at = $2 WHERE principal_id = $1 AND target_kind = 'space'";
    REVOKE = "UPDATE grants SET revoked_at = $3 WHERE principal_id = $1 AND channel_id = $2";
    GRANT =
        "INSERT INTO grants (id, principal_id, target_kind, space_id, channel_id, level, capabilities, created_by, created_at) \
         VALUES ($1, $2, 'channel', $3, $4, $5, 0, $2, $6)";
}

const MOST_THREADS: usize = 24;
const PEOPLE: [&str; 3] = ["sam", "alex", "kim"];

/// A fixed sequence of choices.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound).unwrap()).unwrap()
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { items.get(self.below(items.len())) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    None,
    Read,
    Write,
}

struct Message {
    id: String,
    author: &'static str,
    seq: i64,
    deleted: bool,
    line: bool,
    mentions: BTreeSet<&'static str>,
}

struct Thread {
    id: ThreadId,
    channel: usize,
    main: bool,
    closed: bool,
    messages: Vec<Message>,
}

impl Thread {
    fn last_seq(&self) -> i64 {
        i64::try_from(self.messages.len()).unwrap()
    }

    fn line(&mut self) {
        let seq = self.last_seq() + 1;
        self.messages.push(Message {
            id: String::new(),
            author: "robin",
            seq,
            deleted: false,
            line: true,
            mentions: BTreeSet::new(),
        });
    }
}

struct Channel {
    id: ChannelId,
    archived: bool,
}

/// The server and what it must answer.
pub struct Model {
    world: World,
    dice: Dice,
    ids: BTreeMap<&'static str, PrincipalId>,
    channels: Vec<Channel>,
    levels: BTreeMap<(&'static str, usize), Level>,
    threads: Vec<Thread>,
    /// Whoever is in it follows the thread.
    marks: BTreeMap<(&'static str, ThreadId), i64>,
    /// How often each operation was done, or refused as it must be.
    pub done: BTreeMap<&'static str, u64>,
}

impl Model {
    pub async fn new(world: World, seed: u64) -> Self {
        use bothy_domain::actor::PrincipalKind::Person;
        let base = &world.server.base;
        let mut ids = BTreeMap::from([("robin", world.robin), ("sam", world.sam), ("lotse", world.lotse)]);
        for handle in ["alex", "kim"] {
            ids.insert(handle, base.principal(Person, handle).await);
        }
        let path = format!("/spaces/{}/channels", world.support);
        let second =
            world.server.post("robin", &path, json!({ "kind": "text", "name": "Eskalation" })).await.expect(201);
        let channels: [(ChannelId, ThreadId); 2] =
            [(world.general, world.main), (id(&second, "channel_id"), id(&second, "main_thread_id"))];
        let mut model = Self {
            dice: Dice(seed),
            ids,
            channels: channels.iter().map(|(id, _)| Channel { id: *id, archived: false }).collect(),
            levels: BTreeMap::new(),
            threads: Vec::new(),
            marks: BTreeMap::new(),
            done: BTreeMap::new(),
            world,
        };
        for (channel, (_, main)) in channels.into_iter().enumerate() {
            model.threads.push(Thread { id: main, channel, main: true, closed: false, messages: Vec::new() });
            for who in ["robin", "lotse"] {
                model.levels.insert((who, channel), Level::Write);
            }
            for who in PEOPLE {
                model.set_level(who, channel, Level::Write).await;
            }
        }
        // The world gives Sam the whole space; here everybody has channels only.
        let unit = model.world.server.base.database.begin().await.unwrap();
        unit.execute(&TAKE_SPACES, params![model.world.sam, 1_i64]).await.unwrap();
        bump_rights_version(&unit, Touched::Principals(&[model.world.sam]), model.world.server.base.clock.now())
            .await
            .unwrap();
        unit.commit().await.unwrap();
        model
    }

    fn level(&self, who: &'static str, channel: usize) -> Level {
        let level = self.levels[&(who, channel)];
        if self.channels[channel].archived { level.min(Level::Read) } else { level }
    }

    async fn set_level(&mut self, who: &'static str, channel: usize, level: Level) {
        let base = &self.world.server.base;
        let (person, place, now) = (self.ids[who], self.channels[channel].id, base.clock.now());
        let unit = base.database.begin().await.unwrap();
        unit.execute(&REVOKE, params![person, place, now]).await.unwrap();
        let name = match level {
            Level::None => None,
            Level::Read => Some("read"),
            Level::Write => Some("write"),
        };
        if let Some(name) = name {
            let grant: GrantId = base.ids.next();
            unit.execute(&GRANT, params![grant, person, self.world.support, place, name, now]).await.unwrap();
        }
        bump_rights_version(&unit, Touched::Principals(&[person]), now).await.unwrap();
        unit.commit().await.unwrap();
        self.levels.insert((who, channel), level);
    }

    /// Some text that mentions some people, and who of them is mentioned by it.
    fn text(&mut self, author: &'static str, channel: usize) -> (String, BTreeSet<&'static str>) {
        let mut text = format!("word {}", self.dice.below(1000));
        let mut mentioned = BTreeSet::new();
        for who in ["sam", "alex", "kim", "robin", "lotse"] {
            if self.dice.below(4) == 0 {
                text.push_str(&format!(" @{who}"));
                if who != author && self.level(who, channel) >= Level::Read {
                    mentioned.insert(who);
                }
            }
        }
        (text, mentioned)
    }

    /// Follows as the server does: main threads need nothing.
    fn follow(&mut self, thread: usize, who: impl IntoIterator<Item = &'static str>) {
        let Thread { id, main, .. } = self.threads[thread];
        if !main {
            for who in who {
                self.marks.entry((who, id)).or_insert(0);
            }
        }
    }

    /// One random operation.
    pub async fn step(&mut self) {
        let name = match self.dice.below(100) {
            0..45 => self.say().await,
            45..57 => self.edit().await,
            57..67 => self.delete().await,
            67..85 => self.mark().await,
            85..90 => self.change_level().await,
            90..93 => self.archive().await,
            93..96 => self.open().await,
            96..98 => self.close().await,
            _ => self.relocate().await,
        };
        *self.done.entry(name).or_default() += 1;
    }

    async fn say(&mut self) -> &'static str {
        let thread = self.dice.below(self.threads.len());
        let author = *self.dice.pick(&["sam", "alex", "kim", "lotse", "robin"]).unwrap();
        let Thread { id, channel, closed, .. } = self.threads[thread];
        let (text, mentions) = self.text(author, channel);
        let path = format!("/threads/{id}/messages");
        let answer = self.world.server.post(author, &path, json!({ "content_md": text })).await;
        let expected = match self.level(author, channel) {
            Level::None => 404,
            Level::Read => 403,
            Level::Write if closed => 409,
            Level::Write => 201,
        };
        let answer = answer.expect(expected);
        if expected != 201 {
            return "say refused";
        }
        self.follow(thread, mentions.iter().copied().chain([author]));
        let seq = self.threads[thread].last_seq() + 1;
        assert_eq!(answer.body["thread_seq"], seq);
        let id = answer.text("message_id").to_owned();
        self.threads[thread].messages.push(Message { id, author, seq, deleted: false, line: false, mentions });
        "say"
    }

    /// A message that somebody wrote.
    fn some_message(&mut self) -> Option<(usize, usize)> {
        let thread = self.dice.below(self.threads.len());
        let count = self.threads[thread].messages.len();
        if count == 0 {
            return None;
        }
        let message = self.dice.below(count);
        (!self.threads[thread].messages[message].line).then_some((thread, message))
    }

    async fn edit(&mut self) -> &'static str {
        let Some((thread, message)) = self.some_message() else { return "edit nothing" };
        let channel = self.threads[thread].channel;
        let Message { author, deleted, ref id, .. } = self.threads[thread].messages[message];
        let path = format!("/messages/{id}");
        let (text, mentions) = self.text(author, channel);
        let answer = self.world.server.patch(author, &path, json!({ "content_md": text }), None).await;
        let expected = match self.level(author, channel) {
            Level::None => 404,
            Level::Read => 403,
            Level::Write if deleted => 409,
            Level::Write => 200,
        };
        // Edited as often as it may be.
        if expected == 200 && answer.status == 409 {
            return "edit too often";
        }
        answer.expect(expected);
        if expected != 200 {
            return "edit refused";
        }
        self.follow(thread, mentions.iter().copied());
        self.threads[thread].messages[message].mentions = mentions;
        "edit"
    }

    async fn delete(&mut self) -> &'static str {
        let Some((thread, message)) = self.some_message() else { return "delete nothing" };
        let Message { author, ref id, .. } = self.threads[thread].messages[message];
        let path = format!("/messages/{id}");
        let answer = self.world.server.send(author, Method::DELETE, &path, None, None).await;
        let expected = match self.level(author, self.threads[thread].channel) {
            Level::None => 404,
            Level::Read => 403,
            Level::Write => 204,
        };
        answer.expect(expected);
        if expected != 204 {
            return "delete refused";
        }
        let message = &mut self.threads[thread].messages[message];
        message.deleted = true;
        message.mentions.clear();
        "delete"
    }

    async fn mark(&mut self) -> &'static str {
        let who = *self.dice.pick(&["sam", "alex", "kim", "robin"]).unwrap();
        let thread = self.dice.below(self.threads.len());
        let Thread { id, channel, .. } = self.threads[thread];
        let last = self.threads[thread].last_seq();
        let seq = i64::try_from(self.dice.below(usize::try_from(last).unwrap() + 3)).unwrap();
        let back = self.dice.below(3) == 0;
        let body = json!({ "last_read_seq": seq, "mark_unread": back });
        let answer = self.world.server.put(who, &format!("/threads/{id}/read-state"), body).await;
        if self.level(who, channel) == Level::None {
            answer.expect(404);
            return "mark refused";
        }
        let answer = answer.expect(200);
        let read = seq.min(last);
        let mark = self.marks.entry((who, id)).or_insert(0);
        *mark = if back { read } else { read.max(*mark) };
        if !self.channels[channel].archived {
            assert_eq!(answer.body["last_read_seq"], *mark);
        }
        "mark"
    }

    async fn change_level(&mut self) -> &'static str {
        let who = *self.dice.pick(&PEOPLE).unwrap();
        let channel = self.dice.below(self.channels.len());
        let level = *self.dice.pick(&[Level::None, Level::Read, Level::Write, Level::Write]).unwrap();
        self.set_level(who, channel, level).await;
        "change level"
    }

    async fn archive(&mut self) -> &'static str {
        let channel = self.dice.below(self.channels.len());
        let Channel { id, archived } = self.channels[channel];
        let verb = if archived { "unarchive" } else { "archive" };
        self.world.server.post_empty("robin", &format!("/channels/{id}/{verb}")).await.expect(200);
        self.channels[channel].archived = !archived;
        verb
    }

    async fn open(&mut self) -> &'static str {
        if self.threads.len() >= MOST_THREADS {
            return "open enough";
        }
        let main = self.dice.below(2);
        let channel = self.threads[main].channel;
        let Some(parent) = self.threads[main].messages.iter().rev().find(|one| !one.line && !one.deleted) else {
            return "open nothing";
        };
        let body = json!({ "parent_message_id": parent.id });
        let path = format!("/channels/{}/threads", self.channels[channel].id);
        let answer = self.world.server.post("robin", &path, body).await;
        if answer.status != 201 {
            // It has a thread already, or the channel is archived.
            assert!([403, 409].contains(&answer.status.as_u16()), "{answer:?}");
            return "open refused";
        }
        let id = id(&answer, "thread_id");
        self.threads.push(Thread { id, channel, main: false, closed: false, messages: Vec::new() });
        "open"
    }

    async fn close(&mut self) -> &'static str {
        let thread = self.dice.below(self.threads.len());
        let Thread { id, main, closed, channel, .. } = self.threads[thread];
        let verb = if closed { "reopen" } else { "close" };
        let answer = self.world.server.post_empty("robin", &format!("/threads/{id}/{verb}")).await;
        if main || self.channels[channel].archived {
            assert!([403, 409].contains(&answer.status.as_u16()), "{answer:?}");
            return "close refused";
        }
        answer.expect(200);
        self.threads[thread].closed = !closed;
        self.threads[thread].line();
        verb
    }

    async fn relocate(&mut self) -> &'static str {
        let thread = self.dice.below(self.threads.len());
        let Thread { id, channel, main, .. } = self.threads[thread];
        let goal = 1 - channel;
        let body = json!({ "channel_id": self.channels[goal].id });
        let answer = self.world.server.post("robin", &format!("/threads/{id}/move"), body).await;
        if main || self.channels.iter().any(|one| one.archived) {
            assert!([403, 409].contains(&answer.status.as_u16()), "{answer:?}");
            return "move refused";
        }
        answer.expect(200);
        self.threads[thread].channel = goal;
        self.threads[thread].line();
        "move"
    }

    /// Counts everything anew: by thread the newest place, the mark, unread messages and mentions.
    fn recount(&self, who: &'static str) -> BTreeMap<String, [i64; 4]> {
        let mut counts = BTreeMap::new();
        for thread in &self.threads {
            let mark = self.marks.get(&(who, thread.id));
            let visible = self.level(who, thread.channel) >= Level::Read && !self.channels[thread.channel].archived;
            if !visible || (!thread.main && mark.is_none()) {
                continue;
            }
            let read = mark.copied().unwrap_or(0);
            let unread = |one: &&Message| one.seq > read && !one.deleted && !one.line && one.author != who;
            let unread: Vec<&Message> = thread.messages.iter().filter(unread).collect();
            let mentions = unread.iter().filter(|one| one.mentions.contains(who)).count();
            let numbers = [unread.len(), mentions].map(|number| i64::try_from(number).unwrap());
            counts.insert(thread.id.to_string(), [thread.last_seq(), read, numbers[0], numbers[1]]);
        }
        counts
    }

    /// Compares what everybody is shown with a full recount.
    pub async fn check(&mut self) {
        for who in ["sam", "alex", "kim", "robin", "lotse"] {
            let limit = [1, 2, 50][self.dice.below(3)];
            let listed = self.world.server.walk(who, "/me/read-states", limit).await;
            let number = |one: &Json, name: &str| one[name].as_i64().unwrap();
            let names = ["last_seq", "last_read_seq", "unread_count", "mention_count"];
            let found: BTreeMap<String, [i64; 4]> = listed
                .iter()
                .map(|one| (one["thread_id"].as_str().unwrap().to_owned(), names.map(|name| number(one, name))))
                .collect();
            assert_eq!(found.len(), listed.len(), "{who} gets a thread twice");
            assert_eq!(found, self.recount(who), "{who} after {:?}", self.done);
            // The list of mentions holds exactly those that count, read or not.
            let listed = self.world.server.walk(who, "/me/mentions", 50).await;
            let found: Vec<&str> = listed.iter().map(|one| one["message_id"].as_str().unwrap()).collect();
            let mut expected: Vec<&str> = self
                .threads
                .iter()
                .filter(|thread| self.level(who, thread.channel) >= Level::Read)
                .flat_map(|thread| &thread.messages)
                .filter(|one| one.mentions.contains(who))
                .map(|one| one.id.as_str())
                .collect();
            expected.sort_unstable_by(|one, two| two.cmp(one));
            assert_eq!(found, expected, "mentions of {who}");
        }
    }
}
