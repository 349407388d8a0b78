//! The acting-for binding (chapter 08): what an invocation token means, and when the intersection
//! of the agent's rights with the triggering person's rights applies.

use crate::action::{BindingMode, ResourceKind};
use crate::actor::{ActingFor, Binding};
use crate::ids::{InvocationTokenId, PrincipalId, RunId, ThreadId};
use crate::policy::Resource;
use crate::run::RunState;

/// The claims of a token whose signature, type, issuer and times were found good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvocationClaims {
    /// The agent that the token was made for (`aud`).
    pub agent: PrincipalId,
    /// The triggering person (`sub`).
    pub person: PrincipalId,
    /// The run; a token without one binds nothing.
    pub run: Option<RunId>,
    /// The thread of the run.
    pub thread: Option<ThreadId>,
    /// The token's own id (`jti`).
    pub token: InvocationTokenId,
}

/// What the database says of the run that a token names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunBinding {
    /// The run.
    pub id: RunId,
    /// Its agent.
    pub agent: PrincipalId,
    /// Its triggering person.
    pub triggered_by: PrincipalId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its state.
    pub state: RunState,
}

/// What a good token of an agent means now (AF-5). Expiry is not looked at (AF-4): a run outlives
/// its token's lifetime, every token of a run names the same person, and a token only narrows.
pub fn verdict(claims: &InvocationClaims, run: Option<&RunBinding>, caller: PrincipalId) -> ActingFor {
    let Some(run) = run else {
        return ActingFor::Invalid;
    };
    let same = claims.agent == caller
        && run.agent == caller
        && claims.run == Some(run.id)
        && claims.thread == Some(run.thread)
        && claims.person == run.triggered_by;
    if !same {
        return ActingFor::Invalid;
    }
    let binding = Binding { person: run.triggered_by, run: run.id, thread: run.thread, token: claims.token };
    if run.state.is_active() { ActingFor::Bound(binding) } else { ActingFor::RunInactive(binding) }
}

/// Whether the intersection applies to an action on a resource (AF-9, AF-13), outside delivery mode.
///
/// Own exceptions need the resolved thread to be the run's thread and, for a run, that very run.
pub fn binding_applies(mode: BindingMode, acting_for: &ActingFor, resource: &Resource) -> bool {
    let ActingFor::Bound(binding) = acting_for else {
        return false;
    };
    match mode {
        BindingMode::Unbound => false,
        BindingMode::Bound => true,
        BindingMode::OwnException => {
            let own_thread = resource.path.thread == Some(binding.thread);
            let own_run = resource.kind != ResourceKind::Run || resource.id == binding.run.cast();
            !(own_thread && own_run)
        }
    }
}

#[cfg(test)]
mod tests;
