use std::path::PathBuf;

use bothy_platform::config::{Config, ConfigError, ConfigFile, Environment, Flag, Loaded, Sources};
use clap::{Args, Parser, Subcommand, ValueEnum};

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  something could not be done; standard error says what
  2  the command line is wrong
  3  the configuration is wrong
  4  the server cannot start";

const EXAMPLES: &str = "\
Examples:
  bothy serve --demo                      try it, with nothing kept
  bothy serve --data /var/lib/bothy       run it
  bothy admin setup-code                  another code for the first owner
  bothy config show                       what is in force, and why

Exit codes:
  0  done
  1  something could not be done; standard error says what
  2  the command line is wrong
  3  the configuration is wrong
  4  the server cannot start";

/// Self-hosted team chat in which AI agents are members beside people.
#[derive(Debug, Parser)]
#[command(name = "bothy", version, after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the server.
    Serve(Serve),
    /// Check and explain the configuration.
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Print the OpenAPI description of the HTTP API.
    #[command(after_help = "Examples:\n  bothy openapi > openapi.json")]
    Openapi,
    /// Administer the server from its own machine.
    Admin {
        #[command(subcommand)]
        command: AdminCommand,
    },
    /// Check and export the record of what was done and what was denied.
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// Load a chat transcript through the API, as the people in it.
    Replay(Replay),
    /// Take over messages from another system.
    Import(Import),
    /// Ask a server whether it can work; for containers and monitors.
    Healthcheck(Healthcheck),
}

/// Where settings come from.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Settings {
    /// The configuration file; without it `bothy.toml` in the working folder, when there is one.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Sets one setting; may be repeated.
    #[arg(long = "set", value_name = "SECTION.KEY=VALUE")]
    set: Vec<String>,
    /// Address and port to listen on (server.listen).
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// The data folder (server.data_folder).
    #[arg(long, value_name = "FOLDER")]
    pub(super) data: Option<String>,
    /// The database, sqlite:// or postgres:// (server.database_url).
    #[arg(long, value_name = "URL")]
    pub(super) database: Option<String>,
}

impl Settings {
    /// Loads the configuration, with these further flags over it.
    pub(super) fn load(&self, further: Vec<Flag>) -> Result<Loaded, ConfigError> {
        let named = [
            ("--listen", "server.listen", &self.listen),
            ("--data", "server.data_folder", &self.data),
            ("--database", "server.database_url", &self.database),
        ];
        let named = named
            .into_iter()
            .filter_map(|(flag, key, value)| value.clone().map(|value| Flag::Named { flag, key, value }));
        let flags = self.set.iter().cloned().map(Flag::Set).chain(named).chain(further).collect();
        let file = match &self.config {
            Some(path) => ConfigFile::Required(path.clone()),
            None => ConfigFile::IfPresent(PathBuf::from("bothy.toml")),
        };
        Config::load(&Sources { flags, environment: Environment::process()?, file })
    }
}

/// Run the server.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  bothy serve
  bothy serve --demo
  bothy serve --data /var/lib/bothy --listen 127.0.0.1:7878
  bothy serve --database postgres://bothy@127.0.0.1/bothy --set server.secret_file=/etc/bothy/secret

A setting comes from a flag, else from BOTHY_SECTION__KEY in the environment, else from the file, else
from its default. `bothy config example` prints all of them.

{EXIT_CODES}"))]
pub(super) struct Serve {
    #[command(flatten)]
    pub(super) settings: Settings,
    /// Fill an empty instance with a small world of people, channels and an agent that answers.
    /// Without --data and --database nothing of it is kept.
    #[arg(long)]
    pub(super) demo: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Say whether the configuration is right.
    #[command(after_help = "Examples:\n  bothy config check --config /etc/bothy.toml")]
    Check(Settings),
    /// Print a configuration file with every setting, its explanation and its default.
    #[command(after_help = "Examples:\n  bothy config example > bothy.toml")]
    Example,
    /// Print the JSON schema of the configuration file.
    #[command(after_help = "Examples:\n  bothy config schema > bothy.schema.json")]
    Schema,
    /// Print the settings in force and where each comes from; secrets are masked.
    #[command(
        after_help = "Examples:\n  bothy config show\n  bothy config show --json | jq '.[] | select(.source != \"default\")'"
    )]
    Show {
        #[command(flatten)]
        settings: Settings,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the reference of all settings as Markdown.
    #[command(after_help = "Examples:\n  bothy config reference > docs/configuration.md")]
    Reference,
}

#[derive(Debug, Subcommand)]
pub(super) enum AdminCommand {
    /// Make another one-time code for the first owner; codes made before no longer count.
    #[command(after_help = "\
Examples:
  bothy admin setup-code --data /var/lib/bothy
  bothy admin setup-code --database postgres://bothy@127.0.0.1/bothy

With SQLite the server has to be stopped for this: the database serves one process at a time.")]
    SetupCode(Settings),
    /// Sign invocation tokens with a new key; tokens of the old one count as long as their runs last.
    #[command(after_help = "\
Examples:
  bothy admin rotate-keys --data /var/lib/bothy
  bothy admin rotate-keys --database postgres://bothy@127.0.0.1/bothy

Prints the id of the new key. Nodes that run sign with it within a minute. With SQLite the server has to be
stopped for this: the database serves one process at a time.")]
    RotateKeys(Settings),
}

#[derive(Debug, Subcommand)]
pub(super) enum AuditCommand {
    /// Say whether the audit log is as it was written, and else what was done to it first.
    #[command(after_help = "\
Examples:
  bothy audit verify --data /var/lib/bothy
  bothy audit verify --database postgres://bothy@127.0.0.1/bothy --checkpoint kept.json
  bothy audit verify --json | jq .unanchored

A checkpoint is what GET /api/v1/audit/checkpoint answers. One that was kept elsewhere shows whether
entries that it covers were cut off, or the log was written anew as a whole; nothing inside of the
database can tell that. With SQLite the server has to be stopped for this.

Exit codes:
  0  the log is intact
  1  it is not, or it could not be read; standard error says what
  3  the configuration is wrong
  4  the database cannot be opened")]
    Verify {
        #[command(flatten)]
        settings: Settings,
        /// A checkpoint that was kept elsewhere; `-` reads standard input.
        #[arg(long, value_name = "FILE")]
        checkpoint: Option<PathBuf>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Write the audit log to standard output, one JSON object a line.
    #[command(after_help = "\
Examples:
  bothy audit export --data /var/lib/bothy > audit.jsonl
  bothy audit export | python3 audit_verify.py - --checkpoint kept.json

docs/audit-format.md describes the lines. With SQLite the server has to be stopped for this.")]
    Export(Settings),
}

/// The form of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// The form that docs/replay.md describes.
    Transcript,
    /// An environment of the AgentDojo benchmark's Slack suite.
    AgentdojoSlack,
}

/// Load a chat transcript through the API, as the people in it.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  bothy replay transcript.json --server http://127.0.0.1:7878 --token-file owner.token
  bothy replay - --server https://chat.example.com --token-file owner.token --out people.json < transcript.json
  bothy replay environment.default.json --format agentdojo-slack --server http://127.0.0.1:7878 --token-file owner.token

The token is that of a login session of an owner. The transcript's people are invited and get
passwords of their own; --out keeps those, so that a second run goes on as the same people. Messages
that a run before has posted are not posted again. docs/replay.md describes the form.

{EXIT_CODES}"))]
pub(super) struct Replay {
    /// The transcript; `-` reads standard input.
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// The address of the server.
    #[arg(long, value_name = "URL")]
    pub(super) server: String,
    /// A file with the owner's session token; `-` reads standard input.
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: PathBuf,
    /// The form of the transcript.
    #[arg(long, value_enum, default_value_t = Format::Transcript)]
    pub(super) format: Format,
    /// Where to keep what was made, with passwords and session tokens (mode 0600). When the file
    /// exists, the people in it are taken as they are.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Print the summary as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Take over messages from another system.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  bothy import slack-export.zip --server https://chat.example.com --token-file me.token
  bothy import slack-export/ --server http://127.0.0.1:7878 --token-file me.token --space Slack --report report.json
  bothy import history.jsonl --server http://127.0.0.1:7878 --token-file me.token --channel-map general=0193f1f0-1111-7000-8000-0123456789ab

The token is that of a login session of somebody who may import into the channels; an owner may, and
sees the addresses by which authors are found. Messages keep their time and author and are marked as
imported for ever. Run it again after it broke off: nothing is taken twice. docs/import.md describes
the forms and what has no place here.

{EXIT_CODES}"))]
pub(super) struct Import {
    /// A folder or .zip of a Slack workspace export, or a file of JSON Lines.
    #[arg(value_name = "PATH")]
    pub(super) path: PathBuf,
    /// The address of the server.
    #[arg(long, value_name = "URL")]
    pub(super) server: String,
    /// A file with a session token; `-` reads standard input.
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: PathBuf,
    /// The space whose channels take the messages of channels of the same name; what is missing is made.
    #[arg(long, value_name = "NAME", default_value = "Import")]
    pub(super) space: String,
    /// Another channel for a channel of the export; may be repeated.
    #[arg(long, value_name = "NAME=CHANNEL_ID")]
    pub(super) channel_map: Vec<String>,
    /// Take private channels of a Slack export too. Whoever may read the channel here can then read them.
    #[arg(long)]
    pub(super) include_private: bool,
    /// Where to write, as JSON, what was not taken, each with its file and place.
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Ask a server whether it can work.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bothy healthcheck --server http://127.0.0.1:7878")]
pub(super) struct Healthcheck {
    /// The address of the server.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:7878")]
    pub(super) server: String,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[cfg(test)]
mod tests;
