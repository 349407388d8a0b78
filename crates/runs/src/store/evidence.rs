//! What the contexts of a run contained (RC-18): ids, trust and cuts, never content.

use bothy_domain::ids::RunId;
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, Row, UnitOfWork, params, statements};

use super::row::get;

statements! {
    /// The newest entry of a run.
    NEWEST_EVIDENCE = "SELECT ordinal, at, elements FROM run_evidence WHERE run_id = $1 ORDER BY ordinal DESC LIMIT 1";
    /// A new entry, unless another one has its place already.
    INSERT_EVIDENCE =
        "INSERT INTO run_evidence (run_id, ordinal, at, elements) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    /// Forgets the entries up to a place.
    DELETE_EVIDENCE = "DELETE FROM run_evidence WHERE run_id = $1 AND ordinal <= $2";
    /// A page of the entries of a run, newest first.
    EVIDENCE =
        "SELECT ordinal, at, elements FROM run_evidence WHERE run_id = $1 AND ordinal < $2 ORDER BY ordinal DESC LIMIT $3";
}

/// An entry as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EvidenceRow {
    pub(crate) ordinal: i64,
    pub(crate) at: Timestamp,
    pub(crate) elements: String,
}

fn evidence_of(row: &Row) -> Result<EvidenceRow, Problem> {
    Ok(EvidenceRow { ordinal: get(row, "ordinal")?, at: get(row, "at")?, elements: get(row, "elements")? })
}

pub(crate) async fn newest(reader: &Reader, run: RunId) -> Result<Option<EvidenceRow>, Problem> {
    reader.optional(&NEWEST_EVIDENCE, params![run]).await.or_problem()?.as_ref().map(evidence_of).transpose()
}

/// Whether the entry got its place.
pub(crate) async fn insert(
    unit: &UnitOfWork,
    run: RunId,
    ordinal: i64,
    at: Timestamp,
    elements: &str,
) -> Result<bool, Problem> {
    Ok(unit.execute(&INSERT_EVIDENCE, params![run, ordinal, at, elements]).await.or_problem()? == 1)
}

pub(crate) async fn forget_up_to(unit: &UnitOfWork, run: RunId, ordinal: i64) -> Result<(), Problem> {
    unit.execute(&DELETE_EVIDENCE, params![run, ordinal]).await.or_problem().map(drop)
}

/// Entries before a place, newest first.
pub(crate) async fn page(reader: &Reader, run: RunId, before: i64, fetch: i64) -> Result<Vec<EvidenceRow>, Problem> {
    reader.all(&EVIDENCE, params![run, before, fetch]).await.or_problem()?.iter().map(evidence_of).collect()
}
