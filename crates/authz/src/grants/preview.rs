use bothy_domain::action::actions;
use bothy_domain::actor::PrincipalKind;
use bothy_domain::ids::PrincipalId;
use bothy_domain::policy::{Capability, Level, Path, Rights};
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::Reader;
use schemars::JsonSchema;
use serde::Serialize;

use super::create::hold_enough;
use super::{CreateGrant, Grant};
use crate::Authz;
use crate::explain::AT_ONCE;

/// Whose rights on a target a grant would change, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RightsChange {
    /// The principal.
    pub principal_id: PrincipalId,
    /// What it is.
    pub kind: PrincipalKind,
    /// What it has on the target now.
    pub before: RightsView,
    /// What it would have with the grant.
    pub after: RightsView,
}

/// Rights on a target, as they count: with everything that is given on what contains it, and capped
/// when it is archived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RightsView {
    /// The level.
    pub level: Level,
    /// The capabilities.
    pub capabilities: Vec<Capability>,
}

impl From<Rights> for RightsView {
    fn from(rights: Rights) -> Self {
        Self { level: rights.level, capabilities: rights.capabilities.iter().collect() }
    }
}

impl Authz {
    /// What [`create_grant`](Self::create_grant) would change, without giving anything: a page of
    /// those whose rights on the target would be others.
    ///
    /// # Errors
    /// As [`create_grant`](Self::create_grant), and `validation_failed` for a limit or cursor that
    /// is none.
    pub(crate) async fn preview_grant(
        &self,
        allowed: Allowed<actions::GrantPreview>,
        input: CreateGrant,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<RightsChange>, Problem> {
        let paging = Paging::parse(limit, cursor, &*self.parts.config)?;
        let grant = self.draft(&allowed, input)?;
        hold_enough(&allowed, allowed.judge(), &grant)?;
        let reader = self.parts.database.reader().await.or_problem()?;
        self.changes_by(&reader, &allowed.resource().path, &grant, &paging).await
    }

    /// A page of those whose rights on the path a grant would change, ascending by principal.
    ///
    /// # Errors
    /// `validation_failed` when the subject is not there, or for a cursor of another list.
    pub(crate) async fn changes_by(
        &self,
        reader: &Reader,
        path: &Path,
        grant: &Grant,
        paging: &Paging,
    ) -> Result<Page<RightsChange>, Problem> {
        let after = paging.after_id()?;
        let mut ids = self.principals_of(reader, grant.subject).await?;
        ids.retain(|id| after.is_none_or(|after| *id > after));
        ids.sort_unstable();
        let wanted = usize::try_from(paging.fetch()).unwrap_or(usize::MAX);
        let now = self.parts.clock.now();
        let mut changes = Vec::new();
        for chunk in ids.chunks(AT_ONCE) {
            let version = self.rights_version(reader).await?;
            for loaded in self.load_many(reader, version, chunk).await?.value {
                let before = loaded.clone().snapshot(true);
                let after = loaded.with(grant.fact()).snapshot(true).rights_on(path, now);
                let (principal_id, kind) = (before.principal(), before.kind());
                let before = before.rights_on(path, now);
                if before != after {
                    changes.push(RightsChange { principal_id, kind, before: before.into(), after: after.into() });
                }
            }
            if changes.len() >= wanted {
                break;
            }
        }
        changes.truncate(wanted);
        Ok(page(changes, paging.limit, |change| Cursor::id(change.principal_id)))
    }
}
