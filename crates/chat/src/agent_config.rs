//! The switches of a channel for agents (chapter 05 section 2).

use bothy_domain::action::{Action, actions};
use bothy_domain::event::EventKind;
use bothy_domain::ids::ChannelId;
use bothy_domain::problem::Problem;
use bothy_domain::trigger::RespondTo;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_storage::{Reader, work};

use crate::chat::{changed_meanwhile, gone, name_at};
use crate::store::agent_config as store;
use crate::{AgentConfig, Chat, Egress};

/// The most skills that a channel may name; each name is bounded like every other name.
const MAX_SKILLS: usize = 50;

/// What is to change; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentConfigChange {
    /// Whom the operator answers in the main thread.
    pub respond_to: Option<RespondTo>,
    /// Whether the operator answers in threads without being mentioned.
    pub respond_in_threads: Option<bool>,
    /// Whether agents that do not operate the channel may be called into it.
    pub allow_mentioned_agents: Option<bool>,
    /// Whether an answer in the main thread gets a thread of its own.
    pub auto_thread: Option<bool>,
    /// How many earlier messages a run context may hold.
    pub history_backfill_limit: Option<u32>,
    /// What happens when an agent would carry content out of the channel.
    pub egress: Option<Egress>,
    /// A text for the agents that work in the channel; an empty one takes it away.
    pub prompt: Option<String>,
    /// Names of skills; an empty list takes them away.
    pub skills: Option<Vec<String>>,
}

impl Chat {
    /// The switches of a channel, for people who manage it.
    ///
    /// # Errors
    /// `not_found` when the channel went away meanwhile.
    pub async fn get_channel_agent_config(
        &self,
        allowed: Allowed<actions::ChannelAgentConfigRead>,
    ) -> Result<AgentConfig, Problem> {
        config(&self.reader().await?, allowed.id()).await
    }

    /// The prompt and the skills of a channel, for the agents that work in it.
    ///
    /// # Errors
    /// `not_found` when the channel went away meanwhile.
    pub async fn get_agent_config(&self, allowed: Allowed<actions::AgentConfigRead>) -> Result<AgentConfig, Problem> {
        config(&self.reader().await?, allowed.id()).await
    }

    /// Changes the switches of a channel. The request must name the version that it read.
    ///
    /// # Errors
    /// `conflict` when it has another version, `validation_failed` for values out of bounds.
    pub async fn update_channel_agent_config(
        &self,
        allowed: Allowed<actions::ChannelUpdate>,
        change: AgentConfigChange,
    ) -> Result<AgentConfig, Problem> {
        let change = self.checked(change)?;
        let (id, change, allowed) = (allowed.id(), &change, &allowed);
        transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                let current = config(uow, id).await?;
                allowed.require_version(current.version)?;
                let wanted = changed(current.clone(), change.clone());
                if wanted == current {
                    return Ok(current);
                }
                if !store::update(uow, &wanted).await? {
                    return Err(changed_meanwhile().into());
                }
                let space = self.channel(uow, id).await?.ok_or_else(gone)?.space;
                self.record(uow, allowed.actor(), Action::ChannelUpdate, id.cast(), None).await?;
                self.tell_channel(uow, EventKind::ChannelUpdated, space, id).await?;
                Ok(config(uow, id).await?)
            })
        })
        .await
    }

    fn checked(&self, mut change: AgentConfigChange) -> Result<AgentConfigChange, Problem> {
        let most = self.config.channel.history_backfill_limit_max.get();
        if change.history_backfill_limit.is_some_and(|limit| u64::from(limit) > most) {
            return Err(Problem::invalid("/history_backfill_limit", format!("must be at most {most}")));
        }
        if let Some(prompt) = &change.prompt {
            if prompt.len() > self.config.message.max_bytes.to_usize() {
                return Err(Problem::invalid("/prompt", "is longer than a message may be"));
            }
            if prompt.contains('\0') {
                return Err(Problem::invalid("/prompt", "must not contain the character NUL"));
            }
        }
        if let Some(skills) = &mut change.skills {
            if skills.len() > MAX_SKILLS {
                return Err(Problem::invalid("/skills", format!("must be at most {MAX_SKILLS}")));
            }
            for (index, skill) in skills.iter_mut().enumerate() {
                *skill = name_at(&format!("/skills/{index}"), skill)?;
            }
        }
        Ok(change)
    }
}

async fn config(reader: &Reader, id: ChannelId) -> Result<AgentConfig, Problem> {
    store::by_channel(reader, id).await.or_problem()?.ok_or_else(gone)
}

fn changed(mut config: AgentConfig, change: AgentConfigChange) -> AgentConfig {
    let switches = &mut config.switches;
    switches.respond_to = change.respond_to.unwrap_or(switches.respond_to);
    switches.respond_in_threads = change.respond_in_threads.unwrap_or(switches.respond_in_threads);
    switches.allow_mentioned_agents = change.allow_mentioned_agents.unwrap_or(switches.allow_mentioned_agents);
    switches.auto_thread = change.auto_thread.unwrap_or(switches.auto_thread);
    config.history_backfill_limit = change.history_backfill_limit.unwrap_or(config.history_backfill_limit);
    config.egress = change.egress.unwrap_or(config.egress);
    if let Some(prompt) = change.prompt {
        config.prompt = Some(prompt).filter(|prompt| !prompt.trim().is_empty());
    }
    if let Some(skills) = change.skills {
        config.skills = skills;
    }
    config
}
