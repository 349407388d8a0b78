use bothy_domain::action::{Action, actions};
use bothy_domain::audit::AuditEntry;
use bothy_domain::policy::{Denial, Level, Outcome, Path, Reason, Rights};
use bothy_domain::problem::Problem;
use bothy_platform::authorize::Judge;
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::work;

use super::{CreateGrant, Grant, GrantView, TargetKind, target_of};
use crate::subject::Subject;
use crate::{Authz, Touched, store};

impl Authz {
    /// Gives rights on the target that the path names.
    ///
    /// # Errors
    /// `validation_failed` for a subject that is not there, an expiry that is past, and a grant of
    /// nothing; `forbidden`, audited, for more than the caller holds on the target.
    pub(crate) async fn create_grant(
        &self,
        allowed: Allowed<actions::GrantCreate>,
        input: CreateGrant,
    ) -> Result<GrantView, Problem> {
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
        let target = target_of(&allowed.resource().path)?;
        let grant = Grant {
            id: self.parts.ids.next(),
            subject,
            target,
            rights,
            expires_at: input.expires_at,
            created_by: allowed.actor().principal,
            created_at: now,
        };
        let entry = AuditEntry::done(allowed.actor(), Action::GrantCreate, Some(grant.id.cast()))
            .with("target_kind", TargetKind::of(target).as_str())
            .with("level", rights.level.as_str());
        let (grant_ref, entry, allowed) = (&grant, &entry, &allowed);
        transact(&self.parts.database, |unit| {
            work(async move {
                self.hold(unit).await?;
                let judge = allowed.judged_in(unit).await?;
                allowed.takes_effect(unit).await?;
                hold_enough(allowed, &judge, rights)?;
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
}

/// Nobody gives more than they hold on the target. The archive does not count here: it caps what
/// everybody may do for now, not what they hold.
fn hold_enough(allowed: &Allowed<actions::GrantCreate>, judge: &Judge, rights: Rights) -> Result<(), Problem> {
    let open = Path { archived: false, ..allowed.resource().path };
    let held = judge.own().rights_on(&open, judge.now());
    if held.covers(rights) {
        return Ok(());
    }
    let enough = held.covers(Rights { level: Level::None, ..rights });
    let reason = if enough { Reason::LevelInsufficient } else { Reason::CapabilityMissing };
    Err(allowed.refuse(Denial { outcome: Outcome::Forbidden, reason }))
}
