//! Clients that leave, and nodes that die.

use super::*;

/// Claims a request like a node that dies right after.
async fn claim(door: &Door, ask: &Ask) -> super::super::super::idempotency::Claim {
    let actor = Actor {
        principal: alex(),
        kind: PrincipalKind::Person,
        credential: Credential::Session { id: id(1), confirmed: true },
        rights_version: 1,
        acting_for: ActingFor::Absent,
        requires_binding: false,
    };
    match door.services.idempotency.turn(&door.services, &ask.asked(&actor)).await.unwrap() {
        Turn::Execute(claim) => claim,
        Turn::Answered(_) | Turn::Wait(_) => panic!("somebody has the claim"),
    }
}

both_databases! {
    /// A client that leaves can come back for its answer.
    async fn a_request_goes_on_when_its_client_leaves(db: TestDb) {
        let door = Door::open(db).await;
        let ask = Ask::new("key", "wait");
        let first = ask.start(&door);
        door.maker.waiting.acquire().await.unwrap().forget();
        first.abort();
        assert!(first.await.unwrap_err().is_cancelled());
        let second = ask.start(&door);
        door.maker.gate.add_permits(1);
        let answer = second.await.unwrap();
        assert_eq!((number(&answer), door.maker.tried.load(Ordering::SeqCst)), (1, 1));
    }

    /// The claim of a node that died expires, and the request can be made again.
    async fn a_crashed_claim_expires(db: TestDb) {
        let door = Door::open(db).await;
        let ask = Ask::new("key", "hello");
        claim(&door, &ask).await;
        let early = ask.start(&door);
        door.clock.until_sleepers(2).await;
        door.clock.advance(Duration::from_secs(30));
        assert_eq!(early.await.unwrap().code(), "unavailable");
        assert_eq!(made(&door), 0);
        door.clock.advance(Duration::from_secs(30));
        assert_eq!(number(&ask.send(&door).await), 1);
        assert_eq!(number(&ask.send(&door).await), 1);
    }

    /// A node that comes back from a long pause finds that it has lost its claim.
    async fn a_late_execution_takes_no_effect(db: TestDb) {
        let door = Door::open(db).await;
        let ask = Ask::new("key", "hello");
        let late = claim(&door, &ask).await;
        door.clock.advance(Duration::from_secs(61));
        let current = claim(&door, &ask).await;
        let now = door.clock.now();
        let unit = door.database.begin().await.unwrap();
        let refused = late.takes_effect(&unit, now).await.unwrap_err();
        assert_eq!(refused.code().as_str(), "unavailable");
        current.takes_effect(&unit, now).await.unwrap();
        unit.commit().await.unwrap();
    }

    /// Between the commit and the keeping of the answer nothing is done twice: the repetition is
    /// told that the answer is lost.
    async fn what_took_effect_is_never_done_twice(db: TestDb) {
        let door = Door::open(db).await;
        let ask = Ask::new("key", "hello");
        let lost = claim(&door, &ask).await;
        let unit = door.database.begin().await.unwrap();
        lost.takes_effect(&unit, door.clock.now()).await.unwrap();
        unit.commit().await.unwrap();
        door.clock.advance(Duration::from_secs(61));
        let answer = ask.send(&door).await;
        assert_eq!((answer.status.as_u16(), answer.code(), made(&door)), (409, "conflict", 0));
        door.clock.advance(Duration::from_secs(24 * 3600));
        assert_eq!(number(&ask.send(&door).await), 1);
    }

    /// The same when the node lives and the handler fails after its commit.
    async fn a_failure_after_the_effect_is_not_executed_again(db: TestDb) {
        let door = Door::open(db).await;
        let ask = Ask::new("key", "lost");
        let first = ask.start(&door);
        while made(&door) == 0 {
            tokio::task::yield_now().await;
        }
        door.clock.advance(Duration::from_secs(30));
        assert_eq!(first.await.unwrap().code(), "unavailable");
        door.clock.advance(Duration::from_secs(31));
        assert_eq!(ask.send(&door).await.code(), "conflict");
        assert_eq!(door.maker.tried.load(Ordering::SeqCst), 1);
    }
}
