use bothy_domain::action::actions;
use bothy_domain::ids::MessageId;
use bothy_domain::names::display_name;
use bothy_domain::problem::Problem;
use bothy_domain::run::{FollowUpChange, RunState};
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::{UnitOfWork, work};

use super::slipped;
use crate::store::row::RunRow;
use crate::{Runs, event, store};

/// What an agent shows of its work; what is absent stays, an empty text takes away.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunPatch {
    pub(crate) status_line: Option<String>,
    pub(crate) progress: Option<u8>,
    pub(crate) draft: Option<String>,
    pub(crate) absorbed: Vec<MessageId>,
}

impl Runs {
    /// Changes what is shown of a run that the agent works on, and takes follow-ups into its work.
    /// It also shows that the agent is alive.
    ///
    /// # Errors
    /// `validation_failed` for what cannot be shown and for a message that is no follow-up of the
    /// run, `conflict` when the run was not started or a follow-up belongs to a later run,
    /// `run_inactive`.
    pub(crate) async fn patch_run(
        &self,
        allowed: Allowed<actions::RunUpdate>,
        patch: RunPatch,
    ) -> Result<RunRow, Problem> {
        let patch = &self.checked(patch)?;
        let run = allowed.id();
        transact(&self.database, |unit| {
            work(async move {
                let mut held = self.hold_active(unit, run).await?;
                if held.state == RunState::Queued {
                    return Err(Problem::conflict("the run was not started yet").into());
                }
                if let Some(line) = &patch.status_line {
                    held.status_line = Some(line.clone()).filter(|line| !line.is_empty());
                }
                if let Some(draft) = &patch.draft {
                    held.draft = Some(draft.clone()).filter(|draft| !draft.is_empty());
                }
                held.progress = patch.progress.map(i64::from).or(held.progress);
                if held.state == RunState::Running {
                    held.lease_expires_at = Some(self.now().plus(self.settings.lease_timeout));
                }
                self.absorb(unit, &held, &patch.absorbed).await?;
                let shown = store::run::patch(unit, &held).await?.ok_or_else(|| slipped(run))?;
                let thread = self.thread_of(unit, &shown).await?;
                self.events.append(unit, &[event::updated(&thread, &shown)]).await?;
                Ok(shown)
            })
        })
        .await
    }

    fn checked(&self, mut patch: RunPatch) -> Result<RunPatch, Problem> {
        if let Some(line) = patch.status_line.take() {
            // A label like any other (AZ-11); empty takes it away.
            let line = if line.trim().is_empty() {
                String::new()
            } else {
                display_name(&line).map_err(|error| Problem::invalid("/status_line", error.to_string()))?
            };
            patch.status_line = Some(line);
        }
        if patch.progress.is_some_and(|percent| percent > 100) {
            return Err(Problem::invalid("/progress", "must be between 0 and 100"));
        }
        let limit = self.settings.text_max_bytes;
        if patch.draft.as_ref().is_some_and(|draft| draft.len() > limit || draft.contains('\0')) {
            return Err(Problem::invalid("/draft_md", format!("must be a text of at most {limit} bytes")));
        }
        Ok(patch)
    }

    async fn absorb(&self, unit: &UnitOfWork, run: &RunRow, messages: &[MessageId]) -> Result<(), Problem> {
        for (index, message) in messages.iter().enumerate() {
            let follow_up = store::follow_up::one(unit, run.id, *message).await?.ok_or_else(|| {
                Problem::invalid(format!("/absorbed_message_ids/{index}"), "is not a follow-up of this run")
            })?;
            let absorbed = follow_up
                .state
                .apply(FollowUpChange::Absorb)
                .map_err(|_| Problem::conflict("a follow-up belongs to a later run already"))?;
            store::follow_up::change(unit, run.id, *message, follow_up.state, absorbed).await?;
        }
        Ok(())
    }
}
