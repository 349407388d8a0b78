use bothy_domain::policy::{Denial, Outcome, Reason};

use super::evaluate::{admit, who};
use super::rights::{Who, rights_on, sees};
use super::world::{Acting, Question, Step, Target, World};

/// What a list may show (chapter 03 section 6, AF-12), each in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists {
    pub channels: Vec<usize>,
    pub spaces: Vec<usize>,
    /// Spaces in which also a channel that is made later is visible (AZ-9).
    pub whole_spaces: Vec<usize>,
    /// Whether also a space that is made later is visible.
    pub instance_wide: bool,
}

/// What lists show to the caller of a question; its target plays no part.
pub fn lists(world: &World, question: &Question) -> Result<Lists, Denial> {
    let acting = admit(world, question)?;
    // A list shows what its caller may read (chapter 03 section 9), so step 4 holds for it too.
    if !question.action.row().subjects.contains(world.principals[question.caller].kind) {
        return Err(Denial { outcome: Outcome::Forbidden, reason: Reason::SubjectKindNotAllowed });
    }
    let mut viewers = vec![who(question)];
    if let Acting::Bound { person, .. } = acting {
        viewers.push(Who { principal: person, owner_counts: true });
    }
    let all_see = |target| viewers.iter().all(|viewer| sees(world, *viewer, target));
    let all_read = |target| viewers.iter().all(|viewer| rights_on(world, *viewer, target).level >= Step::Read);
    Ok(Lists {
        channels: (0..world.channels.len()).filter(|id| all_see(Target::Channel(*id))).collect(),
        spaces: (0..world.spaces.len()).filter(|id| all_see(Target::Space(*id))).collect(),
        whole_spaces: (0..world.spaces.len()).filter(|id| all_read(Target::Space(*id))).collect(),
        instance_wide: all_read(Target::Instance),
    })
}
