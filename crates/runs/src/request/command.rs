use bothy_domain::action::actions;
use bothy_domain::ids::{PrincipalId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::request::{Arguments, CommandDefinition};
use bothy_domain::run::TriggerKind;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_storage::work;

use super::{Asked, command_line, invalid};
use crate::store::request::NewRequest;
use crate::{Runs, store};

/// A command that a person runs.
#[derive(Debug, Clone)]
pub(crate) struct CommandCall {
    pub(crate) agent: PrincipalId,
    pub(crate) name: String,
    pub(crate) arguments: Arguments,
}

impl Runs {
    /// A person runs a command of an agent in a thread. It is recorded there as a message of the
    /// person, and reaches the agent as a mention would.
    ///
    /// # Errors
    /// `validation_failed` for a command that the agent does not offer and for arguments that it does
    /// not take, `forbidden` when the person may not invoke the agent there, `conflict` when the
    /// thread is closed or the agent is not let in or cannot work there.
    pub(crate) async fn run_agent_command(
        &self,
        allowed: Allowed<actions::CommandRun>,
        call: CommandCall,
    ) -> Result<Asked, Problem> {
        let thread: ThreadId = allowed.id();
        let definition = self.offered(&call).await?;
        invalid("/arguments", definition.check_arguments(&call.arguments))?;
        let line = &command_line(&call.name, &call.arguments)?;
        let (allowed, call) = (&allowed, &call);
        let person = allowed.actor().principal;
        transact(&self.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                allowed.takes_effect(unit).await?;
                let request = self.messaging.write_request(unit, thread, person, line, None).await?;
                let asked = self.bring(unit, allowed, &request, call.agent, TriggerKind::Command).await?;
                let kept = NewRequest {
                    message: request.message,
                    agent: call.agent,
                    person,
                    kind: TriggerKind::Command,
                    name: &call.name,
                    target: None,
                };
                store::request::insert(unit, kept, self.now()).await?;
                Ok(asked)
            })
        })
        .await
    }

    /// The command as the agent offers it. What agents offer is known to everybody who is signed in.
    async fn offered(&self, call: &CommandCall) -> Result<CommandDefinition, Problem> {
        let reader = self.database.reader().await.or_problem()?;
        if self.agents.dm_policy(&reader, call.agent).await?.is_none() {
            return Err(Problem::invalid("/agent_id", "is no agent"));
        }
        let command = self.agents.command(&reader, call.agent, &call.name).await?;
        command.ok_or_else(|| Problem::invalid("/name", "is no command of the agent"))
    }
}
