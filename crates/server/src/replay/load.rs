use std::collections::HashMap;

use bothy_domain::ids::{PrincipalId, SpaceId, ThreadId};
use bothy_platform::entropy::SharedEntropy;
use bothy_sdk::{Client, Error};

use super::kept::Kept;
use super::report::{Refusal, Report};
use super::transcript::Transcript;

/// Why a transcript was not loaded to its end. What was loaded before is kept, and running it again
/// goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The token is not one that may load transcripts.
    #[error("the token does not count ({0}): give the token of a login session of an owner")]
    Owner(Error),
    /// The server went away in the middle.
    #[error("stopped at {at}: {cause}; run it again to go on from there")]
    Stopped {
        /// The position of the element.
        at: String,
        /// Why.
        cause: Error,
    },
}

/// Is told how far the loading is.
pub type Progress<'a> = dyn Fn(&str, usize, usize) + Send + Sync + 'a;

/// A person whom the loader can act as.
pub(super) struct Member {
    pub(super) id: PrincipalId,
    pub(super) client: Client,
}

/// A channel that the loader can post to.
pub(super) struct Place {
    pub(super) id: bothy_domain::ids::ChannelId,
    pub(super) space: SpaceId,
    pub(super) main: ThreadId,
}

/// Loads one transcript.
#[allow(missing_debug_implementations, reason = "holds passwords")]
pub struct Replay<'a> {
    pub(super) owner: Client,
    pub(super) entropy: SharedEntropy,
    pub(super) progress: &'a Progress<'a>,
    pub(super) kept: Kept,
    pub(super) report: Report,
    pub(super) people: HashMap<String, Member>,
    pub(super) places: HashMap<String, Place>,
}

impl<'a> Replay<'a> {
    /// A loader that acts as this owner for what only an owner may do, and goes on from what a run
    /// before has kept. `refused` is what was refused while the file was read.
    pub fn new(
        owner: Client,
        entropy: SharedEntropy,
        kept: Kept,
        refused: Vec<Refusal>,
        progress: &'a Progress<'a>,
    ) -> Self {
        let report = Report { refused, ..Report::default() };
        Self { owner, entropy, progress, kept, report, people: HashMap::new(), places: HashMap::new() }
    }

    /// Loads it: people, then channels with their members, then messages in their order.
    ///
    /// # Errors
    /// [`ReplayError`]; whatever the server refuses is in the report instead.
    pub async fn run(&mut self, transcript: &Transcript) -> Result<(), ReplayError> {
        self.kept.messages.clear();
        self.load_people(&transcript.people).await?;
        self.load_channels(&transcript.channels).await?;
        self.load_messages(&transcript.messages).await
    }

    /// What became of it.
    pub const fn report(&self) -> &Report {
        &self.report
    }

    /// What was made.
    pub const fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Takes the answer of the server: a refusal goes into the report, and only a server that is gone
    /// ends the run.
    pub(super) fn judge<T>(&mut self, at: &str, answer: Result<T, Error>) -> Result<Option<T>, ReplayError> {
        match answer {
            Ok(value) => Ok(Some(value)),
            Err(cause) if cause.is_temporary() => Err(ReplayError::Stopped { at: at.to_owned(), cause }),
            Err(cause) => {
                self.refuse(at, format!("the server answers {cause}"));
                Ok(None)
            }
        }
    }

    pub(super) fn refuse(&mut self, at: &str, message: impl Into<String>) {
        self.report.refused.push(Refusal::new(at, message));
    }
}
