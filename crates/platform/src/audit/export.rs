use std::io::{self, Write};

use bothy_storage::{Reader, StorageError};
use serde::Serialize;

use crate::audit::checkpoint::Checkpoint;
use crate::audit::draft::json;
use crate::audit::hex::{Hex, hex};
use crate::audit::record::{Canonical, Record};
use crate::audit::seal::PAGE;
use crate::audit::store::{chain, checkpoints};

/// Why an export ended early.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The lines could not be written.
    #[error("the export cannot be written ({0})")]
    Write(#[from] io::Error),
}

/// A line of an export: its member says what it is (`docs/audit-format.md`).
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    /// The end of the chain.
    Head { position: i64, hash: Hex<32> },
    /// A key that signs checkpoints, or has signed some.
    Key { kid: &'a str, public_key: Hex<32> },
    /// A checkpoint, behind the entry that it covers.
    Checkpoint(&'a Checkpoint),
}

/// An entry that waits for its seal.
#[derive(Serialize)]
struct Unsealed<'a> {
    unsealed: Canonical<'a>,
}

/// A sealed entry: the member `sealed` is exactly what is hashed.
#[derive(Serialize)]
struct Sealed<'a> {
    sealed: Canonical<'a>,
    hash: String,
}

/// Writes the whole log as JSON Lines: the end of the chain, the audit keys, the sealed entries in
/// their order with each checkpoint after the entry that it covers, and the entries that wait for
/// their seal. It is read page by page and never held as a whole. Returns how many entries it wrote.
///
/// `reader` must be one of `Database::consistent_reader`, because the log grows meanwhile.
///
/// # Errors
/// [`ExportError`].
pub async fn export(reader: &Reader, out: &mut impl Write) -> Result<u64, ExportError> {
    let head = chain::head(reader).await?;
    line(out, &Line::Head { position: head.position, hash: Hex(head.hash) })?;
    for (kid, public_key) in checkpoints::keys(reader).await? {
        line(out, &Line::Key { kid: &kid, public_key })?;
    }
    let mut written = 0;
    let mut after = i64::MIN;
    loop {
        let page = chain::sealed(reader, after, PAGE).await?;
        let Some(last) = page.last().and_then(|last| last.position) else { break };
        let signed = checkpoints::between(reader, after, last, u32::MAX).await?;
        let mut signed = signed.iter().peekable();
        for record in &page {
            sealed(out, record)?;
            while let Some(checkpoint) = signed.next_if(|next| Some(next.position) <= record.position) {
                line(out, &Line::Checkpoint(checkpoint))?;
            }
        }
        written += page.len() as u64;
        after = last;
        tokio::task::yield_now().await;
    }
    for checkpoint in checkpoints::between(reader, after, i64::MAX, u32::MAX).await? {
        line(out, &Line::Checkpoint(&checkpoint))?;
    }
    let mut after = i64::MIN;
    loop {
        let page = chain::unsealed(reader, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.entry;
        for record in &page {
            line(out, &Unsealed { unsealed: record.unsealed() })?;
        }
        written += page.len() as u64;
    }
    Ok(written)
}

fn sealed(out: &mut impl Write, record: &Record) -> io::Result<()> {
    let position = record.position.unwrap_or_default();
    line(out, &Sealed { sealed: record.canonical(position, &record.previous_hash), hash: hex(&record.hash) })
}

fn line(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    writeln!(out, "{}", json(line))
}
