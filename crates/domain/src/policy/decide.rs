use crate::acting_for::binding_applies;
use crate::action::{Action, BindingMode, Needs, Relation, Row};
use crate::actor::{ActingFor, Actor};
use crate::policy::scope::scope;
use crate::policy::{Path, Place, Resource, Rights, Scope, Snapshot};
use crate::time::Timestamp;

/// How a decision is used (chapter 03 section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One request on one target; denials are audited.
    Request,
    /// A check of one element of a list; writes nothing.
    Filter,
    /// What may be delivered to a consumer; ignores the binding (AF-14).
    Delivery,
}

/// Why something was denied; a closed list. What of it is public is decided by the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The principal is not active any more.
    NotLive,
    /// The target does not exist.
    UnknownTarget,
    /// The target exists, but the caller cannot see it.
    NoGrant,
    /// This kind of principal never does this.
    SubjectKindNotAllowed,
    /// The target is reserved to somebody else.
    NotSelf,
    /// The level does not suffice.
    LevelInsufficient,
    /// A capability is missing.
    CapabilityMissing,
    /// It would be allowed if the place were not archived.
    Archived,
    /// Only an owner may.
    OwnerRequired,
    /// Only in a login session.
    SessionRequired,
    /// Only with a fresh confirmation of the password.
    StepUpRequired,
    /// The agent alone could, the person it works for could not (AF-11).
    ActingForInsufficient,
    /// The invocation token binds nothing (AF-7).
    InvocationInvalid,
    /// The run of the invocation token has ended (AF-8).
    RunInactive,
    /// This agent may act only inside a run (AF-17).
    InvocationRequired,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 15] = [
        Self::NotLive,
        Self::UnknownTarget,
        Self::NoGrant,
        Self::SubjectKindNotAllowed,
        Self::NotSelf,
        Self::LevelInsufficient,
        Self::CapabilityMissing,
        Self::Archived,
        Self::OwnerRequired,
        Self::SessionRequired,
        Self::StepUpRequired,
        Self::ActingForInsufficient,
        Self::InvocationInvalid,
        Self::RunInactive,
        Self::InvocationRequired,
    ];

    /// The name in problems and in the audit log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotLive => "not_live",
            Self::UnknownTarget => "unknown_target",
            Self::NoGrant => "no_grant",
            Self::SubjectKindNotAllowed => "subject_kind_not_allowed",
            Self::NotSelf => "not_self",
            Self::LevelInsufficient => "level_insufficient",
            Self::CapabilityMissing => "capability_missing",
            Self::Archived => "archived",
            Self::OwnerRequired => "owner_required",
            Self::SessionRequired => "session_required",
            Self::StepUpRequired => "step_up_required",
            Self::ActingForInsufficient => "acting_for_insufficient",
            Self::InvocationInvalid => "invalid",
            Self::RunInactive => "run_inactive",
            Self::InvocationRequired => "invocation_token_required",
        }
    }
}

/// How a denial is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// 401.
    Unauthenticated,
    /// 404, without a reason, as for an id that does not exist.
    NotFound,
    /// 403 with the reason.
    Forbidden,
    /// 403 `invocation_token_invalid` with the reason.
    InvocationTokenInvalid,
    /// 403 `invocation_token_required`.
    InvocationTokenRequired,
}

/// A denial: what the caller is told, and what the audit log is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Denial {
    /// How it is answered.
    pub outcome: Outcome,
    /// The true reason.
    pub reason: Reason,
}

/// The result of a judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Go on.
    Allow,
    /// Stop here.
    Deny(Denial),
}

impl Decision {
    /// Whether it allows.
    pub const fn is_allow(&self) -> bool {
        matches!(self, Self::Allow)
    }
}

/// Everything that one decision looks at.
#[derive(Debug, Clone, Copy)]
pub struct Judgement<'a> {
    /// Who acts.
    pub actor: &'a Actor,
    /// The actor's rights.
    pub own: &'a Snapshot,
    /// The rights of the person that the actor works for; needed exactly when the actor is bound.
    pub person: Option<&'a Snapshot>,
    /// What is to be done.
    pub action: Action,
    /// On what; `None` when no such thing exists, which is judged like something hidden (AZ-6).
    pub resource: Option<&'a Resource>,
    /// How the answer is used.
    pub mode: Mode,
    /// The time of the decision, by the kernel clock.
    pub now: Timestamp,
}

/// Judges in the order of chapter 03 section 3; the first failure decides.
pub fn decide(judgement: &Judgement<'_>) -> Decision {
    let row = judgement.action.row();
    match refusal(judgement, row) {
        Some((outcome, reason)) => Decision::Deny(Denial { outcome, reason }),
        None => Decision::Allow,
    }
}

fn refusal(judgement: &Judgement<'_>, row: &Row) -> Option<(Outcome, Reason)> {
    let own = judgement.own;
    if !own.is_active() {
        return Some((Outcome::Unauthenticated, Reason::NotLive));
    }
    if judgement.mode != Mode::Delivery
        && let Some(refused) = token_refusal(judgement.actor, row)
    {
        return Some(refused);
    }
    let Some(resource) = judgement.resource else {
        return Some((Outcome::NotFound, Reason::UnknownTarget));
    };
    let mine = own.sight(&resource.path, judgement.now);
    if !mine.visible {
        return Some((Outcome::NotFound, Reason::NoGrant));
    }
    let person = match bound_person(judgement, row, resource) {
        Bound::No => None,
        Bound::To(person) => {
            let theirs = person.sight(&resource.path, judgement.now);
            if !theirs.visible && resource.path.place != Place::Instance {
                return Some((Outcome::NotFound, Reason::ActingForInsufficient));
            }
            Some((person, theirs.rights))
        }
        Bound::Unknown => return Some((Outcome::NotFound, Reason::ActingForInsufficient)),
    };
    if !row.subjects.contains(judgement.actor.kind) {
        return Some((Outcome::Forbidden, Reason::SubjectKindNotAllowed));
    }
    let open = |path: &Path| own.rights_on(path, judgement.now);
    if let Some(reason) = unmet(judgement, row, resource, mine.rights, open) {
        return Some((Outcome::Forbidden, reason));
    }
    if let Some((person, theirs)) = person {
        let open = |path: &Path| own.rights_on(path, judgement.now).intersection(person.rights_on(path, judgement.now));
        if unmet(judgement, row, resource, mine.rights.intersection(theirs), open).is_some() {
            return Some((Outcome::Forbidden, Reason::ActingForInsufficient));
        }
    }
    credential_refusal(judgement, row).map(|reason| (Outcome::Forbidden, reason))
}

enum Bound<'a> {
    No,
    To(&'a Snapshot),
    /// Bound, but nothing is known of the person: fail closed.
    Unknown,
}

fn bound_person<'a>(judgement: &Judgement<'a>, row: &Row, resource: &Resource) -> Bound<'a> {
    let applies = judgement.mode != Mode::Delivery
        && in_tree(resource.path.place)
        && binding_applies(row.binding, &judgement.actor.acting_for, resource);
    match (applies, judgement.person) {
        (false, _) => Bound::No,
        (true, Some(person)) => Bound::To(person),
        (true, None) => Bound::Unknown,
    }
}

/// Places where levels apply, so that the intersection can take something away (AF-13).
const fn in_tree(place: Place) -> bool {
    matches!(place, Place::Instance | Place::Space(_) | Place::Channel(..) | Place::Direct(_))
}

fn token_refusal(actor: &Actor, row: &Row) -> Option<(Outcome, Reason)> {
    match actor.acting_for {
        ActingFor::Invalid => Some((Outcome::InvocationTokenInvalid, Reason::InvocationInvalid)),
        ActingFor::RunInactive(_) if row.binding != BindingMode::Unbound => {
            Some((Outcome::InvocationTokenInvalid, Reason::RunInactive))
        }
        ActingFor::Absent if actor.requires_binding && row.binding != BindingMode::Unbound && row.in_tree() => {
            Some((Outcome::InvocationTokenRequired, Reason::InvocationRequired))
        }
        _ => None,
    }
}

fn credential_refusal(judgement: &Judgement<'_>, row: &Row) -> Option<Reason> {
    let credential = judgement.actor.credential;
    if row.owner && !judgement.own.is_owner() {
        return Some(Reason::OwnerRequired);
    }
    if row.session && !credential.is_session() {
        return Some(Reason::SessionRequired);
    }
    (row.step_up && !credential.is_confirmed_session()).then_some(Reason::StepUpRequired)
}

/// The reason why none of the row's alternatives holds with these rights; the last one speaks for
/// all. `rights_on` says what they would be were the path not archived.
fn unmet(
    judgement: &Judgement<'_>,
    row: &Row,
    resource: &Resource,
    rights: Rights,
    rights_on: impl Fn(&Path) -> Rights,
) -> Option<Reason> {
    let mut last = None;
    for needs in row.any_of {
        let reason = unmet_needs(judgement, needs, resource, rights)?;
        if last == Some(Reason::Archived) {
            continue;
        }
        last = Some(if resource.path.archived {
            let open = Path { archived: false, ..resource.path };
            unmet_needs(judgement, needs, resource, rights_on(&open)).map_or(Reason::Archived, |_| reason)
        } else {
            reason
        });
    }
    last
}

fn unmet_needs(judgement: &Judgement<'_>, needs: &Needs, resource: &Resource, rights: Rights) -> Option<Reason> {
    let principal = Some(judgement.actor.principal);
    let related = match needs.relation {
        Relation::Anybody => true,
        Relation::Author => resource.author == principal,
        Relation::AgentSelf => resource.agent == principal,
        Relation::TriggeringPerson => resource.triggered_by == principal,
    };
    if !related {
        return Some(Reason::NotSelf);
    }
    if rights.level < needs.level {
        return Some(Reason::LevelInsufficient);
    }
    match needs.capability {
        Some(capability) if !rights.capabilities.contains(capability) => Some(Reason::CapabilityMissing),
        _ => None,
    }
}

/// Judges a list (chapter 03 section 6): what the caller may see of everything that an action is
/// about. A bound caller of whose person nothing is known sees nothing.
///
/// # Errors
/// The denial, when the caller may not ask at all: not active, or a token that does not bind
/// (AF-7, AF-8, AF-17).
pub fn decide_scope(judgement: &Judgement<'_>) -> Result<Scope, Denial> {
    let row = judgement.action.row();
    let own = judgement.own;
    if !own.is_active() {
        return Err(Denial { outcome: Outcome::Unauthenticated, reason: Reason::NotLive });
    }
    if judgement.mode != Mode::Delivery
        && let Some((outcome, reason)) = token_refusal(judgement.actor, row)
    {
        return Err(Denial { outcome, reason });
    }
    if !row.subjects.contains(judgement.actor.kind) {
        return Err(Denial { outcome: Outcome::Forbidden, reason: Reason::SubjectKindNotAllowed });
    }
    if judgement.mode == Mode::Delivery {
        return Ok(scope(own, None, judgement.now));
    }
    Ok(match (judgement.actor.acting_for, judgement.person) {
        (ActingFor::Bound(_), None) => Scope::default(),
        (ActingFor::Bound(_), person) => scope(own, person, judgement.now),
        _ => scope(own, None, judgement.now),
    })
}
