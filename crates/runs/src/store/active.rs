//! The runs that are under way, over all threads that a scope shows.

use bothy_chat::visible_thread;
use bothy_domain::ids::RunId;
use bothy_domain::policy::Scope;
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_platform::visible::scope_params;
use bothy_storage::{Reader, Value, statements};

use super::row::{RunRow, run_columns, runs_of};

statements! {
    /// The active runs in threads of visible channels. They are few, however many threads there are.
    ACTIVE_IN_SCOPE = concat!(
        "SELECT ", run_columns!(), " FROM runs WHERE state IN ('queued', 'running', 'waiting_input') AND id > $4",
        " AND ", visible_thread!("runs.thread_id", "$1", "$2", "$3"), " ORDER BY id LIMIT $5"
    );
}

pub(crate) async fn in_scope(
    reader: &Reader,
    scope: &Scope,
    after: Option<RunId>,
    limit: i64,
) -> Result<Vec<RunRow>, Problem> {
    let [wide, spaces, channels] = scope_params(scope);
    let after = after.unwrap_or(RunId::from_uuid(uuid::Uuid::nil()));
    let params = [wide, spaces, channels, Value::from(after), Value::from(limit)];
    runs_of(&reader.all(&ACTIVE_IN_SCOPE, &params).await.or_problem()?)
}
