//! The commands that an agent offers (RC-17).

use std::collections::BTreeSet;

use bothy_domain::action::actions;
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_domain::request::CommandDefinition;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{Reader, work};

use crate::{Agents, store};

impl Agents {
    /// The agent says which commands it offers; what it offered before and does not name is gone.
    /// Runs that were started by a command go on.
    ///
    /// # Errors
    /// `validation_failed` for a definition that is none, for a name that stands there twice, and for
    /// more than `agent.max_commands`.
    pub(crate) async fn set_agent_commands(
        &self,
        allowed: Allowed<actions::AgentCommandsDeclare>,
        commands: Vec<CommandDefinition>,
    ) -> Result<Vec<CommandDefinition>, Problem> {
        let agent: PrincipalId = allowed.id();
        check(&commands, self.commands_max)?;
        let (allowed, declared) = (&allowed, &commands);
        transact(&self.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                store::command::replace(unit, agent, declared).await?;
                Ok(())
            })
        })
        .await?;
        Ok(commands)
    }

    /// The commands of an agent, in the order in which it named them. Whoever may know the agent may
    /// know what it offers.
    ///
    /// # Errors
    /// `validation_failed` for a cursor of another list.
    pub(crate) async fn list_agent_commands(
        &self,
        allowed: Allowed<actions::AgentRead>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<CommandDefinition>, Problem> {
        let paging = Paging::parse(limit, cursor, self.pages)?;
        let after = paging.after_int()?.unwrap_or(-1);
        let reader = self.database.reader().await.or_problem()?;
        let rows = store::command::of_agent(&reader, allowed.id(), after, paging.fetch()).await?;
        Ok(page(rows, paging.limit, |(ordinal, _)| Cursor::int(*ordinal)).map(|(_, command)| command))
    }

    /// One command of an agent, if it offers it.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn command(
        &self,
        reader: &Reader,
        agent: PrincipalId,
        name: &str,
    ) -> Result<Option<CommandDefinition>, Problem> {
        store::command::one(reader, agent, name).await
    }
}

fn check(commands: &[CommandDefinition], most: usize) -> Result<(), Problem> {
    if commands.len() > most {
        return Err(Problem::invalid("/commands", format!("must have at most {most} items")));
    }
    let mut names = BTreeSet::new();
    for (index, command) in commands.iter().enumerate() {
        let place = format!("/commands/{index}");
        command.check().map_err(|mistake| {
            let mistake = mistake.at(&place);
            Problem::invalid(mistake.pointer, mistake.message)
        })?;
        if !names.insert(command.name.as_str()) {
            return Err(Problem::invalid(format!("{place}/name"), "is the name of another command already"));
        }
    }
    Ok(())
}
