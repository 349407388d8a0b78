use bothy_domain::actor::PrincipalStatus;
use bothy_domain::ids::{GroupId, PrincipalId};
use bothy_domain::problem::Problem;
use bothy_storage::Reader;

use crate::{Authz, PrincipalFact};

/// Who gets a grant: exactly one principal or one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    Principal(PrincipalId),
    Group(GroupId),
}

impl Subject {
    pub(crate) const fn principal(self) -> Option<PrincipalId> {
        match self {
            Self::Principal(principal) => Some(principal),
            Self::Group(_) => None,
        }
    }

    pub(crate) const fn group(self) -> Option<GroupId> {
        match self {
            Self::Principal(_) => None,
            Self::Group(group) => Some(group),
        }
    }

    /// Whether what is given to this subject is given to the principal.
    pub(crate) fn reaches(self, fact: &PrincipalFact) -> bool {
        match self {
            Self::Principal(principal) => principal == fact.id,
            Self::Group(group) => fact.groups.contains(&group),
        }
    }

    pub(crate) fn of(principal: Option<PrincipalId>, group: Option<GroupId>) -> Option<Self> {
        match (principal, group) {
            (Some(principal), None) => Some(Self::Principal(principal)),
            (None, Some(group)) => Some(Self::Group(group)),
            _ => None,
        }
    }
}

impl Authz {
    /// Whose rights a grant to this subject changes.
    ///
    /// # Errors
    /// `validation_failed` when the subject is not there: the id of a channel, of a group in the
    /// place of a principal, or of somebody who was deleted.
    pub(crate) async fn principals_of(&self, reader: &Reader, subject: Subject) -> Result<Vec<PrincipalId>, Problem> {
        let principals = self.ports.principals()?;
        match subject {
            Subject::Principal(id) => {
                let facts = principals.facts(reader, &[id]).await?;
                let there = facts.iter().any(|fact| fact.id == id && fact.status != PrincipalStatus::Deleted);
                if there {
                    Ok(vec![id])
                } else {
                    Err(Problem::invalid("/principal_id", "is not the id of a principal"))
                }
            }
            Subject::Group(id) => principals
                .members(reader, id)
                .await?
                .ok_or_else(|| Problem::invalid("/group_id", "is not the id of a group")),
        }
    }
}
