use bothy_domain::action::{BindingMode, Needs, Relation};
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::policy::{Capability, Decision, Denial, Level, Mode, Outcome, Reason};
use bothy_domain::run::RunState;

use super::rights::{Rights, Who, archived, rights_before_archive, rights_on, sees, thread_of};
use super::world::{Acting, Credential, Header, Question, Step, Target, World};

/// Chapter 03 section 3: the order of judgement, where the first failure decides.
pub fn decide(world: &World, question: &Question) -> Decision {
    let row = question.action.row();
    let caller = world.principals[question.caller];
    let own = who(question);

    // 1 and 2.
    let acting = match admit(world, question) {
        Ok(acting) => acting,
        Err(denial) => return Decision::Deny(denial),
    };
    // AF-9: the person whose rights narrow those of the caller, if any.
    let person = narrowing_person(world, question, acting);

    // 3, AZ-6 and AF-11.
    if question.target == Target::Unknown {
        return deny(Outcome::NotFound, Reason::UnknownTarget);
    }
    if !sees(world, own, question.target) {
        return deny(Outcome::NotFound, Reason::NoGrant);
    }
    if person.is_some_and(|person| !sees(world, person, question.target)) {
        return deny(Outcome::NotFound, Reason::ActingForInsufficient);
    }

    // 4.
    if !row.subjects.contains(caller.kind) {
        return deny(Outcome::Forbidden, Reason::SubjectKindNotAllowed);
    }

    // 5 and 6, with the rights of the caller alone, whose own reason stays (AF-11).
    let mine = rights_on(world, own, question.target);
    if let Some(reason) = unmet(world, question, mine) {
        let otherwise = rights_before_archive(world, own, question.target);
        let archive_is_why = reason != Reason::NotSelf
            && archived(world, question.target)
            && unmet(world, question, otherwise).is_none();
        return deny(Outcome::Forbidden, if archive_is_why { Reason::Archived } else { reason });
    }
    // AF-11: and with the intersection.
    if let Some(person) = person {
        let both = mine.and(rights_on(world, person, question.target));
        if unmet(world, question, both).is_some() {
            return deny(Outcome::Forbidden, Reason::ActingForInsufficient);
        }
    }

    // 7. Ownership that the credential does not let count is none.
    if row.owner && !(caller.owner && own.owner_counts) {
        return deny(Outcome::Forbidden, Reason::OwnerRequired);
    }
    if row.session && !matches!(question.credential, Credential::Session | Credential::ConfirmedSession) {
        return deny(Outcome::Forbidden, Reason::SessionRequired);
    }
    if row.step_up && question.credential != Credential::ConfirmedSession {
        return deny(Outcome::Forbidden, Reason::StepUpRequired);
    }
    Decision::Allow
}

/// Steps 1 and 2 of the order of judgement, which look at the caller and not at the target.
pub fn admit(world: &World, question: &Question) -> Result<Acting, Denial> {
    let caller = world.principals[question.caller];
    if caller.status != PrincipalStatus::Active {
        return Err(Denial { outcome: Outcome::Unauthenticated, reason: Reason::NotLive });
    }
    let acting = resolve(world, question.caller, question.header);
    // Seed 003 note 6: what is delivered to a consumer ignores the binding completely.
    if question.mode == Mode::Delivery {
        return Ok(Acting::Alone);
    }
    let unbound = question.action.row().binding == BindingMode::Unbound;
    match acting {
        // AF-7.
        Acting::Invalid => Err(Denial { outcome: Outcome::InvocationTokenInvalid, reason: Reason::InvocationInvalid }),
        // AF-8.
        Acting::RunInactive if !unbound => {
            Err(Denial { outcome: Outcome::InvocationTokenInvalid, reason: Reason::RunInactive })
        }
        // AF-17.
        Acting::Alone if caller.run_only && !unbound && question.action.row().in_tree() => {
            Err(Denial { outcome: Outcome::InvocationTokenRequired, reason: Reason::InvocationRequired })
        }
        _ => Ok(acting),
    }
}

/// AF-3 and AF-5: what the header of a request means.
pub fn resolve(world: &World, caller: usize, header: Header) -> Acting {
    let Header::Token { audience, subject, run, thread } = header else {
        return if header == Header::Absent { Acting::Alone } else { Acting::Invalid };
    };
    if world.principals[caller].kind != PrincipalKind::Agent || audience != caller {
        return Acting::Invalid;
    }
    let Some(run) = run else { return Acting::Invalid };
    let Some(row) = world.runs.get(run) else { return Acting::Invalid };
    if row.agent != caller || row.triggered_by != subject || Some(row.thread) != thread {
        return Acting::Invalid;
    }
    match row.state {
        RunState::Queued | RunState::Running | RunState::WaitingInput => {
            Acting::Bound { person: row.triggered_by, run, thread: row.thread }
        }
        RunState::Completed | RunState::Failed | RunState::Cancelled => Acting::RunInactive,
    }
}

/// AF-9, AF-10 and AF-13: whose rights narrow those of the caller for this question.
fn narrowing_person(world: &World, question: &Question, acting: Acting) -> Option<Who> {
    let Acting::Bound { person, run, thread } = acting else { return None };
    let narrows = match question.action.row().binding {
        BindingMode::Bound => true,
        BindingMode::Unbound => false,
        BindingMode::OwnException => {
            let in_own_thread = thread_of(world, question.target) == Some(thread);
            let another_run = matches!(question.target, Target::Run(target) if target != run);
            !in_own_thread || another_run
        }
    };
    narrows.then_some(Who { principal: person, owner_counts: true })
}

/// The caller; ownership counts only in a session.
pub fn who(question: &Question) -> Who {
    let session = matches!(question.credential, Credential::Session | Credential::ConfirmedSession);
    Who { principal: question.caller, owner_counts: session }
}

/// Steps 5 and 6: the first step that no way to meet the requirement survives.
fn unmet(world: &World, question: &Question, rights: Rights) -> Option<Reason> {
    let ways = question.action.row().any_of;
    let for_me = |way: &Needs| related(world, question, way.relation);
    let and_level = |way: &Needs| for_me(way) && rights.level >= step(way.level);
    let and_capability = |way: &Needs| and_level(way) && way.capability.is_none_or(|wanted| has(rights, wanted));
    if !ways.iter().any(for_me) {
        return Some(Reason::NotSelf);
    }
    if !ways.iter().any(and_level) {
        return Some(Reason::LevelInsufficient);
    }
    if !ways.iter().any(and_capability) {
        return Some(Reason::CapabilityMissing);
    }
    None
}

fn related(world: &World, question: &Question, relation: Relation) -> bool {
    let caller = question.caller;
    match (relation, question.target) {
        (Relation::Anybody, _) => true,
        (Relation::Author, Target::Thread(thread)) => world.threads[thread].author == caller,
        (Relation::Author, Target::Message(message)) => world.messages[message].author == caller,
        (Relation::AgentSelf, Target::Principal(principal)) => principal == caller,
        (Relation::AgentSelf, Target::Run(run)) => world.runs[run].agent == caller,
        (Relation::TriggeringPerson, Target::Run(run)) => world.runs[run].triggered_by == caller,
        _ => false,
    }
}

fn step(level: Level) -> Step {
    match level {
        Level::None => Step::Nothing,
        Level::Read => Step::Read,
        Level::Write => Step::Write,
        Level::Trigger => Step::Trigger,
    }
}

fn has(rights: Rights, capability: Capability) -> bool {
    match capability {
        Capability::Upload => rights.caps.upload,
        Capability::Moderate => rights.caps.moderate,
        Capability::Manage => rights.caps.manage,
    }
}

fn deny(outcome: Outcome, reason: Reason) -> Decision {
    Decision::Deny(Denial { outcome, reason })
}
