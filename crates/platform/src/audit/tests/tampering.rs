mod tampers;

use bothy_storage::{UnitOfWork, Value};
use bothy_testkit::{TestDb, both_databases};
use uuid::Uuid;

use super::export::{Exported, python_counts_broken_members, python_verdicts};
use super::store::{
    FLIP_EFFECT, PAD_DETAILS, SET_ACTING_FOR, SET_ACTION, SET_ACTOR, SET_ACTOR_KIND, SET_AT, SET_COUNT, SET_DETAILS,
    SET_ENTRY, SET_HASH, SET_ID, SET_POSITION, SET_PREVIOUS, SET_REASON, SET_RESOURCE, SET_RESOURCE_KIND, SET_RUN,
};
use super::support::{Node, id};
use crate::audit::chain::Chain;
use crate::audit::record::Record;
use crate::audit::store::chain;
use crate::audit::{Checkpoint, Fault, FaultKind, export, verify};
use crate::clock::ManualClock;
use crate::tests_support::open;
use tampers::Tamper;

/// A log of this many entries, signed at two places.
async fn signed_log(db: &TestDb, first: u128, second: u128) -> (Node, Checkpoint, Checkpoint) {
    let node = Node::new(&open(db).await, &ManualClock::default(), 1).await;
    node.fill(first).await;
    node.seal().await;
    let early = node.checkpoint().await;
    node.fill(second).await;
    node.seal().await;
    let late = node.checkpoint().await;
    (node, early, late)
}

/// Verifies a log as somebody has left it in a unit of work that is never committed.
async fn look(unit: &UnitOfWork, kept: Option<&Checkpoint>) -> Option<Fault> {
    verify(unit, kept).await.unwrap().fault
}

/// The log for the other verifier.
async fn exported(unit: &UnitOfWork) -> Vec<u8> {
    let mut lines = Vec::new();
    export(unit, &mut lines).await.unwrap();
    lines
}

fn verdict(fault: Option<Fault>) -> String {
    fault.map_or_else(|| "intact".to_owned(), |fault| format!("{} {}", fault.kind.as_str(), fault.position))
}

/// Each member of a stored entry, with another value.
fn members(position: i64) -> Vec<Tamper> {
    let id = || Value::from(Uuid::from_u128(0xdead));
    let text = || Value::from("other");
    let hash = || Value::from([9_u8; 32]);
    [
        (&SET_ENTRY, Some(Value::from(100_000 + position))),
        (&SET_ID, Some(id())),
        (&SET_POSITION, Some(Value::from(100_000 + position))),
        (&SET_AT, Some(Value::from(7_i64))),
        (&SET_ACTOR_KIND, Some(text())),
        (&SET_ACTOR, Some(id())),
        (&SET_ACTION, Some(text())),
        (&FLIP_EFFECT, None),
        (&SET_REASON, Some(text())),
        (&SET_REASON, Some(Value::from(""))),
        (&SET_RESOURCE_KIND, Some(text())),
        (&SET_RESOURCE_KIND, Some(Value::Null)),
        (&SET_RESOURCE, Some(id())),
        (&SET_RUN, Some(id())),
        (&SET_ACTING_FOR, Some(id())),
        (&SET_DETAILS, Some(Value::from("{\"other\":\"\"}"))),
        (&SET_DETAILS, Some(Value::from("no \"object\""))),
        (&PAD_DETAILS, None),
        (&SET_COUNT, Some(Value::from(7_i64))),
        (&SET_PREVIOUS, Some(hash())),
        (&SET_PREVIOUS, Some(Value::Null)),
        (&SET_HASH, Some(hash())),
        (&SET_HASH, Some(Value::Null)),
    ]
    .into_iter()
    .map(|(statement, value)| Tamper::Set { statement, position, value })
    .collect()
}

fn record_members() -> Vec<fn(&mut Record)> {
    fn other<K>(id: &mut Option<bothy_domain::ids::Id<K>>) {
        let changed = id.map_or(1, |id| id.uuid().as_u128() ^ 1);
        *id = Some(bothy_domain::ids::Id::from_uuid(Uuid::from_u128(changed)));
    }
    vec![
        |record| record.entry += 1,
        |record| record.id = id(1),
        |record| record.at -= 1,
        |record| record.actor_kind.push(' '),
        |record| other(&mut record.actor_id),
        |record| record.action.push('x'),
        |record| record.effect.push('x'),
        |record| record.reason = record.reason.is_none().then(String::new),
        |record| record.resource_kind = record.resource_kind.is_none().then(String::new),
        |record| other(&mut record.resource_id),
        |record| other(&mut record.run_id),
        |record| other(&mut record.acting_for_id),
        |record| record.details.push(' '),
        |record| record.count += 1,
    ]
}

both_databases! {
    /// Every entry of a log of 1,000 changed in every member, alone and with its own hash computed
    /// anew: by both verifiers.
    async fn every_change_of_every_entry_breaks_the_chain(db: TestDb) {
        let (node, _, _) = signed_log(&db, 600, 400).await;
        let reader = node.database.consistent_reader().await.unwrap();
        let records = chain::sealed(&reader, 0, 2_000).await.unwrap();
        assert_eq!(records.len(), 1_000);
        let members = record_members();
        let mut before = Chain::START;
        for (place, record) in records.iter().enumerate() {
            for member in &members {
                let mut changed = record.clone();
                member(&mut changed);
                assert!(before.clone().follow(&changed).is_err());
                changed.hash = changed.digest(before.position + 1, &changed.previous_hash).to_vec();
                let mut after = before;
                after.follow(&changed).unwrap();
                assert!(records.get(place + 1).is_none_or(|next| after.follow(next).is_err()));
                assert_ne!(after.hash, *record.hash);
            }
            for forge in [|record: &mut Record| record.previous_hash[31] ^= 1, |record: &mut Record| record.hash[0] ^= 1] {
                let mut changed = record.clone();
                forge(&mut changed);
                assert!(before.clone().follow(&changed).is_err());
            }
            before.follow(record).unwrap();
        }
        let mut lines = Vec::new();
        assert_eq!(export(&reader, &mut lines).await.unwrap(), 1_000);
        // Sixteen members and the hash.
        assert_eq!(python_counts_broken_members(&lines), 17 * 1_000);
    }

    /// Every entry of a log of 1,000 removed, swapped with the next, preceded by one that was never
    /// sealed, continued twice, and the log cut, computed anew and forked there: the chain breaks, or
    /// ends in something else than the checkpoint covers.
    async fn every_place_of_a_log_is_held_by_the_chain_or_the_checkpoint(db: TestDb) {
        let (node, _, late) = signed_log(&db, 600, 400).await;
        let reader = node.database.consistent_reader().await.unwrap();
        let records = chain::sealed(&reader, 0, 2_000).await.unwrap();
        let mut before = Chain::START;
        for (place, record) in records.iter().enumerate() {
            let (here, rest) = (before, &records[place..]);
            // Cut: what is left ends before the place that was signed.
            assert!(!late.covers(here.position, &here.hash), "cut after {}", here.position);
            if let [removed, next, ..] = rest {
                let mut moved_up = next.clone();
                moved_up.position = removed.position;
                for instead in [next, &moved_up] {
                    assert!(here.clone().follow(instead).is_err(), "{place}: removed, or swapped with the next");
                }
            }
            // An entry that fits perfectly, before this one or instead of it.
            let mut forged = record.clone();
            forged.id = id(0xbad);
            forged.hash = forged.digest(here.position + 1, &here.hash).to_vec();
            let mut after = here;
            after.follow(&forged).unwrap();
            let mut moved_down = record.clone();
            moved_down.position = record.position.map(|position| position + 1);
            for next in [record, &moved_down] {
                assert!(after.clone().follow(next).is_err(), "{place}: inserted, or continued twice");
            }
            // All that follows computed anew, from each tenth place: a good chain to another end.
            if place % 10 == 9 {
                let mut recomputed = after;
                for later in &rest[1..] {
                    recomputed.seal(later);
                }
                assert_eq!(recomputed.position, late.position);
                assert!(!late.covers(recomputed.position, &recomputed.hash), "{place}: recomputed");
            }
            before.follow(record).unwrap();
        }
        assert!(late.covers(before.position, &before.hash));
    }

    /// In the database, with the name of the entry.
    async fn a_changed_entry_is_named(db: TestDb) {
        let (node, _, late) = signed_log(&db, 6, 6).await;
        let mut cases = Vec::new();
        let mut verdicts = Vec::new();
        for position in 1..=12 {
            for tamper in members(position) {
                let unit = node.database.begin().await.unwrap();
                let untouched = chain::sealed(&unit, position - 1, 1).await.unwrap();
                tamper.apply(&unit).await;
                if chain::sealed(&unit, position - 1, 1).await.unwrap() == untouched {
                    // What it sets is what was there.
                    continue;
                }
                let fault = look(&unit, Some(&late)).await;
                let kind = if tamper.moves() { FaultKind::Reordered } else { FaultKind::Changed };
                assert_eq!(fault, Some(Fault { kind, position }), "{tamper:?}");
                verdicts.push(verdict(fault));
                cases.push(Exported { lines: exported(&unit).await, kept: Some(late.clone()) });
            }
        }
        assert!(cases.len() > 250);
        assert_eq!(python_verdicts(&cases), verdicts);
    }

    /// C96, and everything else that can be done to a log of 1,000 entries.
    async fn whatever_is_done_to_a_log_is_found(db: TestDb) {
        let (node, early, late) = signed_log(&db, 600, 400).await;
        let mut cases = Vec::new();
        let mut verdicts = Vec::new();
        for (tamper, alone, with_checkpoint) in tampers::all() {
            let unit = node.database.begin().await.unwrap();
            tamper.apply(&unit).await;
            let lines = exported(&unit).await;
            for (kept, expected) in [(None, alone), (Some(&late), with_checkpoint)] {
                let found = verdict(look(&unit, kept).await);
                assert_eq!(found, expected, "{tamper:?}, checkpoint kept: {}", kept.is_some());
                verdicts.push(found);
                cases.push(Exported { lines: lines.clone(), kept: kept.cloned() });
            }
            drop(unit);
        }
        let unit = node.database.begin().await.unwrap();
        let lines = exported(&unit).await;
        let other_key = Checkpoint { public_key: crate::audit::Hex([3; 32]), ..late.clone() };
        for (kept, expected) in [
            (&early, "intact"),
            (&late, "intact"),
            (&Checkpoint { position: 999, ..late.clone() }, "checkpoint 999"),
            (&Checkpoint { hash: early.hash, ..late.clone() }, "checkpoint 1000"),
            (&other_key, "checkpoint 1000"),
        ] {
            let found = verdict(look(&unit, Some(kept)).await);
            assert_eq!(found, expected);
            verdicts.push(found);
            cases.push(Exported { lines: lines.clone(), kept: Some(kept.clone()) });
        }
        assert_eq!(python_verdicts(&cases), verdicts);
    }
}
