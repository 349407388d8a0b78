use std::collections::{BTreeMap, BTreeSet};

use bothy_domain::actor::PrincipalStatus;
use bothy_domain::ids::{GroupId, PrincipalId};
use bothy_domain::policy::{GrantFact, GrantTarget, Path};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_storage::Reader;

use super::view::listed;
use super::{AT_ONCE, AccessEntry, AccessSource};
use crate::grants::{Grant, target_of};
use crate::load::Loaded;
use crate::subject::Subject;
use crate::{Authz, Operators, PrincipalFact, store};

/// What gives anybody anything on a place.
struct Ground<'a> {
    path: &'a Path,
    grants: Vec<Grant>,
    operators: Operators,
    now: Timestamp,
}

impl Authz {
    /// Every active principal with a source of access to the place. Level and capabilities are made
    /// of the very sources that are shown, so the two always agree.
    pub(super) async fn with_sources(
        &self,
        reader: &Reader,
        path: &Path,
    ) -> Result<BTreeMap<PrincipalId, AccessEntry>, Problem> {
        let target = target_of(path)?;
        let now = self.parts.clock.now();
        let principals = self.ports.principals()?;
        let ground = Ground {
            path,
            grants: self.grants_towards(reader, target, now).await?,
            operators: self.ports.tree()?.operators_of(reader, target).await?,
            now,
        };
        let mut ids: BTreeSet<PrincipalId> = principals.owners(reader).await?.into_iter().collect();
        ids.extend(ground.operators.answering);
        ids.extend(&ground.operators.fixed_on_threads);
        ids.extend(self.everybody_in(reader, ground.grants.iter().map(|grant| grant.subject)).await?);
        let ids: Vec<PrincipalId> = ids.into_iter().collect();
        let mut entries = BTreeMap::new();
        for chunk in ids.chunks(AT_ONCE) {
            let facts = principals.facts(reader, chunk).await?;
            entries.extend(facts.into_iter().filter_map(|fact| Some((fact.id, ground.entry(fact)?))));
        }
        Ok(entries)
    }

    /// Whoever is given the level `trigger` on anything.
    pub(super) async fn triggering(&self, reader: &Reader) -> Result<BTreeSet<PrincipalId>, Problem> {
        let subjects = store::subjects_with_trigger(reader, self.parts.clock.now()).await.or_problem()?;
        self.everybody_in(reader, subjects.into_iter()).await
    }

    /// The grants on the place and on what contains it.
    async fn grants_towards(
        &self,
        reader: &Reader,
        target: GrantTarget,
        now: Timestamp,
    ) -> Result<Vec<Grant>, Problem> {
        let containers: &[GrantTarget] = match target {
            GrantTarget::Instance => &[],
            GrantTarget::Space(_) => &[GrantTarget::Instance],
            GrantTarget::Channel(space, _) => &[GrantTarget::Instance, GrantTarget::Space(space)],
        };
        let mut grants = Vec::new();
        for target in containers.iter().chain([&target]) {
            grants.extend(store::grants_on(reader, *target, None, now, i64::MAX).await.or_problem()?);
        }
        Ok(grants)
    }

    async fn everybody_in(
        &self,
        reader: &Reader,
        subjects: impl Iterator<Item = Subject>,
    ) -> Result<BTreeSet<PrincipalId>, Problem> {
        let subjects: Vec<Subject> = subjects.collect();
        let mut ids: BTreeSet<PrincipalId> = subjects.iter().filter_map(|subject| subject.principal()).collect();
        let groups: BTreeSet<GroupId> = subjects.iter().filter_map(|subject| subject.group()).collect();
        let principals = self.ports.principals()?;
        for group in groups {
            ids.extend(principals.members(reader, group).await?.unwrap_or_default());
        }
        Ok(ids)
    }
}

impl Ground<'_> {
    /// The entry of a principal; `None` for whoever has nothing here, or no rights at all (AZ-3).
    fn entry(&self, fact: PrincipalFact) -> Option<AccessEntry> {
        if fact.status != PrincipalStatus::Active {
            return None;
        }
        let reaching: Vec<&Grant> = self.grants.iter().filter(|grant| grant.subject.reaches(&fact)).collect();
        let mut sources: Vec<AccessSource> = reaching.iter().map(|grant| AccessSource::grant(grant)).collect();
        if fact.owner {
            sources.push(AccessSource::ownership());
        }
        if self.operators.answering == Some(fact.id) {
            sources.push(AccessSource::operator());
        }
        if self.operators.fixed_on_threads.contains(&fact.id) {
            sources.push(AccessSource::thread_operator());
        }
        if sources.is_empty() {
            return None;
        }
        let (principal_id, kind) = (fact.id, fact.kind);
        let facts: Vec<GrantFact> = reaching.iter().map(|grant| grant.fact()).collect();
        let rights = Loaded::of(fact, facts).snapshot(true).rights_on(self.path, self.now);
        Some(AccessEntry {
            principal_id,
            kind,
            level: rights.level,
            capabilities: listed(rights.capabilities),
            sources,
        })
    }
}
