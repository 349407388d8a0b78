//! One question to both evaluators.

use bothy_domain::ids::{ChannelId, SpaceId};
use bothy_domain::policy::{Denial, Scope, decide, decide_scope};

use crate::bridge::{CHANNEL, Facts, Fault, SPACE, id};
use crate::reference::{self, Home, Lists, Question, World};

/// Where the two disagree, in words.
pub fn disagreement(world: &World, question: &Question, fault: Fault) -> Option<String> {
    decision_disagreement(world, question, fault).or_else(|| list_disagreement(world, question, fault))
}

/// Where the two disagree on the decision.
pub fn decision_disagreement(world: &World, question: &Question, fault: Fault) -> Option<String> {
    let facts = Facts::of(world, question, fault);
    let fast = decide(&facts.judgement(world, question, fault));
    let slow = reference::decide(world, question);
    (fast != slow).then(|| told(question, &fast, &slow))
}

/// Where the two disagree on what lists show.
pub fn list_disagreement(world: &World, question: &Question, fault: Fault) -> Option<String> {
    let fast = fast_scope(world, question, fault);
    let slow = reference::lists(world, question);
    match (&fast, &slow) {
        (Err(fast_denial), Err(slow_denial)) if fast_denial == slow_denial => None,
        (Ok(scope), Ok(lists)) => shown_differently(world, scope, lists)
            .map(|what| format!("{what}\n  question  {question:?}\n  fast      {scope:?}\n  reference {lists:?}")),
        _ => Some(told(question, &fast, &slow)),
    }
}

fn fast_scope(world: &World, question: &Question, fault: Fault) -> Result<Scope, Denial> {
    let mut facts_world = std::borrow::Cow::Borrowed(world);
    let mut asked = *question;
    match fault {
        Fault::ListForgetsDirects => {
            for channel in &mut facts_world.to_mut().channels {
                if let Home::Direct(participants) = &mut channel.home {
                    participants.clear();
                }
            }
        }
        Fault::ListForgetsChannelGrants => {
            facts_world.to_mut().grants.retain(|grant| !matches!(grant.on, reference::On::Channel(_)));
        }
        Fault::ListIgnoresBinding if matches!(asked.header, reference::Header::Token { .. }) => {
            asked.header = reference::Header::Absent;
        }
        _ => {}
    }
    let facts = Facts::of(&facts_world, &asked, fault);
    decide_scope(&facts.judgement(&facts_world, &asked, fault))
}

/// Every channel and space is asked for, and one of each that nobody made yet (AZ-9); and the lists
/// themselves hold nothing that is not shown.
fn shown_differently(world: &World, scope: &Scope, lists: &Lists) -> Option<String> {
    let new_channel: ChannelId = id(CHANNEL, 1_000);
    let new_space: SpaceId = id(SPACE, 1_000);
    for channel in 0..world.channels.len() {
        let space = match world.channels[channel].home {
            Home::Space(space) => Some(id(SPACE, space)),
            Home::Direct(_) => None,
        };
        if scope.shows_channel(space, id(CHANNEL, channel)) != lists.channels.contains(&channel) {
            return Some(format!("channel {channel}"));
        }
        if scope.channel_ids.contains(&id(CHANNEL, channel)) && !lists.channels.contains(&channel) {
            return Some(format!("channel {channel} listed"));
        }
    }
    for space in 0..world.spaces.len() {
        if scope.shows_space(id(SPACE, space)) != lists.spaces.contains(&space) {
            return Some(format!("space {space}"));
        }
        if scope.space_ids.contains(&id(SPACE, space)) && !lists.spaces.contains(&space) {
            return Some(format!("space {space} listed"));
        }
        let whole = lists.whole_spaces.contains(&space);
        if scope.shows_channel(Some(id(SPACE, space)), new_channel) != whole {
            return Some(format!("a new channel in space {space}"));
        }
        if scope.fully_visible_space_ids.contains(&id(SPACE, space)) && !whole {
            return Some(format!("space {space} listed as wholly visible"));
        }
    }
    let everything =
        [scope.instance_wide, scope.shows_space(new_space), scope.shows_channel(Some(new_space), new_channel)];
    if everything != [lists.instance_wide; 3] {
        return Some("a new space".to_owned());
    }
    if scope.shows_channel(None, new_channel) {
        return Some("a new direct message".to_owned());
    }
    let ascending = scope.channel_ids.is_sorted_by(|a, b| a < b)
        && scope.space_ids.is_sorted_by(|a, b| a < b)
        && scope.fully_visible_space_ids.is_sorted_by(|a, b| a < b);
    if !ascending {
        return Some("order".to_owned());
    }
    None
}

fn told<F, S>(question: &Question, fast: &F, slow: &S) -> String
where
    F: std::fmt::Debug,
    S: std::fmt::Debug,
{
    format!("{question:?}\n  fast      {fast:?}\n  reference {slow:?}")
}
