use std::sync::Arc;

use bothy_domain::action::ResourceKind;
use bothy_domain::actor::PrincipalKind;
use bothy_domain::ids::PrincipalId;
use bothy_domain::policy::{Level, Place, Resource, Snapshot};
use bothy_domain::problem::Problem;
use bothy_platform::authorize::TriggerHolders;
use bothy_storage::Reader;
use futures::future::BoxFuture;

use crate::Authz;
use crate::explain::Carriers;

impl TriggerHolders for Authz {
    fn with_trigger<'a>(
        &'a self,
        reader: &'a Reader,
        channel: &'a Resource,
        people: &'a [PrincipalId],
    ) -> BoxFuture<'a, Result<Vec<PrincipalId>, Problem>> {
        Box::pin(async move {
            if channel.kind != ResourceKind::Channel {
                return Err(Problem::internal("with_trigger was asked about something that is no channel"));
            }
            let mut people = people.to_vec();
            people.sort_unstable();
            people.dedup();
            if people.is_empty() || matches!(channel.path.place, Place::Direct(_)) {
                return Ok(Vec::new());
            }
            let snapshots = self.people(reader, people).await?;
            let now = self.parts.clock.now();
            Ok(snapshots
                .iter()
                .filter(|person| {
                    person.kind() == PrincipalKind::Person
                        && person.rights_on(&channel.path, now).level >= Level::Trigger
                })
                .map(|person| person.principal())
                .collect())
        })
    }
}

impl Authz {
    /// Whether a person may instruct an agent somewhere: there is a place, not archived and no direct
    /// message, where the person triggers and the agent reads and writes in its own right.
    ///
    /// # Errors
    /// An error is an error, never an answer.
    pub async fn triggers_somewhere(
        &self,
        reader: &Reader,
        person: PrincipalId,
        agent: PrincipalId,
    ) -> Result<bool, Problem> {
        let mut agents = Carriers::new(self, reader, &[agent]).await?;
        Ok(!agents.reaching(&[person]).await?.is_empty())
    }

    /// The rights of several people with ownership, in the order of `people`. What is not in the
    /// cache is read at once for all of them, and without their direct messages.
    async fn people(&self, reader: &Reader, people: Vec<PrincipalId>) -> Result<Vec<Arc<Snapshot>>, Problem> {
        let version = self.rights_version(reader).await?;
        let mut known = Vec::with_capacity(people.len());
        let mut missing = Vec::new();
        for person in &people {
            match self.cached(reader, version, *person, true).await? {
                Some(snapshot) => known.push(snapshot),
                None => missing.push(*person),
            }
        }
        if !missing.is_empty() {
            let loaded = self.load_many(reader, version, &missing).await?;
            known.extend(loaded.value.into_iter().map(|loaded| Arc::new(loaded.snapshot(true))));
            known.sort_by_key(|snapshot| snapshot.principal());
        }
        Ok(known)
    }
}
