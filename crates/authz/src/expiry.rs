//! Grants that ended by their time, which nobody tells of (AZ-3).

use std::collections::HashMap;

use bothy_domain::ids::{GroupId, PrincipalId};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_storage::Reader;

use crate::subject::Subject;
use crate::{Authz, store};

impl Authz {
    /// When a grant last expired that reached each of these principals, directly or through a group
    /// that they are in now; nothing for whom none did. A number of queries that does not depend on
    /// how many they are.
    ///
    /// An expired grant does not say that rights were lost, as another one may give them still:
    /// whoever is named here is to be judged again.
    ///
    /// # Errors
    /// `unavailable` when a source fails.
    pub async fn last_expiry(
        &self,
        reader: &Reader,
        ids: &[PrincipalId],
    ) -> Result<HashMap<PrincipalId, Timestamp>, Problem> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let facts = self.ports.principals()?.facts(reader, ids).await?;
        let mut groups: Vec<GroupId> = facts.iter().flat_map(|fact| fact.groups.iter().copied()).collect();
        groups.sort_unstable();
        groups.dedup();
        let now = self.parts.clock.now();
        let expired: HashMap<Subject, Timestamp> = store::last_expired(reader, ids, &groups, now).await.or_problem()?;
        Ok(facts
            .iter()
            .filter_map(|fact| {
                let through = fact.groups.iter().map(|group| Subject::Group(*group));
                let reaching = through.chain([Subject::Principal(fact.id)]);
                let last = reaching.filter_map(|subject| expired.get(&subject).copied()).max()?;
                Some((fact.id, last))
            })
            .collect())
    }
}
