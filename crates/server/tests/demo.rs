//! `bothy serve --demo`: the world is there, and its agent answers like any adapter.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod support;

use std::time::Duration;

use bothy::demo;
use bothy_sdk::wire::NewMessage;
use bothy_testkit::{both_databases, sqlite_folder};
use support::TestServer;
use support::process::{Serving, bothy};

both_databases! {
    async fn the_echo_agent_answers_in_the_thread_that_the_question_opened(db: TestDb) {
        let server = TestServer::start(&db).await;
        let world = server.world().await;
        let question = NewMessage { content_md: "@lotse when are we open?", ..NewMessage::default() };
        let posted = world.alex.client.create_message(world.allgemein.main, &question).await.unwrap();
        let thread = posted.opened_thread_id.expect("a thread of its own");
        let run = *posted.run_ids.first().expect("a run");
        let answered = async {
            loop {
                let run = world.alex.client.get_run(run).await.unwrap();
                if run.state == "completed" {
                    return;
                }
                assert!(matches!(run.state.as_str(), "queued" | "running"), "{run:?}");
                tokio::task::yield_now().await;
            }
        };
        demo::echo(world.lotse.client.clone(), answered).await.unwrap();
        let messages = world.alex.client.list_thread_messages(thread).await.unwrap();
        let answer = messages.last().unwrap();
        assert_eq!((answer.author.handle.as_str(), answer.origin.as_deref()), ("lotse", Some("agent")));
        assert!(answer.content_md.contains("> @lotse when are we open?"), "{}", answer.content_md);
        server.stop().await;
    }
}

#[test]
fn the_program_builds_it_and_an_answer_comes() {
    let folder = sqlite_folder();
    let server = Serving::start(bothy(folder.path()).args(["serve", "--demo", "--listen", "127.0.0.1:0"]), "Ctrl-C");
    assert!(!folder.path().join("bothy-data").exists(), "nothing is kept");
    let password = server
        .greeting
        .lines()
        .find(|line| line.contains("alex@example.com"))
        .and_then(|line| line.split_whitespace().last())
        .unwrap()
        .to_owned();
    let main = server.greeting.split("/threads/").nth(1).unwrap().split('/').next().unwrap().parse().unwrap();
    bothy_testkit::run(async {
        let anonymous = bothy_sdk::Client::anonymous(&server.url()).unwrap();
        let login = bothy_sdk::wire::NewSession { email: "alex@example.com", password: &password };
        let alex = anonymous.with_token(&anonymous.create_session(&login).await.unwrap().token).unwrap();
        let question = NewMessage { content_md: "@lotse are you there?", ..NewMessage::default() };
        let thread = alex.create_message(main, &question).await.unwrap().opened_thread_id.unwrap();
        for _ in 0..200 {
            let messages = alex.list_thread_messages(thread).await.unwrap();
            if messages.iter().any(|message| message.author.handle == "lotse") {
                return;
            }
            pause(Duration::from_millis(50)).await;
        }
        panic!("no answer");
    });
}

/// The program runs on the time of the machine, so waiting for it takes real time.
async fn pause(time: Duration) {
    bothy_sdk::Wait::wait(&bothy_sdk::SystemWait, time).await;
}
