use std::sync::Arc;

use bothy_domain::action::actions;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_storage::Database;

use crate::audit::checkpoint::{Checkpoint, newest_checkpoint};
use crate::failure::OrProblem;
use crate::http::{Allowed, Json, RouteTable, Routes, get};

/// The operations of the audit log: `getAuditCheckpoint`.
pub fn routes(database: Database) -> RouteTable {
    let mut routes = Routes::new(Arc::new(database));
    let checkpoint = get("getAuditCheckpoint", "/audit/checkpoint", "The newest checkpoint of the audit log").describe(
        "A signed statement of how many entries the log has and what the last one is. Keep it somewhere else: with \
         it, `bothy audit verify --checkpoint FILE` also finds entries that were cut off, and a log that was written \
         anew. Until the first checkpoint is signed, the answer is 404.",
    );
    routes.add(checkpoint, get_audit_checkpoint);
    routes.into_table()
}

async fn get_audit_checkpoint(
    _: Allowed<actions::AuditRead>,
    database: Arc<Database>,
    (): (),
) -> Result<Json<Checkpoint>, Problem> {
    let reader = database.reader().await.or_problem()?;
    let newest = newest_checkpoint(&reader).await.or_problem()?;
    newest.map(Json::new).ok_or(Problem::new(ProblemCode::NotFound))
}
