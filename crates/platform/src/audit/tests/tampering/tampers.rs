use bothy_storage::{Statement, UnitOfWork, Value, params};
use uuid::Uuid;

use super::super::store::{
    COPY, CUT, FORGET_CHECKPOINTS, INSERT, REMOVE, SET_CHECKPOINT_HASH, SET_CHECKPOINT_SIGNATURE, SET_COUNT, SET_HASH,
    SET_HEAD, SET_KEY, SET_POSITION, SET_PREVIOUS, SHIFT, SHIFTED,
};
use crate::audit::chain::Chain;
use crate::audit::store::chain;

/// Something that is done to a log.
#[derive(Debug)]
pub(super) enum Tamper {
    /// One member gets another value.
    Set { statement: &'static Statement, position: i64, value: Option<Value> },
    /// An entry goes and leaves a gap.
    Remove(i64),
    /// Entries go and the later ones move up; perhaps the head is set to where the log now ends.
    Close { first: i64, count: i64, head: bool },
    /// The tail goes; with the head, and with its checkpoints.
    Cut { first: i64, head: bool, checkpoints: bool },
    /// Two entries change places.
    Swap(i64, i64),
    /// A new entry, the later ones move down; with a hash of its own that is right, or with none.
    Insert { position: i64, sealed: bool },
    /// An entry once more, the later ones move down.
    Copy { of: i64, position: i64 },
    /// A second entry that continues the same one, at the end.
    Branch { from: i64 },
    /// Another link and the hash that goes with it.
    Relink(i64),
    /// Another count and the hash that goes with it.
    Rehash(i64),
    /// Another count, and every hash from there on anew, the head too; perhaps without checkpoints.
    Recompute { first: i64, checkpoints: bool },
    /// Other entries from there on, well linked.
    Fork { first: i64, checkpoints: bool },
    /// The end of the log is said to be elsewhere.
    Head(i64),
    /// The end of the log has no hash any more.
    HeadHash,
    /// A checkpoint says something else.
    CheckpointHash(i64),
    /// A checkpoint with another signature.
    CheckpointSignature(i64),
    /// Another audit key.
    Key,
}

/// What is done to a log of 1,000 entries with checkpoints at 600 and 1,000, what is found without
/// and what with the last of them kept elsewhere.
pub(super) fn all() -> Vec<(Tamper, &'static str, &'static str)> {
    use Tamper::{
        Branch, CheckpointHash, CheckpointSignature, Close, Copy, Cut, Fork, Head, HeadHash, Insert, Key, Recompute,
        Rehash, Relink, Remove, Set, Swap,
    };
    let unseal = |position| Set { statement: &SET_POSITION, position, value: Some(Value::Null) };
    vec![
        (Remove(1), "removed 1", "removed 1"),
        (Remove(500), "removed 500", "removed 500"),
        (Remove(1_000), "cut 1000", "cut 1000"),
        (unseal(500), "removed 500", "removed 500"),
        (Close { first: 1, count: 1, head: true }, "removed 1", "removed 1"),
        (Close { first: 500, count: 1, head: false }, "removed 500", "removed 500"),
        (Close { first: 500, count: 1, head: true }, "removed 500", "removed 500"),
        (Close { first: 500, count: 10, head: false }, "removed 500", "removed 500"),
        // Nothing tells how many are gone any more, but that something is wrong there.
        (Close { first: 500, count: 10, head: true }, "changed 500", "changed 500"),
        (Cut { first: 991, head: false, checkpoints: false }, "cut 991", "cut 991"),
        (Cut { first: 991, head: true, checkpoints: false }, "cut 991", "cut 991"),
        (Cut { first: 991, head: false, checkpoints: true }, "cut 991", "cut 991"),
        // Without a checkpoint from elsewhere this is a log that never was longer.
        (Cut { first: 991, head: true, checkpoints: true }, "intact", "cut 991"),
        (Cut { first: 301, head: true, checkpoints: true }, "intact", "cut 301"),
        (Cut { first: 1, head: true, checkpoints: true }, "intact", "cut 1"),
        (Swap(500, 501), "reordered 500", "reordered 500"),
        (Swap(500, 700), "reordered 500", "reordered 500"),
        (Swap(1, 1_000), "reordered 1", "reordered 1"),
        (Insert { position: 1, sealed: false }, "added 1", "added 1"),
        (Insert { position: 500, sealed: false }, "added 500", "added 500"),
        (Insert { position: 500, sealed: true }, "added 500", "added 500"),
        (Insert { position: 1_001, sealed: false }, "added 1001", "added 1001"),
        (Insert { position: 1_001, sealed: true }, "added 1001", "added 1001"),
        (Insert { position: 0, sealed: false }, "added 0", "added 0"),
        (Copy { of: 300, position: 500 }, "added 500", "added 500"),
        (Branch { from: 700 }, "added 1001", "added 1001"),
        (Relink(1), "changed 1", "changed 1"),
        (Relink(500), "changed 500", "changed 500"),
        (Relink(1_000), "changed 1000", "changed 1000"),
        (Rehash(1), "changed 1", "changed 1"),
        (Rehash(500), "changed 500", "changed 500"),
        (Rehash(999), "changed 999", "changed 999"),
        (Rehash(1_000), "rewritten 1000", "rewritten 1000"),
        (Recompute { first: 1, checkpoints: false }, "rewritten 600", "rewritten 600"),
        (Recompute { first: 700, checkpoints: false }, "rewritten 1000", "rewritten 1000"),
        // Rewritten as a whole: only a checkpoint from elsewhere tells.
        (Recompute { first: 700, checkpoints: true }, "intact", "rewritten 1000"),
        (Recompute { first: 1, checkpoints: true }, "intact", "rewritten 1000"),
        (Fork { first: 300, checkpoints: false }, "rewritten 600", "rewritten 600"),
        (Fork { first: 701, checkpoints: false }, "rewritten 1000", "rewritten 1000"),
        (Fork { first: 701, checkpoints: true }, "intact", "rewritten 1000"),
        (Head(990), "added 991", "added 991"),
        (Head(1_010), "cut 1001", "cut 1001"),
        (HeadHash, "rewritten 1000", "rewritten 1000"),
        (CheckpointHash(600), "checkpoint 600", "checkpoint 600"),
        (CheckpointSignature(600), "checkpoint 600", "checkpoint 600"),
        (CheckpointSignature(1_000), "checkpoint 1000", "checkpoint 1000"),
        (Key, "checkpoint 600", "checkpoint 1000"),
    ]
}

impl Tamper {
    /// Whether it changes the place of an entry and not what it says.
    pub(super) fn moves(&self) -> bool {
        matches!(self, Self::Set { statement, .. } if statement.name() == "SET_POSITION")
    }

    pub(super) async fn apply(&self, unit: &UnitOfWork) {
        let run =
            async |statement: &'static Statement, values: &[Value]| unit.execute(statement, values).await.unwrap();
        match *self {
            Self::Set { statement, position, ref value } => {
                let values: Vec<Value> = [Value::from(position)].into_iter().chain(value.clone()).collect();
                assert_eq!(run(statement, &values).await, 1);
            }
            Self::Remove(position) => assert_eq!(run(&REMOVE, params![position]).await, 1),
            Self::Close { first, count, head } => {
                for position in first..first + count {
                    run(&REMOVE, params![position]).await;
                }
                shift(unit, first, -count).await;
                if head {
                    move_head_to_end(unit).await;
                }
            }
            Self::Cut { first, head, checkpoints } => {
                run(&CUT, params![first]).await;
                if head {
                    move_head_to_end(unit).await;
                }
                if checkpoints {
                    run(&FORGET_CHECKPOINTS, params![first]).await;
                }
            }
            Self::Swap(left, right) => {
                run(&SET_POSITION, params![left, 100_000_i64]).await;
                run(&SET_POSITION, params![right, left]).await;
                run(&SET_POSITION, params![100_000_i64, right]).await;
            }
            Self::Insert { position, sealed } => {
                shift(unit, position.max(1), i64::from(position > 0)).await;
                let before = hash_at(unit, position - 1).await;
                let values = params![Uuid::from_u128(0xbad), position, before, [1; 32]];
                unit.returning_one(&INSERT, values).await.unwrap();
                if sealed {
                    rehash(unit, position).await;
                }
            }
            Self::Copy { of, position } => {
                shift(unit, position, 1).await;
                run(&COPY, params![of, Uuid::from_u128(0xbad), position]).await;
            }
            Self::Branch { from } => {
                let end = 1_001_i64;
                let values = params![Uuid::from_u128(0xbad), end, hash_at(unit, from).await, [1; 32]];
                unit.returning_one(&INSERT, values).await.unwrap();
                rehash(unit, end).await;
            }
            Self::Relink(position) => {
                run(&SET_PREVIOUS, params![position, [9; 32]]).await;
                rehash(unit, position).await;
            }
            Self::Rehash(position) => {
                run(&SET_COUNT, params![position, 77]).await;
                rehash(unit, position).await;
            }
            Self::Recompute { first, checkpoints } => {
                run(&SET_COUNT, params![first, 77]).await;
                reseal(unit, first).await;
                if checkpoints {
                    run(&FORGET_CHECKPOINTS, params![first]).await;
                }
            }
            Self::Fork { first, checkpoints } => {
                for position in first..=1_000 {
                    run(&SET_COUNT, params![position, 77]).await;
                }
                reseal(unit, first).await;
                if checkpoints {
                    run(&FORGET_CHECKPOINTS, params![first]).await;
                }
            }
            Self::Head(position) => {
                run(&SET_HEAD, params![position, hash_at(unit, 1_000).await]).await;
            }
            Self::HeadHash => {
                run(&SET_HEAD, params![1_000, Value::Null]).await;
            }
            Self::CheckpointHash(position) => {
                run(&SET_CHECKPOINT_HASH, params![position, [9; 32]]).await;
            }
            Self::CheckpointSignature(position) => {
                run(&SET_CHECKPOINT_SIGNATURE, params![position, [9; 64]]).await;
            }
            Self::Key => {
                // A point, but not the one that signed.
                let other = ed25519_dalek::SigningKey::from_bytes(&[5; 32]).verifying_key();
                run(&SET_KEY, params![other.to_bytes()]).await;
            }
        }
    }
}

async fn shift(unit: &UnitOfWork, first: i64, by: i64) {
    unit.execute(&SHIFT, params![first, by]).await.unwrap();
    unit.execute(&SHIFTED, params![]).await.unwrap();
}

async fn hash_at(unit: &UnitOfWork, position: i64) -> Vec<u8> {
    match chain::sealed(unit, position - 1, 1).await.unwrap().first() {
        Some(record) if record.position == Some(position) => record.hash.clone(),
        _ => vec![0; 32],
    }
}

async fn rehash(unit: &UnitOfWork, position: i64) {
    let record = chain::sealed(unit, position - 1, 1).await.unwrap().remove(0);
    let hash = record.digest(position, &record.previous_hash);
    unit.execute(&SET_HASH, params![position, hash]).await.unwrap();
}

/// Computes the chain anew from an entry on, as the sealer would have.
async fn reseal(unit: &UnitOfWork, first: i64) {
    let mut end = Chain::at(first - 1, hash_at(unit, first - 1).await.try_into().unwrap());
    for record in chain::sealed(unit, first - 1, 2_000).await.unwrap() {
        end.seal(&record);
        unit.execute(&SET_PREVIOUS, params![end.position, end.before]).await.unwrap();
        unit.execute(&SET_HASH, params![end.position, end.hash]).await.unwrap();
    }
    chain::move_head(unit, &end).await.unwrap();
}

async fn move_head_to_end(unit: &UnitOfWork) {
    let (end, _) = chain::counts(unit).await.unwrap();
    unit.execute(&SET_HEAD, params![end, hash_at(unit, end).await]).await.unwrap();
}
