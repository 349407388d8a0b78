//! The active runs that a change of rights may end. Ordered by id, so that two revocations lock
//! them in the same order.

use bothy_domain::ids::{ChannelId, PrincipalId, SpaceId};
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, params, statements};

use super::row::{RunRow, run_columns, runs_of};

statements! {
    /// Of people who trigger, or of agents that work.
    ACTIVE_OF_PRINCIPALS = concat!(
        "SELECT ", run_columns!(), " FROM runs WHERE state IN ('queued', 'running', 'waiting_input')",
        " AND (triggered_by IN (ID_LIST($1)) OR agent_id IN (ID_LIST($1))) ORDER BY id"
    );
    /// In a channel.
    ACTIVE_IN_CHANNEL = concat!(
        "SELECT ", run_columns!("r."), " FROM runs r JOIN threads t ON t.id = r.thread_id",
        " WHERE r.state IN ('queued', 'running', 'waiting_input') AND t.channel_id = $1 ORDER BY r.id"
    );
    /// In a space.
    ACTIVE_IN_SPACE = concat!(
        "SELECT ", run_columns!("r."), " FROM runs r JOIN threads t ON t.id = r.thread_id",
        " JOIN channels c ON c.id = t.channel_id",
        " WHERE r.state IN ('queued', 'running', 'waiting_input') AND c.space_id = $1 ORDER BY r.id"
    );
}

pub(crate) async fn of_principals(reader: &Reader, principals: &[PrincipalId]) -> Result<Vec<RunRow>, Problem> {
    runs_of(&reader.all(&ACTIVE_OF_PRINCIPALS, params![principals]).await.or_problem()?)
}

pub(crate) async fn in_channel(reader: &Reader, channel: ChannelId) -> Result<Vec<RunRow>, Problem> {
    runs_of(&reader.all(&ACTIVE_IN_CHANNEL, params![channel]).await.or_problem()?)
}

pub(crate) async fn in_space(reader: &Reader, space: SpaceId) -> Result<Vec<RunRow>, Problem> {
    runs_of(&reader.all(&ACTIVE_IN_SPACE, params![space]).await.or_problem()?)
}
