//! Cedar in the form that is fastest for it: one policy for each level, parsed before, and grants as roles
//! in the hierarchy of entities, so that a decision is a look-up among ancestors. Requests are made
//! before the clock starts. A bound question is two questions, of the agent and of the person.

use std::collections::{HashMap, HashSet};
use std::hint::black_box;
use std::str::FromStr;

use bothy_domain::policy::Level;
use cedar_policy::{
    Authorizer, Context, Decision, Entities, Entity, EntityId, EntityTypeName, EntityUid, PolicySet, Request,
    RestrictedExpression,
};

use crate::Failure;
use crate::report::{Report, median_ns};
use crate::rules::Rules;
use crate::world::{Question, Subject, Target, World};

const LEVELS: [(Level, &str); 3] = [(Level::Read, "read"), (Level::Write, "write"), (Level::Trigger, "trigger")];

struct Cedar {
    authorizer: Authorizer,
    policies: HashMap<Level, PolicySet>,
    types: Types,
    entities: Vec<Entity>,
    /// By principal, its ancestors included once the store is made.
    principals: Vec<EntityUid>,
    channels: Vec<EntityUid>,
}

struct Types {
    principal: EntityTypeName,
    group: EntityTypeName,
    role: EntityTypeName,
    channel: EntityTypeName,
}

/// A request that is ready, with its policies.
struct Asked<'a> {
    policies: &'a PolicySet,
    requests: Vec<Request>,
}

impl Cedar {
    fn new(world: &World) -> Result<Self, Failure> {
        let name = EntityTypeName::from_str;
        let types = Types {
            principal: name("Principal")?,
            group: name("Group")?,
            role: name("Role")?,
            channel: name("Channel")?,
        };
        let mut policies = HashMap::new();
        for (level, word) in LEVELS {
            let text = format!(
                "permit(principal, action == Action::\"{word}\", resource) when {{ principal in resource.{word} || \
                 principal in resource.space_{word} }};"
            );
            policies.insert(level, PolicySet::from_str(&text)?);
        }
        let uid = |kind: &EntityTypeName, id: String| EntityUid::from_type_name_and_id(kind.clone(), EntityId::new(id));
        let mut entities = Vec::new();
        let role = |target: Target, word: &str| match target {
            Target::Space(space) => uid(&types.role, format!("{}-{word}", world.spaces[space])),
            Target::Channel(channel) => uid(&types.role, format!("{}-{word}", world.channels[channel])),
        };
        let places = (0..world.spaces.len()).map(Target::Space).chain((0..world.channels.len()).map(Target::Channel));
        for place in places {
            // Whoever may write may read.
            for (word, weaker) in [("read", None), ("write", Some("read")), ("trigger", Some("write"))] {
                let parents = weaker.map(|weaker| role(place, weaker)).into_iter().collect();
                entities.push(Entity::new_no_attrs(role(place, word), parents));
            }
        }
        let mut of_principal: Vec<HashSet<EntityUid>> = vec![HashSet::new(); world.principals.len()];
        let mut of_group: Vec<HashSet<EntityUid>> = vec![HashSet::new(); world.groups.len()];
        for grant in &world.grants {
            let word = LEVELS.iter().find(|(level, _)| *level == grant.level).map_or("read", |(_, word)| word);
            let holder = match grant.subject {
                Subject::Principal(principal) => &mut of_principal[principal],
                Subject::Group(group) => &mut of_group[group],
            };
            holder.insert(role(grant.target, word));
        }
        let groups: Vec<_> = world.groups.iter().map(|group| uid(&types.group, group.to_string())).collect();
        for (group, roles) in groups.iter().zip(of_group) {
            entities.push(Entity::new_no_attrs(group.clone(), roles));
        }
        let principals: Vec<_> = world.principals.iter().map(|id| uid(&types.principal, id.to_string())).collect();
        for ((principal, mut parents), of) in principals.iter().zip(of_principal).zip(&world.groups_of) {
            parents.extend(of.iter().map(|group| groups[*group].clone()));
            entities.push(Entity::new_no_attrs(principal.clone(), parents));
        }
        let channels: Vec<_> = world.channels.iter().map(|id| uid(&types.channel, id.to_string())).collect();
        for (number, channel) in channels.iter().enumerate() {
            let mut roles = HashMap::new();
            for (_, word) in LEVELS {
                let expression = |target| RestrictedExpression::new_entity_uid(role(target, word));
                roles.insert(word.to_owned(), expression(Target::Channel(number)));
                roles.insert(format!("space_{word}"), expression(Target::Space(world.space_of[number])));
            }
            entities.push(Entity::new(channel.clone(), roles, HashSet::new())?);
        }
        Ok(Self { authorizer: Authorizer::new(), policies, types, entities, principals, channels })
    }

    fn asked<'a>(&'a self, question: &Question) -> Result<Asked<'a>, Failure> {
        let word = LEVELS.iter().find(|(level, _)| *level == question.level).map_or("read", |(_, word)| word);
        let action = EntityUid::from_str(&format!("Action::\"{word}\""))?;
        let mut requests = Vec::new();
        for principal in std::iter::once(question.caller).chain(question.person) {
            requests.push(Request::new(
                self.principals[principal].clone(),
                action.clone(),
                self.channels[question.channel].clone(),
                Context::empty(),
                None,
            )?);
        }
        Ok(Asked { policies: &self.policies[&question.level], requests })
    }

    fn allows(&self, asked: &Asked<'_>, entities: &Entities) -> bool {
        asked.requests.iter().all(|request| {
            self.authorizer.is_authorized(request, asked.policies, entities).decision() == Decision::Allow
        })
    }

    /// Only what a question is about, with what a principal holds already worked out.
    fn slice(&self, whole: &Entities, question: &Question) -> Result<Entities, Failure> {
        let mut few: Vec<Entity> = Vec::new();
        let channel = whole.get(&self.channels[question.channel]).ok_or("a channel is missing")?;
        few.push(channel.clone());
        for principal in std::iter::once(question.caller).chain(question.person) {
            let uid = &self.principals[principal];
            let ancestors: HashSet<EntityUid> =
                whole.ancestors(uid).ok_or("a principal is missing")?.cloned().collect();
            few.push(Entity::new_no_attrs(uid.clone(), ancestors));
        }
        Ok(Entities::from_entities(few, None)?)
    }
}

pub(crate) fn measure(world: &World, rules: &Rules, report: &mut Report) -> Result<(), Failure> {
    let cedar = Cedar::new(world)?;
    debug_assert_ne!(cedar.types.role, cedar.types.channel);
    let whole = Entities::from_entities(cedar.entities.iter().cloned(), None)?;
    for (questions, in_whole, sliced) in [
        (&world.alone, "alone, whole store of entities", "alone, entities sliced before"),
        (&world.bound, "bound, whole store of entities", "bound, entities sliced before"),
    ] {
        let asked: Vec<Asked<'_>> = questions.iter().map(|one| cedar.asked(one)).collect::<Result<_, _>>()?;
        for (question, asked) in questions.iter().zip(&asked) {
            let (ours, theirs) = (rules.allows(world, question), cedar.allows(asked, &whole));
            if ours != theirs {
                return Err(format!("Cedar says {theirs} to {question:?}, Bothy {ours}").into());
            }
        }
        let ns = median_ns(asked.len(), 11, || {
            for one in &asked {
                black_box(cedar.allows(black_box(one), &whole));
            }
        });
        report.add("Cedar", in_whole, ns);
        // A slice for each of some questions.
        let few = &questions[..512];
        let slices: Vec<Entities> = few.iter().map(|one| cedar.slice(&whole, one)).collect::<Result<_, _>>()?;
        let ns = median_ns(few.len(), 41, || {
            for (one, slice) in asked.iter().zip(&slices) {
                black_box(cedar.allows(black_box(one), slice));
            }
        });
        report.add("Cedar", sliced, ns);
    }
    Ok(())
}
