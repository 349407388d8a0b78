use std::process::ExitCode;

use bothy_platform::config::ConfigError;

use crate::wiring::StartError;

/// Why a command did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Something could not be done (exit code 1).
    #[error("{0}")]
    Refused(String),
    /// The configuration is wrong (exit code 3): one line for each mistake.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The server cannot start (exit code 4).
    #[error(transparent)]
    Start(#[from] StartError),
}

impl Failure {
    /// The code that the process ends with. Code 2, a wrong command line, is that of the parser.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Refused(_) => 1,
            Self::Config(_) => 3,
            Self::Start(_) => 4,
        })
    }
}

impl From<bothy_sdk::Error> for Failure {
    fn from(error: bothy_sdk::Error) -> Self {
        Self::Refused(error.to_string())
    }
}
