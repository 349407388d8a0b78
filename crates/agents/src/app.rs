//! Apps as members: programs that post, but never answer.

use bothy_domain::action::{Action, actions};
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::audit::AuditEntry;
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_identity::{NewPrincipal, PrincipalRef};
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_platform::instance::lock_instance;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::{Reader, work};

use crate::Agents;
use crate::account::description;
use crate::store::account::{self, AppRow};

/// An app with the principal that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AppFacts {
    pub(crate) id: PrincipalId,
    pub(crate) handle: String,
    pub(crate) display_name: String,
    pub(crate) status: PrincipalStatus,
    pub(crate) description: String,
    pub(crate) created_by: PrincipalId,
}

impl AppFacts {
    fn new(row: AppRow, principal: PrincipalRef) -> Self {
        let AppRow { id, description, created_by } = row;
        let PrincipalRef { handle, display_name, status, .. } = principal;
        Self { id, handle, display_name, status, description, created_by }
    }
}

/// What a new app is.
#[derive(Debug, Clone)]
pub(crate) struct NewApp {
    pub(crate) handle: String,
    pub(crate) display_name: String,
    pub(crate) description: String,
}

impl Agents {
    /// Makes an app. It has no right anywhere until somebody grants it one.
    pub(crate) async fn create_app(
        &self,
        allowed: Allowed<actions::AppCreate>,
        input: NewApp,
    ) -> Result<AppFacts, Problem> {
        let description = description(&input.description)?;
        let (description, input) = (&description, &input);
        let allowed = &allowed;
        let actor = allowed.actor();
        transact(&self.database, |unit| {
            work(async move {
                allowed.judged_in(unit).await?;
                allowed.takes_effect(unit).await?;
                let id = self
                    .identity
                    .create_principal(
                        unit,
                        NewPrincipal {
                            kind: PrincipalKind::App,
                            handle: &input.handle,
                            display_name: &input.display_name,
                            status: PrincipalStatus::Active,
                            requires_binding: false,
                        },
                    )
                    .await?;
                account::insert_app(unit, id, description, actor.principal).await?;
                self.audit.record(unit, &AuditEntry::done(actor, Action::AppCreate, Some(id.cast()))).await?;
                Ok(self.present_app(unit, id).await?)
            })
        })
        .await
    }

    /// The apps, in the order in which they were made.
    pub(crate) async fn list_apps(
        &self,
        _allowed: Allowed<actions::AppRead>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<AppFacts>, Problem> {
        let paging = Paging::parse(limit, cursor, self.pages)?;
        let reader = self.database.reader().await.or_problem()?;
        let rows = account::apps(&reader, paging.after_id()?, paging.fetch()).await?;
        let Page { items, next_cursor } = page(rows, paging.limit, |row| Cursor::id(row.id));
        let items = self.with_principals(&reader, items, |row| row.id, AppFacts::new).await?;
        Ok(Page { items, next_cursor })
    }

    /// One app.
    pub(crate) async fn get_app(&self, allowed: Allowed<actions::AppRead>) -> Result<AppFacts, Problem> {
        let reader = self.database.reader().await.or_problem()?;
        self.present_app(&reader, allowed.id()).await
    }

    /// Shuts an app out at once.
    pub(crate) async fn disable_app(&self, allowed: Allowed<actions::AppDisable>) -> Result<AppFacts, Problem> {
        self.set_app_status(allowed, PrincipalStatus::Disabled).await
    }

    /// Lets an app in again.
    pub(crate) async fn enable_app(&self, allowed: Allowed<actions::AppDisable>) -> Result<AppFacts, Problem> {
        self.set_app_status(allowed, PrincipalStatus::Active).await
    }

    async fn set_app_status(
        &self,
        allowed: Allowed<actions::AppDisable>,
        status: PrincipalStatus,
    ) -> Result<AppFacts, Problem> {
        let id: PrincipalId = allowed.id();
        let allowed = &allowed;
        let actor = allowed.actor();
        transact(&self.database, |unit| {
            work(async move {
                lock_instance(unit).await?;
                allowed.judged_in(unit).await?;
                self.identity.set_status(unit, id, status).await?;
                let entry =
                    AuditEntry::done(actor, Action::AppDisable, Some(id.cast())).with("status", status.as_str());
                self.audit.record(unit, &entry).await?;
                Ok(self.present_app(unit, id).await?)
            })
        })
        .await
    }

    async fn present_app(&self, reader: &Reader, id: PrincipalId) -> Result<AppFacts, Problem> {
        let row = account::app(reader, id).await?;
        let rows = row.into_iter().collect();
        let found = self.with_principals(reader, rows, |row| row.id, AppFacts::new).await?.pop();
        found.ok_or(Problem::new(ProblemCode::NotFound))
    }
}
