//! Requests with one key at the same time, on one node and on two.

use super::*;

/// Requests may take an hour, so that the steps of time in these tests never end one that is slow in
/// real time.
fn patient() -> Config {
    toml::from_str("[http]\nrequest_timeout = \"1h\"").unwrap()
}

/// Lets time pass in small steps until a request is answered. A unit of work between two steps lets
/// the request come to its own.
async fn answered(door: &Door, mut pending: tokio::task::JoinHandle<Answer>) -> Answer {
    loop {
        tokio::select! {
            biased;
            answer = &mut pending => return answer.unwrap(),
            () = pause(door) => door.clock.advance(Duration::from_millis(100)),
        }
    }
}

both_databases! {
    async fn a_repetition_waits_for_the_first(db: TestDb) {
        let door = Door::open_with(db, &patient()).await;
        let ask = Ask::new("key", "wait");
        let first = ask.start(&door);
        door.maker.waiting.acquire().await.unwrap().forget();
        let second = ask.start(&door);
        let other = Ask::new("key", "hello").send(&door).await;
        assert_eq!((other.status.as_u16(), other.code()), (409, "idempotency_conflict"));
        door.maker.gate.add_permits(1);
        assert_eq!(number(&first.await.unwrap()), 1);
        assert_eq!(number(&answered(&door, second).await), 1);
        assert_eq!(door.maker.tried.load(Ordering::SeqCst), 1);
    }

    async fn a_repetition_waits_for_another_node(db: TestDb) {
        let door = Door::open_with(db, &patient()).await;
        let twin = door.twin(&patient()).await;
        let ask = Ask::new("key", "wait");
        let first = ask.start(&door);
        door.maker.waiting.acquire().await.unwrap().forget();
        let second = ask.start(&twin);
        one_waits(&door).await;
        door.maker.gate.add_permits(1);
        assert_eq!(number(&first.await.unwrap()), 1);
        assert_eq!(number(&answered(&door, second).await), 1);
        assert_eq!(door.maker.tried.load(Ordering::SeqCst), 1);
    }

    /// Rights that go while a request waits are gone when it is answered.
    async fn c104_who_waited_is_let_in_afresh(db: TestDb) {
        let door = Door::open_with(db, &patient()).await;
        let twin = door.twin(&patient()).await;
        let ask = Ask::new("key", "wait");
        let first = ask.start(&door);
        door.maker.waiting.acquire().await.unwrap().forget();
        let second = ask.start(&twin);
        one_waits(&door).await;
        door.world.revoked.lock().unwrap().insert(alex());
        door.maker.gate.add_permits(1);
        assert_eq!(first.await.unwrap().status, StatusCode::CREATED);
        assert_eq!(answered(&door, second).await.code(), "not_found");
    }

    /// When the first fails, one that waited is executed.
    async fn a_waiting_repetition_takes_the_place_of_a_failure(db: TestDb) {
        let door = Door::open_with(db, &patient()).await;
        let ask = Ask::new("key", "wait");
        let first = ask.start(&door);
        door.maker.waiting.acquire().await.unwrap().forget();
        // The first runs into its time limit; the second, sent later, does not.
        door.clock.advance(Duration::from_secs(1200));
        let second = ask.start(&door);
        one_waits(&door).await;
        door.clock.advance(Duration::from_secs(2400));
        assert_eq!(first.await.unwrap().code(), "unavailable");
        door.maker.waiting.acquire().await.unwrap().forget();
        door.maker.gate.add_permits(1);
        assert_eq!(number(&answered(&door, second).await), 1);
        assert_eq!((door.maker.tried.load(Ordering::SeqCst), made(&door)), (2, 1));
    }

    async fn many_at_once_are_executed_once(db: TestDb) {
        let door = Door::open_with(db, &patient()).await;
        let twin = door.twin(&patient()).await;
        let ask = Ask::new("key", "hello");
        let pending: Vec<_> = (0..16).map(|index| ask.start(if index % 2 == 0 { &door } else { &twin })).collect();
        let mut all = futures::future::join_all(pending);
        let answers = loop {
            tokio::select! {
                biased;
                answers = &mut all => break answers,
                () = pause(&door) => door.clock.advance(Duration::from_millis(50)),
            }
        };
        let first = answers[0].as_ref().unwrap().body.clone();
        assert!(answers.iter().all(|answer| answer.as_ref().unwrap().body == first), "{first}");
        assert_eq!(door.maker.tried.load(Ordering::SeqCst), 1);
    }
}
