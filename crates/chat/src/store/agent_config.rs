use bothy_domain::ids::ChannelId;
use bothy_storage::{DecodeProblem, Reader, Row, StorageError, UnitOfWork, params, statements};

use super::channels::switches;
use super::word;
use crate::facts::AgentConfig;
use crate::words::Egress;

statements! {
    /// The switches of one channel, with prompt and skills.
    AGENT_CONFIG =
        "SELECT c.id AS channel_id, c.respond_to, c.respond_in_threads, c.allow_mentioned_agents, c.auto_thread, \
           c.history_backfill_limit, c.egress, c.prompt, c.skills, c.version \
         FROM channels c WHERE c.id = $1";
    /// Sets the switches of a channel that still has the version that was judged.
    UPDATE_AGENT_CONFIG =
        "UPDATE channels SET respond_to = $3, respond_in_threads = $4, allow_mentioned_agents = $5, \
           auto_thread = $6, history_backfill_limit = $7, egress = $8, prompt = $9, skills = $10, \
           version = version + 1 \
         WHERE id = $1 AND version = $2";
}

fn config(row: &Row) -> Result<AgentConfig, StorageError> {
    let skills: Option<String> = row.get("skills")?;
    let skills = match skills {
        None => Vec::new(),
        Some(json) => serde_json::from_str(&json).map_err(|_| StorageError::Decode {
            column: "skills".to_owned(),
            problem: DecodeProblem::OutOfRange { expected: "a list of names" },
        })?,
    };
    Ok(AgentConfig {
        channel: row.get("channel_id")?,
        switches: switches(row)?,
        history_backfill_limit: row.get("history_backfill_limit")?,
        egress: word(row, "egress", "a word of egress", Egress::parse)?,
        prompt: row.get("prompt")?,
        skills,
        version: row.get("version")?,
    })
}

pub(crate) async fn by_channel(reader: &Reader, channel: ChannelId) -> Result<Option<AgentConfig>, StorageError> {
    reader.optional(&AGENT_CONFIG, params![channel]).await?.as_ref().map(config).transpose()
}

/// Writes everything but the version, which counts on. Whether the channel still had the version
/// of `config`.
pub(crate) async fn update(uow: &UnitOfWork, config: &AgentConfig) -> Result<bool, StorageError> {
    let skills = (!config.skills.is_empty()).then(|| serde_json::Value::from(config.skills.clone()).to_string());
    let changed = uow
        .execute(
            &UPDATE_AGENT_CONFIG,
            params![
                config.channel,
                config.version,
                config.switches.respond_to.as_str(),
                config.switches.respond_in_threads,
                config.switches.allow_mentioned_agents,
                config.switches.auto_thread,
                config.history_backfill_limit,
                config.egress.as_str(),
                &config.prompt,
                skills
            ],
        )
        .await?;
    Ok(changed == 1)
}
