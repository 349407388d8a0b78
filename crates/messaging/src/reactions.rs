//! Reactions: one for each person and emoji.

use bothy_domain::action::actions;
use bothy_domain::event::EventKind;
use bothy_domain::ids::{Id, MessageId, PrincipalId};
use bothy_domain::problem::Problem;
use bothy_identity::PrincipalView;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{UnitOfWork, work};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::Messaging;
use crate::emoji::canonical_emoji;
use crate::messaging::gone;
use crate::store::messages::{self, MessageRow};
use crate::store::{changes, reactions};

/// How often a message was reacted to with one emoji.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Reaction")]
pub struct ReactionCount {
    /// The emoji.
    pub emoji: String,
    /// How many people and agents reacted with it.
    pub count: i64,
    /// Whether you are one of them.
    pub me: bool,
}

/// Somebody who reacted to a message.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Reactor")]
pub(crate) struct ReactorView {
    /// Who.
    principal: PrincipalView,
    /// With which emoji, in the order of time.
    emoji: Vec<String>,
}

impl Messaging {
    /// Reacts to a message. The same reaction again changes nothing. Answers how the message was
    /// reacted to.
    ///
    /// # Errors
    /// `validation_failed` for anything but one emoji; `conflict` when the message was deleted or has
    /// as many different reactions as it may have.
    pub(crate) async fn add_reaction(
        &self,
        allowed: Allowed<actions::ReactionAdd>,
    ) -> Result<Vec<ReactionCount>, Problem> {
        let emoji = emoji_of(allowed.path_text("emoji")?)?;
        let (message, principal): (MessageId, PrincipalId) = (allowed.id(), allowed.actor().principal);
        let (allowed, emoji) = (&allowed, emoji.as_str());
        transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                let row = self.held(uow, message).await?;
                if row.deleted_at.is_some() {
                    return Err(Problem::conflict("the message was deleted").into());
                }
                let known = reactions::emoji_of(uow, message).await?;
                let full = known.len() >= self.config.message.max_reactions.to_usize();
                if full && !known.iter().any(|one| one == emoji) {
                    return Err(Problem::conflict("the message has too many different reactions").into());
                }
                if reactions::insert(uow, message, principal, emoji, self.clock.now()).await? {
                    self.tell_reactions(uow, &row).await?;
                }
                let mut counts = reactions::counts(uow, &[message], Some(principal)).await?;
                Ok(counts.remove(&message).unwrap_or_default())
            })
        })
        .await
    }

    /// Takes a reaction of the caller away. One that is not there changes nothing.
    ///
    /// # Errors
    /// `validation_failed` for anything but one emoji.
    pub(crate) async fn remove_reaction(&self, allowed: Allowed<actions::ReactionRemove>) -> Result<(), Problem> {
        let emoji = emoji_of(allowed.path_text("emoji")?)?;
        let (message, principal): (MessageId, PrincipalId) = (allowed.id(), allowed.actor().principal);
        let (allowed, emoji) = (&allowed, emoji.as_str());
        transact(&self.database, |uow| {
            work(async move {
                allowed.judged_in(uow).await?;
                let row = self.held(uow, message).await?;
                if reactions::delete(uow, message, principal, emoji).await? {
                    self.tell_reactions(uow, &row).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Who reacted to a message, by id, each with all of their emoji.
    ///
    /// # Errors
    /// `validation_failed` for a cursor of another list.
    pub(crate) async fn list_reactions(
        &self,
        allowed: Allowed<actions::MessageRead>,
        paging: &Paging,
    ) -> Result<Page<ReactorView>, Problem> {
        let reader = self.reader().await?;
        // No principal has the nil id, and every other one comes after it.
        let after = paging.after_id()?.unwrap_or(Id::from_uuid(Uuid::nil()));
        let found = reactions::of_message(&reader, allowed.id(), after, paging.fetch()).await.or_problem()?;
        let found = page(found, paging.limit, |(last, _)| Cursor::id(*last));
        let ids: Vec<PrincipalId> = found.items.iter().map(|(principal, _)| *principal).collect();
        let principals = self.identity.principals(&reader, &ids).await?;
        let mut items = Vec::with_capacity(ids.len());
        for (id, emoji) in found.items {
            let principal = principals.iter().find(|one| one.id == id);
            let principal = principal.ok_or_else(|| Problem::internal("a reaction of nobody"))?;
            items.push(ReactorView { principal: principal.clone().into(), emoji });
        }
        Ok(Page { items, next_cursor: found.next_cursor })
    }

    /// The message, held until the unit of work ends: reactions to one message come one by one, so
    /// that their number has a bound.
    async fn held(&self, uow: &UnitOfWork, message: MessageId) -> Result<MessageRow, Problem> {
        changes::lock(uow, message).await.or_problem()?;
        messages::by_id(uow, message).await.or_problem()?.ok_or_else(gone)
    }

    async fn tell_reactions(&self, uow: &UnitOfWork, row: &MessageRow) -> Result<(), Problem> {
        let thread = self.chat.thread(uow, row.thread).await?.ok_or_else(gone)?;
        self.tell(uow, EventKind::MessageReactionsUpdated, &thread, row.id).await
    }
}

fn emoji_of(text: &str) -> Result<String, Problem> {
    canonical_emoji(text).ok_or_else(|| Problem::invalid("/path/emoji", "must be one emoji"))
}
