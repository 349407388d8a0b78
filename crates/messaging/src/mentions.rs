use std::collections::HashSet;

use bothy_chat::ThreadFacts;
use bothy_domain::action::{Action, actions};
use bothy_domain::actor::PrincipalKind;
use bothy_domain::ids::{Id, PrincipalId};
use bothy_domain::mention::extract_mentions;
use bothy_domain::policy::Path;
use bothy_domain::problem::Problem;
use bothy_identity::PrincipalRef;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_platform::visible::scope_params;
use bothy_storage::{Reader, UnitOfWork};
use uuid::Uuid;

use crate::store::mentions;
use crate::store::messages::MessageRow;
use crate::{Messaging, ShownMessage};

impl Messaging {
    /// Whom a message mentions: principals that may read it where it stands, now. The mention of
    /// anybody else stays text and tells nothing (chapter 05 section 1).
    ///
    /// In the order of the text, each once, at most `message.max_mentions` handles looked at.
    pub(crate) async fn mentioned(
        &self,
        reader: &Reader,
        path: &Path,
        content_md: &str,
    ) -> Result<Vec<PrincipalRef>, Problem> {
        let mut handles = extract_mentions(content_md);
        handles.truncate(self.config.message.max_mentions.to_usize());
        if handles.is_empty() {
            return Ok(Vec::new());
        }
        let known = self.identity.by_handles(reader, &handles).await?;
        let now = self.clock.now();
        let mut seen = HashSet::new();
        let mut mentioned = Vec::new();
        for handle in &handles {
            let Some(principal) = known.iter().find(|one| one.handle == *handle) else { continue };
            if !seen.insert(principal.id) {
                continue;
            }
            // An owner may read every channel, if only in a session.
            let ownership = principal.kind == PrincipalKind::Person;
            let rights = self.authz.snapshot(reader, principal.id, ownership).await?;
            if rights.sees(path, now) {
                mentioned.push(principal.clone());
            }
        }
        Ok(mentioned)
    }

    /// Writes whom a message mentions, and lets them follow its thread. Who mentions themselves learns
    /// nothing new.
    pub(crate) async fn write_mentions(
        &self,
        uow: &UnitOfWork,
        thread: &ThreadFacts,
        message: &MessageRow,
        mentioned: &[PrincipalRef],
    ) -> Result<(), Problem> {
        let mut others: Vec<PrincipalId> =
            mentioned.iter().map(|one| one.id).filter(|id| *id != message.author).collect();
        mentions::insert(uow, message, &others).await.or_problem()?;
        // In one order for everybody, so that two edits in a thread never wait for each other.
        others.sort_unstable();
        for principal in others {
            self.follow(uow, thread, principal).await?;
        }
        Ok(())
    }

    /// The messages that mention the caller in channels that the caller may read now, newest first.
    ///
    /// # Errors
    /// `validation_failed` for a cursor of another list.
    pub(crate) async fn list_my_mentions(
        &self,
        allowed: Allowed<actions::MessageRead>,
        paging: &Paging,
    ) -> Result<Page<ShownMessage>, Problem> {
        let scope = allowed.scope::<actions::MessageRead>().await?;
        let reader = self.reader().await?;
        let before = paging.after_id()?.unwrap_or(Id::from_uuid(Uuid::max()));
        let principal = allowed.actor().principal;
        let found =
            mentions::of(&reader, scope_params(&scope), principal, before, paging.fetch()).await.or_problem()?;
        let found = page(found, paging.limit, |last| Cursor::id(last.row.id))
            .retain(|placed| allowed.judge().keeps(Action::MessageRead, &placed.resource()));
        let items = self.shown_placed(&reader, found.items, principal).await?;
        Ok(Page { items, next_cursor: found.next_cursor })
    }
}
