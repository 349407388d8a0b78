use std::collections::{BTreeMap, BTreeSet, HashMap};

use bothy_domain::actor::PrincipalKind;
use bothy_domain::ids::PrincipalId;
use bothy_domain::policy::{GrantTarget, Level, Path, Snapshot};
use bothy_domain::problem::Problem;
use bothy_storage::Reader;

use super::AT_ONCE;
use crate::Authz;
use crate::load::Loaded;
use crate::locate::place;

/// The agents that can read a place and may carry it to whoever triggers them elsewhere (hint H1).
pub(crate) struct Carriers<'a> {
    authz: &'a Authz,
    reader: &'a Reader,
    agents: Vec<Party>,
    open: HashMap<GrantTarget, bool>,
}

/// Somebody, and where they are given enough.
struct Party {
    rights: Snapshot,
    targets: BTreeSet<GrantTarget>,
}

impl Party {
    fn new(loaded: Loaded, least: Level) -> Self {
        let targets = loaded.targets(least).collect();
        Self { rights: loaded.snapshot(true), targets }
    }
}

impl<'a> Carriers<'a> {
    pub(crate) async fn new(authz: &'a Authz, reader: &'a Reader, agents: &[PrincipalId]) -> Result<Self, Problem> {
        let mut parties = Vec::with_capacity(agents.len());
        for chunk in agents.chunks(AT_ONCE) {
            let version = authz.rights_version(reader).await?;
            let loaded = authz.load_many(reader, version, chunk).await?.value;
            parties.extend(loaded.into_iter().map(|agent| Party::new(agent, Level::Write)));
        }
        Ok(Self { authz, reader, agents: parties, open: HashMap::new() })
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    /// Which of these agents each of these people may trigger somewhere. Whoever is no active person
    /// triggers nobody.
    pub(crate) async fn reaching(
        &mut self,
        people: &[PrincipalId],
    ) -> Result<BTreeMap<PrincipalId, Vec<PrincipalId>>, Problem> {
        let mut found = BTreeMap::new();
        if self.is_empty() || people.is_empty() {
            return Ok(found);
        }
        let version = self.authz.rights_version(self.reader).await?;
        let loaded = self.authz.load_many(self.reader, version, people).await?.value;
        for person in loaded.into_iter().map(|person| Party::new(person, Level::Trigger)) {
            if person.rights.kind() != PrincipalKind::Person {
                continue;
            }
            let id = person.rights.principal();
            for number in 0..self.agents.len() {
                if let Some(agent) = self.met(&person, number).await? {
                    found.entry(id).or_insert_with(Vec::new).push(agent);
                }
            }
        }
        Ok(found)
    }

    /// The agent when there is a place where it reads and writes and the person triggers. Where both
    /// reach as deep as they can, the deeper of the two grants names such a place.
    async fn met(&mut self, person: &Party, number: usize) -> Result<Option<PrincipalId>, Problem> {
        let Some(agent) = self.agents.get(number) else { return Ok(None) };
        let now = self.authz.parts.clock.now();
        let meets = |target: &GrantTarget| {
            let path = Path::of(place(*target));
            person.rights.rights_on(&path, now).level >= Level::Trigger
                && agent.rights.rights_on(&path, now).level >= Level::Write
        };
        let shared: Vec<GrantTarget> =
            person.targets.union(&agent.targets).copied().filter(|target| meets(target)).collect();
        let id = agent.rights.principal();
        for target in shared {
            if self.is_open(target).await? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Whether the target is there and not archived: nobody triggers in an archive (AZ-5).
    async fn is_open(&mut self, target: GrantTarget) -> Result<bool, Problem> {
        if let Some(open) = self.open.get(&target) {
            return Ok(*open);
        }
        let path = self.authz.ports.tree()?.path_of(self.reader, target).await?;
        let open = path.is_some_and(|path| !path.archived);
        self.open.insert(target, open);
        Ok(open)
    }
}
