//! What the server writes to its log. Logs go to standard error, so that standard output stays free
//! for what a command answers.

use std::io::{IsTerminal, stderr, stdout};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

use crate::config::{Log, LogFormat};

/// Why logging cannot start.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// `log.level` is not understood.
    #[error("log.level: {0}")]
    Level(#[from] ParseError),
    /// Something else in this process logs already.
    #[error("logging was started twice: {0}")]
    Twice(#[from] TryInitError),
}

/// Starts logging for the whole process. `colour` is for text at a terminal.
///
/// # Errors
/// [`TelemetryError`].
pub fn start(log: &Log, colour: bool) -> Result<(), TelemetryError> {
    let filter = EnvFilter::builder().parse(&log.level)?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr);
    if writes_json(log.format, stdout().is_terminal()) {
        lines.json().flatten_event(true).with_current_span(true).with_span_list(false).finish().try_init()?;
    } else {
        lines.with_ansi(colour && stderr().is_terminal()).finish().try_init()?;
    }
    Ok(())
}

const fn writes_json(format: LogFormat, terminal: bool) -> bool {
    match format {
        LogFormat::Auto => !terminal,
        LogFormat::Text => false,
        LogFormat::Json => true,
    }
}

#[cfg(test)]
mod tests;
