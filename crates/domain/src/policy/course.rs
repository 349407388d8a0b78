use crate::policy::{GrantFact, Rights};
use crate::time::Timestamp;

/// What the grants on one target give in the course of time. Grants only end, so this is a short
/// staircase that is worked out once: a decision takes the first step that still holds, which is the
/// first of all until a grant has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Course {
    first: Step,
    later: Box<[Step]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    rights: Rights,
    /// From when on it holds no more; `None` for ever.
    until: Option<Timestamp>,
}

impl Step {
    const NOTHING: Self = Self { rights: Rights::NONE, until: None };

    fn holds(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| until > now)
    }
}

impl Course {
    /// Of grants on the same target, in any order.
    pub(super) fn of<'a>(grants: impl IntoIterator<Item = &'a GrantFact>) -> Self {
        let mut grants: Vec<&GrantFact> = grants.into_iter().collect();
        // Those that last longest first: each further one adds its rights until it ends.
        grants.sort_by_key(|grant| std::cmp::Reverse((grant.expires_at.is_none(), grant.expires_at)));
        let mut steps: Vec<Step> = Vec::with_capacity(grants.len());
        let mut rights = Rights::NONE;
        for grant in grants {
            let more = rights.union(grant.rights);
            if more == rights {
                continue;
            }
            rights = more;
            let step = Step { rights, until: grant.expires_at };
            match steps.last_mut() {
                Some(last) if last.until == step.until => *last = step,
                _ => steps.push(step),
            }
        }
        steps.reverse();
        match steps.split_first() {
            None => Self { first: Step::NOTHING, later: Box::default() },
            Some((first, later)) => Self { first: *first, later: later.into() },
        }
    }

    /// What they give at a time.
    #[inline]
    pub(super) fn at(&self, now: Timestamp) -> Rights {
        if self.first.holds(now) {
            return self.first.rights;
        }
        self.later.iter().find(|step| step.holds(now)).map_or(Rights::NONE, |step| step.rights)
    }
}
