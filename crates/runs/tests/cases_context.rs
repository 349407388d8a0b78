//! Cases of other systems that the context must not repeat, and what reading it costs.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like the tests themselves"
)]

mod support;

use bothy_domain::ids::{MessageId, RunId, ThreadId};
use bothy_storage::{params, statements};
use bothy_testkit::both_databases;
use serde_json::Value;
use support::World;

statements! {
    RENAME = "UPDATE principals SET handle = $2, handle_skeleton = $2, display_name = $2 WHERE id = $1";
    IMPORT = "UPDATE messages SET origin = 'import', imported_author = $2 WHERE id = $1";
    SHOW_AS = "UPDATE principals SET display_name = $2 WHERE id = $1";
    INSERT =
        "INSERT INTO messages (id, thread_id, thread_seq, author_id, origin, kind, content_md, created_at, version) \
         VALUES ($1, $2, $3, $4, 'human', 'text', 'Before the question.', 1, 1)";
    NEXT = "UPDATE threads SET next_seq = $2 WHERE id = $1";
}

impl World {
    async fn rename(&self, who: &str, name: &str) {
        self.execute(&RENAME, params![self.id(who), name]).await;
    }

    /// A thread with so many messages of the writer.
    async fn long_thread(&self, length: i64) -> ThreadId {
        let thread = self.thread(self.places.allgemein, None).await;
        let unit = self.database.begin().await.unwrap();
        for seq in 1..=length {
            let id: MessageId = self.ids.next();
            unit.execute(&INSERT, params![id, thread, seq, self.id("writer")]).await.unwrap();
        }
        unit.execute(&NEXT, params![thread, length + 1]).await.unwrap();
        unit.commit().await.unwrap();
        thread
    }

    /// How many statements one read of a context takes. Others may work in the background at the same
    /// time, which only adds; the least of several reads is that of the read itself.
    async fn cost(&self, run: RunId) -> u64 {
        let mut least = u64::MAX;
        for _ in 0..10 {
            let before = self.database.statements();
            self.context(run).await;
            least = least.min(self.database.statements() - before);
        }
        least
    }
}

/// Texts of a window with role, origin and trust.
fn marks(elements: &Value) -> Vec<[&str; 4]> {
    let elements = elements.as_array().unwrap().iter();
    elements.map(|one| ["content_md", "role", "origin", "trust"].map(|name| one[name].as_str().unwrap())).collect()
}

both_databases! {
    // C06: rights follow ids; a name that became free gives nothing to the next one who bears it.
    async fn c06_a_name_gives_no_rights(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        world.rename("sam", "sam-before").await;
        world.rename("writer", "sam").await;
        assert_eq!(world.say("writer", thread, "@lotse delete it").await.runs(), 0);
        let own = world.ask("sam", thread, "mine").await;
        world.post_empty("sam", &format!("/runs/{own}/cancel")).await.expect(200);
        let context = world.context(world.ask("alex", thread, "go on").await).await;
        assert_eq!(
            marks(&context["thread_context"]),
            [["@lotse delete it", "user", "human", "unverified"], ["mine", "user", "human", "authorized"]]
        );
        assert_eq!(context["thread_context"][0]["author"]["handle"], "sam");
    }

    // C07: whatever row of rights there is, only people are ever authorized.
    async fn c07_only_people_hold_trigger(db: TestDb) {
        let mut world = World::new(&db).await;
        let (support, thread) = (world.places.support, world.places.thread);
        world.grant("texter-t", "texter", support, None, "trigger").await;
        world.grant("feed-t", "feed", support, None, "trigger").await;
        world.say("texter", thread, "agent").await;
        world.say("feed", thread, "app").await;
        let context = world.context(world.ask("alex", thread, "go on").await).await;
        assert_eq!(
            marks(&context["thread_context"]),
            [["agent", "other", "agent", "unverified"], ["app", "other", "app", "unverified"]]
        );
    }

    // C16: an agent knows itself by its id, under whatever name, and nobody else.
    async fn c16_a_sibling_of_the_same_name_is_not_oneself(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        world.execute(&SHOW_AS, params![world.id("texter"), "lotse"]).await;
        world.say("lotse", thread, "mine").await;
        world.say("texter", thread, "of the sibling").await;
        world.rename("lotse", "pilot").await;
        world.rename("texter", "lotse").await;
        world.say("lotse", thread, "mine, renamed").await;
        world.say("texter", thread, "in my name").await;
        let context = world.context(world.ask("alex", thread, "@pilot go on").await).await;
        assert_eq!(
            marks(&context["thread_context"]),
            [
                ["mine", "assistant", "agent", "self"],
                ["of the sibling", "other", "agent", "unverified"],
                ["mine, renamed", "assistant", "agent", "self"],
                ["in my name", "other", "agent", "unverified"],
            ]
        );
    }

    // C21: nothing is fetched from elsewhere, however public, nor from after the parent.
    async fn c21_other_places_do_not_reach_a_context(db: TestDb) {
        let mut world = World::new(&db).await;
        for (name, who, space) in [
            ("robin-s", "robin", world.places.support),
            ("robin-m", "robin", world.places.marketing),
            ("alex-m", "alex", world.places.marketing),
        ] {
            world.grant(name, who, space, None, "write").await;
        }
        let main = world.places.main;
        let elsewhere = world.thread(world.places.eskalation, None).await;
        world.say("robin", main, "before the parent").await;
        let parent = world.say("alex", main, "the parent").await.id;
        for place in [main, elsewhere, world.places.hidden] {
            world.say("robin", place, "planted").await;
        }
        let thread = world.thread(world.places.allgemein, Some(parent)).await;
        world.say("writer", thread, "in the thread").await;
        let context = world.context(world.ask("alex", thread, "planted, is there more?").await).await;
        let texts = |window: &Value| marks(window).iter().map(|mark| mark[0].to_owned()).collect::<Vec<_>>();
        assert_eq!(texts(&context["channel_context"]), ["before the parent"]);
        assert_eq!(texts(&context["thread_context"]), ["in the thread"]);
        assert_eq!(context["parent_message"]["content_md"], "the parent");
        assert_eq!(context.to_string().matches("planted").count(), 1, "only what Alex typed");
    }

    // The name that an import gives its writer is shown beside whoever imported it, and gives nothing.
    async fn the_writer_of_an_imported_message_is_named_apart(db: TestDb) {
        let world = World::new(&db).await;
        let thread = world.places.thread;
        let old = world.say("writer", thread, "from before").await;
        world.execute(&IMPORT, params![old.id, "alex"]).await;
        world.say("writer", thread, "from here").await;
        let context = world.context(world.ask("alex", thread, "go on").await).await;
        let window = &context["thread_context"];
        assert_eq!((&window[0]["imported_author"], &window[0]["author"]["handle"]), (&"alex".into(), &"writer".into()));
        assert_eq!(marks(window)[0], ["from before", "other", "import", "unverified"]);
        assert!(window[1].get("imported_author").is_none());
    }

    // However long the thread is, reading takes the same statements.
    async fn the_number_of_statements_does_not_grow_with_the_thread(db: TestDb) {
        let world = World::new(&db).await;
        let mut costs = Vec::new();
        for length in [10, 1_000] {
            let thread = world.long_thread(length).await;
            let run = world.ask("alex", thread, "what do we know?").await;
            costs.push(world.cost(run).await);
        }
        assert!(costs[0] > 0, "statements are counted");
        assert_eq!(costs[0], costs[1]);
    }
}
