//! The commands that agents offer.

use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_domain::request::CommandDefinition;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, Row, UnitOfWork, params, statements};

statements! {
    /// A page of the commands of an agent, in its order.
    COMMANDS =
        "SELECT ordinal, definition FROM agent_commands WHERE agent_id = $1 AND ordinal > $2 ORDER BY ordinal LIMIT $3";
    /// One command of an agent.
    COMMAND = "SELECT definition FROM agent_commands WHERE agent_id = $1 AND name = $2";
    /// Locks an agent, so that two declarations at once do not mix.
    LOCK_AGENT = "UPDATE agents SET version = version WHERE principal_id = $1 RETURNING version";
    /// Forgets what an agent offered.
    DELETE_COMMANDS = "DELETE FROM agent_commands WHERE agent_id = $1";
    /// A command.
    INSERT_COMMAND = "INSERT INTO agent_commands (agent_id, name, ordinal, definition) VALUES ($1, $2, $3, $4)";
}

fn definition_of(row: &Row) -> Result<CommandDefinition, Problem> {
    let text: String = row.get("definition").or_problem()?;
    serde_json::from_str(&text).map_err(Problem::internal)
}

/// Commands after a place, each with its place.
pub(crate) async fn of_agent(
    reader: &Reader,
    agent: PrincipalId,
    after: i64,
    fetch: i64,
) -> Result<Vec<(i64, CommandDefinition)>, Problem> {
    let rows = reader.all(&COMMANDS, params![agent, after, fetch]).await.or_problem()?;
    rows.iter().map(|row| Ok((row.get("ordinal").or_problem()?, definition_of(row)?))).collect()
}

pub(crate) async fn one(reader: &Reader, agent: PrincipalId, name: &str) -> Result<Option<CommandDefinition>, Problem> {
    reader.optional(&COMMAND, params![agent, name]).await.or_problem()?.as_ref().map(definition_of).transpose()
}

pub(crate) async fn replace(
    unit: &UnitOfWork,
    agent: PrincipalId,
    commands: &[CommandDefinition],
) -> Result<(), Problem> {
    unit.returning_optional(&LOCK_AGENT, params![agent]).await.or_problem()?;
    unit.execute(&DELETE_COMMANDS, params![agent]).await.or_problem()?;
    for (ordinal, command) in (0_i64..).zip(commands) {
        let definition = serde_json::to_string(command).map_err(Problem::internal)?;
        unit.execute(&INSERT_COMMAND, params![agent, &command.name, ordinal, definition]).await.or_problem()?;
    }
    Ok(())
}
