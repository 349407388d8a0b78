//! Loads the facts of principals at one rights version.

use std::collections::HashMap;
use std::sync::Arc;

use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{ChannelId, GroupId, PrincipalId};
use bothy_domain::policy::{GrantFact, GrantTarget, Level, Snapshot, SnapshotFacts};
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_platform::instance::{rights_changes, rights_version};
use bothy_storage::Reader;

use crate::cache::{Answer, Change};
use crate::{Authz, PrincipalFact, store};

/// How often facts are read again because they changed while they were read.
const TRIES: u32 = 8;
/// How many changes are read to bring the cache forward; beyond that it starts afresh.
const MAX_CHANGES: u32 = 10_000;

/// A value that is true at a rights version.
pub(crate) struct At<T> {
    pub(crate) version: i64,
    pub(crate) value: T,
}

enum Steady {
    At(i64),
    Moved(i64),
}

/// What a snapshot of either variant is made of.
#[derive(Clone)]
pub(crate) struct Loaded {
    fact: PrincipalFact,
    grants: Vec<GrantFact>,
    directs: Vec<ChannelId>,
}

impl Loaded {
    /// Facts of a principal with the grants that count for a question.
    pub(crate) const fn of(fact: PrincipalFact, grants: Vec<GrantFact>) -> Self {
        Self { fact, grants, directs: Vec::new() }
    }

    /// The same principal with one grant more.
    pub(crate) fn with(mut self, grant: GrantFact) -> Self {
        self.grants.push(grant);
        self
    }

    /// What is given a level of at least this on.
    pub(crate) fn targets(&self, least: Level) -> impl Iterator<Item = GrantTarget> {
        self.grants.iter().filter(move |grant| grant.rights.level >= least).map(|grant| grant.target)
    }

    pub(crate) fn snapshot(self, ownership: bool) -> Snapshot {
        Snapshot::new(SnapshotFacts {
            principal: self.fact.id,
            kind: self.fact.kind,
            status: self.fact.status,
            owner: ownership && self.fact.owner,
            grants: self.grants,
            directs: self.directs,
        })
    }
}

impl Authz {
    pub(crate) async fn rights_version(&self, reader: &Reader) -> Result<i64, Problem> {
        rights_version(reader).await.or_problem()
    }

    /// The rights of a principal at a version or a later one, from the cache if they are there.
    pub(crate) async fn snapshot_at(
        &self,
        reader: &Reader,
        version: i64,
        principal: PrincipalId,
        ownership: bool,
    ) -> Result<Arc<Snapshot>, Problem> {
        if let Some(snapshot) = self.cached(reader, version, principal, ownership).await? {
            return Ok(snapshot);
        }
        let loaded = self.load_one(reader, version, principal).await?;
        let snapshot = Arc::new(loaded.value.snapshot(ownership));
        self.cache.put(loaded.version, (principal, ownership), &snapshot);
        Ok(snapshot)
    }

    /// A snapshot that the cache holds, after the cache was brought to the version.
    pub(crate) async fn cached(
        &self,
        reader: &Reader,
        version: i64,
        principal: PrincipalId,
        ownership: bool,
    ) -> Result<Option<Arc<Snapshot>>, Problem> {
        let key = (principal, ownership);
        match self.cache.get(version, key) {
            Answer::Warm(snapshot) => Ok(Some(snapshot)),
            Answer::Cold => Ok(None),
            Answer::Behind(from) => {
                let changes = changes(reader, from, version).await?;
                self.cache.apply(from, version, changes.as_deref());
                match self.cache.get(version, key) {
                    Answer::Warm(snapshot) => Ok(Some(snapshot)),
                    Answer::Cold | Answer::Behind(_) => Ok(None),
                }
            }
        }
    }

    /// The facts of one principal, direct messages included.
    pub(crate) async fn load_one(
        &self,
        reader: &Reader,
        version: i64,
        principal: PrincipalId,
    ) -> Result<At<Loaded>, Problem> {
        let mut before = version;
        for _ in 0..TRIES {
            let directs = self.ports.tree()?.directs_of(reader, principal).await?;
            let first = self.read(reader, &[principal]).await?.pop();
            // `read` answers for each id.
            let value = Loaded { directs, ..first.ok_or_else(|| Problem::internal("no facts of a principal"))? };
            match self.steady(reader, before, &[principal]).await? {
                Steady::At(version) => return Ok(At { version, value }),
                Steady::Moved(version) => before = version,
            }
        }
        Err(restless())
    }

    /// The facts of several principals without their direct messages, in the order of `ids`.
    pub(crate) async fn load_many(
        &self,
        reader: &Reader,
        version: i64,
        ids: &[PrincipalId],
    ) -> Result<At<Vec<Loaded>>, Problem> {
        let mut before = version;
        for _ in 0..TRIES {
            let value = self.read(reader, ids).await?;
            match self.steady(reader, before, ids).await? {
                Steady::At(version) => return Ok(At { version, value }),
                Steady::Moved(version) => before = version,
            }
        }
        Err(restless())
    }

    /// Whether what was read of `ids` since the version `before` is that of one version. Asked after
    /// the reads: what is committed by now was seen by them, or has touched somebody.
    async fn steady(&self, reader: &Reader, before: i64, ids: &[PrincipalId]) -> Result<Steady, Problem> {
        let after = self.rights_version(reader).await?;
        let same = after == before || self.untouched(reader, before, after, ids).await?;
        Ok(if same { Steady::At(after) } else { Steady::Moved(after) })
    }

    async fn untouched(&self, reader: &Reader, from: i64, to: i64, ids: &[PrincipalId]) -> Result<bool, Problem> {
        let changes = changes(reader, from, to).await?;
        Ok(changes.is_some_and(|changes| {
            changes.iter().all(|(_, principal)| principal.is_none_or(|principal| !ids.contains(&principal)))
        }))
    }

    async fn read(&self, reader: &Reader, ids: &[PrincipalId]) -> Result<Vec<Loaded>, Problem> {
        let facts = self.ports.principals()?.facts(reader, ids).await?;
        let mut groups: Vec<GroupId> = facts.iter().flat_map(|fact| fact.groups.iter().copied()).collect();
        groups.sort_unstable();
        groups.dedup();
        let now = self.parts.clock.now();
        let grants = store::grants_reaching(reader, ids, &groups, now).await.or_problem()?;
        let mut facts: HashMap<PrincipalId, PrincipalFact> = facts.into_iter().map(|fact| (fact.id, fact)).collect();
        Ok(ids
            .iter()
            .map(|id| {
                let fact = facts.remove(id).unwrap_or_else(|| unknown(*id));
                let grants = grants.iter().filter(|grant| grant.reaches(&fact)).map(|grant| grant.fact).collect();
                Loaded { fact, grants, directs: Vec::new() }
            })
            .collect())
    }
}

fn restless() -> Problem {
    Problem::unavailable("rights keep changing while they are read")
}

/// What the versions after `from` up to `to` touched; `None` when not all of it is on record.
async fn changes(reader: &Reader, from: i64, to: i64) -> Result<Option<Vec<Change>>, Problem> {
    let recorded = rights_changes(reader, from, MAX_CHANGES).await.or_problem()?;
    if u32::try_from(recorded.len()).is_ok_and(|found| found >= MAX_CHANGES) {
        return Ok(None);
    }
    let mut next = from.saturating_add(1);
    let mut changes = Vec::with_capacity(recorded.len());
    for change in recorded.iter().take_while(|change| change.version <= to) {
        // Every version is on record, in order, with one entry or more.
        if change.version == next {
            next = next.saturating_add(1);
        } else if change.version > next {
            return Ok(None);
        }
        changes.push((change.version, change.principal));
    }
    Ok((next > to).then_some(changes))
}

/// Somebody who is not there has no rights, like somebody who was deleted.
fn unknown(id: PrincipalId) -> PrincipalFact {
    let (kind, status) = (PrincipalKind::Person, PrincipalStatus::Deleted);
    PrincipalFact { id, kind, status, owner: false, groups: Vec::new() }
}
