//! Where a run happens, as the trigger decision and the session plan see it: one function for both,
//! so that they cannot disagree about who is in charge (RC-4).

use bothy_chat::{ChannelKind, ThreadFacts, ThreadKind};
use bothy_domain::actor::PrincipalKind;
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_domain::trigger::{Place, Standing};
use bothy_storage::Reader;

use crate::Runs;

/// A [`Place`] that owns what it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ThreadPlace {
    /// The main thread of a text channel.
    Main(Option<PrincipalId>),
    /// A thread or a post.
    Thread(Option<PrincipalId>),
    /// A direct message.
    Direct { people: Vec<PrincipalId>, agents: Vec<PrincipalId> },
}

impl ThreadPlace {
    pub(crate) fn place(&self) -> Place<'_> {
        match self {
            Self::Main(operator) => Place::Main { operator: *operator },
            Self::Thread(operator) => Place::Thread { operator: *operator },
            Self::Direct { people, agents } => Place::Direct { people: people.len(), agents },
        }
    }

    pub(crate) fn is_direct(&self) -> bool {
        matches!(self, Self::Direct { .. })
    }

    /// Whether the agent is in charge here, so that its sessions go on.
    pub(crate) fn is_operated_by(&self, agent: PrincipalId) -> bool {
        self.place().standing(agent) == Standing::Operator
    }
}

impl Runs {
    /// The place of a thread now.
    pub(crate) async fn place_of(&self, reader: &Reader, thread: &ThreadFacts) -> Result<ThreadPlace, Problem> {
        if thread.channel.kind == ChannelKind::Direct {
            let ids = self.chat.dm_participants(reader, thread.channel.id).await?;
            let mut place = (Vec::new(), Vec::new());
            for principal in self.identity.principals(reader, &ids).await? {
                match principal.kind {
                    PrincipalKind::Person => place.0.push(principal.id),
                    PrincipalKind::Agent => place.1.push(principal.id),
                    PrincipalKind::App => {}
                }
            }
            let (people, agents) = place;
            return Ok(ThreadPlace::Direct { people, agents });
        }
        let operator = thread.effective_operator();
        Ok(match thread.kind {
            ThreadKind::Main => ThreadPlace::Main(operator),
            ThreadKind::Thread | ThreadKind::Post => ThreadPlace::Thread(operator),
        })
    }
}
