use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::span::{DAY, HOUR, MILLISECOND, MINUTE, SECOND};
use super::{Network, Number, PublicUrl, Secret, Span};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;
const GIB: u64 = 1024 * MIB;

/// Where the server listens and where it keeps its data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// Address and port to listen on. The server refuses to listen beyond loopback unless
    /// `server.trusted_proxies` or `server.allow_plain_http` is set.
    #[schemars(with = "String")]
    pub listen: SocketAddr,
    /// The address under which people reach the server, such as `https://chat.example.com`. It is
    /// the one setting that matters behind a proxy: links and the checks of a browser's origin are
    /// made from it. Without it, the address of `server.listen` counts.
    #[schemars(with = "Option<String>")]
    pub public_url: Option<PublicUrl>,
    /// The folder of everything that the server keeps: the SQLite database and the instance secret.
    #[schemars(with = "String")]
    pub data_folder: PathBuf,
    /// The database: `postgres://user:password@host/name` or `sqlite:///path/of/a/folder`. Without
    /// it, SQLite in the data folder.
    pub database_url: Option<Secret>,
    /// What to do at start about migrations that the database does not have yet: run them, or
    /// refuse to start.
    pub migrate: MigrateMode,
    /// The instance secret, at least 32 characters that nobody can guess. It seals the private keys
    /// in the database, so every node of an instance needs the same one. Without it, the file
    /// `instance.secret` in the data folder, which is made at the first start.
    pub secret: Option<Secret>,
    /// How long requests may go on after the server was told to stop.
    pub shutdown_grace: Span<0, HOUR>,
    /// Proxies whose forwarded headers count, as addresses or networks such as `10.0.0.0/8`.
    #[schemars(with = "Vec<String>")]
    pub trusted_proxies: Vec<Network>,
    /// Listen beyond loopback without TLS and without a proxy: passwords and tokens then cross the
    /// network in the clear.
    pub allow_plain_http: bool,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7878)),
            public_url: None,
            data_folder: PathBuf::from("./bothy-data"),
            database_url: None,
            migrate: MigrateMode::Auto,
            secret: None,
            shutdown_grace: Span::of(20 * SECOND),
            trusted_proxies: Vec::new(),
            allow_plain_http: false,
        }
    }
}

impl Server {
    /// The address of the server for links and for the check of a browser's origin, without a
    /// slash at its end.
    pub fn public_origin(&self) -> String {
        self.public_url.as_ref().map_or_else(|| format!("http://{}", self.listen), ToString::to_string)
    }
}

/// What to do about pending migrations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MigrateMode {
    /// Run them.
    Auto,
    /// Refuse to start.
    Check,
}

/// Limits on requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Http {
    /// Largest body of a request.
    pub max_body_bytes: Number<KIB, GIB>,
    /// Largest head of a request: the request line and all headers together.
    pub max_header_bytes: Number<{ 8 * KIB }, MIB>,
    /// Longest path and query of a request.
    pub max_url_bytes: Number<256, { 64 * KIB }>,
    /// How long the head of a request may take to arrive, and how long a connection may stay idle
    /// between two requests.
    pub header_timeout: Span<{ 100 * MILLISECOND }, HOUR>,
    /// How long the body of a request may take to arrive, and how long a client may take nothing of
    /// an answer before it is cut off.
    pub body_timeout: Span<{ 100 * MILLISECOND }, HOUR>,
    /// How long the server may work on a request that does not wait for anything.
    pub request_timeout: Span<{ 100 * MILLISECOND }, HOUR>,
    /// How many connections are served at once; further ones are told that the server is busy.
    pub max_connections: Number<1, 1_000_000>,
    /// For how long the answer to a request with an `Idempotency-Key` is kept and given again.
    pub idempotency_ttl: Span<MINUTE, { 30 * DAY }>,
    /// How many items a page of a list has when the request does not say.
    pub page_limit_default: Number<1, 1000>,
    /// How many items a page of a list may have.
    pub page_limit_max: Number<1, 1000>,
}

impl Default for Http {
    fn default() -> Self {
        Self {
            max_body_bytes: Number::of(MIB),
            max_header_bytes: Number::of(32 * KIB),
            max_url_bytes: Number::of(8 * KIB),
            header_timeout: Span::of(15 * SECOND),
            body_timeout: Span::of(30 * SECOND),
            request_timeout: Span::of(30 * SECOND),
            max_connections: Number::of(16_384),
            idempotency_ttl: Span::of(DAY),
            page_limit_default: Number::of(50),
            page_limit_max: Number::of(200),
        }
    }
}

/// Connections to the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Database {
    /// How many connections to PostgreSQL a node may open. SQLite has one writer and as many
    /// readers as the machine has cores.
    pub pool_size: Number<2, 1000>,
    /// How long a request waits for a free connection before it is told that the server is not
    /// available.
    pub checkout_timeout: Span<{ 10 * MILLISECOND }, { 5 * MINUTE }>,
}

impl Default for Database {
    fn default() -> Self {
        Self { pool_size: Number::of(16), checkout_timeout: Span::of(5 * SECOND) }
    }
}

/// Sign-in, sessions and tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    /// How long a person stays signed in.
    pub session_ttl: Span<MINUTE, { 400 * DAY }>,
    /// How long a confirmed password counts for what needs one.
    pub step_up_ttl: Span<{ 10 * SECOND }, DAY>,
    /// How long the setup link of a new instance is valid.
    pub setup_code_ttl: Span<MINUTE, { 7 * DAY }>,
    /// How long an invitation is valid.
    pub invite_ttl: Span<MINUTE, { 90 * DAY }>,
    /// How far the clocks of nodes may be apart when the times in a token are judged.
    pub clock_leeway: Span<0, { 5 * MINUTE }>,
    /// The fewest characters of a new password.
    pub password_min_length: Number<12, 128>,
    /// How many passwords are hashed at once. Each takes a core and some 20 MiB for a moment.
    pub max_concurrent_hashes: Number<1, 64>,
}

impl Default for Auth {
    fn default() -> Self {
        Self {
            session_ttl: Span::of(30 * DAY),
            step_up_ttl: Span::of(10 * MINUTE),
            setup_code_ttl: Span::of(HOUR),
            invite_ttl: Span::of(7 * DAY),
            clock_leeway: Span::of(30 * SECOND),
            password_min_length: Number::of(12),
            max_concurrent_hashes: Number::of(2),
        }
    }
}

/// Agents and their runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Agent {
    /// How long an invocation token is valid. A run may last longer and renew it.
    pub invocation_token_ttl: Span<SECOND, { 7 * DAY }>,
    /// Most bytes of message text in a run context, beside the triggering message.
    pub context_max_bytes: Number<1, { 64 * MIB }>,
    /// Most bytes of one earlier message in a run context; longer ones are cut.
    pub context_message_max_bytes: Number<1, { 16 * MIB }>,
    /// How many agents one message may start.
    pub max_invocations_per_message: Number<1, 100>,
    /// How long a run waits for an agent to take it before it fails.
    pub queue_timeout: Span<SECOND, { 7 * DAY }>,
    /// How long an agent that works on a run may be silent before the run fails.
    pub lease_timeout: Span<SECOND, DAY>,
    /// How long an agent has to end a run that somebody cancelled before the server ends it.
    pub cancel_grace: Span<0, HOUR>,
    /// How long a poll for events may wait.
    pub poll_max_wait: Span<0, { 5 * MINUTE }>,
    /// How many events a poll may return.
    pub poll_batch_max: Number<1, 1000>,
    /// How many commands an agent may offer.
    pub max_commands: Number<0, 200>,
    /// How many components an agent may put under one message.
    pub max_components: Number<0, 25>,
    /// How long a question of a run may wait for its answer when the question has a time of its own.
    pub question_max_ttl: Span<SECOND, { 90 * DAY }>,
    /// How many of the different answers that a run got when it read its context are kept as what its
    /// agent saw.
    pub evidence_max_entries: Number<1, 10_000>,
}

impl Default for Agent {
    fn default() -> Self {
        Self {
            invocation_token_ttl: Span::of(HOUR),
            context_max_bytes: Number::of(256 * KIB),
            context_message_max_bytes: Number::of(16 * KIB),
            max_invocations_per_message: Number::of(5),
            queue_timeout: Span::of(15 * MINUTE),
            lease_timeout: Span::of(2 * MINUTE),
            cancel_grace: Span::of(30 * SECOND),
            poll_max_wait: Span::of(30 * SECOND),
            poll_batch_max: Number::of(100),
            max_commands: Number::of(50),
            max_components: Number::of(10),
            question_max_ttl: Span::of(7 * DAY),
            evidence_max_entries: Number::of(200),
        }
    }
}

/// Defaults of channels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Channel {
    /// How many earlier messages a run context holds in a channel that does not say.
    pub history_backfill_limit_default: Number<0, 1000>,
    /// How many earlier messages a channel may let into a run context.
    pub history_backfill_limit_max: Number<0, 1000>,
}

impl Default for Channel {
    fn default() -> Self {
        Self { history_backfill_limit_default: Number::of(50), history_backfill_limit_max: Number::of(200) }
    }
}

/// Limits on messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Message {
    /// Most bytes of a message.
    pub max_bytes: Number<1, { 16 * MIB }>,
    /// Most bytes of a message in a list; longer ones are cut there and can be read one by one.
    pub list_content_max_bytes: Number<1, { 16 * MIB }>,
    /// How many mentions of a message count.
    pub max_mentions: Number<1, 1000>,
    /// How many different emoji the reactions to one message may have.
    pub max_reactions: Number<1, 1000>,
    /// How often one message may be edited; each earlier wording is kept.
    pub max_revisions: Number<1, 10_000>,
    /// How far the unread messages and mentions of a thread are counted; beyond that a count says
    /// that there are more.
    pub unread_count_max: Number<1, 10_000>,
    /// How many private notices are kept for one person; older ones go.
    pub max_notices: Number<1, 10_000>,
}

impl Default for Message {
    fn default() -> Self {
        Self {
            max_bytes: Number::of(64 * KIB),
            list_content_max_bytes: Number::of(16 * KIB),
            max_mentions: Number::of(50),
            max_reactions: Number::of(50),
            max_revisions: Number::of(100),
            unread_count_max: Number::of(100),
            max_notices: Number::of(200),
        }
    }
}

/// Decisions on rights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Authz {
    /// Of how many people and agents a node keeps the rights in memory.
    pub snapshot_cache_max_entries: Number<1, 10_000_000>,
}

impl Default for Authz {
    fn default() -> Self {
        Self { snapshot_cache_max_entries: Number::of(10_000) }
    }
}

/// The record of what was done and what was denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Audit {
    /// Equal denials within this time become one entry with a count, beside the entry of the first
    /// one, which is written at once.
    pub deny_aggregate_window: Span<SECOND, DAY>,
    /// How long an entry waits at most before it is linked into the chain in which a later change
    /// shows.
    pub seal_interval: Span<{ 10 * MILLISECOND }, HOUR>,
    /// How often the end of the chain is signed.
    pub checkpoint_interval: Span<SECOND, { 7 * DAY }>,
}

impl Default for Audit {
    fn default() -> Self {
        Self {
            deny_aggregate_window: Span::of(MINUTE),
            seal_interval: Span::of(SECOND),
            checkpoint_interval: Span::of(10 * MINUTE),
        }
    }
}

/// What the server writes to its log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// What is written: `error`, `warn`, `info`, `debug` or `trace`, or directives for single parts
    /// such as `info,bothy_runs=debug`.
    pub level: String,
    /// How it is written. `auto` writes text for people at a terminal and JSON otherwise.
    pub format: LogFormat,
}

impl Default for Log {
    fn default() -> Self {
        Self { level: "info".to_owned(), format: LogFormat::Auto }
    }
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Text at a terminal, JSON otherwise.
    Auto,
    /// Lines for people.
    Text,
    /// One JSON object a line.
    Json,
}
