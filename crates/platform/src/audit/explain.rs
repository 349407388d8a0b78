use bothy_storage::{Reader, StorageError};

use crate::audit::chain::{Break, Chain};
use crate::audit::record::Record;
use crate::audit::store::chain;
use crate::audit::verify::{Fault, FaultKind};

/// Says what was done to the log where the chain breaks: `chain` is the last good place, `record` the
/// entry that was found after it, `head` the end of the chain as the sealer left it.
pub(super) async fn explain(
    reader: &Reader,
    chain: &Chain,
    record: &Record,
    broken: Break,
    head: &Chain,
) -> Result<Fault, StorageError> {
    let position = chain.position.saturating_add(1);
    let fault = |kind| Ok(Fault { kind, position });
    if position > head.position {
        return fault(FaultKind::Added);
    }
    if broken == Break::Link {
        return replaced(reader, chain, record, head).await;
    }
    let following = chain::following(reader, &chain.hash).await?;
    // The entry that belongs here stands somewhere else.
    let displaced = following.iter().any(|other| other.entry != record.entry && other.sealed_as(position));
    if broken == Break::Gap {
        let elsewhere = displaced || (record.previous_hash == chain.hash && record.sealed_as(position));
        return fault(if elsewhere { FaultKind::Reordered } else { FaultKind::Removed });
    }
    if record.previous_hash == chain.before && record.sealed_as(chain.position) {
        // What stands here belongs one place before, where a forged entry took its place.
        return Ok(Fault { kind: FaultKind::Added, position: chain.position });
    }
    let moved = belongs_elsewhere(reader, record, position, head).await?;
    fault(match (displaced, moved) {
        (true, true) => FaultKind::Reordered,
        (true, false) => FaultKind::Added,
        (false, true) => FaultKind::Removed,
        (false, false) => FaultKind::Changed,
    })
}

/// The entry fits its own hash but names another one before it, so it or the one before was replaced.
/// What comes after tells which: it still names the true one.
async fn replaced(reader: &Reader, chain: &Chain, record: &Record, head: &Chain) -> Result<Fault, StorageError> {
    let position = chain.position.saturating_add(1);
    let next = chain::sealed(reader, position, 1).await?;
    let named = match next.first() {
        Some(next) => next.previous_hash == record.hash,
        None => head.hash == *record.hash,
    };
    let position = if named && chain.position > 0 { chain.position } else { position };
    Ok(Fault { kind: FaultKind::Changed, position })
}

/// Whether the entry was sealed at another position: next to this one, as many places off as entries
/// are missing, or behind the entry that it names.
async fn belongs_elsewhere(
    reader: &Reader,
    record: &Record,
    position: i64,
    head: &Chain,
) -> Result<bool, StorageError> {
    let (sealed, _) = chain::counts(reader).await?;
    let missing = head.position.saturating_sub(sealed);
    let behind = chain::position_of(reader, &record.previous_hash).await?.map(|before| before.saturating_add(1));
    let places = [position.saturating_sub(1), position.saturating_add(1), position.saturating_add(missing)];
    Ok(places.into_iter().chain(behind).any(|place| place != position && record.sealed_as(place)))
}
