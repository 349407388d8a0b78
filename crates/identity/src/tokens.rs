//! Personal tokens and the API tokens of agents and apps: several live at a time, each revocable,
//! stored only as a hash.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bothy_domain::actor::PrincipalKind;
use bothy_domain::ids::{PrincipalId, TokenId};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{Database, Reader, StorageError, UnitOfWork};

use crate::principals::name_of;
use crate::store::tokens as store;
use crate::token::{SecretToken, TokenKind};
use crate::{Identity, TokenView};

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// Who uses a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenUse {
    /// Scripts of a person. Ownership does not count with it.
    Personal,
    /// The adapter of an agent.
    Agent,
    /// An app.
    App,
}

impl TokenUse {
    const ALL: [Self; 3] = [Self::Personal, Self::Agent, Self::App];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Personal => "personal",
            Self::Agent => "agent",
            Self::App => "app",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|token_use| token_use.as_str() == text)
    }

    pub(crate) const fn principal_kind(self) -> PrincipalKind {
        match self {
            Self::Personal => PrincipalKind::Person,
            Self::Agent => PrincipalKind::Agent,
            Self::App => PrincipalKind::App,
        }
    }

    const fn token_kind(self) -> TokenKind {
        match self {
            Self::Personal => TokenKind::Personal,
            Self::Agent => TokenKind::Agent,
            Self::App => TokenKind::App,
        }
    }
}

/// A token to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewToken<'a> {
    /// Who uses it; fits the kind of the principal.
    pub token_use: TokenUse,
    /// Whom it speaks for.
    pub principal: PrincipalId,
    /// What it is called, as somebody typed it.
    pub name: &'a str,
    /// Who makes it.
    pub created_by: PrincipalId,
    /// From when on it counts no more.
    pub expires_at: Option<Timestamp>,
}

/// A token that was just made.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedToken {
    /// The token.
    pub id: TokenId,
    /// Its name as it is stored.
    pub name: String,
    /// The secret, to be shown once.
    pub secret: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it counts no more.
    pub expires_at: Option<Timestamp>,
}

impl std::fmt::Debug for IssuedToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IssuedToken").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Identity {
    /// Makes a token. Its secret is in the result and nowhere else.
    ///
    /// # Errors
    /// `validation_failed` at `/name`, or at `/expires_at` for a time that is past.
    pub async fn issue_token(&self, unit: &UnitOfWork, new: NewToken<'_>) -> Result<IssuedToken, Problem> {
        let now = self.parts.clock.now();
        if new.expires_at.is_some_and(|expires| expires <= now) {
            return Err(Problem::invalid("/expires_at", "must be in the future"));
        }
        let secret = SecretToken::generate(new.token_use.token_kind(), &*self.parts.entropy);
        let token = store::Token {
            id: self.parts.ids.next(),
            name: name_of("/name", new.name)?,
            created_by: new.created_by,
            created_at: now,
            expires_at: new.expires_at,
            last_used_day: None,
        };
        store::insert(unit, new.token_use, new.principal, &token, &secret.hash()).await.or_problem()?;
        Ok(IssuedToken {
            id: token.id,
            name: token.name,
            secret: secret.into_text(),
            created_at: now,
            expires_at: token.expires_at,
        })
    }

    /// Revokes a token of a principal; it counts no more on the next request in every process.
    /// `false` when the principal has no such token, or it was revoked before.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn revoke_token(
        &self,
        unit: &UnitOfWork,
        principal: PrincipalId,
        token: TokenId,
    ) -> Result<bool, Problem> {
        store::revoke(unit, principal, token, self.parts.clock.now()).await.or_problem()
    }

    /// The tokens of a principal that are not revoked, oldest first, without their secrets.
    ///
    /// # Errors
    /// `validation_failed` for a cursor of another list.
    pub async fn list_tokens(
        &self,
        reader: &Reader,
        principal: PrincipalId,
        paging: &Paging,
    ) -> Result<Page<TokenView>, Problem> {
        let tokens = store::of(reader, principal, paging.after_id()?, paging.fetch()).await.or_problem()?;
        Ok(page(tokens, paging.limit, |token| Cursor::id(token.id)).map(TokenView::from))
    }

    /// Notes the day on which a token was used, beside the request: once a day for each token, and
    /// nobody waits for it.
    pub(crate) fn note_use(&self, token: &store::TokenCredential, now: Timestamp) {
        let today = now.micros().div_euclid(MICROS_PER_DAY);
        if token.last_used_day.is_some_and(|day| day >= today) || !self.last_use.begin() {
            return;
        }
        let (database, id, turn) = (self.parts.database.clone(), token.id, self.last_use.clone());
        tokio::spawn(async move {
            if let Err(error) = mark(&database, id, today).await {
                tracing::debug!(%error, "the day of the last use of a token was not noted");
            }
            turn.end();
        });
    }
}

/// The first moment of a day that was counted from the epoch.
pub(crate) const fn start_of_day(day: i64) -> Timestamp {
    Timestamp::from_micros(day.saturating_mul(MICROS_PER_DAY))
}

async fn mark(database: &Database, id: TokenId, day: i64) -> Result<(), StorageError> {
    let unit = database.begin().await?;
    store::mark_used(&unit, id, day).await?;
    unit.commit().await
}

/// One note at a time, so that a burst of requests at midnight writes no burst of notes: who comes
/// second leaves it to their next request.
#[derive(Clone, Default)]
pub(crate) struct LastUse(Arc<AtomicBool>);

impl LastUse {
    fn begin(&self) -> bool {
        !self.0.swap(true, Ordering::Acquire)
    }

    fn end(&self) {
        self.0.store(false, Ordering::Release);
    }
}
