//! What spaces and channels have in common: the archive, and an agent in charge.

use bothy_authz::Touched;
use bothy_domain::action::ActionType;
use bothy_domain::event::EventKind;
use bothy_domain::ids::{AnyId, PrincipalId};
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_storage::UnitOfWork;

use crate::chat::gone;
use crate::store::{channels, spaces};
use crate::{Chat, Within};

impl Within {
    /// The id of the part itself.
    const fn id(self) -> AnyId {
        match self {
            Self::Space(id) => id.cast(),
            Self::Channel(id) => id.cast(),
        }
    }

    /// Whose rights a change of the part concerns.
    const fn touched(self) -> Touched {
        match self {
            Self::Space(id) => Touched::Space(id),
            Self::Channel(id) => Touched::Channel(id),
        }
    }
}

impl Chat {
    /// Archives a part of the tree (AZ-5), or brings it back, in the unit of work of the request. Doing
    /// it again changes nothing.
    pub(crate) async fn set_archived<A: ActionType>(
        &self,
        uow: &UnitOfWork,
        allowed: &Allowed<A>,
        part: Within,
        archived: bool,
    ) -> Result<(), Problem> {
        self.changing_rights(uow).await?;
        allowed.judged_in(uow).await?;
        let at = archived.then(|| self.clock.now());
        let changed = match part {
            Within::Space(id) => spaces::set_archived(uow, id, at).await,
            Within::Channel(id) => channels::set_archived(uow, id, at).await,
        };
        if changed.or_problem()? {
            let detail = ("archived", archived.to_string());
            self.record(uow, allowed.actor(), A::ACTION, part.id(), Some(detail)).await?;
            self.changed_part(uow, part).await?;
        }
        Ok(())
    }

    /// Puts an agent in charge of a part of the tree, or nobody, in the unit of work of the request.
    pub(crate) async fn set_operator_of<A: ActionType>(
        &self,
        uow: &UnitOfWork,
        allowed: &Allowed<A>,
        part: Within,
        operator: Option<PrincipalId>,
    ) -> Result<(), Problem> {
        self.changing_rights(uow).await?;
        allowed.judged_in(uow).await?;
        self.require_agent(uow, operator).await?;
        match part {
            Within::Space(id) => spaces::set_operator(uow, id, operator).await,
            Within::Channel(id) => channels::set_operator(uow, id, operator).await,
        }
        .or_problem()?;
        self.record_operator(uow, allowed.actor(), A::ACTION, part.id(), operator).await?;
        self.changed_part(uow, part).await
    }

    /// Tells of a change of a part of the tree that rights or runs depend on.
    async fn changed_part(&self, uow: &UnitOfWork, part: Within) -> Result<(), Problem> {
        match part {
            Within::Space(id) => self.tell_space(uow, EventKind::SpaceUpdated, id).await?,
            Within::Channel(id) => {
                let space = self.channel(uow, id).await?.ok_or_else(gone)?.space;
                self.tell_channel(uow, EventKind::ChannelUpdated, space, id).await?;
            }
        }
        self.rights_changed(uow, part.touched()).await
    }
}
