use std::time::Duration;

use bothy_platform::config::Config;
use bothy_platform::paging::PageLimits;

/// The limits and periods of runs, by their configuration keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunSettings {
    /// How long an invocation token is valid (`agent.invocation_token_ttl`).
    pub token_ttl: Duration,
    /// How far the clocks of nodes may be apart (`auth.clock_leeway`).
    pub clock_leeway: Duration,
    /// How many agents one message may start (`agent.max_invocations_per_message`).
    pub max_invocations: usize,
    /// How long a run waits for its agent (`agent.queue_timeout`).
    pub queue_timeout: Duration,
    /// How long a working agent may be silent (`agent.lease_timeout`).
    pub lease_timeout: Duration,
    /// How long an agent has to end a run that was cancelled (`agent.cancel_grace`).
    pub cancel_grace: Duration,
    /// How long a poll may wait (`agent.poll_max_wait`).
    pub poll_max_wait: Duration,
    /// How many events a poll returns at most (`agent.poll_batch_max`).
    pub poll_batch: usize,
    /// Most bytes of a context beside the triggering message (`agent.context_max_bytes`).
    pub context_max_bytes: usize,
    /// Most bytes of one element of a context (`agent.context_message_max_bytes`).
    pub context_message_max_bytes: usize,
    /// Most bytes of a draft or a question (`message.max_bytes`).
    pub text_max_bytes: usize,
    /// How many different answers of a context are kept (`agent.evidence_max_entries`).
    pub evidence_max: usize,
    /// How long a question with a time of its own may wait (`agent.question_max_ttl`).
    pub question_max_ttl: Duration,
    /// How many components a message may have (`agent.max_components`).
    pub components_max: usize,
    /// The lengths of pages (`http.page_limit_default`, `http.page_limit_max`).
    pub pages: PageLimits,
}

impl From<&Config> for RunSettings {
    fn from(config: &Config) -> Self {
        let agent = &config.agent;
        Self {
            token_ttl: agent.invocation_token_ttl.get(),
            clock_leeway: config.auth.clock_leeway.get(),
            max_invocations: agent.max_invocations_per_message.to_usize(),
            queue_timeout: agent.queue_timeout.get(),
            lease_timeout: agent.lease_timeout.get(),
            cancel_grace: agent.cancel_grace.get(),
            poll_max_wait: agent.poll_max_wait.get(),
            poll_batch: agent.poll_batch_max.to_usize(),
            context_max_bytes: agent.context_max_bytes.to_usize(),
            context_message_max_bytes: agent.context_message_max_bytes.to_usize(),
            text_max_bytes: config.message.max_bytes.to_usize(),
            evidence_max: agent.evidence_max_entries.to_usize(),
            question_max_ttl: agent.question_max_ttl.get(),
            components_max: agent.max_components.to_usize(),
            pages: config.into(),
        }
    }
}
