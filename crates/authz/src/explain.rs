//! Who has access to a channel or a space, and why (chapter 03 section 8).

mod ground;
mod via;
mod view;

use std::collections::{BTreeMap, BTreeSet};

use bothy_domain::action::{ActionType, actions};
use bothy_domain::actor::PrincipalKind;
use bothy_domain::ids::PrincipalId;
use bothy_domain::policy::{Level, Path};
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::Reader;

use crate::Authz;

pub(crate) use via::Carriers;
pub use view::{AccessEntry, AccessSource, AccessSourceKind};

/// How many principals are looked up with one statement.
pub(crate) const AT_ONCE: usize = 500;

impl Authz {
    /// Who has access to the channel that the path names, and why.
    ///
    /// # Errors
    /// `validation_failed` for a limit or cursor that is none.
    pub(crate) async fn explain_channel(
        &self,
        allowed: Allowed<actions::AccessExplain>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<AccessEntry>, Problem> {
        self.explain(&allowed, limit, cursor).await
    }

    /// Who has access to the space that the path names, and why.
    ///
    /// # Errors
    /// `validation_failed` for a limit or cursor that is none.
    pub(crate) async fn explain_space(
        &self,
        allowed: Allowed<actions::SpaceAccessExplain>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<AccessEntry>, Problem> {
        self.explain(&allowed, limit, cursor).await
    }

    async fn explain<A: ActionType>(
        &self,
        allowed: &Allowed<A>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<AccessEntry>, Problem> {
        let paging = Paging::parse(limit, cursor, &*self.parts.config)?;
        let reader = self.parts.database.reader().await.or_problem()?;
        self.access_to(&reader, &allowed.resource().path, &paging).await
    }

    /// A page of those with access to a place and of the people whom an agent may bring its content,
    /// ascending by principal.
    ///
    /// # Errors
    /// `unavailable` when a source fails; `validation_failed` for a cursor of another list.
    pub(crate) async fn access_to(
        &self,
        reader: &Reader,
        path: &Path,
        paging: &Paging,
    ) -> Result<Page<AccessEntry>, Problem> {
        let after: Option<PrincipalId> = paging.after_id()?;
        let mut known = self.with_sources(reader, path).await?;
        let mut carriers = Carriers::new(self, reader, &readers(&known)).await?;
        let mut ids: BTreeSet<PrincipalId> = known.keys().copied().collect();
        if !carriers.is_empty() {
            ids.extend(self.triggering(reader).await?);
        }
        let ids: Vec<PrincipalId> = ids.into_iter().filter(|id| after.is_none_or(|after| *id > after)).collect();
        let wanted = usize::try_from(paging.fetch()).unwrap_or(usize::MAX);
        let mut found = Vec::new();
        for chunk in ids.chunks(AT_ONCE) {
            let outside: Vec<PrincipalId> =
                chunk.iter().copied().filter(|id| known.get(id).is_none_or(AccessEntry::is_outside)).collect();
            let mut brought: BTreeMap<PrincipalId, Vec<PrincipalId>> = carriers.reaching(&outside).await?;
            for id in chunk {
                let agents = brought.remove(id).unwrap_or_default();
                let entry = known.remove(id);
                if entry.is_none() && agents.is_empty() {
                    continue;
                }
                let mut entry = entry.unwrap_or_else(|| AccessEntry::outside(*id));
                entry.sources.extend(agents.into_iter().map(AccessSource::via_agent));
                found.push(entry);
                if found.len() >= wanted {
                    return Ok(paged(found, paging));
                }
            }
        }
        Ok(paged(found, paging))
    }
}

fn paged(found: Vec<AccessEntry>, paging: &Paging) -> Page<AccessEntry> {
    page(found, paging.limit, |entry| Cursor::id(entry.principal_id))
}

/// The agents that can read the place.
fn readers(known: &BTreeMap<PrincipalId, AccessEntry>) -> Vec<PrincipalId> {
    known
        .values()
        .filter(|entry| entry.kind == PrincipalKind::Agent && entry.level >= Level::Read)
        .map(|entry| entry.principal_id)
        .collect()
}
