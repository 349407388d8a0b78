use std::time::Duration;

use bothy_domain::action::{Action, ActionType, actions};
use bothy_domain::audit::AuditEntry;
use bothy_domain::policy::{Denial, Level, Outcome, Path, Reason, Rights};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::authorize::Judge;
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::work;

use super::{CreateGrant, Grant, GrantView, TargetKind, target_of};
use crate::subject::Subject;
use crate::{Authz, Touched, store};

/// The shortest time there is.
const MOMENT: Duration = Duration::from_micros(1);
/// The end of a grant that does not expire: no other one lasts as long.
const FOREVER: Timestamp = Timestamp::from_micros(i64::MAX);

impl Authz {
    /// Gives rights on the target that the path names.
    ///
    /// # Errors
    /// `validation_failed` for a subject that is not there, an expiry that is past, and a grant of
    /// nothing; `forbidden`, audited, for more than the caller holds on the target, or for longer.
    pub(crate) async fn create_grant(
        &self,
        allowed: Allowed<actions::GrantCreate>,
        input: CreateGrant,
    ) -> Result<GrantView, Problem> {
        let grant = self.draft(&allowed, input)?;
        let Grant { subject, target, rights, .. } = grant;
        let entry = AuditEntry::done(allowed.actor(), Action::GrantCreate, Some(grant.id.cast()))
            .with("target_kind", TargetKind::of(target).as_str())
            .with("level", rights.level.as_str());
        let (grant_ref, entry, allowed) = (&grant, &entry, &allowed);
        transact(&self.parts.database, |unit| {
            work(async move {
                self.hold(unit).await?;
                let judge = allowed.judged_in(unit).await?;
                allowed.takes_effect(unit).await?;
                hold_enough(allowed, &judge, grant_ref)?;
                let touched = self.principals_of(unit, subject).await?;
                store::insert_grant(unit, grant_ref).await?;
                self.parts.audit.record(unit, entry).await?;
                self.changed(unit, Touched::Principals(touched)).await?;
                Ok(())
            })
        })
        .await?;
        Ok(grant.view())
    }

    /// The grant that the input asks for on the target of the request.
    ///
    /// # Errors
    /// `validation_failed` for no or two subjects, an expiry that is past, and a grant of nothing.
    pub(super) fn draft<A: ActionType>(&self, allowed: &Allowed<A>, input: CreateGrant) -> Result<Grant, Problem> {
        let now = self.parts.clock.now();
        let subject = Subject::of(input.principal_id, input.group_id)
            .ok_or_else(|| Problem::invalid("", "exactly one of `principal_id` and `group_id` is required"))?;
        let rights = Rights { level: input.level, capabilities: input.capabilities.into_iter().collect() };
        if rights == Rights::NONE {
            return Err(Problem::invalid("/level", "a grant gives at least a level or a capability"));
        }
        if input.expires_at.is_some_and(|expires| expires <= now) {
            return Err(Problem::invalid("/expires_at", "must be in the future"));
        }
        Ok(Grant {
            id: self.parts.ids.next(),
            subject,
            target: target_of(&allowed.resource().path)?,
            rights,
            expires_at: input.expires_at,
            created_by: allowed.actor().principal,
            created_at: now,
        })
    }
}

/// Nobody gives more than they hold on the target, nor for longer: whoever holds it until a certain
/// time could otherwise keep it by giving it to themselves. The archive does not count here: it caps
/// what everybody may do for now, not what they hold.
pub(super) fn hold_enough<A: ActionType>(allowed: &Allowed<A>, judge: &Judge, grant: &Grant) -> Result<(), Problem> {
    let open = Path { archived: false, ..allowed.resource().path };
    let last = grant.expires_at.unwrap_or(FOREVER).minus(MOMENT);
    let held = judge.own().rights_on(&open, last);
    if held.covers(grant.rights) {
        return Ok(());
    }
    let enough = held.covers(Rights { level: Level::None, ..grant.rights });
    let reason = if enough { Reason::LevelInsufficient } else { Reason::CapabilityMissing };
    Err(allowed.refuse(Denial { outcome: Outcome::Forbidden, reason }))
}
